// Package casefile collects cases: an item and the items related to it, with pseudonyms for personal data. It writes and checks
// the files that hold them, and plans how to load one into another database.
package casefile

import (
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Case is what a case file contains. The first record is the start.
type Case struct {
	Header
	Records []*Record
}

// Version is the latest version of the format, and the first.
const Version = 1

// A Header is the first line of a file.
type Header struct {
	Version   int               `json:"ddbcase"`
	Schema    string            `json:"schema"`        // opens the profile
	Profile   string            `json:"profileDigest"` // of the profile with Variables
	Variables map[string]string `json:"variables,omitempty"`
	// Source names the database that the case is of, as store.Target.Place does, without
	// folders of this machine.
	Source     string `json:"source"`
	Production bool   `json:"production"`
	// Taken is when the case was saved, UTC.
	Taken  time.Time `json:"taken"`
	Reason string    `json:"reason,omitempty"`
	Ticket string    `json:"ticket,omitempty"`
	Start  Origin    `json:"start"`
	Items  int       `json:"items"`
	Digest string    `json:"digest"` // of the file without it
}

// An Origin is where the case began: an entity, whose item is the first one, or a pattern, whose parameters are pseudonyms
// like the values of the items.
type Origin struct {
	Pattern    string            `json:"pattern,omitempty"`
	Entity     string            `json:"entity,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// A Record is an item of a case, or one that a case could have. It is not changed once it is made.
type Record struct {
	Table  *models.Table
	Entity *models.Entity // nil for none
	Item   models.Item    // at least its key
}

// id identifies the item among those of all tables.
func (r *Record) id() string { return r.Table.ID + " " + r.Table.KeyID(r.Item) }

// Link returns the link to where the case began. Its values are pseudonyms, so it leads to the
// items of the case and not to those of the source.
func (c *Case) Link(p *profiles.Profile) link.Link {
	l := link.Link{Schema: p.Name, Name: c.Start.Entity + c.Start.Pattern}
	for _, name := range slices.Sorted(maps.Keys(c.Start.Parameters)) {
		l.Values = append(l.Values, link.Value{Name: name, Text: c.Start.Parameters[name]})
	}
	if c.Start.Entity != "" && len(c.Records) > 0 {
		first := c.Records[0]
		for _, k := range first.Table.PrimaryKeys() {
			text, _ := first.Item.Text(k.Name)
			l.Values = append(l.Values, link.Value{Name: k.Name, Text: text})
		}
	}
	return l
}

// Entities counts the items of each entity, "" for items of none.
func Entities(list []*Record) map[string]int {
	counts := map[string]int{}
	for _, r := range list {
		name := ""
		if r.Entity != nil {
			name = r.Entity.Name
		}
		counts[name]++
	}
	return counts
}
