package lists

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type event = *timeline.Event

// Tail lists the changes of a schema's items during the last hour, and new changes as they happen.
var Tail = listing.Open(func(*screen.Env, screen.Tail) *listing.Spec[event] {
	return &listing.Spec[event]{
		Name: "tail", Title: "Live", Does: "Shows changes to items as they happen.", Noun: "change", FollowsNewest: true,
		Guide: screen.Guide{
			Purpose: "Item changes as they happen: entity, key, transition, user and differences.",
			First:   "press o P to pause, enter to open the item, and / to filter.",
			Signs: []screen.Sign{
				{Glyph: "+", Meaning: "created"},
				{Glyph: "~", Meaning: "changed"},
				{Glyph: "-", Meaning: "deleted, including by time to live"},
			},
		},
		ID: func(e event) string { return e.Table.ID + " " + e.Sequence },
		Empty: listing.None("No changes in the last hour",
			"Changes appear here as they happen. Press 1 for the changes of ddbdesk on this machine."),
		Every:  time.Second,
		Load:   (&stream{}).load,
		Lookup: func(e *screen.Env) string { return "tail " + e.Session.Profile().Name },
		Columns: []listing.Column[event]{
			listing.Time("Time", time.TimeOnly, func(e event) time.Time { return e.At }),
			listing.Text("", func(e event) string { return eventSigns[e.EventKind] }),
			listing.Styled(widget.Column{Title: "Entity"}, widget.RoleText, func(env *screen.Env, e event) string {
				if e.Entity == nil {
					return present.NoValue
				}
				return entityName(env, e.Entity)
			}),
			listing.Styled(widget.Column{Title: "Change", Max: 60, Whole: true}, widget.RoleText, func(env *screen.Env, e event) string {
				_, changes := e.Shown(env.Session.Masker())
				return e.Sentence(changes)
			}),
			listing.Styled(widget.Column{Title: "Who"}, widget.RoleMuted, func(env *screen.Env, e event) string {
				entry, _ := e.ShownEntry(env.Session.Masker())
				return entry.Who
			}),
			listing.Styled(widget.Column{Title: "Item", Max: 64, Middle: true}, widget.RoleText, func(env *screen.Env, e event) string {
				key, _ := e.Shown(env.Session.Masker())
				if e.Entity == nil || !env.Plain() {
					return e.Table.KeyText(key)
				}
				kind, title := present.VisitTitle(env, local.Visit{Table: e.Table, Key: key, Entity: e.Entity})
				return strings.TrimPrefix(title, kind+" ")
			}),
		},
		Facts: func(env *screen.Env, e event) []listing.Fact {
			line := models.Printable(e.Line(env.Session.Masker(), env.Plain()))
			return []listing.Fact{{Text: strings.Replace(line, e.At.UTC().Format(time.DateTime), present.Exact(e.At, env.Now()), 1)}}
		},
		Actions: []listing.Action[event]{{
			Name: "open", Keys: "enter", Desc: "open", Long: "open the item as it is now",
			Can:  listing.Require(func(e event) bool { return eventSigns[e.EventKind] != "-" }, "the item was deleted"),
			Open: func(e event) screen.Target { return screen.Item{Table: e.Table, Item: e.Item()} },
		}},
	}
})

// eventSigns contains the symbols of events.
var eventSigns = map[timeline.Kind]string{timeline.Created: "+", timeline.Changed: "~", timeline.Deleted: "-", timeline.Expired: "-"}

const (
	// maxTailAge is the maximum age of the changes in the first list.
	maxTailAge = time.Hour
	// maxTailEvents is the maximum number of events to keep.
	maxTailEvents = 1000
)

// A stream reads the streams of the tables. An abandoned read may still run when the next read starts.
type stream struct {
	mu     sync.Mutex
	tail   *timeline.Tail
	events []event // newest first
}

func (s *stream) load(ctx context.Context, env *screen.Env, _ *listing.Reading[event]) (listing.Rows[event], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tail == nil {
		tail, err := timeline.NewTail(ctx, env.Session.Viewer, timeline.TailOptions{Since: env.Session.Now().Add(-maxTailAge)})
		if err != nil {
			return listing.Rows[event]{}, err
		}
		s.tail = tail
	}
	status := ""
	for more := true; more; {
		b, err := s.tail.Next(ctx)
		if err != nil {
			return listing.Rows[event]{}, err
		}
		for _, e := range b.Events {
			s.events = slices.Insert(s.events, 0, e)
		}
		for _, t := range b.Trimmed {
			status += " · changes of " + t.Name + " are missing: older than 24 hours"
		}
		more = b.More
	}
	s.events = s.events[:min(len(s.events), maxTailEvents)]
	if n := len(s.tail.WithoutStream); n > 0 {
		status = " · " + present.Plural(n, "table") + " without a stream" + status
	}
	return listing.Rows[event]{
		List: slices.Clone(s.events), Status: present.Plural(len(s.events), "change") + status, Note: "newest first",
	}, nil
}
