package profiles_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestBoundsOfInputsAreChecked(t *testing.T) {
	for input, want := range map[string]string{
		"{type: number, minimum: -1.5, maximum: 1e3}":            "",
		"{attribute: User.orders, minimum: 0, default: 1}":       "",
		"{type: integer, minimum: 5, maximum: 4}":                "minimum 5 is more than maximum 4",
		"{type: integer, minimum: few}":                          `"few" is not a number`,
		"{type: string, maximum: 4}":                             "a value of type string has no maximum",
		"{type: integer, minimum: 5, default: 4}":                "4 is below the minimum of 5",
		"{type: date, minimum: today, maximum: now+1w}":          "",
		"{type: timestamp, minimum: soon}":                       `"soon" is not a time`,
		"{type: date, minimum: now+1d, maximum: today}":          "minimum now+1d is more than maximum today",
		"{type: date, minimum: today, default: now-7d}":          "now-7d is before today, the earliest time",
		"{type: integer, maximum: 5, default: \"{orders} + 1\"}": "",
	} {
		text := desk + action("entity: User, inputs: {n: "+input+`}, set: {mail: "{n}"}`)
		_, err := profiles.Load("shop.yaml", []byte(text), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", input, err, want)
		}
	}
}
