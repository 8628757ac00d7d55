package item

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keyFact is one key attribute as it may be shown.
type keyFact struct {
	name     string
	uses     string // "partition key", "sort key of GSI1"
	template models.Template
	pieces   []present.KeyPiece // the stored key, nil when absent
	expected string             // what the attributes make of it, "" when they cannot
	problem  string
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
		f := keyFact{name: k.Name, uses: present.KeyUses(e.Table, k.Name), template: k.Template, problem: k.Problem}
		hidden := masker.Hides(e.TemplateSensitivity(k.Template))
		if k.Present {
			f.pieces = present.KeyPieces(e, masker, k.Template, k.Stored)
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

// narrowKeys is below which width the lines of a key go without their names.
const narrowKeys = 60

// keyLines are the styled lines of the tab.
func (tx *itemTexts) keyLines(w int) []string {
	st := tx.s.env.Styles
	if tx.s.facts.entity == nil {
		lines := widget.Wrap(st, widget.RoleWarn, tx.s.facts.why, w)
		return append(lines, "", st.Paint(widget.RoleMuted, "Without an entity there are no templates to compare the keys with."))
	}
	// What is wrong comes first, so that nobody has to look for it.
	keys := slices.Clone(tx.s.facts.keys)
	if tx.s.read.state == readDone {
		slices.SortStableFunc(keys, func(a, b keyFact) int {
			return cmp.Compare(min(len(b.problem), 1), min(len(a.problem), 1))
		})
	}
	templates := make([]models.Template, len(tx.s.facts.keys))
	for i, k := range tx.s.facts.keys {
		templates[i] = k.template
	}
	l := present.LegendOf(templates...)
	lines := l.Lines(st, tx.s.facts.entity, w)
	for _, k := range keys {
		lines = append(lines, "")
		lines = append(lines, tx.keyLine(l, k, w)...)
	}
	return lines
}

func (tx *itemTexts) keyLine(l present.Legend, k keyFact, w int) []string {
	st := tx.s.env.Styles
	checked := tx.s.read.state == readDone || tx.s.read.state == readGone
	template, stored, computed, expected := "  template  ", "  stored    ", "  computed  ", "  should be "
	if w < narrowKeys {
		template, stored, computed, expected = "  ", "  ", "", "  ≠ "
	}
	lines := []string{st.Paint(widget.RoleStrong, k.name) + st.Paint(widget.RoleMuted, "  "+k.uses)}
	if !k.trivial() {
		lines = append(lines, st.Paint(widget.RoleFaint, template)+l.Template(st, k.template))
	}
	if k.pieces == nil {
		role, text := widget.RoleMuted, "absent, as it should be: the item is not in this index"
		if k.expected != "" {
			role, text = widget.RoleWarn, "absent: the item is not in this index"
		}
		if !checked {
			role, text = widget.RoleMuted, "not in the list's row"
		}
		return append(lines, st.Paint(widget.RoleFaint, stored)+st.Paint(role, text), tx.keyVerdict(k, checked))
	}
	if k.trivial() {
		room, role := max(w-ansi.StringWidth(stored), 1), widget.RoleText
		if name := k.template.Segments()[0].Name; name != "" {
			role = l.Role(st, name)
		}
		lines = append(
			lines,
			st.Paint(widget.RoleFaint, stored)+st.Paint(role, models.PrintableCell(present.JoinSome(k.pieces, room), room)),
		)
	} else {
		lines = append(lines, l.Pieces(st, stored, k.pieces, w, true)...)
	}
	switch room := max(w-ansi.StringWidth(expected), 1); {
	case !checked || k.expected == "":
	case k.problem != "":
		lines = append(
			lines,
			st.Paint(widget.RoleFaint, expected)+present.PaintDifference(
				st, models.PrintableCell(k.expected, room), present.JoinPieces(k.pieces),
			),
		)
	case !k.trivial() && computed != "":
		agrees := "  ✓ agrees"
		text := models.PrintableCell(k.expected, max(room-len(agrees), 1))
		return append(lines, st.Paint(widget.RoleFaint, computed)+st.Paint(widget.RoleMuted, text)+st.Paint(widget.RoleGood, agrees))
	}
	return append(lines, tx.keyVerdict(k, checked))
}

// keyVerdict says whether the key agrees with the attributes.
func (tx *itemTexts) keyVerdict(k keyFact, checked bool) string {
	st := tx.s.env.Styles
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

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "item", Title: "Item",
		Does:    "One item: attributes, keys, lifecycle, timeline and related queries.",
		Actions: (&itemScreen{}).wire().makeActions(), Pieces: screen.MovingKeys(),
	}
}
