package rows

import "github.com/ddbdesk/ddbdesk/models"

// Masked returns an item as a row that no grid shows. Its values are masked when they are read.
// A nil masker hides nothing.
func Masked(m *models.Masker, t *models.Table, it models.Item) Row { return &maskedRow{m.Lazy(t, it)} }

type maskedRow struct{ models.LazyItem }

// Kind returns the entity of the item, nil when unknown.
func (r *maskedRow) Kind() *models.Entity { return r.Entity }

// Cells returns none: words are searched for in the values.
func (r *maskedRow) Cells() []string { return nil }

// SortKey returns what an attribute orders the item by.
func (r *maskedRow) SortKey(attribute string) SortKey { return KeyOf(r, attribute) }
