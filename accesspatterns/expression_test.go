package accesspatterns_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestAliasesAreMadeFromNames(t *testing.T) {
	e := &accesspatterns.Expression{}
	for _, tt := range []struct{ name, want string }{
		{"azAZ09_", "#azAZ09_"}, {"a.b", "#a_b"}, {"a-b", "#a_b2"}, {"a b", "#a_b3"}, {"a.b", "#a_b"}, {"@[`{/:", "#______"}, {"", "#x"},
	} {
		if got := e.Name(tt.name); got != tt.want {
			t.Errorf("the alias of %q is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// An attribute may be compared with many values, as in "status in (..)".
func TestEachValueHasAnAliasOfItsOwn(t *testing.T) {
	e := &accesspatterns.Expression{}
	for _, want := range []string{":status", ":status2", ":status3", ":status4", ":status5"} {
		if got := e.Value("status", models.StringValue("open")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// DynamoDB accepts letters, digits and underscores. Each name has one alias, and each value its own.
func TestAliasesAreValidAndUnique(t *testing.T) {
	valid := regexp.MustCompile(`^[#:][A-Za-z0-9_]+$`)
	rapid.Check(t, func(t *rapid.T) {
		e := &accesspatterns.Expression{Short: rapid.Bool().Draw(t, "short")}
		names, values := map[string]string{}, map[string]bool{}
		for _, name := range rapid.SliceOfN(rapid.StringMatching(`[a.-]{1,2}`), 0, 12).Draw(t, "names") {
			alias, value := e.Name(name), e.Value(name, models.StringValue(name))
			if known, ok := names[name]; ok && known != alias || e.Names()[alias] != name || !valid.MatchString(alias) {
				t.Fatalf("the alias of %q is %s of %v", name, alias, e.Names())
			}
			if values[value] || !valid.MatchString(value) || !models.EqualValues(e.Values()[value], models.StringValue(name)) {
				t.Fatalf("the alias of the value of %q is %s of %v", name, value, e.Values())
			}
			names[name], values[value] = alias, true
		}
		if len(e.Names()) != len(names) || len(e.Values()) != len(values) {
			t.Fatalf("%d aliases of %d names, %d of %d values", len(e.Names()), len(names), len(e.Values()), len(values))
		}
	})
}
