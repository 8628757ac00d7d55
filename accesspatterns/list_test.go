package accesspatterns_test

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// several is a parameter that takes several values.
func several(name string) *accesspatterns.Param {
	q := optional(name)
	q.List = true
	return q
}

func TestListsAreSplit(t *testing.T) {
	for given, want := range map[string]string{
		"a":                 "a",
		"a,b":               "a b",
		" a , b\n c\r\nd,,": "a b c d",
		"a,b,a":             "a b",
		`["a,b", 1.50]`:     "a,b 1.50",
		`[" a"]`:            " a",
	} {
		v, err := several("p").Read(given, noon)
		var texts []string
		for _, one := range v.List {
			texts = append(texts, one.Text)
		}
		if got := strings.Join(texts, " "); err != nil || got != want {
			t.Errorf("%q: %q (%v), want %q", given, got, err, want)
		}
	}
	for given, says := range map[string]string{
		"[": "not a JSON array", `["a"] b`: "not a JSON array", "[true]": "not a JSON array", "[]": "empty", " , ": "empty",
	} {
		if _, err := several("p").Read(given, noon); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", given, err, says)
		}
	}
}

func TestListsAreBounded(t *testing.T) {
	const most = 1000
	if v, err := several("p").Read(strings.Repeat("a,", most-1)+"b", noon); err != nil || len(v.List) != 2 {
		t.Errorf("%d values: %v", most, err)
	}
	if _, err := several("p").Read(strings.Repeat("a,", most)+"b", noon); err == nil || !strings.Contains(err.Error(), "1001 values; the maximum is 1000") {
		t.Errorf("one more: %v", err)
	}
}

// A value of an item fills a parameter that takes several as one value.
func TestArgumentIsReadAsOneValue(t *testing.T) {
	for value, want := range map[string]string{
		"a": "a", "a,b": `["a,b"]`, " a ": `[" a "]`, "a,": `["a,"]`, `["a"]`: `["[\"a\"]"]`, "[": `["["]`,
	} {
		q := several("p")
		got := q.Argument(value)
		if got != want {
			t.Errorf("%q is given as %s, want %s", value, got, want)
		}
		if v, err := q.Read(got, noon); err != nil || len(v.List) != 1 || v.Text != value {
			t.Errorf("%s is read as %+v (%v)", got, v, err)
		}
		if q.List = false; q.Argument(value) != value {
			t.Errorf("%q is given as %s to a parameter of one value", value, q.Argument(value))
		}
	}
}

// Several keys are read with BatchGetItem, up to 100 with a request.
func TestListsOfKeysAreReadTogether(t *testing.T) {
	p := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
		matches("PK", "A#{id}"), matches("SK", "META"),
	}}, several("id"))
	for n, want := range map[int]string{
		1: "GetItem", 2: "BatchGetItem 2", 100: "BatchGetItem 100", 101: "BatchGetItem 100, BatchGetItem 1",
	} {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint(i)
		}
		r, err := p.Bind(map[string]string{"id": strings.Join(ids, ",")}, noon)
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			want := `{"RequestItems":{"events":{"Keys":[{"PK":{"S":"A#0"},"SK":{"S":"META"}},{"PK":{"S":"A#1"},"SK":{"S":"META"}}],` +
				`"ConsistentRead":true}},"ReturnConsumedCapacity":"TOTAL"}`
			if diff := gocmp.Diff(want, string(r.Explain(0, nil)[0].Input)); diff != "" {
				t.Error(diff)
			}
		}
		var got []string
		for i, l := range r.Legs {
			operation := r.Explain(0, nil)[i].Operation
			if _, of := l.Keys(); len(of.Keys) > 0 {
				operation += fmt.Sprint(" ", len(of.Keys))
			}
			got = append(got, operation)
		}
		if diff := gocmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%d keys: %s", n, diff)
		}
	}
}

func TestListWithoutAValueIsLeftOut(t *testing.T) {
	key := []accesspatterns.KeyCondition{matches("PK", "A"), matches("SK", "{id}")}
	p := pattern(accesspatterns.Read{Key: key}, several("id"))
	for args, want := range map[string][]string{
		"": {"PK = 'A'"}, "id=1": {"PK = 'A' AND SK = '1'"}, "id=1,2": {"PK = 'A' AND SK = '1'", "PK = 'A' AND SK = '2'"},
	} {
		r, err := p.Bind(arguments(args), noon)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		} else if diff := gocmp.Diff(want, allAsked(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}
