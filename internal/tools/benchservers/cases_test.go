package main

import "testing"

func TestTailOfAPage(t *testing.T) {
	for name, c := range map[string]struct {
		page  string
		count int
		last  string
	}{
		"more": {
			`{"Items":[{"a":{"S":"x"}}],"Count":1,"ScannedCount":3,"LastEvaluatedKey":{"a":{"S":"x}"}}}`, 1,
			`{"a":{"S":"x}"}}`,
		},
		"the end":       {`{"Count":0,"Items":[],"ScannedCount":0}`, 0, ""},
		"another order": {`{"LastEvaluatedKey": {"a":{"N":"1"}}, "Count": 12 ,"Items":[]}`, 12, `{"a":{"N":"1"}}`},
	} {
		count, last, err := tail([]byte(c.page))
		if err != nil || count != c.count || string(last) != c.last {
			t.Errorf("%s: %d %s %v", name, count, last, err)
		}
	}
	if _, _, err := tail([]byte(`{}`)); err == nil {
		t.Error("a page without a count")
	}
}

func TestFillWritesEveryItemOnce(t *testing.T) {
	batches := make(chan string, 10)
	if err := fill(60, 3, 1, func(batch string) error { batches <- batch; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(batches) != 3 {
		t.Errorf("60 items came in %d batches", len(batches))
	}
}
