package workbench

import (
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

// obstacle is what is known against the chosen pattern as the form stands.
func (b *Workbench) obstacle() *session.Obstacle {
	j := b.job
	switch a := b.writing(); {
	case a != nil:
		return b.env.Session.ObstacleToChange(a)
	case !j.pattern.IsRead():
		return nil
	}
	return b.env.Session.ObstacleTo(j.pattern, j.line.Read)
}

// learn marks the patterns anew when something became known against one, or is
// no longer.
func (b *Workbench) learn() {
	known := b.env.Session.Known()
	if known == b.known {
		return
	}
	b.known = known
	b.list.SetItems(present.PatternItems(b.env))
	b.about.Forget()
}
