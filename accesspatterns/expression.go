package accesspatterns

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Expression collects the attribute names and values of the expressions of
// one request. Every name gets an alias, because many names of real schemas are
// reserved words. Aliases are made from what they stand for, so that a request
// can be read. The zero Expression is empty and ready to use. DynamoDB allows 4 KB for an
// expression and 2 MB for all names and values of a request; the limits are not checked here.
// It is not safe for concurrent use. Source: Amazon DynamoDB Developer Guide, "Quotas in Amazon
// DynamoDB".
type Expression struct {
	names  map[string]string
	values map[string]types.AttributeValue

	// Short numbers the aliases, for expressions that would be too long otherwise. Set it
	// before the first name: aliases that were returned do not change.
	Short bool
}

// Path returns the aliases of names, each inside the one before, joined by dots.
func (e *Expression) Path(names []string) string {
	aliases := make([]string, len(names))
	for i, n := range names {
		aliases[i] = e.Name(n)
	}
	return strings.Join(aliases, ".")
}

// Name returns the alias of one attribute name, which may hold dots. The same name always has
// the same alias.
func (e *Expression) Name(name string) string {
	base := "#" + identifier(name)
	if e.Short {
		base = "#" + e.number(name)
	}
	alias := base
	for n := 2; e.names[alias] != "" && e.names[alias] != name; n++ {
		alias = fmt.Sprintf("%s%d", base, n)
	}
	if e.names == nil {
		e.names = map[string]string{}
	}
	e.names[alias] = name
	return alias
}

func (e *Expression) number(name string) string {
	for alias, known := range e.names {
		if known == name {
			return alias[1:]
		}
	}
	return strconv.FormatInt(int64(len(e.names)), 36)
}

// Value returns a new alias of a value, made from hint: the attribute that the
// value is compared with. Two equal values have two aliases. v must not be nil.
func (e *Expression) Value(hint string, v types.AttributeValue) string {
	base := ":" + identifier(hint)
	if e.Short {
		base = ":" + strconv.FormatInt(int64(len(e.values)), 36)
	}
	alias := base
	for n := 2; e.values[alias] != nil; n++ {
		alias = fmt.Sprintf("%s%d", base, n)
	}
	if e.values == nil {
		e.values = map[string]types.AttributeValue{}
	}
	e.values[alias] = v
	return alias
}

// Names returns the names by alias, nil without any: DynamoDB rejects an empty
// map.
func (e *Expression) Names() map[string]string { return e.names }

// Values returns the values by alias, nil without any.
func (e *Expression) Values() map[string]types.AttributeValue { return e.values }

func identifier(s string) string {
	if s == "" {
		return "x"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
}
