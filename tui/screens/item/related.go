package item

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A relatedTab lists the patterns that the user can run with the item's attributes.
type relatedTab struct {
	base
	counts        *itemCounts
	list          *widget.List
	tablesVersion uint64 // version of the table data from which the tab built the list
	w, h          int
}

func newRelatedTab(s *itemData, counts *itemCounts) *relatedTab {
	t := &relatedTab{base: base{s}, counts: counts, list: widget.NewList(s.env.Styles)}
	t.list.SetStill(true)
	t.list.BadgeColumn = true
	t.list.SetPlaceholder("filter related patterns")
	t.list.SetEmpty("No pattern can be run from this item.")
	if s.plain {
		t.list.SetPlaceholder("filter lists")
		t.list.SetEmpty("The schema has no queries for this item's values.")
	}
	return t
}

func (t *relatedTab) title() string {
	if len(t.s.facts.relations) == 0 {
		return ""
	}
	return titleWithCount("Related", len(t.runnable()))
}

func (t *relatedTab) note() string { return "enter run" }

func (t *relatedTab) remake() { t.list.SetItems(t.items()) }

func (t *relatedTab) rebuildForTables() {
	if version := t.s.env.Tables.Version(); version != t.tablesVersion {
		t.tablesVersion = version
		t.remake()
	}
}

func (t *relatedTab) setStyles(st *widget.Styles) { t.list.SetStyles(st) }

func (t *relatedTab) setSize(w, h int) {
	t.w, t.h = w, h
	t.list.SetSize(w, t.listHeight())
}

func (t *relatedTab) listHeight() int {
	if t.detailHeight() == 0 {
		return t.h
	}
	return min(t.list.NaturalHeight(), t.h-t.detailHeight())
}

func (t *relatedTab) view() string {
	if d := t.detail(t.w, t.h-t.listHeight()); d != "" {
		return widget.Rows(t.list.View(), d)
	}
	return t.list.View()
}

func (t *relatedTab) mouse() widget.Clickable { return t.list }

func (t *relatedTab) update(msg tea.Msg) (tea.Cmd, bool) { return t.list.Update(msg) }

func (t *relatedTab) isTyping() bool { return t.list.Typing() }

func (t *relatedTab) stopTyping() { t.list.StopTyping() }

func (t *relatedTab) cancel() bool {
	if !t.list.Typing() && t.list.Filter() == "" {
		return false
	}
	t.list.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	return true
}

func (t *relatedTab) enter() command {
	if len(t.s.facts.relations) == 0 {
		return command{word: "run", reason: "no pattern can be run from this item"}
	}
	return command{word: "run", run: func() tea.Cmd {
		if r, ok := t.selected(); ok {
			return runRelation(r)
		}
		return nil
	}}
}

func (t *relatedTab) search() command {
	return command{run: func() tea.Cmd {
		t.list.StartTyping()
		return nil
	}}
}

func runRelation(r present.Relation) tea.Cmd {
	if r.Queue != nil {
		return screen.Open(screen.Queue{ID: r.Queue.ID, Given: r.Args})
	}
	return screen.Open(screen.Patterns{Pattern: r.Pattern, Args: r.Args, Run: true})
}

func (t *relatedTab) runnable() []present.Relation {
	return slices.DeleteFunc(slices.Clone(t.s.facts.relations), func(r present.Relation) bool {
		return len(r.Missing) > 0 || t.counts.isHidden(r)
	})
}

func (t *relatedTab) items() []widget.ListItem {
	items := make([]widget.ListItem, 0, len(t.s.facts.relations))
	for i, r := range t.s.facts.relations {
		p := r.Pattern
		title := t.titleOf(r)
		switch {
		case t.s.env.Tables.Obstacle(p) != nil:
			title = "✗ " + title
		case p.HasSeriousFinding():
			title = "⚠ " + title
		}
		count := t.counts.countText(r)
		item := widget.ListItem{
			ID: strconv.Itoa(i), Section: r.Section(), Title: title, BadgeRole: widget.RoleMuted, Search: p.ID,
			Count: strings.Repeat(" ", max(countWidth-ansi.StringWidth(count), 0)) + count,
		}
		if !t.s.plain {
			item.Lead, item.Badge = t.s.env.OperationWord(p.Read.Operation), r.ArgsText
		}
		if len(r.Missing) > 0 {
			item.Section, item.Badge = "Needs more parameters", present.Join(t.needs(r), item.Badge, " · ")
			if t.s.plain {
				item.Section = "Needs more information"
			}
		}
		if !t.counts.isHidden(r) {
			items = append(items, item)
		}
	}
	return items
}

func (t *relatedTab) needs(r present.Relation) string {
	return "needs " + strings.Join(models.MapSlice(r.Missing, func(name string) string {
		return present.ParamLabel(t.s.env.Plain(), r.Pattern.Param(name))
	}), ", ")
}

func (t *relatedTab) titleOf(r present.Relation) string {
	if r.Via == "" {
		return r.Title()
	}
	return r.Title() + " (by " + t.s.label(r.Via) + ")"
}

// sideLines draws the patterns that need no more parameters, with their counts, or nil if they need over h lines.
func (t *relatedTab) sideLines(w, h int) []string {
	st := t.s.env.Styles
	lines := []string{"", st.Paint(widget.RoleTitle, " Related")}
	for _, r := range t.runnable() {
		lines = append(lines, st.PaintCell(widget.RoleInfo, widget.SurfacePlain, t.counts.countText(r), countWidth+2,
			widget.AlignRight)+
			st.PaintCell(widget.RoleText, widget.SurfacePlain, "  "+t.titleOf(r), max(w-countWidth-3, 1), widget.AlignLeft))
	}
	if len(lines) == 2 || len(lines) > h {
		return nil
	}
	return lines
}

func (t *relatedTab) selected() (present.Relation, bool) {
	chosen, ok := t.list.Selected()
	if !ok {
		return present.Relation{}, false
	}
	i, err := strconv.Atoi(chosen.ID)
	if err != nil || i >= len(t.s.facts.relations) {
		return present.Relation{}, false
	}
	return t.s.facts.relations[i], true
}

func (t *relatedTab) followReference(r *attributeRow) (tea.Cmd, bool) {
	if t.s.facts.entity == nil || r == nil {
		return nil, false
	}
	path, _, isElement := strings.Cut(r.path, "[")
	a := t.s.facts.entity.Attribute(path)
	if a == nil || a.Refers == "" {
		return nil, false
	}
	target, _, _ := strings.Cut(a.Refers, ".")
	value, ok := t.s.item.Text(path)
	relations := t.s.facts.relations
	if n, element := present.Elements(r.value); isElement || n == 1 {
		part := r.value
		if n == 1 {
			part = element(0)
		}
		if value, ok = models.ValueText(part); ok && !models.IsMasked(part) {
			it := maps.Clone(t.s.item)
			it.SetNames(strings.Split(path, "."), part)
			relations = models.MapSlice(t.s.env.Reading.Related(t.s.table, it), func(r accesspatterns.Related) present.Relation {
				return present.Relation{Related: r}
			})
		}
	}
	if !ok {
		return nil, false
	}
	best, bestRank := -1, 0
	for i, rel := range relations {
		if n := followRank(rel.Related, target, a, value); rel.Queue == nil && n > bestRank {
			best, bestRank = i, n
		}
	}
	if best < 0 {
		return nil, false
	}
	return runRelation(relations[best]), true
}

func (t *relatedTab) targetTitle(r *attributeRow) string {
	if _, ok := t.followReference(r); !ok {
		return ""
	}
	path, _, _ := strings.Cut(r.path, "[")
	name, _, _ := strings.Cut(t.s.facts.entity.Attribute(path).Refers, ".")
	if e := t.s.env.Session.Profile().Entity(name); e != nil {
		return present.EntityName(e)
	}
	return name
}

func followRank(r accesspatterns.Related, target string, a *models.Attribute, value string) int {
	filled := false
	for name, v := range r.Args {
		filled = filled || v == value && (name == a.Name || r.Via == a.Name || r.Via == a.Path || r.Via == "")
	}
	if !filled {
		return 0
	}
	switch {
	case !slices.ContainsFunc(r.Pattern.Returns, func(e *models.Entity) bool { return e.Name == target }):
		return 0
	case r.Pattern.Read.Operation == accesspatterns.Get || r.Pattern.ExpectOne:
		return 3
	}
	return 2
}

func (t *relatedTab) detailHeight() int {
	if t.h < 12 {
		return 0
	}
	return 4
}

func (t *relatedTab) detail(w, h int) string {
	if h < 2 {
		return ""
	}
	st := t.s.env.Styles
	r, ok := t.selected()
	if !ok {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	name := r.Pattern.ID
	if t.s.env.Plain() {
		name = r.Pattern.Title
	}
	rule := widget.Rule(st, name, present.EntityNames(r.Pattern.Returns), w)
	f := &present.Facts{Styles: st, Label: 11, Width: w - 1, Lines: []string{rule}}
	t.describe(f, r, false)
	return widget.Place(f.String(), w, h)
}

func (t *relatedTab) explanation() *overlay.Sheet {
	r, _ := t.selected()
	sheet := overlay.NewSheet(t.s.env.Styles, t.titleOf(r), func(st *widget.Styles, w int) []string {
		f := &present.Facts{Styles: st, Label: 11, Width: w}
		t.describe(f, r, true)
		return f.Lines
	})
	sheet.Key = "x"
	return sheet
}

// describe adds whole facts, or facts of one line.
func (t *relatedTab) describe(f *present.Facts, r present.Relation, whole bool) {
	runes := max(f.Width-f.Label, 1)
	if whole {
		runes = explainedRunes
	}
	addFact := func(label string, role widget.Role, text string) {
		f.Text(" "+label, role, models.PrintableCell(text, runes))
	}
	if obstacle := t.s.env.Tables.Obstacle(r.Pattern); obstacle != nil {
		addFact("✗", widget.RoleBad, obstacle.String())
	} else {
		addFact("returns", widget.RoleText, t.counts.countDescription(r))
	}
	if request := present.DescribeRequest(t.s.env, r.Pattern, r.Args, r.Hidden); whole || t.s.plain && t.openParams(r) == "" {
		f.Text(" request", widget.RoleText, models.PrintableCell(request.Text(), explainedRunes))
	} else {
		f.Styled(" request", request.Paint(f.Styles))
	}
	if !t.s.env.Plain() { // The request already shows it.
		addFact("from item", widget.RoleText, r.ArgsText)
	}
	addFact("others", widget.RoleMuted, t.openParams(r))
	if defect := r.Pattern.Defect(); defect != nil && !t.s.plain {
		addFact("⚠ "+defect.ID, widget.RoleWarn, defect.Workaround)
	}
}

func (t *relatedTab) openParams(r present.Relation) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if _, filled := r.Args[q.Name]; filled {
			continue
		}
		label := present.ParamLabel(t.s.env.Plain(), q)
		switch {
		case slices.Contains(r.Missing, q.Name):
			parts = append(parts, label+" is required")
		case q.Default != "":
			parts = append(parts, label+" "+q.Default)
		default:
			parts = append(parts, label+" any")
		}
	}
	return strings.Join(parts, " · ")
}
