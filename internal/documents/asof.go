package documents

import (
	"time"

	"github.com/ddbdesk/ddbdesk/internal/asof"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
)

// AsOf is an item as it was at a time. It always has all its fields.
type AsOf struct {
	AsOf    string       `json:"asOf"`
	Known   bool         `json:"known"`
	Partial bool         `json:"partial"` // the item has only the attributes that are known
	Source  *asof.Source `json:"source"`  // null if the item is not known
	From    *string      `json:"from"`    // the item was so from this time on, and until that one; null if it is not known
	Until   *string      `json:"until"`
	Item    *models.Item `json:"item"`    // null if there was none, and if it is not known
	Changes []Difference `json:"changes"` // from then to now
	Note    string       `json:"note"`    // what was read of the stream
	Error   *string      `json:"error"`   // why the item is not known
}

// OfPast describes how an item was, masked. The error is an *asof.Unknown or nil.
func OfPast(p *timeline.Past, unknown error, m *models.Masker) AsOf {
	d := AsOf{AsOf: p.At.UTC().Format(time.RFC3339), Note: p.Note, Changes: []Difference{}}
	if unknown != nil {
		text := unknown.Error()
		d.Error = &text
		return d
	}
	from, until := p.From.UTC().Format(time.RFC3339), p.Until.UTC().Format(time.RFC3339)
	d.Known, d.Partial, d.Source, d.From, d.Until = true, p.Partial, &p.Source, &from, &until
	d.Changes = each(p.Differences(m), OfDifference)
	if p.Item != nil {
		shown := m.Item(p.Table, p.Item)
		d.Item = &shown
	}
	return d
}
