// Package findings is the screen that shows the schema issues and their workarounds.
package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// findingsScreen shows the findings of the session's profile.
type findingsScreen struct {
	screen.Base
	env     *screen.Env
	list    *widget.List
	text    *widget.Pager
	touches *widget.Fields
	links   []findingLink // those of the finding in view
	shown   *accesspatterns.Finding
	wide    int  // width that the text was made for
	onLinks bool // what it touches has the keys
	w, h    int
	lay     findingsLayout

	actions widget.Actions
	draw    findingsDrawing
}

// New returns the screen of the schema issues, on the one that is asked for.
func New(env *screen.Env, to screen.Findings) screen.Screen {
	s := newFindings(env)
	if to.ID != "" {
		s.list.Select(to.ID)
		s.refresh()
	}
	return s
}

func newFindings(env *screen.Env) *findingsScreen {
	s := &findingsScreen{Base: screen.Base{Name: "Findings", Kind: "findings", About: guide},
		env: env, list: widget.NewList(env.Styles), text: widget.NewPager(env.Styles), touches: widget.NewFields(env.Styles),
	}
	s.draw.s = s
	s.list.SetPlaceholder("type to search in every word")
	s.list.SetEmpty("no finding says that")
	s.list.SetItems(findingItems(env.Session.Profile()))
	s.actions = env.Keys.Rebind("findings", s.makeActions())
	s.focusLinks(false)
	return s
}

// findingItems lists the findings by kind, the worst first.
func findingItems(p *profiles.Profile) []widget.ListItem {
	var items []widget.ListItem
	for _, k := range accesspatterns.FindingKinds() {
		_, words, _ := present.FindingWords(k)
		for _, f := range p.Findings {
			if f.Kind != k {
				continue
			}
			items = append(items, widget.ListItem{
				ID: f.ID, Section: strings.ToUpper(words[:1]) + words[1:], Lead: f.ID, Title: present.FindingTitle(f),
				Search: strings.Join(
					slices.Concat([]string{string(f.Kind), f.Text, f.Workaround, f.Source}, f.Patterns, f.Entities, f.Tables),
					" ",
				),
			})
		}
	}
	return items
}

// Typing reports whether keys go to the search.
func (s *findingsScreen) Typing() bool { return s.list.Typing() }

// Status is how many findings there are, and of which kinds.
func (s *findingsScreen) Status() string {
	count := map[accesspatterns.FindingKind]int{}
	list := s.env.Session.Profile().Findings
	for _, f := range list {
		count[f.Kind]++
	}
	text := present.Plural(len(list), "finding")
	for _, k := range accesspatterns.FindingKinds() {
		if count[k] > 0 {
			text += fmt.Sprintf(" · %d %s", count[k], strings.ToLower(string(k)))
		}
	}
	return text
}

// SetStyles changes the theme.
func (s *findingsScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.list.SetStyles(st)
	s.text.SetStyles(st)
	s.touches.SetStyles(st)
	s.shown = nil
	s.refresh()
}

// Cancel leaves what a finding touches, or a search.
func (s *findingsScreen) Cancel() bool {
	switch {
	case s.onLinks:
		s.focusLinks(false)
	case s.list.Filter() != "":
		s.list.SetFilter("")
		s.refresh()
	default:
		return false
	}
	return true
}

func (s *findingsScreen) focusLinks(on bool) {
	s.onLinks = on
	s.list.SetFocused(!on)
	s.touches.SetFocused(on)
	s.place()
}

// chosen is the finding under the cursor, nil for none.
func (s *findingsScreen) chosen() *accesspatterns.Finding {
	it, ok := s.list.Selected()
	if !ok {
		return nil
	}
	list := s.env.Session.Profile().Findings
	i := slices.IndexFunc(list, func(f *accesspatterns.Finding) bool { return f.ID == it.ID })
	if i < 0 {
		return nil
	}
	return list[i]
}

// refresh tells about the chosen finding, if that is another one.
func (s *findingsScreen) refresh() {
	f, w := s.chosen(), max(min(s.lay.text.W-4, 96), 10)
	if f == s.shown && w == s.wide {
		return
	}
	if f != s.shown {
		s.text.ScrollTo(0)
		s.links = nil
		if f != nil {
			s.links = findingLinks(s.env, f)
		}
		rows := make([]widget.FieldRow, len(s.links))
		for i, l := range s.links {
			rows[i] = l.row
		}
		s.touches.SetRows(rows)
		s.touches.Select(0)
	}
	s.shown, s.wide = f, w
	var lines []string
	if f != nil {
		lines = explainFinding(s.env.Styles, f, w)
	}
	s.text.SetLines(lines)
	s.place()
}

// explainFinding tells all of a finding in lines of w cells.
func explainFinding(st *widget.Styles, f *accesspatterns.Finding, w int) []string {
	sign, words, role := present.FindingWords(f.Kind)
	lines := widget.Wrap(st, widget.RoleTitle, present.FindingTitle(f), w)
	lines = append(lines, widget.Wrap(st, role, sign+" "+f.ID+" · "+strings.ToLower(string(f.Kind))+": "+words, w)...)
	lines = append(lines, "", present.Heading(st, "What is wrong", w))
	lines = append(lines, widget.Wrap(st, widget.RoleText, f.Text, w)...)
	lines = append(lines, widget.Wrap(st, widget.RoleMuted, present.FindingDanger(f.Kind), w)...)
	if f.Workaround != "" {
		lines = append(lines, "", present.Heading(st, "Workaround", w))
		lines = append(lines, widget.Wrap(st, widget.RoleGood, f.Workaround, w)...)
	}
	if f.Source != "" {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(st, widget.RoleFaint, "The document says so in "+f.Source+".", w)...)
	}
	return lines
}

// findingText is a finding as plain text, to send to somebody.
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

// guide introduces the screen in its help.
var guide = screen.Guide{
	Purpose: "Defects and gaps of the schema document, and the workaround that ddbdesk applies.",
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

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "findings", Title: "Findings",
		Does:    "Schema issues and their workarounds.",
		Actions: (&findingsScreen{}).makeActions(), Pieces: screen.ListKeys(),
	}
}

// findingsDrawing draws the parts of the screen.
type findingsDrawing struct {
	s *findingsScreen
}
