package item

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/cases"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// offersAt is the place of the changes of the item among its actions.
const offersAt = 2

// Actions are what can be done here, the most useful first. While a dialog is open, none
// of them is possible.
func (s *itemScreen) Actions() widget.Actions {
	list := slices.Insert(s.env.Keys.Rebind("item", s.makeActions()), offersAt, changer{s}.offerActions()...)
	for i, a := range list {
		switch a.Name {
		case "enter":
			list[i].Desc = s.tab().enter().word
		case "reveal":
			if overlay.Revealing(s.env) {
				list[i].Desc = "mask"
			}
		}
	}
	if s.Box == nil {
		return list
	}
	for i := range list {
		list[i].Disabled = func() string { return "close the open dialog first" }
	}
	return list
}

func (s *itemScreen) opens(box func() overlay.Overlay) func() tea.Cmd {
	return func() tea.Cmd {
		s.Box = box()
		return nil
	}
}

func (s *itemScreen) ofTab(does func(tab) command) (disabled func() string, run func() tea.Cmd) {
	return func() string { return does(s.tab()).why }, func() tea.Cmd { return does(s.tab()).run() }
}

func (s *itemScreen) makeActions() widget.Actions {
	cannotEnter, enter := s.ofTab(tab.enter)
	cannotSearch, search := s.ofTab(tab.search)
	noNext, next := s.ofTab(tab.next)
	noPrevious, previous := s.ofTab(tab.previous)
	list := widget.Actions{
		widget.NewAction("enter", "enter", "open",
			"unfold a document, follow a reference, plan a transition, open an entry, run a related pattern",
			cannotEnter, enter),
		widget.NewAction("change", "o", "change", "list the changes that you can make to the item",
			changer{s}.cannotChange, s.opens(func() overlay.Overlay { return changer{s}.changeMenu() })),
		widget.NewAction("copy", "y", "copy", "copy the value, the item, its key or code that reads it: clipboard, pager, editor, file",
			nil, s.opens(func() overlay.Overlay { return s.copyMenu() })),
		widget.NewAction("export", "E", "", "write the item to a file",
			nil, s.opens(func() overlay.Overlay { return s.newExport() })),
		widget.NewAction("save-case", "T", "", "save the item and its related items in a file, with pseudonyms",
			s.cannotSaveCase, s.saveCase),
		widget.NewAction("reveal", "R", "reveal", "reveal personal data with a reason, or mask it again",
			func() string { return overlay.CannotReveal(s.env) }, s.toggleReveal),
		widget.NewAction("reread", "ctrl+r f5", "", "refresh the item with a strongly consistent read", nil, s.reread),
		{
			Name: "undo", Binding: widget.Bind("u", "u"), Desc: "undo", Long: "undo the last change of this item",
			Danger: true, Disabled: changer{s}.undoDisabled, Run: changer{s}.findUndo,
		},
		widget.NewAction("compare", "=", "compare", "compare the item with another one, or with its state after a change",
			nil, s.compare),
		widget.NewAction("bookmark", "b", "", "bookmark the item; B lists the bookmarks",
			s.cannotBookmark, s.opens(s.bookmarkDialog)),
		widget.NewAction("decode-key", "P", "", "decode the item's key", nil, s.decodeKey),
		{
			Name: "tabs", Binding: widget.Bind("1-7", "1", "2", "3", "4", "5", "6", "7"), Desc: "tabs",
			Long: "overview, keys, lifecycle, timeline, related, issues, raw",
		},
		widget.NewAction("next-tab", "tab", "", "next tab", nil, func() tea.Cmd { return s.turn(1) }),
		widget.NewAction("previous-tab", "shift+tab", "", "previous tab", nil, func() tea.Cmd { return s.turn(-1) }),
		widget.NewAction("search", "/", "search", "search names and values; on Related, filter", cannotSearch, search),
		widget.NewAction("next", "n", "", "next match of the search; older entries of the timeline", noNext, next),
		widget.NewAction("previous", "N", "", "previous match of the search", noPrevious, previous),
	}
	for _, t := range s.tabs {
		for _, a := range t.actions() {
			a.Disabled = func() string {
				if s.tab() != t {
					return "only on the tab " + t.title()
				}
				return ""
			}
			list = append(list, a)
		}
	}
	return list
}

func (s *itemScreen) turn(by int) tea.Cmd {
	s.bar.Active = (s.bar.Active + by + tabCount) % tabCount
	return s.turned()
}

func (s *itemScreen) toggleReveal() tea.Cmd {
	cmd := s.ToggleReveal(s.env, s.table.Name+" "+s.facts.keyText)
	s.checkMasker()
	return cmd
}

func (s *itemScreen) decodeKey() tea.Cmd {
	table, it := s.table, s.item
	return screen.Open(screen.Decode{Spell: func(masker *models.Masker) string { return table.KeyText(masker.Item(table, it)) }})
}

func (s *itemScreen) compare() tea.Cmd {
	with := screen.Compare{Table: s.table, Item: s.item, Rows: s.among, As: "as it is"}
	switch s.read.state {
	case readGone:
		with.As = "as it was"
	case readNone, readRunning, readFailed, readCancelled:
		with.As = "as the list showed it"
	case readDone:
	}
	if !models.EqualItems(s.row, s.item) {
		with.Row = s.row
	}
	return screen.Open(with)
}

func (s *itemScreen) copyMenu() *output.TakeMenu {
	var pieces []output.Piece
	if path, value, ok := s.overview.selected(); ok && s.tab() == tab(s.overview) {
		pieces = append(pieces, output.ValuePiece(path, value))
	}
	pieces = append(pieces, output.ItemPieces(s.env, s.table, s.item, s.fileName())...)
	section := ""
	if at := s.bar.Active; at > 0 {
		section = link.Sections()[at]
	}
	pieces = append(pieces, output.LinkPiece("link to this item", section, func() (link.Link, error) {
		return link.OfItem(s.env.Session.Viewer, s.table, s.item, section)
	}))
	return output.NewTakeMenu(s.env, &s.Host, append(pieces, output.ReadingPieces(s.env, s.table, s.item)...))
}

func (s *itemScreen) fileName() string { return s.facts.name + "-" + s.facts.filed }

func (s *itemScreen) newExport() overlay.Overlay {
	return output.NewExport(s.env, output.Exporting{Title: "Export the item", Name: s.fileName(), What: items.Export{
		Table: s.table, Items: []models.Item{s.item}, Single: true,
	}})
}

func (s *itemScreen) cannotSaveCase() string {
	if s.facts.entity == nil {
		return "the item matches no entity"
	}
	return ""
}

func (s *itemScreen) saveCase() tea.Cmd {
	key, _ := s.table.PrimaryKey(s.item)
	dialog, cmd := cases.New(s.env, link.Place{Entity: s.facts.entity, Key: key}, s.fileName())
	s.Box = dialog
	return cmd
}

func (s *itemScreen) bookmarkDialog() overlay.Overlay {
	if name := overlay.ItemMarked(s.env.Workspace, s.table, s.item); name != "" {
		return overlay.NewUnmark(s.env, name)
	}
	mark, _ := s.env.Bookmarks.NewItem("", s.table, s.item) // cannotBookmark has reported the error.
	suggested := strings.TrimSpace(s.facts.name + " " + s.facts.filed)
	return overlay.NewNaming(s.env, "Bookmark this item", "Bookmark", suggested, "", func(name string) tea.Cmd {
		mark.Name = name
		return overlay.SaveBookmark(s.env, mark)
	}, "The bookmark contains the key and nothing else of the item.")
}

func (s *itemScreen) cannotBookmark() string {
	if _, err := s.env.Bookmarks.NewItem("", s.table, s.item); err != nil {
		return err.Error()
	}
	return ""
}

// issuesTab lists the defects of the item, and the schema issues of the entity and its patterns. Only the defects are
// counted: the schema issues are the same for each item.
type issuesTab struct{ textTab }

func newIssuesTab(s *itemScreen) *issuesTab {
	t := &issuesTab{}
	t.textTab = newTextTab(s, t.issueLines)
	return t
}

func (t *issuesTab) title() string {
	if n := len(t.s.facts.defects); n > 0 && t.s.read.state == readDone {
		return "Issues ✗" + strconv.Itoa(n)
	}
	return "Issues"
}

func (t *issuesTab) note() string {
	switch n := len(t.s.facts.defects); {
	case t.s.read.state != readDone:
		return ""
	case n > 0:
		return "✗ " + present.Plural(n, "defect") + " of this item"
	case t.s.facts.entity != nil:
		return "✓ no defects of this item"
	}
	return ""
}

func (t *issuesTab) defectLines(w int) []string {
	if t.s.read.state != readDone || len(t.s.facts.defects) == 0 {
		return nil
	}
	st := t.s.env.Styles
	lines := []string{present.Heading(st, "Defects of this item", w), ""}
	for _, d := range t.s.facts.defects {
		lines = append(append(lines, present.DefectLines(st, d, w)...), "")
	}
	return lines
}

func (t *issuesTab) issueLines(w int) []string {
	st := t.s.env.Styles
	text := min(w-2, 96) // Long lines are hard to read.
	lines := t.defectLines(text)
	if len(t.s.facts.findings) == 0 {
		return append(lines, st.Paint(widget.RoleGood, "✓ No known issues of the schema"))
	}
	own := func(f *accesspatterns.Finding) bool {
		return t.s.facts.entity != nil && slices.Contains(f.Entities, t.s.facts.entity.Name)
	}
	list := slices.Clone(t.s.facts.findings)
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int { return rankOf(own(a)) - rankOf(own(b)) })
	for i, f := range list {
		if i > 0 {
			lines = append(lines, "")
		}
		switch {
		case i == 0 && own(f):
			lines = append(lines, present.Heading(st, "Schema issues of "+t.s.facts.name, text), "")
		case !own(f) && (i == 0 || own(list[i-1])):
			lines = append(lines, present.Heading(st, "Schema issues of patterns that return it", text), "")
		}
		lines = append(lines, present.FindingBlock(st, f, text)...)
		if !own(f) && len(f.Patterns) > 0 {
			lines = append(
				lines,
				present.Indented(widget.Wrap(st, widget.RoleFaint, "patterns "+strings.Join(f.Patterns, ", "), text-2))...,
			)
		}
	}
	return lines
}

func rankOf(first bool) int {
	if first {
		return 0
	}
	return 1
}

// itemOffers are the changes of the item's entity, with the keys that plan them.
type itemOffers struct {
	s       *itemScreen
	list    []changes.Offer // the entries of the menu
	letters map[*change.Action]string
	digits  map[*change.Action]string // in the menu, of those without a letter
}

func (o *itemOffers) remake() {
	o.list = nil
	if e := o.s.facts.entity; e != nil {
		o.list = append(o.s.env.Planner.Offers(e, o.s.item), o.repair(e)...)
	}
	o.letters = present.ActionKeys(o.s.env.Keys, o.s.env.Session.Profile())
	o.digits = map[*change.Action]string{}
	for _, of := range o.list { // Each keeps its digit in every state.
		if n := len(o.digits) + 1; o.letters[of.Action] == "" && of.Action.Off == "" && n <= 9 {
			o.digits[of.Action] = strconv.Itoa(n)
		}
	}
}

func (o *itemOffers) menuKey() string {
	a, _ := o.s.env.Keys.Rebind("item", o.s.makeActions()).Named("change")
	return a.Keys()
}

func (o *itemOffers) keys(a *change.Action) string {
	if digit := o.digits[a]; digit != "" {
		return o.menuKey() + " " + digit
	}
	return o.letters[a]
}

func (o *itemOffers) repair(e *models.Entity) []changes.Offer {
	a := o.s.env.Session.Profile().RepairOf(e)
	if a == nil || o.s.facts.drifted() == 0 || o.s.env.Session.Profile().Action(a.ID) == a {
		return nil
	}
	of := changes.Offer{Action: a, Args: changes.ActionArgs(a, e, o.s.item)}
	if err := o.s.env.Session.CanChange(a); err != nil {
		of.Why = err.Error()
	}
	return []changes.Offer{of}
}

func (o *itemOffers) repairHint() string {
	for _, of := range o.list {
		if of.Action.Kind == change.Repairs && of.Why == "" {
			return "; press " + o.menuKey() + " to repair"
		}
	}
	return ""
}
