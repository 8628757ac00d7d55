package accesspatterns

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Filtered lists the attributes that the leg's filter compares.
func (l Leg) Filtered() []string {
	var names []string
	for _, c := range l.filter {
		name, _, _ := strings.Cut(c.Attribute, ".")
		names = append(names, name)
	}
	return names
}

// Keeps applies the leg's filter to an item.
func (l Leg) Keeps(it models.Item) bool {
	for _, c := range l.filter {
		if !c.Holds(it) {
			return false
		}
	}
	return true
}

// WithoutFilter returns the query that answers with every row, those that the
// filter drops included. A count becomes a query for the rows. Other legs are
// returned as they are.
func (l Leg) WithoutFilter() Leg {
	if l.unfiltered == nil {
		return l
	}
	return Leg{Query: l.unfiltered}
}
