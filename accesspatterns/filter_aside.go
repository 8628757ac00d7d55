// This file takes the filter off a request whose index does not hold what it is
// about: the items behind the index are read, and filtered here.

package accesspatterns

import (
	"maps"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/models"
)

// Filtered lists the attributes that the leg's filter is about.
func (l Leg) Filtered() []string {
	var names []string
	for _, t := range l.filter {
		name, _, _ := strings.Cut(t.path, ".")
		names = append(names, name)
	}
	return names
}

// Keeps applies the leg's filter to an item.
func (l Leg) Keeps(it models.Item) bool {
	for _, t := range l.filter {
		if !t.keeps(it) {
			return false
		}
	}
	return true
}

// alias matches what stands for names and values in an expression.
var alias = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// WithoutFilter returns the query that gives all rows, those that the filter
// drops too. A count becomes a question for the rows. Other legs are returned as
// they are.
func (l Leg) WithoutFilter() Leg {
	if l.Query == nil || l.Query.FilterExpression == nil {
		return l
	}
	in := *l.Query
	in.FilterExpression, in.Select = nil, ""
	used := map[string]bool{}
	for _, a := range alias.FindAllString(aws.ToString(in.KeyConditionExpression), -1) {
		used[a] = true
	}
	in.ExpressionAttributeNames = maps.Clone(in.ExpressionAttributeNames)
	in.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeValues)
	maps.DeleteFunc(in.ExpressionAttributeNames, func(name, _ string) bool { return !used[name] })
	for name := range in.ExpressionAttributeValues {
		if !used[name] {
			delete(in.ExpressionAttributeValues, name)
		}
	}
	return Leg{Query: &in}
}
