package cases

import (
	"math/rand/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Replacer returns the functions with which Collect replaces items and arguments.
func (c *Collector) Replacer() (item func(*models.Entity, models.Item) (models.Item, error), arg func(*accesspatterns.Param, string) string) {
	r := c.replacer(nil)
	return r.item, r.parameter
}

// SharePseudonyms gives equal values equal pseudonyms in every case of the collector, and the same ones in each
// run of a test.
func (c *Collector) SharePseudonyms() {
	var shared *pseudonymizer
	c.pseudonyms = func(prefixes []string) *pseudonymizer {
		if shared == nil {
			shared = seededPseudonymizer(7, prefixes)
		}
		return shared
	}
}

func seededPseudonymizer(seed byte, prefixes []string) *pseudonymizer {
	m := newPseudonymizer(prefixes)
	m.source = rand.NewChaCha8([32]byte{seed})
	m.Rand = rand.New(m.source)
	return m
}
