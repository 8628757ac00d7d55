package embedded

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
)

const namePattern = "[a-zA-Z0-9_.-]+"

var validName = regexp.MustCompile("^" + namePattern + "$")

// checks collects violated constraints of request parameters in the service's wording.
// The service reports them together.
type checks struct{ problems []string }

// fail records a violated constraint of the field, a path in lower camel case.
func (c *checks) fail(value, field, constraint string) {
	if value != "null" {
		value = "'" + value + "'"
	}
	c.problems = append(c.problems, "Value "+value+" at '"+field+"' failed to satisfy constraint: "+constraint)
}

// failAt is fail in the wording of the service's newer operations: the field as it was
// sent, without its value.
func (c *checks) failAt(field, constraint string) {
	c.problems = append(c.problems, "Value at '"+field+"' failed to satisfy constraint: "+constraint)
}

func (c *checks) err() error {
	switch len(c.problems) {
	case 0:
		return nil
	case 1:
		return invalid("1 validation error detected: %s", c.problems[0])
	}
	return invalid("%d validation errors detected: %s", len(c.problems), strings.Join(c.problems, "; "))
}

func (c *checks) present(ok bool, field string) {
	if !ok {
		c.fail("null", field, "Member must not be null")
	}
}

// table checks the name or ARN of an existing table. It accepts names that are too
// short, because no table has one.
func (c *checks) table(name, field string) {
	if name == "" {
		c.present(false, field)
		return
	}
	c.letters(tableName(name), field)
}

// tableRequired is the error of the table operations for a missing name.
func tableRequired() error {
	return invalid("The parameter 'TableName' is required but was not present in the request")
}

// newTable checks the name of a new table.
func (c *checks) newTable(name, field string) {
	c.name(tableName(name), field)
}

// name checks the name of a table or an index.
func (c *checks) name(name, field string) {
	if len(name) < 3 {
		c.fail(name, field, "Member must have length greater than or equal to 3")
	}
	c.letters(name, field)
}

// keyName checks the name of a key attribute.
func (c *checks) keyName(name, field string) {
	c.present(name != "", field)
	if len(name) > 255 {
		c.fail(name, field, "Member must have length less than or equal to 255")
	}
}

// letters checks the characters and the maximum length of a name.
func (c *checks) letters(name, field string) {
	if !validName.MatchString(name) {
		c.fail(name, field, "Member must satisfy regular expression pattern: "+namePattern)
	}
	if len(name) > 255 {
		c.fail(name, field, "Member must have length less than or equal to 255")
	}
}

func (c *checks) oneOf(value, field string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.fail(value, field, "Member must satisfy enum value set: ["+strings.Join(allowed, ", ")+"]")
	}
}

func (c *checks) returnConsumed(mode string) {
	c.oneOf(mode, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
}

func (c *checks) returnValues(mode string) {
	c.oneOf(mode, "returnValues", "ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
}

func (c *checks) collectionMetrics(mode string) {
	c.oneOf(mode, "returnItemCollectionMetrics", "SIZE", "NONE")
}

func (c *checks) returnOnFailure(mode, field string) {
	c.oneOf(mode, field, "ALL_OLD", "NONE")
}

// tableName returns the name in a table ARN, and any other text unchanged.
func tableName(nameOrARN string) string {
	if i := strings.Index(nameOrARN, ":table/"); i >= 0 && strings.HasPrefix(nameOrARN, "arn:") {
		return nameOrARN[i+len(":table/"):]
	}
	return nameOrARN
}

// requestID returns an ID in the service's format: 52 upper-case letters and digits.
func requestID() string {
	return (rand.Text() + rand.Text())[:52]
}
