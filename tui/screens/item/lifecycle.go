package item

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// stateLines draws the state machines, and notes the line of the first current state.
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
		state, has := t.s.facts.masked.Text(l.Attribute)
		lines = append(lines, lifecycleHead(st, l, state, has, w)...)
		if has && l.State(state) != nil && l.Terminal(state) {
			lines = append(lines, st.Paint(widget.RoleMuted, "next ")+st.Paint(widget.RoleText, "final state"))
		}
		lines = append(lines, "")
		d := machine{st: st, l: l, state: state}
		drawn := d.draw()
		if t.here == 0 && d.here > 0 {
			t.here = len(lines) + d.here
		}
		lines = append(lines, drawn...)
	}
	return lines
}

// lifecycleHead says where the item is and what that means.
func lifecycleHead(st *widget.Styles, l *models.Lifecycle, state string, has bool, w int) []string {
	head := st.Paint(widget.RoleStrong, l.Attribute)
	if !l.Documented {
		head += st.Paint(widget.RoleWarn, "  states inferred: the document has no lifecycle")
	}
	switch known := l.State(state); {
	case !has:
		return []string{head, st.Paint(widget.RoleWarn, "the item has no "+l.Attribute)}
	case known == nil:
		text := "? " + state + " is not a state of this lifecycle" + models.DidYouMean(state, stateNames(l))
		return append([]string{head}, widget.Wrap(st, widget.RoleWarn, text, w)...)
	default:
		badge := present.StateBadge(l, state)
		text := known.Description
		if text == "" {
			text = known.Label
		}
		line := st.Paint(widget.RoleMuted, "now  ") + st.Paint(badge.Role, badge.Text)
		return []string{head, line + st.Paint(widget.RoleMuted, "  "+text)}
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
	state string
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
	if name == d.state {
		d.here = len(d.lines)
		text = d.st.Paint(widget.RoleTitle, " ▶ ") + d.st.Paint(badge.Role, badge.Text) + d.st.Paint(widget.RoleTitle, hereWords(d.l, name))
	}
	s := d.l.State(name)
	if s != nil && !s.Documented && d.l.Documented {
		text += d.st.Paint(widget.RoleWarn, "  not documented")
	}
	if gap := meaningColumn - ansi.StringWidth(text); s != nil && s.Description != "" && gap > 1 {
		text += strings.Repeat(" ", gap) + d.st.Paint(widget.RoleFaint, s.Description)
	}
	d.lines = append(d.lines, text)
}

// hereWords mark the current state, and say whether anything leads on from it.
func hereWords(l *models.Lifecycle, state string) string {
	if l.Terminal(state) {
		return "  ◂ here, final state"
	}
	return "  ◂ here"
}

// own lists the transitions of a state except the one to next and those that
// many states share.
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
		d.lines = append(d.lines, d.st.Paint(widget.RoleFaint, "   "+corner+dash(m)+" ")+d.st.Paint(widget.RoleMuted, d.spell(m))+
			d.st.Paint(widget.RoleFaint, " "+dash(m)+"▸ ")+d.st.Paint(badge.Role, badge.Text))
	}
}

// dash is solid for what the document says.
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

// shared tells the transitions that leave many states.
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
