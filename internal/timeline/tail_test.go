package timeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// The tail recognizes every transition of every lifecycle of the built-in schemas.
func TestEventsNameTransition(t *testing.T) {
	fixture.EachSchema(t, session.Support, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		count := 0
		for _, e := range f.Profile.Entities {
			i := slices.IndexFunc(samples, func(s sample.Item) bool { return s.Entity == e })
			if i < 0 {
				continue
			}
			for _, l := range e.Lifecycles {
				for _, move := range l.Transitions {
					for _, from := range move.From {
						before, after := samples[i].Item.Clone(), samples[i].Item.Clone()
						before[l.Attribute], after[l.Attribute] = models.StringValue(from), models.StringValue(move.To)
						got := timeline.Events(f.Profile, []timeline.Change{changed(e.Table, before, after)})[0]
						if from == move.To || got.Entity != e {
							continue // the entity may depend on the state
						}
						count++
						at := slices.IndexFunc(got.StateChanges, func(m timeline.StateChange) bool { return m.Lifecycle == l })
						if at < 0 || got.StateChanges[at].From != from || got.StateChanges[at].To != move.To || got.StateChanges[at].Transition == nil {
							t.Errorf("%s: %s → %s: got %+v", l.Name, from, move.To, got.StateChanges)
						}
					}
				}
			}
		}
		if count == 0 && len(f.Profile.Entities[0].Lifecycles) > 0 {
			t.Error("no event has a state change")
		}
	})
}

var at = time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)

// changed returns the record of a change with both images.
func changed(table *models.Table, before, after models.Item) timeline.Change {
	kind := store.Modified
	switch {
	case before == nil:
		kind = store.Inserted
	case after == nil:
		kind = store.Removed
	}
	r := store.Record{At: at, Kind: kind, Before: before, After: after}
	r.Keys, _ = table.PrimaryKey(r.Item())
	return timeline.Change{Table: table, Record: r}
}

// Records of a stream contain different images, depending on its view.
func TestEventsInEachView(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	verification := p.Entity("Verification")
	item := models.Item{
		"PK": models.StringValue("CASE#ver_65de8f85-feb5-49b5-b776-a3c858eec62a"), "SK": models.StringValue("META"),
		"verificationId": models.StringValue("ver_65de8f85-feb5-49b5-b776-a3c858eec62a"), "status": models.StringValue("in_review"),
	}
	moved := item.Clone()
	moved["status"] = models.StringValue("approved")
	keys := timeline.Change{Table: verification.Table, Record: store.Record{At: at, Kind: store.Modified}}
	keys.Keys, _ = verification.Table.PrimaryKey(item)
	newOnly := keys
	newOnly.After = moved
	expired := changed(verification.Table, item, nil)
	expired.Expired = true
	for want, c := range map[string]timeline.Change{
		"changed Verification in_review>approved": changed(verification.Table, item, moved),
		"created Verification >in_review":         changed(verification.Table, nil, item),
		"deleted Verification in_review>":         changed(verification.Table, item, nil),
		"expired Verification in_review>":         expired,
		"changed Verification":                    newOnly,
		"changed -":                               keys,
	} {
		e := timeline.Events(p, []timeline.Change{c})[0]
		got := string(e.EventKind) + " -"
		if e.Entity != nil {
			got = string(e.EventKind) + " " + e.Entity.Name
		}
		for _, m := range e.StateChanges {
			got += fmt.Sprintf(" %s>%s", m.From, m.To)
		}
		if strings.HasSuffix(want, "-") {
			got = strings.Replace(got, "Verification", "-", 1) // the key alone may identify the entity
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A change and its audit entry become one event, in either order.
func TestEventsJoinAuditEntry(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	joined := 0
	samples := f.Samples(t)
	for _, entry := range samples {
		if entry.Entity.Name != "AuditLog" {
			continue
		}
		about, _ := entry.Item.Text("verificationId")
		i := slices.IndexFunc(samples, func(s sample.Item) bool {
			id, _ := s.Item.Text("verificationId")
			return s.Entity.Name == "Verification" && id == about
		})
		other := slices.IndexFunc(samples, func(s sample.Item) bool {
			id, _ := s.Item.Text("verificationId")
			return s.Entity.Name == "Verification" && id != about
		})
		if i < 0 {
			continue
		}
		label, _ := entry.Item.Text("timestamp")
		at, err := time.Parse(time.RFC3339, label)
		if err != nil {
			t.Fatal(err)
		}
		record := func(s sample.Item, after time.Duration) timeline.Change {
			c := changed(s.Table, nil, s.Item.Clone())
			if state, ok := entry.Item.At("after.status"); ok && s.Entity.Name == "Verification" {
				c.Kind, c.After["status"] = store.Modified, state
			}
			c.At = at.Add(after).Truncate(time.Second)
			return c
		}
		list := []timeline.Change{record(samples[other], 0), record(samples[i], 0), record(entry, 0)}
		for range 2 {
			events := timeline.Events(f.Profile, list)
			for _, e := range events {
				id, _ := e.Item().Text("verificationId")
				if isOne := e.Entity.Name == "Verification" && id == about; (e.Entry != nil) != isOne {
					t.Fatalf("%s %s: got entry %v", e.Entity.Name, id, e.Entry)
				}
				if (e.EntryOf != nil) != (e.Entity.Name == "AuditLog") {
					t.Fatalf("%s: EntryOf = %v", e.Entity.Name, e.EntryOf)
				}
			}
			slices.Reverse(list)
			joined++
		}
		late := timeline.Events(f.Profile, []timeline.Change{record(samples[i], time.Minute), record(entry, 0)})
		if late[0].Entry != nil {
			t.Fatal("an entry of another minute was joined")
		}
	}
	if joined == 0 {
		t.Error("no sample entry is about a case")
	}
}

const pairSchema = `
name: pair
tables: {tasks: {partition_key: task}, log: {partition_key: about, sort_key: {name: at, type: N}}}
entities:
  Task: {table: tasks, updated: changed, attributes: {task: {type: S}, state: {type: S}, changed: {type: N, format: epoch-millis}}}
  Log: {table: log, attributes: {about: {type: S}, at: {type: N, format: epoch-millis}, who: {type: S}, old: {type: M}, new: {type: M}}}
lifecycles:
  State: {entity: Task, attribute: state, states: {open: {}, done: {}}, transitions: [{name: finish, from: [open], to: done}]}
trails:
  Log: {who: who, when: at, before: old, after: new, about: {Task: {about: "{task}"}}, read: {operation: query, key: {about: "{about}"}}}
`

// The records of two tables do not show which entry belongs to which of several changes in a second. The item's update
// time and its state do.
func TestEntriesOfOneSecondBelongToTheirChanges(t *testing.T) {
	p, err := profiles.Load("pair.yaml", []byte(pairSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	task := func(state string, millis int) models.Item {
		it := models.Item{"task": models.StringValue("t1"), "state": models.StringValue(state)}
		if millis > 0 {
			it["changed"] = &types.AttributeValueMemberN{Value: fmt.Sprint(at.UnixMilli() + int64(millis))}
		}
		return it
	}
	entry := func(who, old string, millis int) models.Item {
		return models.Item{
			"about": models.StringValue("t1"), "who": models.StringValue(who),
			"at":  &types.AttributeValueMemberN{Value: fmt.Sprint(at.UnixMilli() + int64(millis))},
			"old": &types.AttributeValueMemberM{Value: models.Item{"state": models.StringValue(old)}},
		}
	}
	tasks, log := p.Entity("Task"), p.Entity("Log").Table
	for name, items := range map[string][3]models.Item{
		"update times": {task("open", 100), task("open", 200), task("open", 300)},
		"states":       {task("open", 0), task("done", 0), task("done", 0)},
	} {
		second, _ := items[1].Text("state")
		records := []timeline.Change{
			changed(tasks.Table, items[0], items[1]), changed(tasks.Table, items[1], items[2]),
			changed(log, nil, entry("ana", "open", 200)), changed(log, nil, entry("ben", second, 300)),
		}
		events := timeline.Events(p, records)
		if events[0].Entry == nil || events[1].Entry == nil || events[0].Entry.Who != "ana" || events[1].Entry.Who != "ben" {
			t.Errorf("%s: events got the entries %+v and %+v", name, events[0].Entry, events[1].Entry)
		}
		trail := p.TrailsOf(tasks)[0]
		audit := []timeline.Entry{timeline.EntryOf(trail, records[3].After), timeline.EntryOf(trail, records[2].After)}
		merged := timeline.Merge(tasks, audit, records[:2])
		if len(merged) != 2 || merged[0].Change != &records[1] || merged[1].Change != &records[0] {
			t.Errorf("%s: the timeline has %d entries: %+v", name, len(merged), merged)
		}
	}
}

// The line of an event contains no personal data, for a change of every sample item.
func TestTailShowsNoPersonalData(t *testing.T) {
	fixture.EachSchema(t, session.Support, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		for _, table := range f.Profile.Tables {
			if err := f.Conn.Admin().EnableStream(t.Context(), table.Name, models.StreamBoth); err != nil {
				t.Fatal(err)
			}
		}
		viewer := f.Workspace.Session.Viewer
		followed, err := timeline.NewTail(t.Context(), viewer, timeline.TailOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first := allEvents(t, followed); len(first) > 0 {
			t.Errorf("got %d events before the first change", len(first))
		}
		secrets := map[string]bool{}
		for _, s := range samples {
			for _, a := range s.Entity.Attributes {
				if text, ok := s.Item.Text(a.Path); ok && a.Sensitive != models.NotSensitive && len(text) > 8 {
					secrets[text] = true
				}
			}
			touched := s.Item.Clone()
			touched["touched"] = models.StringValue("yes")
			f.Put(t, s.Table, touched)
		}
		events := allEvents(t, followed)
		if len(events) < len(samples)/2 {
			t.Errorf("got %d events for %d changes", len(events), len(samples))
		}
		for _, e := range events {
			line := e.Line(viewer.Masker(), false)
			for text := range secrets {
				if strings.Contains(line, text) {
					t.Fatalf("%s contains the personal value %q", line, text)
				}
			}
		}
	})
}

func TestTailChecksItsFilter(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Support)
	if _, err := timeline.NewTail(t.Context(), f.Workspace.Session.Viewer, timeline.TailOptions{}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("without a stream: got %v, want a refusal", err)
	}
	if _, err := timeline.NewTail(t.Context(), f.Workspace.Session.Viewer, timeline.TailOptions{Where: "createdAt>nonsense"}); !errors.Is(err, session.ErrInput) {
		t.Errorf("an invalid time in the filter: got %v, want an input error", err)
	}
}

func allEvents(t *testing.T, followed *timeline.Tail) (all []*timeline.Event) {
	t.Helper()
	for {
		b, err := followed.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Events...)
		if !b.More {
			return all
		}
	}
}
