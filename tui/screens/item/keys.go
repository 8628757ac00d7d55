package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
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

// keysTab explains each key: its template, the stored key, and what the attributes imply.
type keysTab struct {
	base
	pager *widget.Pager
	w, h  int
	made  int // width that the lines were made for, 0: none
}

func newKeysTab(s *subject) *keysTab {
	return &keysTab{base: base{s}, pager: widget.NewPager(s.env.Styles)}
}

func (t *keysTab) remake() { t.made = 0 }

func (t *keysTab) setStyles(st *widget.Styles) {
	t.made = 0
	t.pager.SetStyles(st)
}

// textMargin is how many columns are blank: one at each side.
const textMargin = 2

func (t *keysTab) setSize(w, h int) {
	t.w, t.h = w, h
	w -= textMargin
	t.pager.SetSize(w, h)
	if t.made != w && w > 1 {
		t.made = w
		t.pager.SetLines(t.keyLines(w - 1)) // The last column is the scroll bar.
	}
}

func (t *keysTab) view() string { return widget.Indent(t.pager.View(), t.w, t.h) }

func (t *keysTab) mouse() widget.Clickable { return t.pager }

func (t *keysTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, t.pager.Update(msg) }

func (t *keysTab) title() string {
	if t.s.plain {
		return ""
	}
	if n := t.s.facts.drifted(); n > 0 && t.s.state == readDone {
		return "Keys ✗" + strconv.Itoa(n)
	}
	return "Keys"
}

func (t *keysTab) note() string {
	if t.s.state != readDone && t.s.state != readGone {
		return ""
	}
	switch n := t.s.facts.drifted(); {
	case n > 0:
		return "✗ " + present.Plural(n, "key") + " drifted"
	case t.s.facts.entity != nil:
		return "✓ all agree"
	}
	return ""
}

// narrowKeys is below which width the lines of a key go without their names.
const narrowKeys = 60

func (t *keysTab) keyLines(w int) []string {
	st := t.s.env.Styles
	if t.s.facts.entity == nil {
		lines := widget.Wrap(st, widget.RoleWarn, t.s.facts.why, w)
		return append(lines, "", st.Paint(widget.RoleMuted, "Without an entity, there are no key templates to compare with."))
	}
	// What is wrong comes first, so that nobody has to look for it.
	keys := slices.Clone(t.s.facts.keys)
	if t.s.state == readDone {
		slices.SortStableFunc(keys, func(a, b keyFact) int {
			return cmp.Compare(min(len(b.problem), 1), min(len(a.problem), 1))
		})
	}
	templates := make([]models.Template, len(t.s.facts.keys))
	for i, k := range t.s.facts.keys {
		templates[i] = k.template
	}
	l := present.LegendOf(templates...)
	lines := l.Lines(st, t.s.facts.entity, w)
	for _, k := range keys {
		lines = append(lines, "")
		lines = append(lines, t.keyLine(l, k, w)...)
	}
	return lines
}

func (t *keysTab) keyLine(l present.Legend, k keyFact, w int) []string {
	st := t.s.env.Styles
	checked := t.s.state == readDone || t.s.state == readGone
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
			role, text = widget.RoleMuted, "not in the row of the list"
		}
		return append(lines, st.Paint(widget.RoleFaint, stored)+st.Paint(role, text), t.keyVerdict(k, checked))
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
	return append(lines, t.keyVerdict(k, checked))
}

func (t *keysTab) keyVerdict(k keyFact, checked bool) string {
	st := t.s.env.Styles
	switch {
	case !checked:
		return st.Paint(widget.RoleFaint, "  · compared after the refresh")
	case k.problem != "":
		return st.Paint(widget.RoleBad, "  ✗ drift: "+k.problem)
	case k.pieces == nil:
		return st.Paint(widget.RoleFaint, "  · nothing to compare")
	default:
		return st.Paint(widget.RoleGood, "  ✓ agrees with the attributes")
	}
}
