package screens

import (
	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// VisitCommands are the items that were opened lately, newest first, at most n;
// 0 is all of them.
func VisitCommands(env *Env, section string, n int) []Command {
	visits := env.Session.Visited()
	if n > 0 {
		visits = visits[:min(len(visits), n)]
	}
	list := make([]Command, 0, len(visits))
	for _, v := range visits {
		kind, title := visitTitle(env, v)
		list = append(list, Command{
			Section: section, Kind: "item", Title: title, Note: age(v.At, env.Now()), Words: "lately " + kind,
			Run: func() tea.Cmd { return Open(Item{Table: v.Table, Item: v.Key}) },
		})
	}
	return list
}

// visitTitle calls an item what its screen calls it, by its key alone.
func visitTitle(env *Env, v session.Visit) (kind, title string) {
	masker := env.Session.Masker()
	if v.Entity == nil {
		return "unknown", "Unknown item " + models.PrintableCell(v.Table.KeyText(masker.Item(v.Table, v.Key)), 60)
	}
	kind = entityName(v.Entity)
	r := models.Recognition{Entity: v.Entity, Values: keyValues(v.Entity, v.Key)}
	id := itemID(v.Entity, masker, r, v.Key)
	if id == "" {
		return kind, kind
	}
	return kind, kind + " " + models.PrintableCell(id, 60)
}

// keyValues are the placeholders that the primary key of an item of e holds.
func keyValues(e *models.Entity, key models.Item) map[string]string {
	values := map[string]string{}
	for _, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		t, ok := e.KeyTemplate(k.Name)
		text, has := key.Text(k.Name)
		if !ok || !has {
			continue
		}
		m, err := t.Parse(text)
		if err != nil {
			continue // The profile has changed since: the item's screen will say so.
		}
		for name, v := range m.Values {
			values[name] = v
		}
	}
	return values
}

// QueryCommands are the patterns that were run lately with what was entered,
// newest first.
func QueryCommands(env *Env, section string) []Command {
	queries := env.Session.Queries()
	list := make([]Command, 0, len(queries))
	for _, q := range queries {
		title := q.Pattern.Title
		if args := queryArgs(env, q.Pattern, q.Args); args != "" {
			title += "  " + args
		}
		list = append(list, Command{
			Section: section, Kind: env.OperationWord(q.Pattern.Read.Operation), Title: title, Note: age(q.At, env.Now()), Words: "lately " + q.Pattern.ID,
			Run: func() tea.Cmd { return Open(Patterns{Pattern: q.Pattern, Args: q.Args, Run: true}) },
		})
	}
	return list
}

// queryArgs spells what was entered, without what the masker hides.
func queryArgs(env *Env, p *accesspatterns.Pattern, args map[string]string) string {
	return shownArgs(env.Session.Masker(), accesspatterns.Related{Pattern: p, Args: args}, nil)
}
