package schemamap

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tell makes the details of what is chosen, if that is something else.
func (d *mapDetails) tell() {
	if d.s.focus == mapText && d.told != nil {
		d.retell()
		return
	}
	var about any = d.s.at
	if d.s.patterns.lit != nil {
		about = d.s.patterns.lit
	}
	if about != d.told {
		d.details.ScrollTo(0)
	}
	d.told = about
	d.retell()
}

func (d *mapDetails) retell() {
	iw, _ := widget.PanelInner(d.s.lay.details.W, d.s.lay.details.H)
	w := max(min(iw-4, 110), 10)
	t := &teller{st: d.s.env.Styles, w: w}
	b, e, c := d.s.patterns.spot()
	switch {
	case d.s.patterns.lit != nil:
		d.tellPattern(t, d.s.patterns.lit)
	case c == nil && e == nil:
		d.tellTable(t, b)
	case c == nil:
		d.tellEntity(t, b, e)
	case e == nil && c.index != nil:
		d.tellIndex(t, b, c.index)
	case e == nil:
		d.tellKey(t, b, *c)
	default:
		d.tellCell(t, e, *c)
	}
	d.details.SetLines(t.lines)
}

func (d *mapDetails) detailTitle() string {
	b, e, c := d.s.patterns.spot()
	switch {
	case d.s.patterns.lit != nil:
		return d.s.patterns.lit.Title
	case c == nil && e == nil:
		return b.table.Name
	case c == nil:
		return present.TitleOf(e)
	case e == nil:
		return strings.TrimPrefix(c.way(), "⌕ ") + " · " + c.key.Name
	}
	return e.Name + " · " + c.key.Name
}

// A teller writes lines with labels.
type teller struct {
	st    *widget.Styles
	w     int
	lines []string
}

const tellerLabel = 11

func (t *teller) label(text string) string {
	return t.st.PaintCell(widget.RoleMuted, widget.SurfacePlain, text, tellerLabel, widget.AlignLeft)
}

// text wraps plain text beside a label; nothing is written when it is empty.
func (t *teller) text(label string, role widget.Role, text string) {
	if text == "" {
		return
	}
	for i, line := range widget.Wrap(t.st, role, text, max(t.w-tellerLabel, 1)) {
		if i > 0 {
			label = ""
		}
		t.lines = append(t.lines, t.label(label)+line)
	}
}

// styled puts a styled line beside a label.
func (t *teller) styled(label, line string) { t.lines = append(t.lines, t.label(label)+line) }

// read spells a request, in a line for each key where one line is too short.
func (t *teller) read(label string, r accesspatterns.Read) {
	if line := present.ReadLine(t.st, r); ansi.StringWidth(line) <= t.w-tellerLabel || len(r.Key) == 0 {
		t.styled(label, line)
		return
	}
	bare := r
	bare.Key = nil
	t.styled(label, present.ReadLine(t.st, bare))
	for _, k := range r.Key {
		one := accesspatterns.Read{Key: []accesspatterns.KeyCondition{k}}
		t.styled("", present.ReadLine(t.st, one))
	}
}

func (d *mapDetails) tellPattern(t *teller, p *accesspatterns.Pattern) {
	if !p.IsRead() {
		t.lines = append(t.lines, present.WriteLine(t.st, p))
		d.tellRewrites(t, p)
	} else {
		t.read("asks", p.Read)
		for _, v := range p.Variants {
			t.text("or", widget.RoleMuted, "when "+strings.Join(v.When, " and ")+" is given:")
			t.read("", v.Read)
		}
	}
	t.text("given", widget.RoleText, givenText(p))
	label := "finds"
	if !p.IsRead() {
		label = "of"
	}
	t.text(label, widget.RoleKey, present.EntityNames(p.Returns))
	t.text("order", widget.RoleText, p.OrderNote)
	t.text("keeps", widget.RoleText, filterTexts(p.Read.Filter))
	t.text("from", widget.RoleText, fanOutText(p.Read.FanOut))
	for i, f := range p.Findings {
		label := ""
		if i == 0 {
			label = "findings"
		}
		t.text(label, present.FindingRole(f.Kind), f.ID+" "+present.FindingTitle(f))
	}
	if len(p.Findings) == 0 && p.IsRead() {
		t.text("", widget.RoleGood, "✓ works as the document has it")
	}
	t.text("behavior", widget.RoleText, p.Safe)
}

// tellRewrites names the keys that a write has to make anew.
func (d *mapDetails) tellRewrites(t *teller, p *accesspatterns.Pattern) {
	b := d.s.plan.blocks[d.s.plan.blockOf(p.Table)]
	for _, e := range p.Returns {
		var names []string
		for _, c := range b.columns {
			if b.rewrites(p, e, c) && c.part != partExpiry {
				names = append(names, c.key.Name)
			}
		}
		if len(names) > 0 {
			t.text(
				"keys", widget.RoleWarn,
				strings.Join(names, ", ")+" of "+e.Name+" must be written anew with it, or the index keeps the old place",
			)
		}
	}
}

// givenText names the parameters, those that may be left out in brackets.
func givenText(p *accesspatterns.Pattern) string {
	names := make([]string, len(p.Params))
	for i, q := range p.Params {
		names[i] = q.Name
		if q.Default != "" {
			names[i] += " (" + q.Default + ")"
		} else if !q.Required {
			names[i] = "[" + q.Name + "]"
		}
	}
	return strings.Join(names, ", ")
}

// filterTexts says what is dropped after reading.
func filterTexts(list []accesspatterns.FilterCondition) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = filterText(f)
	}
	if len(texts) == 0 {
		return ""
	}
	return "after reading, only where " + strings.Join(texts, " and ")
}

func filterText(f accesspatterns.FilterCondition) string {
	values := make([]string, len(f.Values))
	for i, v := range f.Values {
		values[i] = v.String()
	}
	switch f.Compare {
	case accesspatterns.Exists:
		return f.Attribute + " is there"
	case accesspatterns.NotExists:
		return f.Attribute + " is not there"
	case accesspatterns.BeginsWith:
		return f.Attribute + " begins with " + values[0]
	case accesspatterns.In:
		return f.Attribute + " is one of " + strings.Join(values, ", ")
	case accesspatterns.LessOrEqual:
		return f.Attribute + " ≤ " + values[0]
	case accesspatterns.GreaterOrEqual:
		return f.Attribute + " ≥ " + values[0]
	case accesspatterns.Between:
		return f.Attribute + " from " + values[0] + " to " + values[1]
	default:
		return f.Attribute + " = " + values[0]
	}
}

func fanOutText(f *accesspatterns.FanOut) string {
	switch {
	case f == nil:
		return ""
	case len(f.Values) > 0:
		return "one partition for each " + f.Placeholder + ": " + present.ShortList(f.Values, 6)
	}
	return "one partition for each UTC day from " + f.From.String() + " to " + f.To.String() + ", " + present.Plural(
		f.Max, "day",
	) + " at most"
}
