package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A keyFact is a key attribute in displayable form.
type keyFact struct {
	name     string
	uses     string // "partition key", "sort key of GSI1"
	template models.Template
	pieces   []present.KeyPiece // pieces of the stored key; nil if it is missing
	expected string             // key computed from the attributes, "" if that is impossible
	problem  string
}

func (k keyFact) isTrivial() bool {
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

func newKeysTab(s *itemData) *textTab {
	return &textTab{
		base: base{s}, pager: widget.NewPager(s.env.Styles), titleText: s.keysTitle, noteText: s.keysNote, lines: s.keyLines,
	}
}

func (d *itemData) keysTitle() string {
	if d.plain {
		return ""
	}
	if n := d.facts.driftedKeyCount(); n > 0 && d.state == readDone {
		return "Keys ✗" + strconv.Itoa(n)
	}
	return "Keys"
}

func (d *itemData) keysNote() string {
	switch n := d.facts.driftedKeyCount(); {
	case !d.wasRead():
		return ""
	case n > 0:
		return "✗ " + present.Plural(n, "key") + " drifted"
	case d.facts.entity != nil && d.facts.entity.ByName == nil:
		return "✓ all match"
	}
	return ""
}

// narrowKeys is the width in cells below which the tab omits the names in keys.
const narrowKeys = 60

func (d *itemData) keyLines(w int) []string {
	st := d.env.Styles
	if d.facts.entity == nil {
		lines := widget.Wrap(st, widget.RoleWarn, d.facts.reason, w)
		return append(lines, "", st.Paint(widget.RoleMuted, "Without an entity, there are no key templates to compare with."))
	}
	// Put invalid keys first, so that the user does not have to search for them.
	keys := slices.Clone(d.facts.keys)
	if d.state == readDone {
		slices.SortStableFunc(keys, func(a, b keyFact) int {
			return cmp.Compare(min(len(b.problem), 1), min(len(a.problem), 1))
		})
	}
	l := present.LegendOf(models.MapSlice(d.facts.keys, func(k keyFact) models.Template { return k.template })...)
	lines := l.Lines(st, d.facts.entity, w)
	for _, k := range keys {
		lines = append(lines, "")
		lines = append(lines, d.keyLine(l, k, w)...)
	}
	return lines
}

func (d *itemData) keyLine(l present.Legend, k keyFact, w int) []string {
	st := d.env.Styles
	checked := d.wasRead()
	template, stored, computed, expected := "  template  ", "  stored    ", "  computed  ", "  should be "
	if w < narrowKeys {
		template, stored, computed, expected = "  ", "  ", "", "  ≠ "
	}
	lines := []string{st.Paint(widget.RoleStrong, k.name) + st.Paint(widget.RoleMuted, "  "+k.uses)}
	if !k.isTrivial() {
		lines = append(lines, st.Paint(widget.RoleFaint, template)+l.Template(st, k.template))
	}
	if k.pieces == nil {
		role, text := widget.RoleMuted, "absent, as expected: the item is not in this index"
		if k.expected != "" {
			role, text = widget.RoleWarn, "absent: the item is not in this index"
		}
		if !checked {
			role, text = widget.RoleMuted, "not in the list row"
		}
		return append(lines, st.Paint(widget.RoleFaint, stored)+st.Paint(role, text), d.keyStatus(k, checked))
	}
	if k.isTrivial() {
		room, role := max(w-ansi.StringWidth(stored), 1), widget.RoleText
		if name := k.template.Segments()[0].Name; name != "" {
			role = l.Role(st, name)
		}
		lines = append(
			lines,
			st.Paint(widget.RoleFaint, stored)+st.Paint(role, models.PrintableCell(present.JoinFitting(k.pieces, room), room)),
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
	case !k.isTrivial() && computed != "":
		note := "  ✓ matches"
		text := models.PrintableCell(k.expected, max(room-len(note), 1))
		return append(lines, st.Paint(widget.RoleFaint, computed)+st.Paint(widget.RoleMuted, text)+st.Paint(widget.RoleGood, note))
	}
	return append(lines, d.keyStatus(k, checked))
}

func (d *itemData) keyStatus(k keyFact, checked bool) string {
	st := d.env.Styles
	switch {
	case !checked:
		return st.Paint(widget.RoleFaint, "  · compared after the refresh")
	case k.problem != "":
		return st.Paint(widget.RoleBad, "  ✗ drift: "+k.problem)
	case k.pieces == nil || d.facts.entity.ByName != nil:
		return st.Paint(widget.RoleFaint, "  · nothing to compare")
	default:
		return st.Paint(widget.RoleGood, "  ✓ matches the attributes")
	}
}
