// The constraints of the API model, in the wording of the service.

package embedded

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

func TestChecksReportViolatedConstraints(t *testing.T) {
	const one, satisfy = "1 validation error detected: ", " failed to satisfy constraint: "
	long := strings.Repeat("x", 256)
	for name, test := range map[string]struct {
		check func(c *checks)
		want  string
	}{
		"nothing": {func(c *checks) { c.present(true, "item") }, ""},
		"absent":  {func(c *checks) { c.present(false, "item") }, one + "Value null at 'item'" + satisfy + "Member must not be null"},
		"short name": {
			func(c *checks) { c.name("ab", "indexName") },
			one + "Value 'ab' at 'indexName'" + satisfy + "Member must have length greater than or equal to 3",
		},
		"letters": {
			func(c *checks) { c.table(new("a b"), "tableName") },
			one + "Value 'a b' at 'tableName'" + satisfy + "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
		},
		"ARN": {func(c *checks) { c.table(new("arn:aws:dynamodb:eu-west-1:000000000000:table/orders"), "tableName") }, ""},
		"long key name": {
			func(c *checks) { c.keyName(long, "k") },
			one + "Value '" + long + "' at 'k'" + satisfy + "Member must have length less than or equal to 255",
		},
		"empty list": {
			func(c *checks) { c.list(true, 0, "keys", "", 2) },
			one + "Value '[]' at 'keys'" + satisfy + "Member must have length greater than or equal to 1",
		},
		"long list": {
			func(c *checks) { c.list(true, 3, "keys", counted(3, "elements"), 2) },
			one + "Value '[3 elements]' at 'keys'" + satisfy + "Member must have length less than or equal to 2",
		},
		"small number": {
			func(c *checks) { c.number(0, "limit", 1, 100) },
			one + "Value '0' at 'limit'" + satisfy + "Member must have value greater than or equal to 1",
		},
		"large number": {
			func(c *checks) { c.number(101, "limit", 1, 100) },
			one + "Value '101' at 'limit'" + satisfy + "Member must have value less than or equal to 100",
		},
		"enumeration": {
			func(c *checks) { c.oneOf("C", "mode", "A", "B") },
			one + "Value 'C' at 'mode'" + satisfy + "Member must satisfy enum value set: [A, B]",
		},
		"several": {
			func(c *checks) {
				c.present(false, "a")
				c.present(false, "b")
			},
			"2 validation errors detected: Value null at 'a'" + satisfy + "Member must not be null; " +
				"Value null at 'b'" + satisfy + "Member must not be null",
		},
		"other error": {func(c *checks) { c.refuse(apierror.Invalid("too many")) }, "too many"},
		"constraint before other error": {
			func(c *checks) {
				c.refuse(apierror.Invalid("too many"))
				c.present(false, "a")
			},
			one + "Value null at 'a'" + satisfy + "Member must not be null",
		},
	} {
		var c checks
		test.check(&c)
		got := ""
		if err := c.err(); err != nil {
			got = apierror.MessageOf(err)
		}
		if got != test.want {
			t.Errorf("%s:\n got  %s\n want %s", name, got, test.want)
		}
	}
}

func TestTargetsFindRepeatedItems(t *testing.T) {
	orders, users := &table{ID: "1"}, &table{ID: "2"}
	seen := targets{}
	for i, test := range []struct {
		target target
		first  bool
	}{
		{target{table: orders, key: []byte("a")}, true},
		{target{table: orders, key: []byte("b")}, true},
		{target{table: users, key: []byte("a")}, true},
		{target{table: orders, key: []byte("a")}, false},
		{target{table: orders}, true}, // an invalid key is reported as such, not as a repetition
		{target{table: orders}, true},
	} {
		if got := seen.add(&test.target); got != test.first {
			t.Errorf("target %d: got %v, want %v", i, got, test.first)
		}
	}
}
