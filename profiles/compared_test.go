package profiles_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A parameter with a name of its own is sent as the attribute that it is compared with is stored: a time with another
// spelling would leave out the items at the ends of the range.
func TestParameterHasTheFormatOfWhatItIsComparedWith(t *testing.T) {
	const text = `name: shop
tables: {t: {partition_key: PK, sort_key: at, indexes: {ByDay: {partition_key: PK, sort_key: day, local: true}}}}
entities:
  Log:
    table: t
    keys: {day: "D#{bookedAt:date}"}
    attributes:
      PK: {type: S, required: true}
      at: {type: S, required: true, format: iso8601-local}
      bookedAt: {type: S, required: true, format: epoch-seconds}
      seenAt: {type: N, format: epoch-seconds}
patterns:
  p: {operation: query, returns: [Log], REQUEST, parameters: {since: {TYPE}}}
`
	for _, c := range []struct{ request, typed, want string }{
		{`key: {PK: x, at: {range: at, from: "{since}"}}`, "type: timestamp", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {range: at, from: "{since}"}}`, "", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {gt: "{since}"}}`, "type: timestamp", "2026-01-14T10:00:00"},
		{`index: ByDay, key: {PK: x, day: {range: bookedAt, from: "{since}"}}`, "type: timestamp", "D#2026-01-14"},
		{`key: {PK: x}, filter: [{attribute: seenAt, lt: "{since}"}]`, "type: timestamp", "1768384800"},
		{`key: {PK: x}, filter: [{any: [{attribute: at, equals: "{since}"}]}]`, "type: timestamp", "2026-01-14T10:00:00"},
		{`key: {PK: x, at: {gt: "{since}"}}`, "type: timestamp, format: iso8601", "2026-01-14T10:00:00Z"},
	} {
		p, err := profiles.Load("shop.yaml", []byte(strings.NewReplacer("REQUEST", c.request, "TYPE", c.typed).Replace(text)), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.request, err)
		}
		r, err := p.Patterns[0].Bind(map[string]string{"since": "2026-01-14T10:00:00Z"}, schemas.Now)
		if err != nil {
			t.Fatalf("%s: %v", c.request, err)
		}
		if sent := string(r.Explain(0, nil)[0].Input); !strings.Contains(sent, `"`+c.want+`"`) {
			t.Errorf("%s with %s is sent as %s, want %s", c.request, c.typed, sent, c.want)
		}
	}
}
