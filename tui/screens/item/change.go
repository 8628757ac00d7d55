package item

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// changer lists, plans and undoes the changes of the item.
type changer struct{ *itemScreen }

// menuDetail is how many lines describe the action under the cursor.
const menuDetail = 4

func (s changer) changeMenu() *overlay.Menu {
	var possible, refused, others []overlay.MenuEntry
	var rest []changes.Offer
	why := ""
	for _, o := range s.offers.list {
		switch e := s.changeEntry(o); {
		case o.Why == "":
			possible = append(possible, e)
		case o.Refused && (why == "" || why == o.Why):
			why, refused = o.Why, append(refused, e)
		default:
			rest, others = append(rest, o), append(others, e)
		}
	}
	m := &overlay.Menu{
		Title: "Change " + s.Title(), Note: "enter shows the plan first", Key: s.offers.menuKey(), DetailRows: menuDetail, Entries: possible,
	}
	if len(refused) > 0 {
		m.Refuse(s.refusal(why), refused)
	}
	if len(others) > 0 {
		m.Entries = append(m.Entries, overlay.MenuEntry{
			Label: fmt.Sprintf("%d unavailable", len(others)), Note: obstacles(rest), More: others, Rule: "enter shows them",
			Detail: func(st *widget.Styles, w int) []string { return widget.Wrap(st, widget.RoleText, obstacles(rest), w) },
		})
	}
	return m
}

func (s changer) refusal(why string) string {
	if all := s.undoDisabled(); all != "" {
		return all
	}
	return why
}

func (s changer) changeEntry(o changes.Offer) overlay.MenuEntry {
	it := s.item
	e := overlay.MenuEntry{
		Label: o.Action.Title, Note: o.Action.Description, Why: o.Why, Rule: o.Action.Entity.Name + " · " + o.Action.ID,
		Run: func() tea.Cmd { return s.changeOffered(o, it) },
		Detail: func(st *widget.Styles, w int) []string {
			var lines []string
			if o.Why != "" && !o.Refused {
				lines = widget.Wrap(st, widget.RoleWarn, "⊘ "+o.Why, w)
			} else if known := s.env.Tables.ObstacleToChange(o.Action); known != nil {
				lines = present.AsksAgain(st, known, w)
			}
			return append(lines, widget.Wrap(st, widget.RoleText, o.Action.Description, w)...)
		},
	}
	if o.Why == "" {
		e.Key = cmp.Or(s.offers.letters[o.Action], s.offers.digits[o.Action])
	}
	if to := o.Action.To(); to != "" && o.Action.Lifecycle != nil {
		e.Note = "→ " + to + "  " + e.Note
	}
	if known := present.ChangeObstacle(s.env, o.Action); known != "" {
		e.Note, e.Bad = "✗ "+known, true
	}
	return e
}

func obstacles(offers []changes.Offer) string {
	var reasons []string
	disabled := 0
	for _, o := range offers {
		reason, _, _ := strings.Cut(o.Why, ": ")
		switch {
		case o.Action.Off != "":
			disabled++
		case o.Action.Kind == change.Repairs && len(offers) > 1: // That nothing is to be repaired explains no other.
		case !slices.Contains(reasons, reason):
			reasons = append(reasons, reason)
		}
	}
	text := strings.Join(reasons, "; ")
	switch {
	case disabled == 1:
		return present.Join(text, "1 disabled in the profile", "; ")
	case disabled > 1:
		return present.Join(text, fmt.Sprintf("%d disabled in the profile", disabled), "; ")
	}
	return text
}

func (s changer) cannotChange() string {
	switch {
	case s.facts.entity == nil:
		return "no entity matches the item, so ddbdesk knows no change of it"
	case len(s.offers.list) == 0:
		return "the schema documents no change of " + s.facts.name
	}
	return ""
}

func (s changer) offerActions() widget.Actions {
	list, it := make(widget.Actions, 0, len(s.offers.list)), s.item
	var moves []*change.Action
	for _, o := range s.offers.list {
		if o.Why == "" && o.Action.To() != "" {
			moves = append(moves, o.Action)
		}
	}
	for _, o := range s.offers.list {
		a := widget.Action{
			Name: "change-" + o.Action.ID, Binding: key.NewBinding(key.WithHelp(s.offers.menuKey(), "")), Long: o.Action.Title, Danger: true,
			Disabled: func() string { return o.Why }, Run: func() tea.Cmd { return s.changeOffered(o, it) },
		}
		if letter := s.offers.letters[o.Action]; letter != "" {
			a.Binding = widget.Bind(letter, letter)
		} else if keys := s.offers.keys(o.Action); keys != "" {
			a.Binding = key.NewBinding(key.WithHelp(keys, ""))
		}
		if slices.Contains(moves, o.Action) {
			a.Desc = present.ActionVerb(o.Action, moves)
		}
		list = append(list, a)
	}
	return list
}

func (s changer) changeOffered(o changes.Offer, it models.Item) tea.Cmd {
	why := ""
	if s.read.state == readGone {
		why = results.Undone([]string{s.Title()}, nil)
	} else if changed := slices.Sorted(maps.Keys(differing(it, s.item))); len(changed) > 0 {
		why = results.Undone(nil, changed)
	}
	if why != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + why, Bad: true})
	}
	return s.change(o.Action, o.Args)
}

// Committed shows what a change made of the item. What is being read may be older, so that
// it is read again; the dialog of a change on this screen does that itself.
func (s *itemScreen) Committed(list []screen.Committed) tea.Cmd {
	own := false
	for _, c := range list {
		if c.Table != s.table || results.Key(c.Table, c.Key) != results.Key(s.table, s.item) {
			continue
		}
		own = true
		s.read.stop()
		s.read.state = readGone
		if c.Item != nil {
			s.item, s.row, s.read.changed, s.read.state = c.Item, c.Item, nil, readDone
		}
		s.read.at, s.read.own = s.env.Now(), true
		s.remake()
		s.layout()
		if s.Box == nil {
			return s.reread()
		}
	}
	if own {
		return nil
	}
	return s.outdated()
}

func (s *itemScreen) outdated() tea.Cmd {
	s.timeline.reset()
	s.counts.stop()
	s.counts.done = nil
	if s.counts.paused {
		return nil
	}
	return tea.Batch(s.tab().opened(), s.counts.startCounts())
}

func (s *itemScreen) change(a *change.Action, args map[string]string) tea.Cmd {
	r := planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + s.Title(), About: a.Description, Item: s.item, Args: args, Done: s.changed,

	}
	if a.Kind == change.Creates {
		r.Title, r.Item, r.Args = a.Title+" · new "+present.EntityName(a.Entity), nil, nil
	}
	s.Box = planner.NewChange(s.env, r)
	return nil
}

func (s *itemScreen) changed(done *changes.Commitment) tea.Cmd {
	s.timeline.reset()
	s.read.own = done != nil
	return s.read.start()
}

// itemUndoMsg is the change that can be undone.
type itemUndoMsg struct {
	screen *itemScreen
	past   changes.PastChange
	plan   *change.Plan
	found  bool
	err    error
}

func (s changer) findUndo() tea.Cmd {
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		return nil
	}
	from, table := s.env.Workspace, s.table
	return func() tea.Msg {
		past, plan, found, err := from.Journal.LastChange(table, key)
		return itemUndoMsg{s.itemScreen, past, plan, found, err}
	}
}

func (s changer) undoFound(msg itemUndoMsg) tea.Cmd {
	switch {
	case msg.screen != s.itemScreen || s.Box != nil:
		return nil
	case !msg.found && msg.err != nil:
		return screen.Send(screen.NoticeMsg{Text: "the journal cannot be read: " + msg.err.Error(), Bad: true})
	case !msg.found:
		return screen.Send(screen.NoticeMsg{Text: "no change of this item was made from this machine"})
	}
	s.Undo(msg.past, msg.plan)
	return nil
}

// Undo opens the dialog that undoes a change.
func (s *itemScreen) Undo(past changes.PastChange, p *change.Plan) {
	r := planner.UndoRequest(s.env, past, p)
	r.Done = s.changed
	s.Box = planner.NewChange(s.env, r)
}

func (s changer) undoDisabled() string {
	if err := s.env.Session.CanUndo(); err != nil {
		return err.Error()
	}
	return ""
}
