package palette

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// VisitCommands returns the items that were opened recently, newest first, at most
// n; 0 returns all.
func VisitCommands(env *screen.Env, section string, n int) []screen.Command {
	visits := env.History.Visits()
	if n > 0 {
		visits = visits[:min(len(visits), n)]
	}
	list := make([]screen.Command, 0, len(visits))
	for _, v := range visits {
		kind, title := present.VisitTitle(env, v)
		list = append(list, screen.Command{
			Section: section, Kind: "item", Title: title, Note: present.Age(v.At, env.Now()), Words: "recent lately " + kind,
			Run: func() tea.Cmd { return screen.Open(screen.Item{Table: v.Table, Item: v.Key}) },
		})
	}
	return list
}

// QueryCommands returns the patterns that were run recently with their parameters,
// newest first.
func QueryCommands(env *screen.Env, section string) []screen.Command {
	queries := env.History.Queries()
	list := make([]screen.Command, 0, len(queries))
	for _, q := range queries {
		list = append(list, screen.Command{
			Section: section, Kind: env.OperationWord(q.Pattern.Read.Operation), Title: present.QueryTitle(env, q.Pattern, q.Args),
			Note: present.Age(q.At, env.Now()), Words: "recent lately " + q.Pattern.ID,
			Run: func() tea.Cmd { return screen.Open(screen.Patterns{Pattern: q.Pattern, Args: q.Args, Run: true}) },
		})
	}
	return list
}
