package present

import (
	"cmp"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
)

// A Step is a transition from the current state. By is the actor, or "" if the schema does not name one.
type Step struct{ Title, By string }

// StepOf returns the step of a move. Its title is the title of the action for the move, if there is one.
func StepOf(m changes.TransitionOffer) Step { return Step{stepTitle(m), m.Transition.Actor} }

func stepTitle(m changes.TransitionOffer) string {
	switch {
	case m.Action != nil && m.Action.Target == "":
		return m.Action.Title
	case m.Transition.Name != "":
		return timeline.NameInWords(m.Transition.Name)
	case m.To != nil:
		return "Become " + cmp.Or(m.To.Label, m.To.Name)
	}
	return "Become " + m.Transition.To
}

// StepWords lists the steps, grouped by actor.
func StepWords(steps []Step) string {
	var actors, parts []string
	titles := map[string][]string{}
	for _, step := range steps {
		if titles[step.By] == nil {
			actors = append(actors, step.By)
		}
		titles[step.By] = append(titles[step.By], step.Title)
	}
	for _, user := range actors {
		text := strings.Join(titles[user], ", ")
		if user != "" {
			text += " (" + user + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}
