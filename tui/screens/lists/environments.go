package lists

import (
	"cmp"
	"context"

	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

type environment = *struct{ name string }

// Environments lists the contexts to compare the session's database with.
var Environments = listing.Open(func(env *screen.Env, _ screen.Environments) *listing.Spec[environment] {
	spec := &listing.Spec[environment]{
		Name: "environments", Title: "Environments", Noun: "context",
		Does: "Compares this database with another context's database.",
		Guide: screen.Guide{
			Purpose: "Compares the tables and items of this database with another context. ddbdesk writes nothing.",
			First:   "choose a context and press enter. The items of production are compared only after a confirmation.",
			Signs: []screen.Sign{
				{Glyph: "≠", Meaning: "differs between the environments"},
				{Glyph: "◂", Meaning: "only in this environment"},
				{Glyph: "▸", Meaning: "only in the other environment"},
			},
		},
		ID:    func(c environment) string { return c.name },
		Empty: listing.None("No other context", "Add contexts to the configuration; ddbdesk doctor names its file."),
		Load: func(_ context.Context, e *screen.Env, _ *listing.Reading[environment]) (rows listing.Rows[environment], err error) {
			if e.OtherContexts != nil {
				for _, name := range e.OtherContexts.Others() {
					rows.List = append(rows.List, &struct{ name string }{name})
				}
			}
			return rows, nil
		},
		Columns: []listing.Column[environment]{listing.Text("Context", func(c environment) string { return c.name })},
		Facts: func(e *screen.Env, c environment) []listing.Fact {
			return []listing.Fact{
				{Label: "here", Text: contextName(e)},
				{Label: "there", Text: c.name},
				{Label: "schema", Text: e.Session.Profile().Name + ", " + present.Plural(len(e.Session.Profile().Tables), "table")},
			}
		},
		Actions: []listing.Action[environment]{{
			Name: "enter", Keys: "enter", Desc: "compare", Long: "compare with the context",
			Open: func(c environment) screen.Target { return screen.Differences{Context: c.name} },
		}},
	}
	if env != nil {
		spec.Heading = "Compare " + contextName(env) + " with"
	}
	return spec
})

func contextName(e *screen.Env) string {
	return cmp.Or(e.Session.Context(), e.Session.Target().String())
}
