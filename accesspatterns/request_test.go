package accesspatterns_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// snapshot formats everything that a request sends, and the values that it was bound to.
func snapshot(t *testing.T, r *accesspatterns.Request) string {
	t.Helper()
	text, err := json.Marshal([]any{r.Given, r.Values, r.Labels, r.Now, r.Explain(10, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRequestIsImmutable(t *testing.T) {
	requests := map[string]*accesspatterns.Request{"scan": accesspatterns.WholeTable(eventTable)}
	for name, c := range map[string]struct {
		pattern *accesspatterns.Pattern
		args    map[string]string
	}{
		"days":             {dayPattern(false, 9), map[string]string{"from": "now-3d", "to": "now"}},
		"values":           {eventsPattern([]string{"a", "b"}, false, true, 0), nil},
		"value and filter": {eventsPattern([]string{"a", "b"}, true, true, 0), map[string]string{"kind": "a"}},
	} {
		r, err := c.pattern.Bind(c.args, noon)
		if err != nil {
			t.Fatal(err)
		}
		requests[name] = r
	}
	fetchNothing := func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
		return accesspatterns.Page{}, nil
	}
	for name, r := range requests {
		before := snapshot(t, r)
		r.WithKeys(models.KeyList(key("live")), models.KeyList(key("liveSort")))
		r.WithPlaceholders([]string{"from", "to", "kind"})
		r.Split(4)
		for _, l := range r.Legs {
			l.WithoutFilter()
		}
		if _, err := r.Open(fetchNothing, nil).Next(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		if name != "scan" {
			if _, err := r.At(noon.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := gocmp.Diff(before, snapshot(t, r)); diff != "" {
			t.Errorf("%s changed (-before +after):\n%s", name, diff)
		}
	}
}

// A fan-out sets its placeholder for each leg. The value must not remain in the request, even if a leg fails.
func TestFanOutDoesNotSetItsPlaceholder(t *testing.T) {
	r, err := dayPattern(false, 9).Bind(map[string]string{"from": "now-3d", "to": "now"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Values["day"]; ok || len(r.Legs) != 4 {
		t.Errorf("got %d legs and day %q, want 4 legs and no day", len(r.Legs), v.Text)
	}
}

func TestAtRecomputesRelativeTimes(t *testing.T) {
	r, err := dayPattern(false, 9).Bind(map[string]string{"from": "now-1d", "to": "now"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := r.At(noon); same != r || err != nil {
		t.Errorf("At() of the same time returned another request or %v", err)
	}
	next, err := r.At(noon.AddDate(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	got := [][]string{r.Labels, next.Labels}
	if diff := gocmp.Diff([][]string{{"2026-01-13", "2026-01-14"}, {"2026-01-14", "2026-01-15"}}, got); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}

func TestSplitReadsSegments(t *testing.T) {
	whole := accesspatterns.WholeTable(eventTable)
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 64: 64, 65: 64} {
		if got := len(whole.Split(n).Legs); got != want {
			t.Errorf("Split(%d) returned %d legs, want %d", n, got, want)
		}
	}
	if two := whole.Split(2); len(two.Split(4).Legs) != 2 {
		t.Error("Split() split the segments of a scan again")
	}
}

// If a value is a number, which cannot be a text such as <n>, ddbdesk hides every value and keeps the types.
func TestPlaceholdersReplaceValues(t *testing.T) {
	read := accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A#{id}"), matches("SK", "{n}")}}
	read.Key[1].Attribute.Type = models.TypeN
	p := pattern(read, text("id"), number("n"))
	r, err := p.Bind(arguments("id=x n=7"), noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, `{":PK":{"S":"A#x"},":SK":{"N":"7"}}`},
		{[]string{"other"}, `{":PK":{"S":"A#x"},":SK":{"N":"7"}}`},
		{[]string{"id"}, `{":PK":{"S":"A#<id>"},":SK":{"N":"7"}}`},
		{[]string{"n"}, `{":PK":{"S":"<hidden>"},":SK":{"N":"<hidden>"}}`},
	} {
		values := r.WithPlaceholders(tt.names).Legs[0].Query.ExpressionAttributeValues
		if got := string(models.Item(values).AppendDynamoDBJSON(nil)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.names, got, tt.want)
		}
	}
}

func TestReadWithoutProjectionReturnsWholeItems(t *testing.T) {
	read := accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}, Projection: []string{"size"}}
	r, err := pattern(read).Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	if projection := *r.Legs[0].Query.ProjectionExpression; projection != "#size, #PK, #SK" {
		t.Errorf("the projection is %s, want #size, #PK, #SK", projection)
	}
	all := r.WithoutProjection().Legs[0].Query
	if all.ProjectionExpression != nil || len(all.ExpressionAttributeNames) != 1 {
		t.Errorf("without a projection: got %v, names %v", all.ProjectionExpression, all.ExpressionAttributeNames)
	}
}

func TestCountWithoutFilterStaysCount(t *testing.T) {
	p := pattern(accesspatterns.Read{Operation: accesspatterns.Count, Key: []accesspatterns.KeyCondition{matches("PK", "A")}})
	r, err := p.Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	if leg := r.Legs[0].WithoutFilter(); leg.Query.Select != types.SelectCount {
		t.Errorf("Select = %q, want COUNT", leg.Query.Select)
	}
}

func TestWithoutFilterKeepsKeyCondition(t *testing.T) {
	r, err := eventsPattern([]string{"a"}, false, true, 0).Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Legs[0].WithoutFilter()
	if all.Query.FilterExpression != nil || len(all.Query.ExpressionAttributeNames) != 1 || len(all.Query.ExpressionAttributeValues) != 1 {
		t.Errorf("names %v, values %v", all.Query.ExpressionAttributeNames, all.Query.ExpressionAttributeValues)
	}
	if got, want := *all.Query.KeyConditionExpression, *r.Legs[0].Query.KeyConditionExpression; got != want {
		t.Errorf("the key condition is %s, want %s", got, want)
	}
}

// A table shows columns for the attributes that the reads project, including parts of them, and for the values in keys.
func TestPatternReadsProjectedAttributes(t *testing.T) {
	entities, _ := cases()
	entities[0].Attribute("clientId").KeyOnly = true
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}, Projection: []string{"person.name", "size"}})
	p.Variants = []accesspatterns.Variant{{Read: accesspatterns.Read{Operation: accesspatterns.Query, Projection: []string{"note"}}}}
	p.Returns = entities[:1]
	for path, reads := range map[string]bool{
		"person.name": true, "person": true, "person.name.first": true, "person.age": false, "size": true, "sizes": false, "note": true,
		"PK": true, "clientId": true, "status": false,
	} {
		if p.ReadsAttribute(path) != reads {
			t.Errorf("ReadsAttribute(%s) = %t, want %t", path, !reads, reads)
		}
	}
	if p.Read.Projection = nil; !p.ReadsAttribute("status") {
		t.Error("ReadsAttribute(status) is false without a projection")
	}
}

// If an index lacks attributes, ddbdesk reads the items by key, with the same attributes and those that a filter needs.
func TestBatchReadsRequestedAndFilterAttributes(t *testing.T) {
	entities, _ := cases()
	keys := []models.Item{{"PK": models.StringValue("A"), "SK": models.StringValue("1")}}
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}, Projection: []string{"person.name", "own.dot"}})
	dotted := &models.Entity{Name: "E", Table: eventTable, Attributes: []*models.Attribute{{Name: "own.dot", Path: "own.dot"}}}
	dotted.Seal()
	p.Returns = []*models.Entity{dotted, entities[0]}
	for whole, want := range map[bool]string{true: "", false: "#person.#name, #own_dot, #status, #PK, #SK"} {
		if whole {
			p.Read.Projection = nil
		} else {
			p.Read.Projection = []string{"person.name", "own.dot"}
		}
		r, err := p.Bind(nil, noon)
		if err != nil {
			t.Fatal(err)
		}
		request := r.BatchOf(keys, "status").Batch.RequestItems[eventTable.Name]
		if got := aws.ToString(request.ProjectionExpression); got != want || whole != (request.ExpressionAttributeNames == nil) {
			t.Errorf("the projection is %s, want %s", got, want)
		}
		if !whole && request.ExpressionAttributeNames["#own_dot"] != "own.dot" {
			t.Errorf("got names %v, want #own_dot for own.dot", request.ExpressionAttributeNames)
		}
	}
}

// Only a query can count, so AsCount returns other legs unchanged.
func TestAsCountReadsNoItems(t *testing.T) {
	r, err := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "A")}, Projection: []string{"a"}}).Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	if q := r.Legs[0].AsCount().Query; q.Select != types.SelectCount || q.ProjectionExpression != nil || r.Legs[0].Query.Select == types.SelectCount {
		t.Errorf("got %+v, want a count without a projection", q)
	}
	scan := accesspatterns.WholeTable(eventTable).Legs[0]
	if counting := scan.AsCount(); counting.Scan != scan.Scan || counting.Query != nil {
		t.Errorf("got %+v, want the unchanged scan", counting)
	}
}

func TestExplainedItemsHaveTypesOfKey(t *testing.T) {
	p := eventsPattern([]string{"a"}, true, false, 0)
	table := *p.Table
	sort := key("at")
	sort.Type = models.TypeN
	table.SortKey = sort
	p.Table = &table
	r, err := p.Bind(map[string]string{"kind": "a"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	var in struct {
		RequestItems map[string]struct {
			Keys []map[string]map[string]string
		}
	}
	if err := json.Unmarshal(r.ExplainItems(false, nil).Input, &in); err != nil {
		t.Fatal(err)
	}
	if got := in.RequestItems[table.Name].Keys[0]["at"]; got["N"] != "<at of the row>" {
		t.Errorf("got the sort key %v, want type N", got)
	}
}
