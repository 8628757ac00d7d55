// Package findings is the screen that shows the schema issues and their workarounds.
package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingsScreen shows the schema issues of the session's profile, those that it documents and those that lint finds: a list,
// the text of the selected issue, and links to what it affects.
type findingsScreen struct {
	screen.Base
	overlay.Host
	env     *screen.Env
	issues  []*accesspatterns.Finding // as listed
	linting bool                      // lint has not answered yet
	list    *widget.List
	text    *widget.Pager
	affects *widget.Fields // the links, in their order
	links   []link         // those of shown
	shown   *accesspatterns.Finding
	onLinks bool // the links have the keyboard
	onText  bool // the text has it; without both, the list has
	actions widget.Actions

	w, h int
	lay  layout
}

// layout has the rectangles of the panes with their frames. A hidden pane has no
// cells.
type layout struct{ list, text, links widget.Rect }

// textWidest is the maximum width of the text in cells; longer lines are hard to read.
const textWidest = 96

var guide = screen.Guide{
	Purpose: "Defects and gaps of the schema document with the workaround that ddbdesk applies, and what lint finds besides.",
	First:   "select an issue, or search with /. Press enter to open the patterns, changes and entities that it affects.",
	Signs: []screen.Sign{
		{Glyph: "✗", Means: "impossible or wrong: the documented request fails or returns wrong results"},
		{Glyph: "!", Means: "integrity or security: data can become inconsistent, or visible to the wrong users"},
		{Glyph: "$", Means: "cost: slow and expensive"},
		{Glyph: "·", Means: "latent: works today and breaks with a small change"},
		{Glyph: "≠", Means: "contradiction: the document contradicts itself"},
		{Glyph: "?", Means: "gap: the document omits something"},
		{Glyph: "⚠", Means: "a pattern that does not run as documented because of this issue"},
	},
}

// New returns the screen of the schema issues with the cursor on the issue of the
// target.
func New(env *screen.Env, to screen.Findings) screen.Screen {
	s := newFindings(env)
	if to.ID != "" {
		s.list.Select(to.ID)
		s.refresh()
	}
	return s
}

func newFindings(env *screen.Env) *findingsScreen {
	s := &findingsScreen{
		Base:    screen.Base{Name: "Schema issues", Kind: "findings", About: guide},
		linting: true, env: env, list: widget.NewList(env.Styles), text: widget.NewPager(env.Styles), affects: widget.NewFields(env.Styles),
	}
	s.text.SetMore("pgdn more ↓")
	s.list.SetStill(true)
	s.list.SetPlaceholder("type to search in all texts")
	s.setIssues(nil)
	s.Panes = s.panes
	s.actions = env.Keys.Rebind("findings", s.makeActions())
	s.focusLinks(false)
	return s
}

// A lintMsg has the issues of the session's profile that only lint finds.
type lintMsg struct {
	of     *findingsScreen
	issues []*accesspatterns.Finding
}

// Init looks for issues that the profile does not document.
func (s *findingsScreen) Init() tea.Cmd {
	p := s.env.Session.Profile()
	return func() tea.Msg { return lintMsg{s, lint.Issues(p)} }
}

// setIssues lists the documented issues by kind, the most severe first, then those that lint found.
func (s *findingsScreen) setIssues(found []*accesspatterns.Finding) {
	s.issues = nil
	var items []widget.ListItem
	add := func(f *accesspatterns.Finding, section, lead string) {
		search := slices.Concat([]string{f.ID, string(f.Kind), f.Text, f.Workaround, f.Source}, f.Patterns, f.Entities, f.Tables)
		s.issues = append(s.issues, f)
		items = append(items, widget.ListItem{
			ID: f.ID, Section: section, Lead: lead, Title: present.FindingTitle(f), Search: strings.Join(search, " "),
		})
	}
	for _, k := range accesspatterns.FindingKinds() {
		_, words, _ := present.FindingWords(k)
		for _, f := range s.env.Session.Profile().Findings {
			if f.Kind == k {
				add(f, strings.ToUpper(words[:1])+words[1:], f.ID)
			}
		}
	}
	for _, f := range found {
		sign, _, _ := present.FindingWords(f.Kind)
		add(f, "Found by lint, not in the document", sign)
	}
	s.list.SetEmpty("No issue contains this text")
	switch {
	case len(items) > 0:
	case s.linting:
		s.list.SetEmpty("Looking for issues")
	default:
		s.list.SetEmpty("No issues: the profile documents none, and lint finds none")
	}
	s.list.SetItems(items)
}

// makeActions returns the table of keys, the most important first.
func (s *findingsScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("enter", "enter", "open",
			"open what the issue affects: a pattern, the plan of a change, an entity on the schema map",
			s.noLinks, s.enter),
		widget.NewAction("pane", "tab shift+tab", "affected", "switch between the issues and what they affect",
			s.noLinks, s.switchPane),
		widget.NewAction("copy", "y", "copy", "copy the issue as text", s.noFinding, s.copy),
	}, screen.PaneActions([]string{"issues", "affected", "text"}, s.cannotFocus, func(i int) {
		[]func(){func() { s.focusLinks(false) }, func() { s.focusLinks(true) }, s.focusText}[i]()
	})...)
}

// cannotFocus says why a pane cannot have the keyboard.
func (s *findingsScreen) cannotFocus(pane int) string {
	return [...]func() string{func() string { return "" }, s.noLinks, s.noFinding}[pane]()
}

// Actions returns the keys of the screen.
func (s *findingsScreen) Actions() widget.Actions { return s.actions }

// Hints returns the keys of the bottom line.
func (s *findingsScreen) Hints() widget.Actions {
	as := slices.Clone(s.actions)
	if s.onLinks {
		as[1].Desc = "issues"
	}
	return append(as, widget.NewAction("search", "/", "search", "", nil, nil))
}

// Typing reports whether keys go to the search.
func (s *findingsScreen) Typing() bool { return s.list.Typing() }

// Status returns the number of issues, in all and by kind.
func (s *findingsScreen) Status() string {
	text := present.Plural(len(s.issues), "issue")
	for _, k := range accesspatterns.FindingKinds() {
		n := 0
		for _, f := range s.issues {
			if f.Kind == k {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(" · %d %s", n, strings.ToLower(string(k)))
		}
	}
	return text
}

// SetStyles changes the theme.
func (s *findingsScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.list.SetStyles(st)
	s.text.SetStyles(st)
	s.affects.SetStyles(st)
}

// Cancel leaves the links or the text, or clears the search.
func (s *findingsScreen) Cancel() bool {
	switch {
	case s.onLinks, s.onText:
		s.focusLinks(false)
	case s.list.Filter() != "":
		s.list.SetFilter("")
		s.refresh()
	default:
		return false
	}
	return true
}

// focusLinks gives the keyboard to the links, or to the list.
func (s *findingsScreen) focusLinks(on bool) {
	s.onLinks, s.onText = on, false
	s.focused()
}

// focusText gives the keyboard to the text.
func (s *findingsScreen) focusText() {
	s.onLinks, s.onText = false, true
	s.focused()
}

func (s *findingsScreen) focused() {
	s.list.SetFocused(!s.onLinks && !s.onText)
	s.affects.SetFocused(s.onLinks)
	s.place()
}

// refresh shows the issue under the cursor.
func (s *findingsScreen) refresh() {
	f := s.selected()
	if f == s.shown {
		return
	}
	s.shown, s.links = f, findingLinks(s.env, f)
	rows := make([]widget.FieldRow, len(s.links))
	for i, l := range s.links {
		rows[i] = l.row
	}
	s.affects.SetRows(rows)
	s.affects.Select(0)
	s.place()
}

// selected returns the issue under the cursor, nil if there is none.
func (s *findingsScreen) selected() *accesspatterns.Finding {
	it, _ := s.list.Selected()
	if i := slices.IndexFunc(s.issues, func(f *accesspatterns.Finding) bool { return f.ID == it.ID }); i >= 0 {
		return s.issues[i]
	}
	return nil
}

func (s *findingsScreen) noFinding() string {
	if s.selected() == nil {
		return "no issue is selected"
	}
	return ""
}

func (s *findingsScreen) noLinks() string {
	if why := s.noFinding(); why != "" || len(s.links) > 0 {
		return why
	}
	return "the issue affects the document as a whole"
}

// enter opens the selected link. From the list it moves to the links first, unless
// there is only one.
func (s *findingsScreen) enter() tea.Cmd {
	if !s.onLinks && len(s.links) > 1 {
		s.focusLinks(true)
		return nil
	}
	if _, i, ok := s.affects.Selected(); ok {
		return screen.Open(s.links[i].to)
	}
	return nil
}

func (s *findingsScreen) switchPane() tea.Cmd {
	s.focusLinks(!s.onLinks)
	return nil
}

func (s *findingsScreen) copy() tea.Cmd {
	f := s.selected()
	return screen.Send(screen.CopyMsg{Text: findingText(s.env.Session.Profile().Name, f), What: "issue " + f.ID})
}

// Update handles the messages that the root does not handle.
func (s *findingsScreen) Update(msg tea.Msg) tea.Cmd {
	if found, ok := msg.(lintMsg); ok && found.of == s {
		s.linting = false
		s.setIssues(found.issues)
		s.refresh()
		return nil
	}
	press, ok := msg.(tea.KeyPressMsg)
	switch {
	case s.list.Typing():
	case !ok:
		return nil
	default:
		if cmd, used := screen.Press(s.actions, press); used {
			return cmd
		}
		if press.String() == "/" {
			s.focusLinks(false)
		}
	}
	switch {
	case s.onLinks:
		s.affects.Update(msg)
		return nil
	case s.onText || ok && s.scrolls(press.String()):
		s.text.Update(msg)
		return nil
	}
	cmd, _ := s.list.Update(msg)
	s.refresh()
	return cmd
}

// scrolls reports whether a key scrolls the text while the list has the keyboard.
func (s *findingsScreen) scrolls(key string) bool {
	return key == "pgdown" && !s.text.AtEnd() || key == "pgup" && s.text.Top() > 0
}

// panes returns the parts of the screen for the mouse.
func (s *findingsScreen) panes() widget.Panes {
	return widget.Panes{
		{
			Rect: s.lay.list, Framed: true, Content: s.list, Focus: func() { s.focusLinks(false) },
			Moved: func() tea.Cmd { s.refresh(); return nil },
		},
		{
			Rect: s.lay.links, Framed: true, Content: s.affects, Unfocused: !s.onLinks,
			Focus: func() { s.focusLinks(len(s.links) > 0) }, Open: s.enter,
		},
		{Rect: s.lay.text, Framed: true, Focus: s.focusText, Scroll: s.text.Wheel},
	}
}

// SetSize sets the rectangle.
func (s *findingsScreen) SetSize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.place()
	s.refresh()
}

// place computes the layout. On a narrow screen the list is above the text, and hidden
// while the links have the keyboard.
func (s *findingsScreen) place() {
	left, right := widget.Rect{}, widget.Rect{W: s.w, H: s.h}
	links := min(max(len(s.links)+6, 5), max(s.h*2/5, 6))
	switch {
	case s.w >= present.NarrowBelow:
		left.W, left.H = min(s.w/2, 76), s.h // Most titles fit.
		right.X, right.W = left.W, s.w-left.W
	case !s.onLinks:
		left.W, left.H = s.w, max(s.h*2/5, 6)
		right.Y, right.H = left.H, s.h-left.H
		links = 0
	}
	text := right
	text.H = max(right.H-links, 0)
	s.lay = layout{list: left, text: text}
	if links > 0 {
		s.lay.links = widget.Rect{X: right.X, Y: text.H, W: right.W, H: right.H - text.H}
	}
	s.list.SetSize(widget.PanelInner(left.W, left.H))
	s.affects.SetSize(widget.PanelInner(s.lay.links.W, s.lay.links.H))
}

// View draws the screen.
func (s *findingsScreen) View() string {
	if s.w <= 0 || s.h <= 0 {
		return ""
	}
	st, l := s.env.Styles, s.lay
	list := widget.Panel{Title: "Schema issues", Note: strconv.Itoa(s.list.Len()), Focused: !s.onLinks && !s.onText}.
		Render(st, s.list.View(), l.list.W, l.list.H)
	about := widget.Panel{Focused: s.onText}
	if s.shown != nil {
		about.Title = s.shown.ID
	}
	text := s.text.Panel(about, l.text.W, l.text.H, s.shown, func(w int) []string { return explain(st, s.shown, min(w, textWidest)) })
	affected := s.affects.View()
	if len(s.links) == 0 && s.shown != nil {
		affected = " " + st.Paint(widget.RoleFaint, "the issue affects the document as a whole")
	}
	links := widget.Panel{Title: "Affects", Focused: s.onLinks}.Render(st, affected, l.links.W, l.links.H)
	if s.w >= present.NarrowBelow {
		return widget.Columns(list, widget.Rows(text, links))
	}
	return widget.Rows(list, text, links)
}

// explain returns the text of an issue in lines of w cells, nil for no issue.
func explain(st *widget.Styles, f *accesspatterns.Finding, w int) []string {
	if f == nil {
		return nil
	}
	sign, words, role := present.FindingWords(f.Kind)
	t := &present.Facts{Styles: st, Width: w}
	if f.Title != "" { // Otherwise the text begins with it.
		t.Paragraph(widget.RoleTitle, f.Title)
	}
	t.Paragraph(role, sign+" "+f.ID+" · "+strings.ToLower(string(f.Kind))+": "+words)
	t.Blank()
	t.Styled("", present.Heading(st, "What is wrong", w))
	t.Paragraph(widget.RoleText, f.Text)
	t.Paragraph(widget.RoleMuted, present.FindingDanger(f.Kind))
	if f.Workaround != "" {
		t.Blank()
		t.Styled("", present.Heading(st, "Workaround", w))
		t.Paragraph(widget.RoleGood, f.Workaround)
	}
	if f.Source != "" {
		t.Blank()
		t.Paragraph(widget.RoleFaint, "Documented in "+f.Source+".")
	}
	return t.Lines
}

// findingText returns an issue as plain text for a message or a ticket.
func findingText(profile string, f *accesspatterns.Finding) string {
	_, words, _ := present.FindingWords(f.Kind)
	text := fmt.Sprintf("%s %s (%s): %s\n\n%s\n", profile, f.ID, words, present.FindingTitle(f), strings.TrimSpace(f.Text))
	if f.Workaround != "" {
		text += "\nWorkaround: " + strings.TrimSpace(f.Workaround) + "\n"
	}
	if f.Source != "" {
		text += "\nDocument: " + f.Source + "\n"
	}
	return text
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "findings", Title: "Schema issues",
		Does:    "Defects and gaps of the schema, with their workarounds.",
		Actions: (&findingsScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}
