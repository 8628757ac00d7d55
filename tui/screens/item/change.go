package item

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// menuDetail is the number of lines that describe the action under the cursor.
const menuDetail = 4

// itemOffers contains the changes of the item's entity, with their letters in the action menu.
type itemOffers struct {
	list    []changes.Offer
	letters map[*change.Action]string
	pending map[*change.Action]bool // the role can only request the change, and a request is pending
}

func (o *itemOffers) remake(s *itemData) {
	o.list = nil
	e := s.facts.entity
	if e == nil {
		return
	}
	o.list, o.pending = append(s.env.Planner.Offers(e, s.item), repairOffers(s, e)...), map[*change.Action]bool{}
	for i, offer := range o.list {
		at := slices.IndexFunc(s.requests, func(q requests.Entry) bool { return q.Action == offer.Action.ID })
		if at >= 0 && offer.Reason == "" && s.env.Session.CanChange(offer.Action) != nil {
			o.list[i].Reason, o.pending[offer.Action] = "already "+present.RequestText(s.env, s.requests[at]), true
		}
	}
	o.letters = maps.Clone(present.ActionKeys(s.env.Keys, s.env.Session.Profile()))
	hasRepair := slices.ContainsFunc(o.list, func(offer changes.Offer) bool { return offer.Action.Kind == change.KindRepair })
	digit := 0
	for _, offer := range o.list { // Each change keeps its digit in every state.
		if hasRepair && o.letters[offer.Action] == "f" {
			delete(o.letters, offer.Action)
		}
		switch {
		case offer.Action.Kind == change.KindRepair:
			o.letters[offer.Action] = "f"
		case o.letters[offer.Action] == "" && offer.Action.Disabled == "" && digit < 9:
			digit++
			o.letters[offer.Action] = strconv.Itoa(digit)
		}
	}
}

func repairOffers(s *itemData, e *models.Entity) []changes.Offer {
	a := s.env.Session.Profile().RepairOf(e)
	if a == nil || s.facts.driftedKeyCount() == 0 || s.env.Session.Profile().Action(a.ID) == a {
		return nil
	}
	offer := changes.Offer{Action: a, Args: changes.ActionArgs(a, e, s.item)}
	if err := s.env.Session.CanChange(a); err != nil {
		offer.Reason, offer.Refused = refusalProblem(err), true
	}
	return []changes.Offer{offer}
}

func requestVerb(q requests.Entry) string {
	if q.NeedsReview() && q.CannotReject == nil {
		return "Decide"
	}
	return "Open"
}

func (s *itemScreen) actionMenu() *overlay.Menu {
	var possible, refused, others []overlay.MenuEntry
	for _, q := range s.requests {
		possible = append(possible, overlay.MenuEntry{
			Label: requestVerb(q) + " the request: " + present.ActionTitle(s.env, q.Action), Note: present.RequestText(s.env, q),
			Run: func() tea.Cmd { return screen.Open(screen.Requests{ID: q.ID}) },
			Detail: func(st *widget.Styles, w int) []string {
				return widget.Wrap(st, widget.RoleText, "Opens the change request and its plan. Reason: "+models.Printable(q.Reason), w)
			},
		})
	}
	var unavailable []changes.Offer
	for _, o := range s.offers.list {
		switch e := s.changeEntry(o); {
		case o.Reason == "" || s.offers.pending[o.Action]:
			possible = append(possible, e)
		case o.Refused:
			refused = append(refused, e)
		default:
			unavailable, others = append(unavailable, o), append(others, e)
		}
	}
	note := "files a change request"
	isOwn := func(o changes.Offer) bool { return o.Reason == "" && s.env.Session.CanChange(o.Action) == nil }
	if len(possible) == 0 || slices.ContainsFunc(s.offers.list, isOwn) {
		note = "shows a plan first"
	}
	m := &overlay.Menu{Title: s.Title(), Note: note, Key: widget.MenuKey, DetailRows: menuDetail, Entries: possible}
	if len(refused) > 0 {
		m.AddUnavailable(s.refusal(), refused)
	}
	if len(others) > 0 {
		m.Entries = append(m.Entries, overlay.MenuEntry{
			Label: fmt.Sprintf("%d unavailable now", len(others)), Note: "press enter to list or hide them", More: others,
			Detail: func(st *widget.Styles, w int) []string {
				return widget.Wrap(st, widget.RoleText, "Unavailable because "+obstacleText(unavailable)+".", w)
			},
		})
	}
	for _, a := range s.env.Keys.Rebind("item", s.otherActions()) {
		letter, _ := a.InMenu()
		if a.Why() == "" || !s.env.Plain() { // Role support needs no advice on switching roles.
			m.Entries = append(m.Entries, overlay.NewActionEntry(letter, a, a.Run))
		}
	}
	m.Entries = append(m.Entries, overlay.MenuEntry{Label: "Everywhere"})
	for _, a := range s.env.Global {
		if letter, ok := a.InMenu(); ok && a.Why() == "" {
			run := func() tea.Cmd { return screen.Send(screen.GlobalMsg{Run: a.Run}) }
			m.Entries = append(m.Entries, overlay.NewActionEntry(letter, a, run))
		}
	}
	return m
}

// updateReasons updates the reasons of a menu's actions that are not changes.
func (s *itemScreen) updateReasons(m *overlay.Menu) {
	for _, a := range s.env.Keys.Rebind("item", s.otherActions()) {
		letter, _ := a.InMenu()
		for i := range m.Entries {
			if m.Entries[i].Key == letter {
				m.Entries[i].Why = a.Why()
			}
		}
	}
}

func (s *itemScreen) refusal() string {
	if err := s.env.Session.CanUndo(); err != nil && s.env.Session.Role() == session.Admin {
		return err.Error()
	}
	return "Only an admin can act · y s copy a summary"
}

// actionNote returns the ID of an action as a note, for users who read schemas.
func (s *itemScreen) actionNote(a *change.Action) string {
	if s.plain {
		return a.Entity.Title
	}
	return a.Entity.Name + " · " + a.ID
}

func (s *itemScreen) changeEntry(o changes.Offer) overlay.MenuEntry {
	it := s.item
	e := overlay.MenuEntry{
		Label: o.Action.Title, Note: o.Action.Description, Why: o.MenuReason(), Rule: s.actionNote(o.Action),
		Key: s.offers.letters[o.Action], Run: func() tea.Cmd { return s.runOffer(o, it) },
		Detail: func(st *widget.Styles, w int) []string {
			var lines []string
			if o.Reason != "" && !o.Refused {
				lines = widget.Wrap(st, widget.RoleWarn, "⊘ "+o.MenuReason(), w)
			} else if obstacle := s.env.Tables.ObstacleToChange(o.Action); obstacle != nil {
				lines = present.ObstacleWarning(st, obstacle, w)
			}
			return append(lines, widget.Wrap(st, widget.RoleText, o.Action.Description, w)...)
		},
	}
	if to := o.Action.To(); to != "" && o.Action.Lifecycle != nil {
		e.Note = "→ " + o.Action.Lifecycle.Title(to) + "  " + e.Note
	}
	if obstacle := present.ChangeObstacle(s.env, o.Action); obstacle != "" {
		e.Note, e.Bad = "✗ "+obstacle, true
	}
	return e
}

func obstacleText(offers []changes.Offer) string {
	var reasons []string
	disabled := 0
	for _, o := range offers {
		reason := o.Reason
		if o.Now != "" {
			reason = "it is " + present.LowerFirst(o.Now)
		}
		switch {
		case o.Action.Disabled != "":
			disabled++
		case o.Action.Kind == change.KindRepair && len(offers) > 1: // "Nothing to repair" explains no other obstacle.
		case !slices.Contains(reasons, reason):
			reasons = append(reasons, reason)
		}
	}
	text := strings.Join(reasons, "; ")
	if disabled > 0 {
		return present.Join(text, "the schema disables "+strconv.Itoa(disabled)+" of them", "; ")
	}
	return text
}

func (s *itemScreen) offerActions() widget.Actions {
	list, it := make(widget.Actions, 0, len(s.offers.list)), s.item
	for _, o := range s.offers.list {
		keys := ""
		if letter := s.offers.letters[o.Action]; letter != "" {
			keys = widget.MenuKey + ">" + letter
		}
		a := widget.NewAction("change-"+o.Action.ID, keys, "", o.Action.Title,
			o.MenuReason, func() tea.Cmd { return s.runOffer(o, it) })
		a.Danger = true
		list = append(list, a)
	}
	return list
}

func (s *itemScreen) runOffer(o changes.Offer, it models.Item) tea.Cmd {
	reason := ""
	if s.state == readGone {
		reason = results.NotStartedReason([]string{s.Title()}, nil)
	} else if changed := slices.Sorted(maps.Keys(differences(it, s.item))); len(changed) > 0 {
		reason = results.NotStartedReason(nil, changed)
	}
	if reason != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + reason, Bad: true})
	}
	return s.change(o.Action, o.Args)
}

// Committed shows the item after a change. It restarts a running read, which may return an older state, unless the
// change came from this screen's dialog, which does that itself.
func (s *itemScreen) Committed(list []screen.CommittedChange) tea.Cmd {
	isThisItem := false
	for _, c := range list {
		if c.Table != s.table || results.Key(c.Table, c.Key) != results.Key(s.table, s.item) {
			continue
		}
		isThisItem = true
		s.read.task.End()
		s.state = readGone
		if c.Moved != nil {
			c.Item = c.Moved
		}
		if c.Item != nil {
			s.item, s.listedItem, s.differences, s.state = c.Item, c.Item, nil, readDone
		}
		s.read.at, s.read.afterChange = s.env.Now(), true
		s.remake()
		if s.Box == nil {
			return s.reread()
		}
	}
	if isThisItem {
		return nil
	}
	s.history.reset()
	s.counts.markOutdated()
	if s.counts.paused {
		return nil
	}
	return tea.Batch(s.active.opened(false), s.counts.start())
}

func (s *itemScreen) change(a *change.Action, args map[string]string) tea.Cmd {
	r := planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + s.Title(), About: a.Description, Item: s.item, Args: args, Done: s.rereadAfterChange,
	}
	if a.Kind == change.KindPut {
		r.Title, r.Item, r.Args = a.Title+" · new "+present.EntityName(a.Entity), nil, nil
	}
	s.Box = planner.NewChange(s.env, r)
	return nil
}

func (s *itemScreen) rereadAfterChange(done *changes.Commitment) tea.Cmd {
	s.read.afterChange = done != nil
	return s.reread()
}

func (s *itemScreen) findUndo() tea.Cmd {
	key, ok := s.table.PrimaryKey(s.item)
	if !ok {
		return nil
	}
	w, table := s.env.Workspace, s.table
	return func() tea.Msg {
		last, found, err := w.Journal.LastChange(table, key)
		switch {
		case !found && err != nil:
			return screen.NoticeMsg{Text: "the journal cannot be read: " + err.Error(), Bad: true}
		case !found:
			return screen.NoticeMsg{Text: "nothing to undo: this item was not changed from this machine"}
		}
		return screen.Answer(func() tea.Cmd {
			if s.Box != nil {
				return nil
			}
			return s.Undo(last)
		})
	}
}

func (s *itemScreen) Undo(l changes.Latest) (cmd tea.Cmd) {
	s.Box, cmd = planner.NewUndo(s.env, l, s.rereadAfterChange)
	return cmd
}

func (s *itemScreen) undoDisabled() string {
	err := s.env.Session.CanUndo()
	switch {
	case err == nil && s.notChanged:
		return "not changed from this machine"
	case err == nil:
		return ""
	case s.env.Session.Role() == session.Admin:
		return err.Error()
	}
	return "only an admin can undo a change"
}

func (s *itemScreen) Watch(on bool) tea.Cmd {
	s.counts.paused = !on
	switch {
	case !on:
		s.counts.task.End()
		return nil
	case s.counts.done == nil:
		return tea.Batch(s.active.opened(false), s.counts.start())
	}
	return s.counts.countNext()
}
