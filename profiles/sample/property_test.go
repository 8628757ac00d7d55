package sample_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// An ID that refers to another entity occurs in an earlier sample item of that entity.
func TestSamplesReferToSamples(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		previous := map[string]bool{}
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			values := s.Entity.Values(s.Item)
			for _, a := range s.Entity.Attributes {
				for _, text := range textsOf(s.Item, a, values) {
					if a.Refers != "" && !previous[a.Refers+"="+text] {
						t.Errorf("%s.%s: no %s has the value %q", s.Entity.Name, a.Path, a.Refers, text)
					}
					previous[s.Entity.Name+"."+a.Path+"="+text] = true
				}
			}
		}
	})
}

// textsOf returns the attribute's text or the texts of its elements.
func textsOf(it models.Item, a *models.Attribute, values models.Values) []string {
	if list, ok := it[a.Name].(*types.AttributeValueMemberL); ok {
		var texts []string
		for _, v := range list.Value {
			if text, ok := models.ValueText(v); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	if text, ok := values(a.Path); ok {
		return []string{text}
	}
	return nil
}

// timesOf returns the times of an item by attribute name.
func timesOf(s sample.Item) map[string]time.Time {
	list := map[string]time.Time{}
	for _, a := range s.Entity.Attributes {
		if text, ok := s.Item.Text(a.Name); ok && a.Format.IsTime() {
			if when, ok := a.Format.ReadTime(text); ok {
				list[a.Name] = when
			}
		}
	}
	return list
}

func TestSampleTimesAreInOrder(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 60}) {
			m := timesOf(s)
			for name, when := range m {
				word := strings.ToLower(name)
				created, ok := m["createdAt"]
				if !ok {
					created, ok = m["created_at"]
				}
				if ok && when.Before(created) {
					t.Errorf("%s: %s is before the creation: %s", s.Entity.Name, name, s.Item.AppendJSON(nil))
				}
				if past := strings.Contains(
					word, "updated",
				) || strings.Contains(word, "created") || word == "timestamp"; past && when.After(schemas.Now) {
					t.Errorf("%s: %s is in the future: %s", s.Entity.Name, name, s.Item.AppendJSON(nil))
				}
			}
			for _, a := range s.Entity.Attributes {
				x, okx := m[a.Name]
				y, oky := m[a.Equals]
				if okx && oky && x.Unix() != y.Unix() {
					t.Errorf("%s: %s is %v, but %s is %v", s.Entity.Name, a.Name, x, a.Equals, y)
				}
			}
		}
	})
}

// A time such as cancelledAt exists exactly if the item is in that final state.
func TestSampleTimesAgreeWithState(t *testing.T) {
	checked := 0
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 60}) {
			for _, l := range s.Entity.Lifecycles {
				state, _ := s.Item.Text(l.Attribute)
				for _, st := range l.States {
					a := s.Entity.Attribute(st.Name + "At")
					if a == nil || a.Required || !l.Terminal(st.Name) {
						continue
					}
					checked++
					if _, has := s.Item[a.Name]; has != (state == st.Name) {
						t.Errorf("%s is %s and has %s: %v", s.Entity.Name, state, a.Name, has)
					}
				}
			}
		}
	})
	if checked == 0 {
		t.Error("no profile has a time for one state only")
	}
}

func TestSampleTimesReachPresent(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		var hour, day, month, soon, over int
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			for name, when := range timesOf(s) {
				ago := schemas.Now.Sub(when)
				if a := s.Entity.Attribute(name); name == s.Table.TTL || strings.Contains(a.Name, "xpires") {
					soon += countIf(ago < 0 && ago > -25*time.Hour)
					over += countIf(ago >= 0 && ago < 25*time.Hour)
					continue
				}
				hour += countIf(ago >= 0 && ago < time.Hour)
				day += countIf(ago >= time.Hour && ago < 24*time.Hour)
				month += countIf(ago >= 24*time.Hour)
			}
		}
		for kind, n := range map[string]int{"the last hour": hour, "the last day": day, "before": month} {
			if n < 5 {
				t.Errorf("got only %d times in %s", n, kind)
			}
		}
		if soon+over > 0 && (soon < 2 || over < 2) {
			t.Errorf("got %d items that expire soon and %d that just expired", soon, over)
		}
	})
}

func countIf(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// The samples contain every state of a lifecycle, and no other state.
func TestSampleStatesFollowSchema(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		states := map[string]bool{}
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			for _, l := range s.Entity.Lifecycles {
				state, _ := s.Item.Text(l.Attribute)
				states[l.Name+" "+state] = true
				if l.State(state) == nil {
					t.Errorf("%s has no state %q", l.Name, state)
				}
			}
		}
		for _, l := range p.Lifecycles {
			for _, st := range l.States {
				if !states[l.Name+" "+st.Name] {
					t.Errorf("no sample item of %s is %s", l.Name, st.Name)
				}
			}
		}
	})
}

func TestSampleCountFollowsItems(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		n := map[string]int{}
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 200}) {
			n[s.Entity.Name]++
			checkSample(t, p, s)
		}
		full := 0
		for name, got := range n {
			full += countIf(got == 200)
			if got > 200 && !slices.ContainsFunc(p.Trails, func(t *change.Trail) bool { return t.Entity.Name == name }) {
				t.Errorf("got %d items of %s", got, name)
			}
		}
		if full < len(p.Entities)*2/3 {
			t.Errorf("too few entities have 200 items: %v", n)
		}
	})
}

func TestSamplesRejectInvalidOptions(t *testing.T) {
	p := schemas.Open(t, profiles.Names()[0])
	for name, o := range map[string]sample.Options{
		"no time":                      {},
		"a negative count":             {Items: -1, At: schemas.Now},
		"too many":                     {Items: 1 << 30, At: schemas.Now},
		"a time too far in the future": {At: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if list, err := sample.Items(p, o); err == nil {
			t.Errorf("%s: got %d items, want an error", name, len(list))
		}
	}
}

// The schema contains circular references, sets, lists of maps and binary values, which no built-in schema contains.
func TestEverySchemaHasSamples(t *testing.T) {
	p, err := profiles.Load("any.yaml", []byte(`
name: any
tables:
  t: {name: t, partition_key: {name: n, type: N}, sort_key: SK}
  u: {name: u, partition_key: id}
entities:
  A:
    table: t
    keys: {n: "{n}", SK: "A#{bId}[#{note}]"}
    attributes:
      n: {type: N, required: true}
      bId: {type: S, required: true, refers: B.id}
      note: {type: S}
      words: {type: SS, required: true}
      numbers: {type: NS, required: true}
      raw: {type: B, required: true}
      raws: {type: BS, required: true}
      nothing: {type: "NULL", required: true}
      steps: {type: L, required: true, attributes: {at: {type: S, required: true, format: iso8601}, by: {type: S, format: email}}}
  B:
    table: u
    attributes:
      id: {type: S, required: true}
      aNumber: {type: N, refers: A.n}
      self: {type: S, refers: B.id}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := schemas.Samples(t, p, sample.Options{Items: 500})
	if len(list) != 1000 {
		t.Errorf("got %d items, want 1000", len(list))
	}
	for _, s := range list {
		checkSample(t, p, s)
	}
}

// A pattern that gets its parameters from one item reads that item.
func TestPatternsFindSamples(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 5}) {
			for _, r := range accesspatterns.Relations(p.Patterns, p.Entities, accesspatterns.ItemView(s.Entity, s.Item)) {
				if r.Pattern.Read.Operation != accesspatterns.Get || r.Pattern.Returns[0] != s.Entity || r.Via != "" {
					continue
				}
				bound, err := r.Pattern.Bind(r.Args, schemas.Now)
				if err != nil {
					t.Fatal(err)
				}
				key, _ := s.Table.PrimaryKey(s.Item)
				got := models.Item(bound.Legs[0].Get.Key).AppendJSON(nil)
				if want := key.AppendJSON(nil); string(got) != string(want) {
					t.Errorf("%s requests %s, want %s", r.Pattern.ID, got, want)
				}
			}
		}
	})
}

func BenchmarkSamples(b *testing.B) {
	for _, name := range profiles.Names() {
		b.Run(name, func(b *testing.B) {
			p := schemas.Open(b, name)
			for b.Loop() {
				schemas.Samples(b, p, sample.Options{Items: 1000})
			}
		})
	}
}
