package cases

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Replacer returns the functions with which Collect replaces items and arguments.
func (c *Collector) Replacer() (item func(*models.Entity, models.Item) (models.Item, error), arg func(*accesspatterns.Param, string) string) {
	r, err := c.replacer(nil)
	if err != nil {
		panic(err)
	}
	return r.item, r.parameter
}

// Unsalted removes the salt, so that equal values have equal pseudonyms in every case.
func (c *Collector) Unsalted() { c.salt = func() string { return "" } }
