package item

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// runnable counts the relations that need nothing more.
func (f *itemFacts) runnable() int {
	n := 0
	for _, r := range f.relations {
		if len(r.Missing) == 0 {
			n++
		}
	}
	return n
}

// sectionNearly heads the patterns that a person has to give more for.
const sectionNearly = "Needs more parameters"

// relatedItems are the entries of the list.
func (rt *relatedTab) items() []widget.ListItem {
	items := make([]widget.ListItem, len(rt.s.facts.relations))
	for i, r := range rt.s.facts.relations {
		p := r.Pattern
		title := relationTitle(r)
		switch {
		case rt.s.env.Tables.Obstacle(p) != nil:
			title = "✗ " + title
		case p.Defect() != nil:
			title = "⚠ " + title
		}
		count := rt.s.counts.countText(r)
		items[i] = widget.ListItem{
			ID: strconv.Itoa(i), Section: present.RelatedSection(p), Lead: rt.s.env.OperationWord(p.Read.Operation), Title: title,
			Count: strings.Repeat(" ", max(countWidth-ansi.StringWidth(count), 0)) + count,
			Badge: r.Shown, BadgeRole: widget.RoleMuted, Search: p.ID,
		}
		if len(r.Missing) > 0 {
			items[i].Section, items[i].Badge = sectionNearly, "asks for "+strings.Join(r.Missing, ", ")+" · "+r.Shown
		}
	}
	return items
}

// relationTitle is the pattern's title, and the attribute that leads to it when
// there are several.
func relationTitle(r present.Relation) string {
	if r.Via != "" {
		return r.Pattern.Title + " (by " + r.Via + ")"
	}
	return r.Pattern.Title
}

// selectedRelation is the pattern under the cursor.
func (rt *relatedTab) selected() (present.Relation, bool) {
	chosen, ok := rt.list.Selected()
	if !ok {
		return present.Relation{}, false
	}
	for i, r := range rt.s.facts.relations {
		if strconv.Itoa(i) == chosen.ID {
			return r, true
		}
	}
	return present.Relation{}, false
}

// runRelated opens the workbench on the chosen pattern.
func (rt *relatedTab) run() tea.Cmd {
	if r, ok := rt.selected(); ok {
		return screen.Open(screen.Patterns{Pattern: r.Pattern, Args: r.Args, Run: true})
	}
	return nil
}

// follow runs the pattern that the attribute leads to: one that returns the
// entity it refers to, best a read of one item.
func (rt *relatedTab) follow(r *attributeRow) (tea.Cmd, bool) {
	if rt.s.facts.entity == nil || r == nil {
		return nil, false
	}
	a := rt.s.facts.entity.Attribute(r.path)
	if a == nil || a.Refers == "" {
		return nil, false
	}
	target, _, _ := strings.Cut(a.Refers, ".")
	value, ok := rt.s.item.Text(r.path)
	if !ok {
		return nil, false
	}
	best, rank := -1, 0
	for i, rel := range rt.s.facts.relations {
		if n := followRank(rel.Related, target, a, value); n > rank {
			best, rank = i, n
		}
	}
	if best < 0 {
		return nil, false
	}
	rel := rt.s.facts.relations[best]
	return screen.Open(screen.Patterns{Pattern: rel.Pattern, Args: rel.Args, Run: true}), true
}

// leadsTo names the entity that enter on the row shows, "" for none.
func (rt *relatedTab) leadsTo(r *attributeRow) string {
	if _, ok := rt.follow(r); !ok {
		return ""
	}
	name, _, _ := strings.Cut(rt.s.facts.entity.Attribute(r.path).Refers, ".")
	if e := rt.s.env.Session.Profile().Entity(name); e != nil {
		return present.EntityName(e)
	}
	return name
}

// followRank is how well a pattern shows what the attribute refers to, 0 for
// not at all.
func followRank(r accesspatterns.Related, target string, a *models.Attribute, value string) int {
	filled := false
	for name, v := range r.Args {
		filled = filled || v == value && (name == a.Name || r.Via == a.Name || r.Via == a.Path || r.Via == "")
	}
	if !filled {
		return 0
	}
	rank := 0
	for _, e := range r.Pattern.Returns {
		if e.Name == target {
			rank = 2
		}
	}
	if rank > 0 && (r.Pattern.Read.Operation == accesspatterns.Get || r.Pattern.ExpectOne) {
		rank++
	}
	return rank
}
