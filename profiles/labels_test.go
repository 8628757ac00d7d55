package profiles_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const labeled = `name: shop
tables: {t: {partition_key: PK}}
entities:
  Job: {table: t, keys: {PK: "J#{level}"}, attributes: {level: {type: N, labels: {0: Open, 1: Closed}}}}
patterns:
  p: {operation: query, key: {PK: "J#{level}"}, returns: [Job], parameters: PARAMS}
`

func TestParametersHaveLabels(t *testing.T) {
	for params, want := range map[string]string{
		"{level: {type: enum}}":                                     `Open (0), Closed (1)`,
		"{level: {type: enum, labels: {0: New, 1: Old}}}":           `New (0), Old (1)`,
		"{level: {type: enum, enum: [0, 2], labels: {2: Waiting}}}": `0, Waiting (2)`,
		"{level: {labels: {7: Seven}}}":                             `!parameters.level.labels.7: "7" is not a value of level; known: 0, 1`,
	} {
		p, err := profiles.Load("shop.yaml", []byte(strings.Replace(labeled, "PARAMS", params, 1)), nil)
		if strings.HasPrefix(want, "!") {
			if err == nil || !strings.Contains(err.Error(), want[1:]) {
				t.Errorf("%s: %v, want %s", params, err, want[1:])
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		q := p.Patterns[0]
		if got := q.Params[0].Choices(); got != want {
			t.Errorf("%s: %s, want %s", params, got, want)
		}
		for _, given := range []map[string]string{{"level": "9"}, nil} {
			if _, err := q.Bind(given, schemas.Now); err == nil || !strings.Contains(err.Error(), "one of "+want) {
				t.Errorf("%s with %v: %v does not name the values", params, given, err)
			}
		}
	}
}
