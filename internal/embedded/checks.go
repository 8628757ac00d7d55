package embedded

import (
	"crypto/rand"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// namePattern matches the names of tables and indexes.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
const namePattern = "[a-zA-Z0-9_.-]+"

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + namePattern + "$") })

// checks collects violated constraints of request parameters with DynamoDB's wording. DynamoDB reports them together.
type checks struct {
	problems []string
	refused  error
}

// refuse records an error to report only if no constraint is violated. It keeps the first error and ignores nil.
func (c *checks) refuse(err error) {
	if c.refused == nil {
		c.refused = err
	}
}

func (c *checks) fail(value, field, constraint string) {
	if value != "null" {
		value = "'" + value + "'"
	}
	c.problems = append(c.problems, "Value "+value+" at '"+field+"' failed to satisfy constraint: "+constraint)
}

// failAt uses the wording of DynamoDB's newer operations: the field name without its value.
func (c *checks) failAt(field, constraint string) {
	c.problems = append(c.problems, "Value at '"+field+"' failed to satisfy constraint: "+constraint)
}

func (c *checks) err() error {
	switch len(c.problems) {
	case 0:
		return c.refused
	case 1:
		return apierror.Invalid("1 validation error detected: %s", c.problems[0])
	}
	return apierror.Invalid("%d validation errors detected: %s", len(c.problems), strings.Join(c.problems, "; "))
}

func (c *checks) present(ok bool, field string) {
	if !ok {
		c.fail("null", field, "Member must not be null")
	}
}

// table rejects an empty name but not a short one, because no table has a short name and the request fails later.
func (c *checks) table(name *string, field string) {
	switch {
	case name == nil:
		c.present(false, field)
	case *name == "":
		c.length(*name, 0, field, 1, maxKeyName)
	default:
		c.nameCharacters(tableName(*name), field)
	}
}

func (c *checks) existingTable(name *string) {
	if name == nil {
		c.refuse(tableRequiredError())
	} else {
		c.table(name, "tableName")
	}
}

func tableRequiredError() error {
	return apierror.Invalid("The parameter 'TableName' is required but was not present in the request")
}

func (c *checks) list(present bool, n int, field, elements string, maximum int) {
	c.present(present, field)
	if present && n < 1 {
		c.fail("[]", field, "Member must have length greater than or equal to 1")
	}
	if n > maximum {
		c.fail("["+elements+"]", field, atMost("length", maximum))
	}
}

func countText(n int, elements string) string { return fmt.Sprintf("%d %s", n, elements) }

func (c *checks) number(n int64, field string, minimum, maximum int64) {
	if n < minimum {
		c.fail(strconv.FormatInt(n, 10), field, fmt.Sprintf("Member must have value greater than or equal to %d", minimum))
	} else if n > maximum {
		c.fail(strconv.FormatInt(n, 10), field, atMost("value", int(maximum)))
	}
}

func atMost(subject string, n int) string {
	return fmt.Sprintf("Member must have %s less than or equal to %d", subject, n)
}

func (c *checks) requestItems(present bool, n int, operation string) {
	c.present(present, "requestItems")
	if present && n == 0 {
		c.refuse(apierror.Invalid("The requestItems parameter is required for %s", operation))
	}
}

func (c *checks) name(name, field string) {
	c.length(name, len(name), field, 3, math.MaxInt)
	c.nameCharacters(name, field)
}

// maxKeyName is the maximum length of the name of a table, an index or a key attribute.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxKeyName = 255

func (c *checks) length(text string, n int, field string, minimum, maximum int) {
	if n < minimum {
		c.fail(text, field, fmt.Sprintf("Member must have length greater than or equal to %d", minimum))
	} else if n > maximum {
		c.fail(text, field, atMost("length", maximum))
	}
}

func (c *checks) keyName(name, field string) {
	c.present(name != "", field)
	c.length(name, len(name), field, 0, maxKeyName)
}

func (c *checks) nameCharacters(name, field string) {
	if !validName().MatchString(name) {
		c.fail(name, field, "Member must satisfy regular expression pattern: "+namePattern)
	}
	c.length(name, len(name), field, 0, maxKeyName)
}

func (c *checks) oneOf(value, field string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.fail(value, field, "Member must satisfy enum value set: ["+strings.Join(allowed, ", ")+"]")
	}
}

func (c *checks) returnConsumed(mode string) {
	c.oneOf(mode, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
}

func (c *checks) collectionMetrics(mode string) {
	c.oneOf(mode, "returnItemCollectionMetrics", "SIZE", "NONE")
}

func (c *checks) returnOnFailure(mode, at string) {
	c.oneOf(mode, at+"returnValuesOnConditionCheckFailure", "ALL_OLD", "NONE")
}

func tableName(nameOrARN string) string {
	if _, after, ok := strings.Cut(nameOrARN, ":table/"); ok && strings.HasPrefix(nameOrARN, "arn:") {
		return after
	}
	return nameOrARN
}

// requestID returns an ID in DynamoDB's format: 52 upper-case letters and digits.
func requestID() string {
	return (rand.Text() + rand.Text())[:52]
}
