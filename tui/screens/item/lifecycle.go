package item

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (t *lifecycleTab) stateLines(w int) (lines []string) {
	st := t.s.env.Styles
	t.here = 0
	if t.s.facts.entity == nil || len(t.s.facts.entity.Lifecycles) == 0 {
		return []string{st.Paint(widget.RoleMuted, "The document describes no lifecycle for "+t.s.facts.name+".")}
	}
	for i, l := range t.s.facts.entity.Lifecycles {
		if i > 0 {
			lines = append(lines, "", "")
		}
		way := t.wayOf(l)
		lines = append(lines, t.lifecycleHead(way, w)...)
		drawn, here := t.drawWay(way, w)
		if t.here == 0 && here > 0 {
			t.here = len(lines) + here
		}
		lines = append(lines, drawn...)
	}
	return lines
}

func (t *lifecycleTab) drawWay(way *lifecycleWay, w int) (lines []string, here int) {
	st := t.s.env.Styles
	if t.s.w >= graphFrom {
		var chosen *models.Transition
		if m, ok := t.selected(); ok && m.Lifecycle == way.l {
			chosen = m.Transition
		}
		if lines, here, ok := way.draw(st, w, t.s.env.Now(), chosen); ok {
			return lines, here
		}
	}
	d := machine{st: st, l: way.l, way: way, at: t.s.env.Now()}
	return append([]string{""}, d.draw()...), d.here + 1
}

func (t *lifecycleTab) lifecycleHead(way *lifecycleWay, w int) []string {
	st, l := t.s.env.Styles, way.l
	head := st.Paint(widget.RoleStrong, l.Attribute)
	if !l.Documented {
		head += st.Paint(widget.RoleMuted, "  states inferred: the document has no lifecycle")
	}
	now, has := way.now()
	switch known := l.State(now.State); {
	case !has:
		return []string{head, st.Paint(widget.RoleWarn, "the item has no "+l.Attribute)}
	case known == nil:
		text := "? " + now.State + " is not a state of this lifecycle" + models.DidYouMean(now.State, stateNames(l))
		return append([]string{head}, widget.Wrap(st, widget.RoleWarn, text, w)...)
	default:
		line := st.Paint(widget.RoleStrong, l.Attribute+"  ") + st.Fill(present.StateBadge(l, now.State)) + " "
		words := []string{}
		if l.Terminal(now.State) {
			words = append(words, "final state")
		}
		if !now.Since.IsZero() {
			words = append(words, present.SinceWords(now.Since, t.s.env.Now()))
		}
		if known.Description != "" {
			words = append(words, known.Description)
		} else {
			words = append(words, known.Label)
		}
		if !l.Documented {
			words = append(words, "states inferred: the document has no lifecycle")
		}
		return []string{ansi.Truncate(line+st.Paint(widget.RoleMuted, " "+strings.Join(words, " · ")), w, "…")}
	}
}

func stateNames(l *models.Lifecycle) []string {
	names := make([]string, len(l.States))
	for i, s := range l.States {
		names[i] = s.Name
	}
	return names
}

// machine draws a lifecycle as text: the way to the good end from top to
// bottom, and at each state where else it can lead.
type machine struct {
	st    *widget.Styles
	l     *models.Lifecycle
	way   *lifecycleWay
	at    time.Time // the present
	lines []string
	drawn map[string]bool
	here  int // line of the current state, 0 when it was not drawn
}

// fromMany is from how many states on a transition is told once instead of at
// each of them.
const fromMany = 4

// meaningColumn is where the meanings of the states stand.
const meaningColumn = 40

func (d *machine) draw() []string {
	d.drawn = map[string]bool{}
	d.lines = []string{d.st.Paint(widget.RoleTitle, "All states")}
	spine := spineOf(d.l)
	onSpine := map[string]bool{}
	for _, s := range spine {
		onSpine[s] = true
	}
	for i, s := range spine {
		d.stateLine(s)
		next := ""
		if i+1 < len(spine) {
			next = spine[i+1]
		}
		d.exits(s, next)
		if next != "" {
			d.arrow(s, next)
		}
	}
	for _, s := range d.l.States {
		if !onSpine[s.Name] && (!d.drawn[s.Name] || len(d.own(s.Name, "")) > 0) {
			d.lines = append(d.lines, "")
			d.stateLine(s.Name)
			d.exits(s.Name, "")
		}
	}
	d.shared()
	return d.lines
}

func (d *machine) stateLine(name string) {
	d.drawn[name] = true
	badge := present.StateBadge(d.l, name)
	text := "   " + d.st.Paint(widget.RoleText, badge.Text)
	switch now, _ := d.way.now(); {
	case name == now.State:
		d.here = len(d.lines)
		text = d.st.Paint(widget.RoleTitle, " ▶ ") + d.st.Fill(badge) + d.st.Paint(widget.RoleTitle, d.hereWords(name))
	case d.way.visited(name):
		text = d.st.Paint(widget.RoleAccent, " ● ") + d.st.Paint(widget.RoleStrong, badge.Text)
		if spent := d.way.in(name); spent > 0 {
			text += d.st.Paint(widget.RoleAccent, "  "+present.Span(spent))
		}
	}
	s := d.l.State(name)
	if s != nil && !s.Documented && d.l.Documented {
		text += d.st.Paint(widget.RoleMuted, "  not documented")
	}
	if gap := meaningColumn - ansi.StringWidth(text); s != nil && s.Description != "" && gap > 1 {
		text += strings.Repeat(" ", gap) + d.st.Paint(widget.RoleFaint, s.Description)
	}
	d.lines = append(d.lines, text)
}

func (d *machine) hereWords(state string) string {
	now, _ := d.way.now()
	text := "  ◂ " + hereText(now, d.at)
	if d.l.Terminal(state) {
		text += ", final state"
	}
	return text
}

func (d *machine) own(state, next string) []*models.Transition {
	var list []*models.Transition
	for _, m := range d.l.Moves(state) {
		if m.To != next && len(m.From) < fromMany {
			list = append(list, m)
		}
	}
	return list
}

func (d *machine) exits(state, next string) {
	list := d.own(state, next)
	for i, m := range list {
		corner := "├"
		if next == "" && i == len(list)-1 {
			corner = "╰"
		}
		badge := present.StateBadge(d.l, m.To)
		d.drawn[m.To] = true
		to := d.st.Paint(badge.Role, badge.Text)
		if now, _ := d.way.now(); now.State == m.To && d.here == 0 {
			d.here = len(d.lines)
			to = d.st.Fill(badge) + d.st.Paint(widget.RoleTitle, d.hereWords(m.To))
		}
		d.lines = append(d.lines, d.st.Paint(widget.RoleFaint, "   "+corner+dash(m)+" ")+d.st.Paint(widget.RoleMuted, d.spell(m))+
			d.st.Paint(widget.RoleFaint, " "+dash(m)+"▸ ")+to)
	}
}

func dash(m *models.Transition) string {
	if m.Documented {
		return "─"
	}
	return "╌"
}

func (d *machine) spell(m *models.Transition) string {
	text := m.Name
	if m.Actor != "" {
		text += " · " + m.Actor
	}
	if !m.Documented {
		text += " · not documented"
	}
	return text
}

func (d *machine) arrow(from, to string) {
	for _, m := range d.l.Moves(from) {
		if m.To == to {
			d.lines = append(d.lines, d.st.Paint(widget.RoleFaint, "   ▾ ")+d.st.Paint(widget.RoleMuted, d.spell(m)))
			return
		}
	}
}

func (d *machine) shared() {
	for _, m := range d.l.Transitions {
		if len(m.From) < fromMany {
			continue
		}
		badge := present.StateBadge(d.l, m.To)
		d.lines = append(d.lines, "", d.st.Paint(widget.RoleMuted, "   "+d.spell(m)+" ")+d.st.Paint(widget.RoleFaint, dash(m)+"▸ ")+
			d.st.Paint(badge.Role, badge.Text),
			d.st.Paint(widget.RoleFaint, "     from "+strings.Join(m.From, ", ")))
	}
}
