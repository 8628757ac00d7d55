package compare

import (
	"context"
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A source is a state or an item to compare with the left side.
type source struct {
	section, title, note string
	read                 func(ctx context.Context) (side, error)
}

func fixedSource(title, note string, s side) *source {
	return &source{title: title, note: note, read: func(context.Context) (side, error) { return s, nil }}
}

func readSource(env *screen.Env, table *models.Table, it models.Item) *source {
	key, isComplete := table.PrimaryKey(it)
	title, _ := nameOf(env, table, it)
	if !isComplete {
		return fixedSource(title, "", side{title: title, table: table, item: it})
	}
	w := env.Workspace
	return &source{title: title, read: func(ctx context.Context) (side, error) {
		item, err := w.Reading.Get(ctx, table, key)
		if err == nil && item == nil {
			err = errors.New("item " + title + " does not exist")
		}
		return side{title: "refreshed", table: table, item: item}, err
	}}
}

// sources returns the item's earlier state, the other rows of its list, and the last opened items, without duplicates.
func (c *comparison) sources() []*source {
	left := c.left.Load()
	seen := map[string]bool{left.table.Name + results.Key(left.table, left.item): true}
	var list []*source
	add := func(section, note string, table *models.Table, it models.Item) {
		if key := table.Name + results.Key(table, it); !seen[key] {
			seen[key] = true
			src := readSource(c.Env, table, it)
			src.section, src.note = section, note
			list = append(list, src)
		}
	}
	if c.row != nil {
		list = append(list, fixedSource("as listed", "before the refresh", side{title: "as listed", table: left.table, item: c.row}))
		list[0].section = "This item"
	}
	for _, it := range c.rows[:min(len(c.rows), results.MaxComparedRows)] {
		add("Rows of the same list", stateNote(c.Env, left.table, it), left.table, it)
	}
	for _, v := range c.Env.History.Visits() {
		add("Recently opened", present.Age(v.At, c.Env.Now()), v.Table, v.Key)
	}
	return list
}

func stateNote(env *screen.Env, table *models.Table, it models.Item) string {
	r, ok := env.Session.Recognize(table, it)
	if !ok || len(r.Entity.Lifecycles) == 0 {
		return ""
	}
	text, _ := env.Session.Masker().Item(table, it).Text(r.Entity.Lifecycles[0].Attribute)
	return text
}

// choose asks for the item to compare with. Canceling the first choice goes back.
func (c *comparison) choose() *overlay.Picker {
	sources, list := c.sources(), widget.NewList(c.Env.Styles)
	items, section, high := make([]widget.ListItem, len(sources)), "", len(sources)
	for i, s := range sources {
		items[i] = widget.ListItem{ID: strconv.Itoa(i), Section: s.section, Title: s.title, Badge: s.note, BadgeRole: widget.RoleFaint}
		if s.section != section {
			section, high = s.section, high+1
		}
	}
	list.SetPlaceholder("type to filter, or paste a key, an ID or an item as JSON")
	list.SetEmpty("No match. Press enter to use the text as a key or an ID.")
	if len(items) == 0 {
		list.SetEmpty("Type or paste a key, an ID or an item, then press enter.")
	}
	list.SetItems(items)
	list.StartTyping()
	return &overlay.Picker{
		Title: "Compare with", Note: "enter compare · esc close", List: list, MaxWidth: 96, MaxHeight: high + 1, Paste: c.acceptPaste,
		Choose: func(id, typed string, found bool) (tea.Cmd, bool) {
			if i, err := strconv.Atoi(id); found && err == nil {
				return c.acceptSource(sources[i])
			}
			if typed == "" {
				return nil, false
			}
			return c.acceptPaste(typed)
		},
		Leave: func() tea.Cmd {
			if c.right.Load() == nil {
				return screen.Send(screen.BackMsg{})
			}
			return nil
		},
	}
}

// acceptSource compares with a source. Closing the box then reads the list again.
func (c *comparison) acceptSource(s *source) (tea.Cmd, bool) {
	c.right.Store(s)
	c.Redraw()
	return nil, true
}

// acceptPaste compares with the item in a text, or the item with the key or ID in it, preferably from the same table.
func (c *comparison) acceptPaste(text string) (tea.Cmd, bool) {
	table, p := c.left.Load().table, c.Env.Session.Profile()
	schema := find.Schema(p)
	if _, _, item, err := accesspatterns.SplitPasted(p.Entities, text); err == nil && item != nil {
		item = table.TypeKeys(item)
		if key, complete := table.PrimaryKey(item); !complete || len(item) > len(key) {
			return c.acceptSource(fixedSource("as pasted", "", side{title: "as pasted", table: table, item: item, entered: true}))
		}
		return c.acceptSource(readSource(c.Env, table, item))
	}
	found, err := lookup.Find(schema, text)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true}), false
	}
	var best *lookup.Read
	for i, r := range found.Reads {
		if r.IsItem && r.Quality < lookup.Bare && (best == nil || r.Entity.Table == table && best.Entity.Table != table) {
			best = &found.Reads[i]
		}
	}
	if best == nil {
		text := "the text names no item; paste a complete key (PK / SK), an ID, or an item as JSON"
		return screen.Send(screen.NoticeMsg{Text: text, Bad: true}), false
	}
	return c.acceptSource(readSource(c.Env, best.Entity.Table, best.Leg.Get.Key))
}
