package workbench

import (
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

// obstacle is what is known against the chosen pattern as the form stands.
func (pl *planning) obstacle() *tables.Obstacle {
	j := pl.b.job
	switch a := pl.writing(); {
	case a != nil:
		return pl.b.env.Tables.ObstacleToChange(a)
	case !j.pattern.IsRead():
		return nil
	}
	return pl.b.env.Tables.ObstacleTo(j.pattern, j.line.Read)
}

// learn marks the patterns anew when something became known against one, or is
// no longer.
func (pl *planning) learn() {
	known := pl.b.env.Tables.Version()
	if known == pl.b.known {
		return
	}
	pl.b.known = known
	pl.b.list.SetItems(present.PatternItems(pl.b.env))
	pl.b.draw.about.Forget()
}
