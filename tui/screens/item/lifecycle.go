package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/diagram"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
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
			words = append(words, "since "+present.When(now.Since, t.s.env.Now()))
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

// graphFrom is the width of the screen from which a lifecycle is drawn as a graph. Below it, it is a list.
const graphFrom = 100

// The ranks of lines: which one is drawn where several share cells.
const (
	rankOther = iota
	rankPossible
	rankTaken
)

// A lifecycleWay is a lifecycle as one item goes through it: the states that it has been in, and the moves that are
// possible now. Its layout is kept, because it does not depend on the cursor.
type lifecycleWay struct {
	l      *models.Lifecycle
	stays  []timeline.Stay // the present one last; empty without a state
	moves  []changes.Move  // those that can be made
	keys   func(*change.Action) string
	layout *diagram.Layout
	width  int  // that layout was made for, 0 for none
	failed bool // there is no layout for it
}

func (t *lifecycleTab) wayOf(l *models.Lifecycle) *lifecycleWay {
	if way := t.ways[l]; way != nil {
		return way
	}
	way := &lifecycleWay{l: l, keys: t.s.offers.keys, stays: timeline.Stays(l, t.s.facts.masked, t.s.timeline.shownEntries())}
	for _, m := range t.moves {
		if m.Lifecycle == l && m.Why == "" {
			way.moves = append(way.moves, m)
		}
	}
	t.ways[l] = way
	return way
}

func (way *lifecycleWay) now() (timeline.Stay, bool) {
	if len(way.stays) == 0 {
		return timeline.Stay{}, false
	}
	return way.stays[len(way.stays)-1], true
}

func (way *lifecycleWay) visited(state string) bool {
	return slices.ContainsFunc(way.stays, func(s timeline.Stay) bool { return s.State == state })
}

func (way *lifecycleWay) spent(from, to string) (times int, d time.Duration) {
	for i := 1; i < len(way.stays); i++ {
		s := way.stays[i-1]
		if s.State != from || way.stays[i].State != to {
			continue
		}
		times++
		if !s.Since.IsZero() && s.Until.After(s.Since) {
			d += s.Until.Sub(s.Since)
		}
	}
	return times, d
}

func (way *lifecycleWay) in(state string) time.Duration {
	var d time.Duration
	for _, s := range way.stays {
		if s.State == state && !s.Since.IsZero() && s.Until.After(s.Since) {
			d += s.Until.Sub(s.Since)
		}
	}
	return d
}

func spentWords(times int, d time.Duration) string {
	text := ""
	if d > 0 {
		text = present.Span(d)
	}
	if times > 1 {
		text = strings.TrimSpace(strconv.Itoa(times) + "× " + text)
	}
	return text
}

func (way *lifecycleWay) possible(e diagram.Edge) (changes.Move, bool) {
	now, ok := way.now()
	if !ok || way.l.States[e.From].Name != now.State {
		return changes.Move{}, false
	}
	i := slices.IndexFunc(way.moves, func(m changes.Move) bool { return slices.Contains(e.Transitions, m.Transition) })
	if i < 0 {
		return changes.Move{}, false
	}
	return way.moves[i], true
}

func (way *lifecycleWay) stateText(s *models.State, at time.Time) []string {
	text := models.PrintableCell(s.Name, titleID)
	if s.Kind != models.StateOpen {
		text = widget.KindOf(string(s.Kind)).Glyph() + " " + text
	}
	now, ok := way.now()
	if !ok || now.State != s.Name {
		return []string{text}
	}
	return []string{text, hereText(now, at)}
}

func hereText(now timeline.Stay, at time.Time) string {
	if now.Since.IsZero() {
		return "here"
	}
	return "here " + present.Span(max(at.Sub(now.Since), 0))
}

func (way *lifecycleWay) moveText(m changes.Move) string {
	return cmp.Or(way.keys(m.Action), "·") + " " + models.PrintableCell(m.Transition.Name, moveLabel)
}

func (way *lifecycleWay) graph(at time.Time) diagram.Graph {
	g := diagram.Of(way.l, func(s *models.State) []string { return way.stateText(s, at) })
	now, has := way.now()
	for i, s := range way.l.States {
		g.Nodes[i].Heavy = has && s.Name == now.State
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if times, d := way.spent(way.l.States[e.From].Name, way.l.States[e.To].Name); times > 0 {
			e.Rank, e.Stroke, e.Label = rankTaken, diagram.Heavy, spentWords(times, d)
		}
		if m, ok := way.possible(*e); ok {
			e.Rank, e.Label = max(e.Rank, rankPossible), way.moveText(m)
		}
	}
	return g
}

// moveLabel is how many cells of the name of a transition stand at its line.
const moveLabel = 24

func (way *lifecycleWay) draw(st *widget.Styles, w int, at time.Time, chosen *models.Transition) (lines []string, here int, ok bool) {
	if way.width != w {
		var err error
		way.layout, err = diagram.New(way.graph(at), w)
		way.width, way.failed = w, err != nil
	}
	if way.failed {
		return nil, 0, false
	}
	if now, ok := way.now(); ok {
		if i := slices.IndexFunc(way.l.States, func(s *models.State) bool { return s.Name == now.State }); i >= 0 {
			here = way.layout.Boxes[i].Y
		}
	}
	for _, runs := range way.layout.Draw() {
		var b strings.Builder
		for _, r := range runs {
			role, on := way.look(r, chosen)
			b.WriteString(st.PaintOn(role, on, r.Text))
		}
		lines = append(lines, b.String())
	}
	return lines, here, true
}

func (way *lifecycleWay) look(r diagram.Run, chosen *models.Transition) (widget.Role, widget.Surface) {
	switch r.Part {
	case diagram.Border, diagram.Inside:
		return way.nodeLook(r)
	case diagram.Line, diagram.Label:
		e := way.layout.Edges[r.Index]
		if _, ok := way.possible(e); ok {
			if slices.Contains(e.Transitions, chosen) {
				return widget.RoleTitle, widget.SurfacePlain
			}
			return widget.RoleText, widget.SurfacePlain
		}
		if e.Rank == rankTaken {
			return widget.RoleAccent, widget.SurfacePlain
		}
	case diagram.Blank:
	}
	return widget.RoleFaint, widget.SurfacePlain
}

func (way *lifecycleWay) nodeLook(r diagram.Run) (widget.Role, widget.Surface) {
	s := way.l.States[r.Index]
	kind := widget.KindOf(string(s.Kind))
	now, _ := way.now()
	leads := slices.ContainsFunc(way.moves, func(m changes.Move) bool { return m.Transition.To == s.Name })
	switch text := r.Part == diagram.Inside; {
	case s.Name == now.State && text:
		return kind.Role(), widget.SurfaceFill
	case s.Name == now.State:
		return kind.Role(), widget.SurfacePlain
	case way.visited(s.Name) && text:
		return widget.RoleStrong, widget.SurfacePlain
	case way.visited(s.Name):
		return widget.RoleAccent, widget.SurfacePlain
	case leads && text:
		return kind.Role(), widget.SurfacePlain
	case leads, text:
		return widget.RoleMuted, widget.SurfacePlain
	}
	return widget.RoleFaint, widget.SurfacePlain
}
