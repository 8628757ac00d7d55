package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// scanItems returns the items of the scanned table: six partitions of four items.
func scanItems() []models.Item {
	var items []models.Item
	for p := range 6 {
		for s := range 4 {
			items = append(items, item(attrs{"PK": fmt.Sprintf("p%d", p), "SK": fmt.Sprintf("%d-%d", p, s), "n": p*4 + s}))
		}
	}
	return items
}

func (e *env) scan() accesspatterns.Leg {
	return accesspatterns.Leg{Scan: &dynamodb.ScanInput{TableName: aws.String(e.scanned.Name)}}
}

func sortedTexts(rows []models.Item) []string {
	out := sortKeys(rows)
	slices.Sort(out)
	return out
}

var scanCases = []conformanceCase{
	{"scan/returns every item once", func(t *testing.T, e *env) {
		rows, _ := e.all(t, e.scan(), 0)
		if diff := cmp.Diff(sortedTexts(scanItems()), sortedTexts(rows)); diff != "" {
			t.Errorf("SK (-want +got):\n%s", diff)
		}
	}},
	{"scan/paging with every limit", func(t *testing.T, e *env) {
		want, _ := e.all(t, e.scan(), 0)
		for limit := 1; limit <= len(want)+1; limit++ {
			rows, _ := e.all(t, e.scan(), limit)
			wantTexts(t, rows, sortKeys(want)...)
		}
	}},
	{"scan/segments are disjoint and complete", func(t *testing.T, e *env) {
		var rows []models.Item
		for segment := range int32(4) {
			leg := e.scan()
			leg.Scan.Segment, leg.Scan.TotalSegments = aws.Int32(segment), aws.Int32(4)
			part, _ := e.all(t, leg, 2)
			rows = append(rows, part...)
		}
		if diff := cmp.Diff(sortedTexts(scanItems()), sortedTexts(rows)); diff != "" {
			t.Errorf("SK (-want +got):\n%s", diff)
		}
	}},
	{"scan/count", func(t *testing.T, e *env) {
		leg := e.scan()
		leg.Scan.Select = types.SelectCount
		if page := e.fetch(t, leg, nil, 0); page.Count != 24 || page.Scanned != 24 || page.Items != nil {
			t.Errorf("got %+v", page)
		}
	}},
}

func (e *env) get(sortKey string) accesspatterns.Leg {
	return accesspatterns.Leg{Get: &dynamodb.GetItemInput{
		TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": sortKey}),
	}}
}

func (e *env) keys(sortKeys ...string) []models.Item {
	var keys []models.Item
	for _, sk := range sortKeys {
		keys = append(keys, item(attrs{"PK": e.partition, "SK": sk}))
	}
	return keys
}

var getCases = []conformanceCase{
	{"get/found", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "note": "n"})
		page := e.fetch(t, e.get("1"), nil, 0)
		if len(page.Items) != 1 || page.Count != 1 || page.Scanned != 1 || page.Capacity == 0 || page.LastKey != nil {
			t.Fatalf("got %+v", page)
		}
		sameItem(t, item(attrs{"PK": e.partition, "SK": "1", "note": "n"}), page.Items[0])
	}},
	{"get/missing item is an empty page", func(t *testing.T, e *env) {
		if page := e.fetch(t, e.get("nothing"), nil, 0); len(page.Items) != 0 || page.Count != 0 {
			t.Errorf("got %+v", page)
		}
	}},
	{"get/projection", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "note": "n", "deep": attrs{"a": []any{1, 2}, "b": 3}})
		leg := e.get("1")
		leg.Get.ProjectionExpression = aws.String("deep.a[1], absent")
		sameItem(t, item(attrs{"deep": attrs{"a": []any{2}}}), e.fetch(t, leg, nil, 0).Items[0])
	}},
	{"batch get/keeps the order of the keys", func(t *testing.T, e *env) {
		e.put(t, sorted(5)...)
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys("03", "00", "missing", "03", "01"))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, "03", "00", "01")
	}},
	{"batch get/more than 100 keys", func(t *testing.T, e *env) {
		var items []attrs
		var wanted []string
		for i := range 230 {
			sk := fmt.Sprintf("%03d", i)
			items, wanted = append(items, attrs{"SK": sk}), append(wanted, sk)
		}
		e.put(t, items...)
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys(wanted...))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, wanted...)
	}},
	{"batch get/no keys", func(t *testing.T, e *env) {
		if got, err := batchGet(t.Context(), e.reader, e.main.Name, nil); err != nil || len(got) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
	}},
	{"batch get/more than 16 MB", func(t *testing.T, e *env) {
		var wanted []string
		for i := range 46 {
			wanted = append(wanted, fmt.Sprintf("%02d", i))
			e.put(t, attrs{"SK": wanted[i], "text": big(390_000)})
		}
		got, err := batchGet(t.Context(), e.reader, e.main.Name, e.keys(wanted...))
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, got, wanted...)
	}},
}

var queryCases = []conformanceCase{
	{"query/count", func(t *testing.T, e *env) {
		e.put(t, sorted(7)...)
		page := e.fetch(t, e.query(request{count: true}), nil, 0)
		if page.Count != 7 || page.Scanned != 7 || len(page.Items) != 0 {
			t.Errorf("got count %d, scanned %d, %d items", page.Count, page.Scanned, len(page.Items))
		}
	}},
	{"query/capacity is reported", func(t *testing.T, e *env) {
		e.put(t, sorted(3)...)
		if page := e.fetch(t, e.query(request{}), nil, 0); page.Capacity != 0.5 {
			t.Errorf("three small items used %v read units, want 0.5", page.Capacity)
		}
	}},
	{"query/leg is not modified", func(t *testing.T, e *env) {
		e.put(t, sorted(3)...)
		leg := e.query(request{})
		first := e.fetch(t, leg, nil, 1)
		e.fetch(t, leg, first.LastKey, 1)
		if in := leg.Query; in.ExclusiveStartKey != nil || in.Limit != nil || in.ReturnConsumedCapacity != "" {
			t.Errorf("Fetch changed the leg: %+v", in)
		}
	}},
}

var filterCases = []conformanceCase{
	{"filter/limit counts before the filter", func(t *testing.T, e *env) {
		e.put(t, sorted(10)...)
		page := e.fetch(t, e.query(request{filter: "n >= :n", values: attrs{":n": 2}}), nil, 3)
		wantTexts(t, page.Items, "02")
		if page.Scanned != 3 || page.LastKey == nil {
			t.Errorf("scanned %d, last key %v", page.Scanned, page.LastKey)
		}
	}},
	{"filter/empty page before the last", func(t *testing.T, e *env) {
		e.put(t, sorted(6)...)
		page := e.fetch(t, e.query(request{filter: "n = :n", values: attrs{":n": 5}}), nil, 2)
		if len(page.Items) != 0 || page.Scanned != 2 || page.LastKey == nil {
			t.Errorf("got %d items, scanned %d, last key %v", len(page.Items), page.Scanned, page.LastKey)
		}
	}},
}

// pagingCase is a case that reads a request in pages of every size and expects the same rows.
func pagingCase(name string, items []attrs, r request) conformanceCase {
	return conformanceCase{"paging/" + name, func(t *testing.T, e *env) {
		partitioned := make([]attrs, len(items))
		for i, m := range items {
			partitioned[i] = attrs{}
			maps.Copy(partitioned[i], m)
			if a1, ok := partitioned[i]["A1"]; ok {
				partitioned[i]["A1"] = fmt.Sprint(a1, e.partition)
			}
		}
		e.put(t, partitioned...)
		if r.index != "" {
			r.values = attrs{":a": "one" + e.partition}
		}
		leg := e.query(r)
		want, _ := e.all(t, leg, 0)
		if len(want) == 0 {
			t.Fatal("the case has no rows")
		}
		for limit := 1; limit <= len(items)+1; limit++ {
			rows, pages := e.all(t, leg, limit)
			wantTexts(t, rows, sortKeys(want)...)
			if minimum := (len(want) + limit - 1) / limit; pages < minimum {
				t.Errorf("limit %d: got %d pages, want at least %d", limit, pages, minimum)
			}
		}
	}}
}

// indexed returns n items in one index partition. Groups of three have the same index sort key.
func indexed(n int) []attrs {
	items := sorted(n)
	for i := range items {
		items[i]["A1"], items[i]["A2"] = "one", fmt.Sprintf("%02d", i/3)
	}
	return items
}

var pagingCases = []conformanceCase{
	pagingCase("ascending", sorted(9), request{}),
	pagingCase("index with equal keys", indexed(10), request{index: "all", key: "A1 = :a"}),
	pagingCase("index with equal keys, descending", indexed(10), request{index: "all", key: "A1 = :a", descending: true}),
}
