package screens

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// relation is a pattern that can be run from here. Its arguments are the
// stored values; shown is how they may be seen.
type relation struct {
	accesspatterns.Related
	shown  string
	hidden map[string]models.Sensitivity // parameters that are shown masked
}

// relationsOf lists the patterns that can be run from the item, but not the one
// that would only open the same item again. Those that lack a parameter come
// last.
func relationsOf(env *Env, masker *models.Masker, table *models.Table, it, masked models.Item) []relation {
	key, _ := table.PrimaryKey(it)
	hidden := map[string]string{}
	collectHidden(hidden, it, masked)
	var list []relation
	for _, r := range env.Session.Related(table, it) {
		if !opensSame(env, r, table, key) {
			list = append(list, newRelation(masker, r, hidden))
		}
	}
	list = bySection(list)
	for _, r := range env.Session.NearlyRelated(table, it) {
		list = append(list, newRelation(masker, r, hidden))
	}
	return list
}

// bySection puts patterns under one heading next to each other, headings in the
// order of their first pattern.
func bySection(list []relation) []relation {
	order := map[string]int{}
	for _, r := range list {
		if section := relatedSection(r.Pattern); order[section] == 0 {
			order[section] = len(order) + 1
		}
	}
	slices.SortStableFunc(list, func(a, b relation) int {
		return order[relatedSection(a.Pattern)] - order[relatedSection(b.Pattern)]
	})
	return list
}

// collectHidden maps every text of the item that is masked to what is shown in
// its place: a parameter may be filled from any of them.
func collectHidden(hidden map[string]string, it, masked models.Item) {
	for name, v := range it {
		if inner, ok := v.(*types.AttributeValueMemberM); ok {
			if m, ok := masked[name].(*types.AttributeValueMemberM); ok {
				collectHidden(hidden, inner.Value, m.Value)
			}
			continue
		}
		text, ok := models.ValueText(v)
		shown, _ := models.ValueText(masked[name])
		if ok && text != "" && shown != text {
			hidden[text] = shown
		}
	}
}

// opensSame reports whether the pattern reads exactly this item.
func opensSame(env *Env, r accesspatterns.Related, table *models.Table, key models.Item) bool {
	if r.Pattern.Read.Operation != accesspatterns.Get || r.Pattern.Table != table {
		return false
	}
	request, err := env.Session.Bind(r.Pattern, r.Args)
	if err != nil || len(request.Legs) != 1 || request.Legs[0].Get == nil {
		return false
	}
	return string(models.Item(request.Legs[0].Get.Key).AppendDynamoDBJSON(nil)) == string(key.AppendDynamoDBJSON(nil))
}

// newRelation spells the parameters that are filled in.
func newRelation(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) relation {
	rel := relation{Related: r, shown: shownArgs(masker, r, hidden), hidden: map[string]models.Sensitivity{}}
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok && shownArg(masker, q, v, hidden) != v {
			rel.hidden[q.Name] = models.PII
		}
	}
	return rel
}

// shownArgs spells the parameters that are filled in.
func shownArgs(masker *models.Masker, r accesspatterns.Related, hidden map[string]string) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if v, ok := r.Args[q.Name]; ok {
			parts = append(parts, q.Name+" "+models.PrintableCell(shownArg(masker, q, v, hidden), 48))
		}
	}
	return strings.Join(parts, " · ")
}

// shownArg is a parameter as it may be shown; hidden has the texts that the item
// hides.
func shownArg(masker *models.Masker, q *accesspatterns.Param, v string, hidden map[string]string) string {
	if shown, ok := hidden[v]; ok {
		v = shown
	}
	v = masker.MaskText(v, q.Sensitive, q.Format)
	if q.Attribute != nil {
		v = masker.MaskText(v, q.Attribute.Sensitive, q.Attribute.Format)
	}
	return v
}

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
const sectionNearly = "Needs more than the item says"

// relatedItems are the entries of the list.
func (s *itemScreen) relatedItems() []widget.ListItem {
	items := make([]widget.ListItem, len(s.facts.relations))
	for i, r := range s.facts.relations {
		p := r.Pattern
		title := relationTitle(r)
		switch {
		case s.env.Session.Obstacle(p) != nil:
			title = "✗ " + title
		case p.Defect() != nil:
			title = "⚠ " + title
		}
		count := s.countText(r)
		items[i] = widget.ListItem{
			ID: strconv.Itoa(i), Section: relatedSection(p), Lead: s.env.OperationWord(p.Read.Operation), Title: title,
			Count: strings.Repeat(" ", max(countWidth-ansi.StringWidth(count), 0)) + count,
			Badge: r.shown, BadgeRole: widget.RoleMuted, Search: p.ID,
		}
		if len(r.Missing) > 0 {
			items[i].Section, items[i].Badge = sectionNearly, "asks for "+strings.Join(r.Missing, ", ")+" · "+r.shown
		}
	}
	return items
}

// relationTitle is the pattern's title, and the attribute that leads to it when
// there are several.
func relationTitle(r relation) string {
	if r.Via != "" {
		return r.Pattern.Title + " (by " + r.Via + ")"
	}
	return r.Pattern.Title
}

// selectedRelation is the pattern under the cursor.
func (s *itemScreen) selectedRelation() (relation, bool) {
	chosen, ok := s.related.Selected()
	if !ok {
		return relation{}, false
	}
	for i, r := range s.facts.relations {
		if strconv.Itoa(i) == chosen.ID {
			return r, true
		}
	}
	return relation{}, false
}

func relatedSection(p *accesspatterns.Pattern) string {
	if p.Group != "" {
		return p.Group
	}
	if len(p.Returns) > 0 {
		return entityName(p.Returns[0])
	}
	return "Patterns"
}

// runRelated opens the workbench on the chosen pattern.
func (s *itemScreen) runRelated() tea.Cmd {
	if r, ok := s.selectedRelation(); ok {
		return Open(Patterns{Pattern: r.Pattern, Args: r.Args, Run: true})
	}
	return nil
}

// follow runs the pattern that the attribute leads to: one that returns the
// entity it refers to, best a read of one item.
func (s *itemScreen) follow(r *attributeRow) (tea.Cmd, bool) {
	if s.facts.entity == nil || r == nil {
		return nil, false
	}
	a := s.facts.entity.Attribute(r.path)
	if a == nil || a.Refers == "" {
		return nil, false
	}
	target, _, _ := strings.Cut(a.Refers, ".")
	value, ok := s.item.Text(r.path)
	if !ok {
		return nil, false
	}
	best, rank := -1, 0
	for i, rel := range s.facts.relations {
		if n := followRank(rel.Related, target, a, value); n > rank {
			best, rank = i, n
		}
	}
	if best < 0 {
		return nil, false
	}
	rel := s.facts.relations[best]
	return Open(Patterns{Pattern: rel.Pattern, Args: rel.Args, Run: true}), true
}

// leadsTo names the entity that enter on the row shows, "" for none.
func (s *itemScreen) leadsTo(r *attributeRow) string {
	if _, ok := s.follow(r); !ok {
		return ""
	}
	name, _, _ := strings.Cut(s.facts.entity.Attribute(r.path).Refers, ".")
	if e := s.env.Session.Profile().Entity(name); e != nil {
		return entityName(e)
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
