package screens

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keyFact is one key attribute as it may be shown.
type keyFact struct {
	name     string
	uses     string // "partition key", "sort key of GSI1"
	template models.Template
	pieces   []keyPiece // the stored key, nil when absent
	expected string     // what the attributes make of it, "" when they cannot
	problem  string
}

// keyPiece is the part of a key that one segment of its template matched.
type keyPiece struct {
	text string
	name string // the placeholder, "" for a literal
}

// trivial reports a key that needs no explanation: a constant, or an attribute
// that is its own key.
func (k keyFact) trivial() bool {
	segments := k.template.Segments()
	return len(segments) == 1 && (segments[0].Name == "" || segments[0].Name == k.name)
}

func keyFacts(e *models.Entity, masker *models.Masker, it models.Item) []keyFact {
	var list []keyFact
	for _, k := range e.KeyStates(it) {
		f := keyFact{name: k.Name, uses: keyUses(e.Table, k.Name), template: k.Template, problem: k.Problem}
		hidden := masker.Hides(e.TemplateSensitivity(k.Template))
		if k.Present {
			f.pieces = keyPieces(e, masker, k.Template, k.Stored)
		}
		if k.Expected != "" {
			f.expected = masker.Key(e, k.Template, k.Expected)
		}
		if hidden && strings.HasPrefix(f.problem, "cannot be computed") {
			f.problem = "cannot be computed from the attributes" // The reason may quote them.
		}
		list = append(list, f)
	}
	return list
}

// keyPieces takes a key apart and hides its sensitive parts.
func keyPieces(e *models.Entity, masker *models.Masker, t models.Template, key string) []keyPiece {
	m, err := t.Parse(key)
	if err != nil {
		return []keyPiece{{text: masker.Key(e, t, key)}}
	}
	pieces := make([]keyPiece, 0, len(m.Spans))
	for _, span := range m.Spans {
		p := keyPiece{text: key[span.Start:span.End], name: span.Segment.Name}
		if a := e.Attribute(p.name); a != nil && p.name != "" {
			p.text = masker.MaskText(p.text, a.Sensitive, a.Format)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// keyUses says which keys the attribute is.
func keyUses(t *models.Table, name string) string {
	var uses []string
	add := func(partition, sort models.Key, of string) {
		switch name {
		case partition.Name:
			uses = append(uses, "partition key"+of)
		case sort.Name:
			uses = append(uses, "sort key"+of)
		}
	}
	add(t.PartitionKey, t.SortKey, "")
	for _, x := range t.Indexes {
		add(x.PartitionKey, x.SortKey, " of "+x.Name)
	}
	return strings.Join(uses, ", ")
}

// narrowKeys is below which width the lines of a key go without their names.
const narrowKeys = 60

// keyLines are the styled lines of the tab.
func (s *itemScreen) keyLines(w int) []string {
	st := s.env.Styles
	if s.facts.entity == nil {
		lines := widget.Wrap(st, widget.RoleWarn, s.facts.why, w)
		return append(lines, "", st.Paint(widget.RoleMuted, "Without an entity there are no templates to compare the keys with."))
	}
	// What is wrong comes first, so that nobody has to look for it.
	keys := slices.Clone(s.facts.keys)
	if s.read.state == readDone {
		slices.SortStableFunc(keys, func(a, b keyFact) int {
			return cmp.Compare(min(len(b.problem), 1), min(len(a.problem), 1))
		})
	}
	templates := make([]models.Template, len(s.facts.keys))
	for i, k := range s.facts.keys {
		templates[i] = k.template
	}
	l := legendOf(templates...)
	lines := l.lines(st, s.facts.entity, w)
	for _, k := range keys {
		lines = append(lines, "")
		lines = append(lines, s.keyLine(l, k, w)...)
	}
	return lines
}

// lines are the legend itself: what each colour and number stands for.
func (l legend) lines(st *widget.Styles, e *models.Entity, w int) []string {
	lines := []string{""}
	room := w
	for i, name := range l {
		note := ""
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			note = " (in keys only)"
		}
		mark, name := strconv.Itoa(i+1)+" ", models.PrintableCell(name, max(w-6, 1))
		need := ansi.StringWidth(mark+name+note) + 3
		if need > room && room < w {
			lines, room = append(lines, ""), w
		}
		lines[len(lines)-1] += st.Paint(widget.RoleMuted, mark) + st.Paint(l.role(st, name), name) + st.Paint(widget.RoleFaint, note) + "   "
		room -= need
	}
	return lines
}

func (s *itemScreen) keyLine(l legend, k keyFact, w int) []string {
	st := s.env.Styles
	checked := s.read.state == readDone || s.read.state == readGone
	template, stored, computed, expected := "  template  ", "  stored    ", "  computed  ", "  should be "
	if w < narrowKeys {
		template, stored, computed, expected = "  ", "  ", "", "  ≠ "
	}
	lines := []string{st.Paint(widget.RoleStrong, k.name) + st.Paint(widget.RoleMuted, "  "+k.uses)}
	if !k.trivial() {
		lines = append(lines, st.Paint(widget.RoleFaint, template)+l.template(st, k.template))
	}
	if k.pieces == nil {
		role, text := widget.RoleMuted, "absent, as it should be: the item is not in this index"
		if k.expected != "" {
			role, text = widget.RoleWarn, "absent: the item is not in this index"
		}
		if !checked {
			role, text = widget.RoleMuted, "not in the list's row"
		}
		return append(lines, st.Paint(widget.RoleFaint, stored)+st.Paint(role, text), s.keyVerdict(k, checked))
	}
	if k.trivial() {
		room, role := max(w-ansi.StringWidth(stored), 1), widget.RoleText
		if name := k.template.Segments()[0].Name; name != "" {
			role = l.role(st, name)
		}
		lines = append(lines, st.Paint(widget.RoleFaint, stored)+st.Paint(role, models.PrintableCell(joinSome(k.pieces, room), room)))
	} else {
		lines = append(lines, l.pieces(st, stored, k.pieces, w, true)...)
	}
	switch room := max(w-ansi.StringWidth(expected), 1); {
	case !checked || k.expected == "":
	case k.problem != "":
		lines = append(lines, st.Paint(widget.RoleFaint, expected)+paintDifference(st, models.PrintableCell(k.expected, room), joinPieces(k.pieces)))
	case !k.trivial() && computed != "":
		agrees := "  ✓ agrees"
		text := models.PrintableCell(k.expected, max(room-len(agrees), 1))
		return append(lines, st.Paint(widget.RoleFaint, computed)+st.Paint(widget.RoleMuted, text)+st.Paint(widget.RoleGood, agrees))
	}
	return append(lines, s.keyVerdict(k, checked))
}

// keyVerdict says whether the key agrees with the attributes.
func (s *itemScreen) keyVerdict(k keyFact, checked bool) string {
	st := s.env.Styles
	switch {
	case !checked:
		return st.Paint(widget.RoleFaint, "  · compared once it is read again")
	case k.problem != "":
		return st.Paint(widget.RoleBad, "  ✗ drift: "+k.problem)
	case k.pieces == nil:
		return st.Paint(widget.RoleFaint, "  · nothing to compare")
	default:
		return st.Paint(widget.RoleGood, "  ✓ agrees with the attributes")
	}
}

// drifted counts the keys that disagree with the attributes.
func (f *itemFacts) drifted() int {
	n := 0
	for _, k := range f.keys {
		if k.problem != "" {
			n++
		}
	}
	return n
}

// itemScope describes the keys of the screen.
func itemScope() Scope {
	return Scope{
		Name: "item", Title: "Item",
		Does:    "One item: its attributes, keys, lifecycle, past and relations.",
		Actions: (&itemScreen{}).makeActions(), Pieces: movingKeys(),
	}
}
