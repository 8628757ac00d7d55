package tui

import (
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func linked(l link.Link) func(*screen.Env) screen.Target {
	return func(env *screen.Env) screen.Target {
		at, err := l.In(env.Session.Profile())
		switch {
		case err != nil:
			return screen.Patterns{}
		case at.Pattern != nil:
			return screen.Patterns{Pattern: at.Pattern, Args: at.Args, Run: true}
		}
		return screen.Item{Table: at.Entity.Table, Item: at.Key, Tab: at.Section}
	}
}
