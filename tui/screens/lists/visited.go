package lists

import (
	"context"
	"time"

	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Visited lists the opened items and the executed queries, including those of earlier runs.
var Visited = listing.Open(func(*screen.Env, screen.Visited) *listing.Spec[*present.Recent] {
	return &listing.Spec[*present.Recent]{
		Name: "visited", Title: "Visited", Does: "Lists opened items and queries, including those of earlier runs.", Noun: "visit",
		Guide: screen.Guide{
			Purpose: "Items that you opened and queries that you ran, newest first, including earlier runs. They stay on this machine.",
			First:   "press enter to open the item, or to run the query again.",
		},
		ID:    func(r *present.Recent) string { return r.ID },
		Label: func(_ *screen.Env, r *present.Recent) string { return r.Kind + " " + r.Title },
		Empty: listing.None("No items or queries yet", "Press esc and paste an ID, or press ctrl+p to choose a list."),
		Load: func(_ context.Context, e *screen.Env, _ *listing.Reading[*present.Recent]) (listing.Rows[*present.Recent], error) {
			return listing.Rows[*present.Recent]{List: present.Recents(e), Note: "newest first"}, nil
		},
		Columns: []listing.Column[*present.Recent]{
			listing.Time("When", "", func(r *present.Recent) time.Time { return r.At }),
			listing.Text("What", func(r *present.Recent) string { return r.Kind }),
			listing.Styled(widget.Column{Title: "Item or query", Weight: 1}, widget.RoleText,
				func(_ *screen.Env, r *present.Recent) string {
					return r.Title
				}),
		},
		Facts: func(e *screen.Env, r *present.Recent) []listing.Fact {
			return []listing.Fact{{Label: r.Kind, Text: r.Title}, {Label: "time", Text: present.Exact(r.At, e.Now())}}
		},
		Actions: []listing.Action[*present.Recent]{{
			Name: "open", Keys: "enter", Desc: "open", Long: "open the item, or run the query again",
			Open: func(r *present.Recent) screen.Target { return r.To },
		}},
	}
})
