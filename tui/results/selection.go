package results

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A selection contains the cursor and the marks of rows. Both belong to items: after a reload they return to the items
// with the same keys, and Lost returns the missing items.
type selection struct {
	r     *Rows
	Marks rows.Marks // by item number

	marked     map[string]models.Item // by key: marked items awaited in the reload
	cursor     string                 // key of the item under the cursor, or ""
	cursorItem int                    // number of that item plus one; 0 until it arrives
}

// maxKeys is the maximum number of marks to restore after a reload. Comparing more keys would block the screen.
const maxKeys = 2000

// KeepCursor returns the cursor to the row's item after the next reload.
func (s *selection) KeepCursor(row int) {
	s.cursor = ""
	if row >= 0 && row < s.r.Len() {
		s.cursor = Key(s.r.Pattern.Table, s.r.Items.At(s.r.At(row)))
	}
}

func (s *selection) reset() { *s = selection{r: s.r} }

// AwaitsKeys reports whether AddPage needs the keys of arriving items.
func (s *selection) AwaitsKeys() bool { return len(s.marked) > 0 || s.cursor != "" }

// dropMarks clears the marks. It remembers the marked items unless there are more than maxKeys.
func (s *selection) dropMarks() {
	if s.Marks.Len() > 0 && s.marked == nil {
		s.marked = map[string]models.Item{}
	}
	if s.Marks.Len() <= maxKeys {
		for at := range s.Marks.All() {
			it := s.r.Items.At(at)
			s.marked[Key(s.r.Pattern.Table, it)] = it
		}
	}
	s.Marks.Clear()
}

func (s *selection) restore(from int, keys []string) {
	found := false
	for i, key := range keys {
		if _, isMarked := s.marked[key]; isMarked {
			delete(s.marked, key)
			s.Marks.Set(from+i, true)
		}
		if key == s.cursor && key != "" && !found {
			s.cursorItem, found = from+i+1, true
		}
	}
	if from == 0 && len(keys) > 0 {
		s.cursor = "" // The item was on the first page, or no longer exists.
	}
}

// CursorFound returns the number of the item to which the cursor returns, once, when it has arrived.
func (s *selection) CursorFound() (at int, ok bool) {
	at = s.cursorItem - 1
	s.cursorItem = 0
	return at, at >= 0
}

// Lost returns the names of the marked items that a reload did not return, and forgets them. Call it after the last
// page.
func (s *selection) Lost() []string {
	var names []string
	for _, it := range s.marked {
		names = append(names, s.r.Name(it))
	}
	s.marked = nil
	return names
}

// OnlyOneRow is the reason why an action that changes one row is unavailable while other rows are marked.
const OnlyOneRow = "only for the row under the cursor; unmark the other rows"

// Targets returns marked items, or a single unmarked item, as the targets of an action.
func (r *Rows) Targets(items []models.Item, marked bool) Targets {
	return Targets{Items: rows.Select(items), Marked: marked, rows: r}
}

// Current returns the item under the cursor as the target of an action, or no target if there are no rows.
func (t *Table) Current() Targets {
	i := t.Grid.Cursor()
	if i < 0 || i >= t.Len() {
		return Targets{rows: t.Rows}
	}
	return Targets{Items: rows.SelectShown(t.Items, []int32{int32(t.At(i))}), rows: t.Rows}
}

// Targets are an action's items at the time when the screen offered the action: for a key, in a menu or in the palette.
// The screen may reload the rows before the user chooses. The action then applies to these items or, if Problem returns
// one, to none.
type Targets struct {
	Items  rows.Selection
	Marked bool // the user marked the items
	rows   *Rows
}

// Problem describes the items that disappeared or changed since the screen offered the action, or returns "". find
// returns the current item for a key.
func (t Targets) Problem(find func(key string) (models.Item, bool)) string {
	var missing, changed []string
	items := t.Items.Items()
	for _, it := range items {
		switch current, ok := find(Key(t.rows.Pattern.Table, it)); {
		case !ok:
			missing = append(missing, t.rows.Name(it))
		case !models.EqualItems(current, it):
			changed = append(changed, t.rows.Name(it))
		}
	}
	switch {
	case len(items) == 0:
		return "no item is selected"
	case len(missing)+len(changed) == 0:
		return ""
	}
	return NotStartedReason(missing, changed)
}

// NotStartedReason explains why the action did not start: since the screen offered it, some items disappeared or
// changed.
func NotStartedReason(missing, changed []string) string {
	parts := []string{"nothing was done"}
	if len(missing) > 0 {
		parts = append(parts, "no longer here: "+ListNames(missing))
	}
	if len(changed) > 0 {
		parts = append(parts, "changed: "+ListNames(changed))
	}
	return strings.Join(parts, "; ")
}

// ListNames lists the first names and counts the others.
func ListNames(names []string) string {
	const maximum = 3
	if len(names) <= maximum {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:maximum], ", ") + " and " + present.Thousands(len(names)-maximum) + " more"
}

// Name returns the entity and the ID of an item in displayable form.
func (r *Rows) Name(it models.Item) string { return ItemTitle(r.snapshot().row(it)) }

// Key returns an item's primary key as text that is unique within the table. Table.KeyText is only for display, because
// it does not distinguish "a / b" and "c" from "a" and "b / c".
func Key(t *models.Table, it models.Item) string {
	key := models.AppendTypedJSON(nil, it[t.PartitionKey.Name])
	if t.SortKey.Name != "" {
		key = models.AppendTypedJSON(key, it[t.SortKey.Name])
	}
	return string(key)
}

// Keys returns the primary keys of items as in Key.
func Keys(t *models.Table, items []models.Item) []string {
	return models.MapSlice(items, func(it models.Item) string { return Key(t, it) })
}

// FindCommitted returns the new states of changed items by item number. It searches the store from number from on. A
// deleted item contains only its key, and a moved item has its new key.
func FindCommitted(s rows.Store, from int, t *models.Table, list []screen.CommittedChange) map[int]models.Item {
	after := map[string]models.Item{}
	for _, c := range list {
		if c.Table == t {
			switch {
			case c.Item != nil:
				after[Key(t, c.Key)] = c.Item
			case c.Moved != nil:
				after[Key(t, c.Key)] = c.Moved
			default:
				after[Key(t, c.Key)] = c.Key
			}
		}
	}
	found := map[int]models.Item{}
	for r, at := s.Reader(), from; at < r.Len(); at++ {
		if it, ok := after[Key(t, r.At(at))]; ok {
			found[at] = it
		}
	}
	return found
}
