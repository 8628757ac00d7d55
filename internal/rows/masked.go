package rows

import "github.com/ddbdesk/ddbdesk/models"

// Masked returns an item as a row outside of a grid. It masks values on access. A nil masker hides nothing.
func Masked(m *models.Masker, t *models.Table, it models.Item) Row { return &maskedRow{m.Lazy(t, it)} }

type maskedRow struct{ models.LazyItem }

// Kind returns the entity of the item, or nil if it is unknown.
func (r *maskedRow) Kind() *models.Entity { return r.Entity }

// Cells returns nil, because the filter searches the values for words.
func (r *maskedRow) Cells() []string { return nil }

// SortKey returns the item's sort key for an attribute.
func (r *maskedRow) SortKey(attribute string) SortKey { return KeyOf(r, attribute) }
