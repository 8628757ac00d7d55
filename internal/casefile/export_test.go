package casefile

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/pseudonym"
	"github.com/ddbdesk/ddbdesk/models"
)

// Replacer returns what Take makes of single items and arguments.
func (t *Taker) Replacer() (item func(*models.Entity, models.Item) (models.Item, error), arg func(*accesspatterns.Param, string) string) {
	key, err := t.s.Sealer().MAC(nil, keyPurpose)
	if err != nil {
		panic(err)
	}
	r := newReplacer(t.s, t.s.FullMasker(), pseudonym.New(key, prefixes(t.s.Profile().Entities)), nil)
	return r.item, r.parameter
}
