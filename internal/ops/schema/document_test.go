package schema

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

const labeled = `name: shop
tables: {t: {partition_key: PK}}
entities:
  Job: {table: t, keys: {PK: "J#{level}"}, attributes: {level: {type: N, labels: {0: Open, 1: Closed}}}}
patterns:
  p: {operation: query, key: {PK: "J#{level}"}, returns: [Job], parameters: PARAMS}
`

// A pattern lists the labels of its parameters, wherever the schema declares them.
func TestPatternsListLabels(t *testing.T) {
	for params, want := range map[string]string{
		"{level: {type: enum}}":                                     "Open",
		"{level: {type: enum, labels: {0: New, 1: Old}}}":           "New",
		"{level: {type: enum, enum: [0, 2], labels: {2: Waiting}}}": "",
	} {
		p, err := profiles.Load("shop.yaml", []byte(strings.Replace(labeled, "PARAMS", params, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if doc := NewPattern(p.Patterns[0]).Parameters[0]; len(doc.Labels) == 0 || doc.Labels["0"] != want {
			t.Errorf("%s: got labels %v", params, doc.Labels)
		}
	}
}
