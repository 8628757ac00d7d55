package drift

import (
	"cmp"
	"strconv"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// maxFindings is the maximum number of findings to keep. More of them have a common
// cause, and nobody reads the list.
const maxFindings = 20_000

// A feed passes findings from the search, which waits for the database, to Update,
// which must not wait.
type feed struct {
	mu      sync.Mutex
	items   []drift.Result
	table   string // that is being read
	scanned int    // items read so far
}

// report sets the progress.
func (f *feed) report(table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.table, f.scanned = table, scanned
}

// put adds a finding.
func (f *feed) put(d drift.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, d)
}

// drain returns the progress, and the findings since the last call.
func (f *feed) drain() (items []drift.Result, table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	items, f.items = f.items, nil
	return items, f.table, f.scanned
}

// driftRow is an item with its defects.
type driftRow struct {
	drift.Result
	id     string // its table and primary key
	state  string // the outcome of its repair, "" before one
	marked bool

	masker *models.Masker // of key and shown
	key    string
	shown  []change.Defect // masked
}

// driftRows is the source of the grid: all findings, or those with one kind of defect.
type driftRows struct {
	env    *screen.Env
	list   []*driftRow
	byKind map[change.DefectKind][]*driftRow
	kind   change.DefectKind // "" for all

	marks   int
	cursors map[change.DefectKind]*driftRow // where the cursor was in each kind
	awaited map[string]string               // names of rows that were marked before they are searched again, by ID
	lost    []string                        // names of marked rows that are gone, until the user marks others or was asked
}

// newRows returns no findings yet. Those that were marked before are marked when they are
// found again.
func newRows(env *screen.Env, before *driftRows) *driftRows {
	r := &driftRows{
		env: env, byKind: map[change.DefectKind][]*driftRow{}, cursors: map[change.DefectKind]*driftRow{}, awaited: map[string]string{},
	}
	if before != nil {
		for _, row := range before.marked() {
			r.awaited[row.id] = before.masked(row).key
		}
	}
	return r
}

// rowID identifies an item among the findings of all tables.
func rowID(t *models.Table, it models.Item) string { return t.Name + " " + results.Key(t, it) }

// Marked reports whether a row is marked. The mark belongs to the finding, whatever kind is
// shown.
func (r *driftRows) Marked(i int) bool { return r.at(i).marked }

// SetMarked marks a row, or removes its mark.
func (r *driftRows) SetMarked(i int, on bool) {
	r.mark(r.at(i), on)
	if on {
		r.lost = nil
	}
}

// MarkCount returns the number of marks, including those of other kinds.
func (r *driftRows) MarkCount() int { return r.marks }

var _ widget.Marker = (*driftRows)(nil)

func (r *driftRows) mark(row *driftRow, on bool) {
	if row.marked != on {
		row.marked = on
		r.marks += map[bool]int{true: 1, false: -1}[on]
	}
}

// marked returns the marked rows of all kinds.
func (r *driftRows) marked() []*driftRow {
	var list []*driftRow
	if r.marks == 0 {
		return nil
	}
	for _, row := range r.list {
		if row.marked {
			list = append(list, row)
		}
	}
	return list
}

// clearMarks removes all marks.
func (r *driftRows) clearMarks() {
	for _, row := range r.list {
		r.mark(row, false)
	}
	r.lost = nil
}

// lose announces marks that were removed because their rows are gone or changed.
func (r *driftRows) lose(names []string, why string) tea.Cmd {
	if len(names) == 0 {
		return nil
	}
	r.lost = append(r.lost, names...)
	text := present.Plural(len(names), "mark") + " removed: " + why + ": " + results.NameSome(names)
	return screen.Send(screen.NoticeMsg{Text: text, Bad: true})
}

// columns of the findings. The last one takes the remaining width.
var columns = []widget.Column{
	{Title: "defect", Min: 13, Max: 13, Frozen: true},
	{Title: "entity", Max: 16},
	{Title: "item", Min: 18, Max: 64, Middle: true},
	{Title: "attribute", Max: 20},
	{Title: "stored → expected", Weight: 1, Max: 120},
}

// add adds a finding, once for each of its kinds.
func (r *driftRows) add(d drift.Result) {
	row := &driftRow{Result: d, id: rowID(d.Table, d.Item)}
	r.list = append(r.list, row)
	if _, was := r.awaited[row.id]; was {
		delete(r.awaited, row.id)
		r.mark(row, true)
	}
	seen := map[change.DefectKind]bool{}
	for _, defect := range d.Defects {
		if !seen[defect.Kind] {
			seen[defect.Kind] = true
			r.byKind[defect.Kind] = append(r.byKind[defect.Kind], row)
		}
	}
}

// view returns the rows of the kind.
func (r *driftRows) view() []*driftRow {
	if r.kind == "" {
		return r.list
	}
	return r.byKind[r.kind]
}

// Len returns the number of rows of the kind.
func (r *driftRows) Len() int { return len(r.view()) }

// at returns a row of the kind.
func (r *driftRows) at(i int) *driftRow { return r.view()[i] }

// masked fills in the parts of a row that may be shown, again after personal data was
// revealed or masked.
func (r *driftRows) masked(row *driftRow) *driftRow {
	if m := r.env.Session.Masker(); row.masker != m {
		row.masker = m
		row.key, row.shown = r.env.Drift.Shown(row.Result)
	}
	return row
}

// Cell presents the first defect of the kind.
func (r *driftRows) Cell(i, col int) widget.Cell {
	row := r.masked(r.at(i))
	d := row.first(r.kind)
	c := widget.Cell{}
	switch col {
	case 0:
		c = present.DefectBadge(d.Kind)
		c.Text = cmp.Or(row.state, c.Text)
	case 1:
		c = results.KindCell(row.Entity)
	case 2:
		c.Text = row.key
	case 3:
		c = widget.Cell{Text: d.Attribute, Role: widget.RoleKey}
		if n := len(row.shown); n > 1 {
			c.Text = strings.TrimSpace(d.Attribute + " +" + strconv.Itoa(n-1))
		}
	case 4:
		c = widget.Cell{Text: d.Text, Role: widget.RoleMuted}
		if stored, expected, ok := present.DefectValues(d); ok {
			c.Text = stored + " → " + expected
		}
	}
	if row.state != "" {
		c.Role = widget.RoleFaint
	}
	return c
}

// first returns the first defect of a kind, "" for any.
func (row *driftRow) first(kind change.DefectKind) change.Defect {
	for _, d := range row.shown {
		if kind == "" || d.Kind == kind {
			return d
		}
	}
	return change.Defect{}
}
