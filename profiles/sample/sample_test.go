package sample_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func TestSamplesFitTheirEntities(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		taken, count := map[string]bool{}, map[*models.Entity]int{}
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			count[s.Entity]++
			key, _ := s.Table.PrimaryKey(s.Item)
			id := s.Table.Name + string(key.AppendDynamoDBJSON(nil))
			if taken[id] {
				t.Errorf("two items have the key %s", id)
			}
			taken[id] = true
			checkSample(t, p, s)
		}
		for _, e := range p.Entities {
			if count[e] == 0 {
				t.Errorf("no sample item is a %s", e.Name)
			}
		}
	})
}

func TestListsHaveElementsOfTheirType(t *testing.T) {
	for _, kind := range []models.Type{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"} {
		p, err := profiles.Load("lists.yaml", fmt.Appendf(nil, `
name: lists
tables: {lists: {name: lists, partition_key: id}}
entities: {List: {table: lists, attributes: {id: {type: S, required: true}, of: {type: L, required: true, items: %q}}}}
`, kind), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range schemas.Samples(t, p, sample.Options{Items: 5}) {
			list, _ := s.Item["of"].(*types.AttributeValueMemberL)
			if list == nil || len(list.Value) == 0 || models.ValueType(list.Value[0]) != kind {
				t.Errorf("list of %s: %s", kind, s.Item.AppendJSON(nil))
			}
		}
	}
}

// checkSample fails unless the item is a valid item of its entity.
func checkSample(t *testing.T, p *profiles.Profile, s sample.Item) {
	t.Helper()
	r, ok := models.Recognize(p.Entities, s.Table, s.Item)
	if !ok || r.Entity != s.Entity {
		t.Fatalf("recognized as %v, want %s: %s", r.Entity, s.Entity.Name, s.Item.AppendJSON(nil))
	}
	if missing := s.Entity.MissingAttributes(s.Item); len(missing) > 0 {
		t.Fatalf("%s lacks %v: %s", s.Entity.Name, missing, s.Item.AppendJSON(nil))
	}
	for _, k := range s.Entity.KeyStates(s.Item) {
		if k.Problem != "" {
			t.Errorf("%s: key %s: %s: %s", s.Entity.Name, k.Name, k.Problem, s.Item.AppendJSON(nil))
		}
	}
	checkValues(t, s.Entity.Attributes, s.Item)
}

func checkValues(t *testing.T, list []*models.Attribute, it models.Item) {
	t.Helper()
	for _, a := range list {
		v, ok := it[a.Name]
		if !ok {
			continue
		}
		if got := models.ValueType(v); got != a.Type {
			t.Errorf("ValueType(%s) = %s, want %s", a.Path, got, a.Type)
		}
		if text, ok := models.ValueText(v); ok {
			if err := a.Check(text); err != nil {
				t.Errorf("%s: %v", a.Path, err)
			}
		}
		if doc, ok := v.(*types.AttributeValueMemberM); ok {
			checkValues(t, a.Attributes, doc.Value)
		}
	}
}

func TestSamplesAreDeterministic(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		first := sampleBytes(t, p, 1)
		if !bytes.Equal(first, sampleBytes(t, schemas.Open(t, p.Name), 1)) {
			t.Error("the same options give different items")
		}
		if bytes.Equal(first, sampleBytes(t, p, 2)) {
			t.Error("another seed gives the same items")
		}
	})
}

func sampleBytes(t *testing.T, p *profiles.Profile, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, s := range schemas.Samples(t, p, sample.Options{Seed: seed}) {
		b.WriteString(s.Entity.Name)
		b.Write(s.Item.AppendDynamoDBJSON(nil))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestTimedIDsSortByTheirTime(t *testing.T) {
	p, err := profiles.Load("chat.yaml", []byte(`
name: chat
tables: {messages: {partition_key: id}}
entities:
  Message:
    table: messages
    attributes:
      id: {type: S, required: true, format: ulid}
      k: {type: S, required: true, format: ksuid}
      at: {type: S, required: true, format: iso8601-ms}
    sample: {count: 30}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list [][3]string
	for _, s := range schemas.Samples(t, p, sample.Options{Seed: 1}) {
		id, _ := s.Item.Text("id")
		k, _ := s.Item.Text("k")
		at, _ := s.Item.Text("at")
		if models.ULID.Check(id) != nil || models.KSUID.Check(k) != nil {
			t.Errorf("%s is not a ULID, or %s is not a KSUID", id, k)
		}
		list = append(list, [3]string{at, id, k})
	}
	slices.SortFunc(list, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	for i, m := range list[1:] {
		if before := list[i]; before[0] != m[0] && (before[1] >= m[1] || before[2][:5] > m[2][:5]) {
			t.Errorf("the IDs of %v do not sort before the IDs of %v", before, m)
		}
	}
}

// Binary IDs and set elements can refer to items. Sets of numbers contain the declared examples.
func TestSamplesReferToItemsByBinaryValuesAndSets(t *testing.T) {
	p, err := profiles.Load("greenhouse.yaml", []byte(`
name: greenhouse
tables: {devices: {partition_key: id}, readings: {partition_key: {name: deviceKey, type: B}, sort_key: {name: seq, type: N}}}
entities:
  Device:
    table: devices
    keys: {id: "{id}"}
    attributes: {id: {type: S, required: true}, deviceKey: {type: B, required: true}, offsets: {type: NS, required: true, examples: ["-0.5", "0.25"]}}
    sample: {count: 4}
  Reading:
    table: readings
    attributes:
      deviceKey: {type: B, required: true, refers: Device.deviceKey}
      seq: {type: N, required: true}
      devices: {type: SS, required: true, refers: Device.id}
    sample: {count: 3, per: Device}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	keys, ids, readings := map[string]bool{}, map[string]bool{}, 0
	for _, s := range schemas.Samples(t, p, sample.Options{Seed: 1}) {
		key, _ := s.Item.Text("deviceKey")
		if s.Entity.Name == "Device" {
			id, _ := s.Item.Text("id")
			keys[key], ids[id] = true, true
			for _, n := range s.Item["offsets"].(*types.AttributeValueMemberNS).Value {
				if n != "-0.5" && n != "0.25" {
					t.Errorf("offset = %s, want an example", n)
				}
			}
			continue
		}
		readings++
		if !keys[key] {
			t.Errorf("no device has the key %s", key)
		}
		for _, id := range s.Item["devices"].(*types.AttributeValueMemberSS).Value {
			if !ids[id] {
				t.Errorf("no device has the ID %s", id)
			}
		}
	}
	if readings != 12 {
		t.Errorf("got %d readings, want 12", readings)
	}
}

// Entities have sample items even if they are each other's parents or refer to each other.
func TestCircularParentsAndReferencesHaveItems(t *testing.T) {
	kinds := []string{
		"{type: S, required: true}", "{type: S, required: true, refers: OTHER}", "{type: S, key_only: true}",
		"{type: S, key_only: true, refers: OTHER}", "{type: S, refers: OTHER}",
	}
	n := len(kinds)
	for i := range n * n * n * n {
		kind := func(place int, other string) string { return strings.Replace(kinds[i/place%n], "OTHER", other, 1) }
		text := fmt.Sprintf(`name: circle
tables: {t: {name: circle-t, partition_key: PK, sort_key: SK}}
entities:
  A: {table: t, parent: B, keys: {PK: "X#{b}", SK: "A#{a}"}, attributes: {a: %s, b: %s}}
  B: {table: t, parent: A, keys: {PK: "Y#{a}", SK: "B#{b}"}, attributes: {a: %s, b: %s}}
patterns: {q: {title: x, operation: query, key: {PK: "X#{b}"}, returns: [A]}}
`, kind(1, "B.a"), kind(n, "B.b"), kind(n*n, "A.a"), kind(n*n*n, "A.b"))
		p, err := profiles.Load("circle.yaml", []byte(text), nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		items, err := sample.Items(p, sample.Options{Seed: 1, At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)})
		if err != nil || len(items) == 0 {
			t.Errorf("got %d items, %v:\n%s", len(items), err, text)
		}
	}
}

// A repeated time follows a source in any layout, and inside a map.
func TestRepeatedTimesFollowTheirSources(t *testing.T) {
	p, err := profiles.Load("visits.yaml", []byte(`
name: visits
tables: {visits: {name: visits, partition_key: id, ttl: ttl}}
entities:
  Visit:
    table: visits
    attributes:
      id: {type: S, required: true}
      end: {type: S, required: true, format: "%d.%m.%Y"}
      ttl: {type: N, required: true, format: epoch-seconds, equals: end}
      bill:
        type: M
        required: true
        attributes: {due: {type: S, required: true, format: iso8601}, until: {type: N, required: true, format: epoch-seconds, equals: due}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range schemas.Samples(t, p, sample.Options{Items: 5}) {
		end, _ := s.Item.Text("end")
		ttl, _ := s.Item.Text("ttl")
		at, _ := models.EpochSeconds.ReadTime(ttl)
		if at.Format("02.01.2006") != end {
			t.Errorf("ttl %s repeats %s", ttl, end)
		}
		due, _ := s.Item.Text("bill.due")
		until, _ := s.Item.Text("bill.until")
		if at, _ = models.EpochSeconds.ReadTime(until); at.Format(time.RFC3339) != due {
			t.Errorf("bill.until %s repeats %s", until, due)
		}
	}
}

// Items remain for a day, because DynamoDB deletes items when their time to live has passed.
func TestItemsRemainForADay(t *testing.T) {
	p, err := profiles.Load("sessions.yaml", []byte(`
name: sessions
tables: {sessions: {name: sessions, partition_key: id, ttl: ttl}}
entities:
  Session:
    table: sessions
    attributes: {id: {type: S, required: true}, ttl: {type: N, required: true, format: epoch-seconds}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC)
	for _, s := range schemas.Samples(t, p, sample.Options{Items: 50, At: at}) {
		text, _ := s.Item.Text("ttl")
		if ttl, ok := models.EpochSeconds.ReadTime(text); !ok || ttl.Before(at.AddDate(0, 0, 1)) {
			t.Errorf("an item generated at %s expires at %s", at, ttl)
		}
	}
}
