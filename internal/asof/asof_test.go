package asof_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/asof"
	"github.com/ddbdesk/ddbdesk/models"
)

var start = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

// entity has an item whose changes advance a time, a counter, both or neither.
func entity(updated string, format models.Format, version string) *models.Entity {
	e := &models.Entity{
		Name: "Note", Table: &models.Table{ID: "notes", Name: "notes", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}},
		Updated: updated, Version: version,
		Attributes: []*models.Attribute{{Path: "updatedAt", Type: models.TypeS, Format: format}, {Path: "version", Type: models.TypeN}},
	}
	e.Seal()
	return e
}

// A past is what really happened to an item.
type past struct {
	times  []time.Time
	states []models.Item // after each time; before the first, the item does not exist
	e      asof.Evidence
}

// at is the item as it really was.
func (p *past) at(t time.Time) models.Item {
	var it models.Item
	for i, when := range p.times {
		if !when.After(t) {
			it = p.states[i]
		}
	}
	return it
}

func num(n int) models.Item {
	v, err := models.ScalarValue(models.TypeN, fmt.Sprint(n))
	if err != nil {
		panic(err)
	}
	return models.Item{"n": v}
}

// drawPast draws changes by this machine and by others. The stream has those of the last part, with the images of its view.
func drawPast(t *rapid.T, view models.StreamView) *past {
	format := rapid.SampledFrom([]models.Format{models.ISO8601, models.ISO8601Millis}).Draw(t, "format")
	e := entity(
		rapid.SampledFrom([]string{"", "updatedAt"}).Draw(t, "updated"), format,
		rapid.SampledFrom([]string{"", "version"}).Draw(t, "version"),
	)
	p := &past{e: asof.Evidence{Entity: e}}
	now, state := start, models.Item(nil)
	complete := rapid.IntRange(0, 12).Draw(t, "first change of the stream")
	for i := range rapid.IntRange(0, 12).Draw(t, "changes") {
		if i == complete {
			p.e.Complete = now.Add(time.Second)
		}
		now = now.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "pause")) * time.Second)
		before := state
		own := rapid.Bool().Draw(t, "by this machine")
		switch {
		case before != nil && rapid.IntRange(0, 5).Draw(t, "delete") == 0:
			state = nil
		default:
			state = before.Clone()
			state["PK"] = models.StringValue("a")
			for _, name := range []string{"x", "y"} {
				switch rapid.IntRange(0, 3).Draw(t, name) {
				case 0:
					delete(state, name)
				case 1:
					state[name] = models.StringValue(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "value")))
				}
			}
			ago := time.Duration(rapid.IntRange(0, 900).Draw(t, "milliseconds before the write")) * time.Millisecond
			text, _ := format.FormatTime(now.Add(-ago))
			state["updatedAt"], state["version"] = models.StringValue(text), num(i)["n"]
		}
		p.times, p.states = append(p.times, now), append(p.states, state)
		if own {
			w := asof.Write{Begun: now.Add(-300 * time.Millisecond), Ended: now.Add(200 * time.Millisecond), Key: models.Item{"PK": models.StringValue("a")}}
			if state == nil {
				w.Deleted = before
			} else {
				w.Created, w.Changes = before == nil, models.Diff(before, state)
			}
			p.e.Writes = slices.Insert(p.e.Writes, 0, w)
		}
		r := asof.Record{At: now, Before: before, After: state, HasBefore: true, HasAfter: true}
		if view != models.StreamBoth && view != models.StreamOld && before != nil {
			r.Before, r.HasBefore = nil, false
		}
		if view != models.StreamBoth && view != models.StreamNew && state != nil {
			r.After, r.HasAfter = nil, false
		}
		if i >= complete {
			p.e.Records = append(p.e.Records, r)
		}
	}
	p.e.Now, p.e.Read = state, now.Add(10*time.Second)
	if p.e.Complete.IsZero() {
		p.e.Complete = p.e.Read.Add(time.Minute) // there is no stream
	}
	return p
}

// moments are times at, just before and between the changes.
func (p *past) moments() []time.Time {
	list := []time.Time{start, p.e.Read}
	for _, t := range p.times {
		list = append(list, t.Add(-time.Second), t, t.Add(400*time.Millisecond), t.Add(6*time.Second))
	}
	return list
}

func TestKnownStatesAreTrue(t *testing.T) {
	for _, view := range []models.StreamView{models.StreamBoth, models.StreamNew, models.StreamOld, models.StreamKeys} {
		t.Run(string(view), rapid.MakeCheck(func(t *rapid.T) {
			p := drawPast(t, view)
			for _, at := range p.moments() {
				got, err := p.e.At(at)
				want := p.at(at)
				var unknown *asof.Unknown
				switch {
				case errors.As(err, &unknown):
					if view == models.StreamBoth && !at.Before(p.e.Complete) && !at.After(p.e.Read) {
						t.Fatalf("%s: not known, although the stream has every image since %s", at, p.e.Complete)
					}
					if !unknown.Before.IsZero() && !unknown.Before.After(at) {
						t.Fatalf("%s: not known before %s", at, unknown.Before)
					}
				case err != nil:
					t.Fatal(err)
				case got.Partial:
					for name, v := range got.Item {
						if !models.EqualValues(v, want[name]) {
							t.Fatalf("%s: %s is %v, was %v", at, name, v, want[name])
						}
					}
				case (got.Item == nil) != (want == nil) || !models.EqualItems(got.Item, want):
					t.Fatalf("%s: %v from %s, was %v", at, got.Item, got.Source, want)
				case at.Before(got.From) || !at.Before(got.Until):
					t.Fatalf("%s is not from %s to %s", at, got.From, got.Until)
				}
			}
		}))
	}
}

// Each source answers what no other one can.
func TestSources(t *testing.T) {
	str := models.StringValue
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	item := func(status, updated string) models.Item {
		return models.Item{"PK": str("a"), "status": str(status), "updatedAt": str(updated)}
	}
	never := at(1000)
	seconds, millis := entity("updatedAt", models.ISO8601, ""), entity("updatedAt", models.ISO8601Millis, "")
	open, closed := item("open", "2026-01-20T12:00:00Z"), item("closed", "2026-01-20T12:01:00Z")
	fineOpen, fineClosed := item("open", "2026-01-20T12:00:00.000Z"), item("closed", "2026-01-20T12:01:00.250Z")
	write := func(before, after models.Item) []asof.Write {
		return []asof.Write{{Begun: at(60), Ended: at(61), Key: models.Item{"PK": str("a")}, Changes: models.Diff(before, after)}}
	}
	for _, c := range []struct {
		name     string
		evidence asof.Evidence
		at       int
		want     string // source and status, or the error
	}{
		{"image", asof.Evidence{Now: closed, Read: at(100), Complete: at(10), Records: []asof.Record{{
			At: at(60), Before: open, After: closed, HasBefore: true, HasAfter: true,
		}}}, 59, "stream open"},
		{"unchanged", asof.Evidence{Now: open, Read: at(100), Complete: at(10)}, 10, "stream open"},
		{
			"before the stream",
			asof.Evidence{Now: open, Read: at(100), Complete: at(10)},
			9,
			"the state of the item is unknown at 2026-01-20 12:00:09 UTC; it is unknown before 2026-01-20 12:00:10 UTC",
		},
		{"the item's own time", asof.Evidence{Entity: seconds, Now: closed, Read: at(100), Complete: never}, 65, "item closed"},
		{
			"soon after its time",
			asof.Evidence{Entity: seconds, Now: closed, Read: at(100), Complete: never},
			64,
			"the state of the item is unknown at 2026-01-20 12:01:04 UTC; it is unknown before 2026-01-20 12:01:05 UTC",
		},
		{"whole seconds", asof.Evidence{
			Entity: seconds, Now: closed, Read: at(100), Complete: never, Writes: write(open, closed),
		}, 59, "journal open, in part"},
		{"undone", asof.Evidence{
			Entity: millis, Now: fineClosed, Read: at(100), Complete: never, Writes: write(fineOpen, fineClosed),
		}, 59, "journal open"},
		{"being changed", asof.Evidence{
			Entity: millis, Now: fineClosed, Read: at(100), Complete: never, Writes: write(fineOpen, fineClosed),
		}, 60, "the state of the item is unknown at 2026-01-20 12:01:00 UTC; it is unknown from 2026-01-20 12:01:00 UTC to 2026-01-20 12:01:01 UTC"},
		{"deleted here", asof.Evidence{
			Entity: seconds, Read: at(100), Complete: never, Writes: []asof.Write{{Begun: at(60), Ended: at(61), Deleted: open}},
		}, 59, "journal open"},
		{
			"a change is missing",
			asof.Evidence{Now: open, Read: at(100), Complete: at(10), Records: []asof.Record{{
				At: at(60), Before: open, After: closed, HasBefore: true, HasAfter: true,
			}}},
			70,
			"the state of the item is unknown at 2026-01-20 12:01:10 UTC; it is unknown from 2026-01-20 12:01:00 UTC to 2026-01-20 12:01:40 UTC",
		},
		{"keys and journal", asof.Evidence{
			Entity: seconds, Now: closed, Read: at(100), Complete: at(10), Records: []asof.Record{{At: at(60)}}, Writes: write(open, closed),
		}, 20, "journal open"},
		{
			"keys of another program",
			asof.Evidence{Now: closed, Read: at(100), Complete: at(10), Records: []asof.Record{{At: at(60)}}},
			20,
			"the state of the item is unknown at 2026-01-20 12:00:20 UTC; it is unknown before 2026-01-20 12:01:00 UTC",
		},
	} {
		s, err := c.evidence.At(at(c.at))
		status, _ := s.Item.Text("status")
		got := fmt.Sprintf("%s %s", s.Source, status)
		if s.Partial {
			got += ", in part"
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}
