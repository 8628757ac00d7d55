package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/diagram"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The ranks of lines: which one is drawn where several share cells.
const (
	rankOther = iota
	rankPossible
	rankTaken
)

// A lifecycleWay is a lifecycle as one item goes through it: the states that it has been in, and the moves that are
// possible now.
type lifecycleWay struct {
	l     *models.Lifecycle
	stays []timeline.Stay // the present one last; empty without a state
	moves []changes.Move  // those that can be made
}

func wayOf(s *subject, l *models.Lifecycle) *lifecycleWay {
	way := &lifecycleWay{l: l, stays: timeline.Stays(l, s.facts.masked, s.past)}
	for _, m := range s.moves {
		if m.Lifecycle == l && m.Why == "" {
			way.moves = append(way.moves, m)
		}
	}
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
			e.Rank, e.Label = max(e.Rank, rankPossible), models.PrintableCell(moveTitle(m), moveLabel)
		}
	}
	return g
}

// moveLabel is how many cells of the name of a transition stand at its line.
const moveLabel = 24

// graphFrom is the width from which a lifecycle is drawn as a graph, if that has the height for it.
const graphFrom = 96

// lines draws the graph in at most h lines of w cells, or else the path of the item.
func (way *lifecycleWay) lines(st *widget.Styles, w, h int, now time.Time) []string {
	if w >= graphFrom {
		if layout, err := diagram.New(way.graph(now), w); err == nil {
			if runs := layout.Draw(); len(runs) <= h {
				return way.paint(st, layout, runs)
			}
		}
	}
	return way.path(st, w, now)
}

func (way *lifecycleWay) paint(st *widget.Styles, layout *diagram.Layout, lines [][]diagram.Run) []string {
	out := make([]string, len(lines))
	for i, runs := range lines {
		for _, r := range runs {
			role, on := way.look(layout, r)
			out[i] += st.PaintOn(role, on, r.Text)
		}
	}
	return out
}

// path is the way of the item through its states with the time spent in each, and where it can go from here.
func (way *lifecycleWay) path(st *widget.Styles, w int, now time.Time) []string {
	var parts []string
	for i, stay := range way.stays {
		name := stay.State
		if s := way.l.State(stay.State); s != nil {
			name = cmp.Or(s.Label, s.Name)
		}
		until, sign := stay.Until, ""
		if i == len(way.stays)-1 {
			until, sign = now, "● "
		}
		text := sign + models.PrintableCell(name, titleID)
		if !stay.Since.IsZero() && until.After(stay.Since) {
			text += " " + present.Span(until.Sub(stay.Since))
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return nil
	}
	return present.Indented(widget.Wrap(st, widget.RoleText, strings.Join(parts, " ▸ "), max(w-3, 1)))
}

func (way *lifecycleWay) look(layout *diagram.Layout, r diagram.Run) (widget.Role, widget.Surface) {
	switch r.Part {
	case diagram.Border, diagram.Inside:
		return way.nodeLook(r)
	case diagram.Line, diagram.Label:
		e := layout.Edges[r.Index]
		if _, ok := way.possible(e); ok {
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
