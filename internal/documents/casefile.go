package documents

import (
	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Taken is the document of take. Without a file nothing was taken, and replaced, dropped and
// kept are empty. Replaced is the number of values with pseudonyms in their place, real the
// number of values of personal data as stored; dropped and kept name attributes, as
// Entity.attribute, and have no values.
type Taken struct {
	File     *string        `json:"file"`
	Items    int            `json:"items"`
	Entities map[string]int `json:"entities"`
	Replaced int            `json:"replaced"`
	Real     int            `json:"real"`
	Dropped  []string       `json:"dropped"`
	Kept     []string       `json:"kept"`
	Branches []Branch       `json:"branches"`
}

// Branch is a part of the tree of take: what one pattern found from an item of the branch above
// it. Depth is 0 for the root. More means that the pattern has further items, which a limit
// left out.
type Branch struct {
	Pattern  string         `json:"pattern"`
	Depth    int            `json:"depth"`
	Entities map[string]int `json:"entities"`
	New      int            `json:"new"`
	More     bool           `json:"more"`
}

// OfTree returns the document of what could be taken.
func OfTree(t *casefile.Tree) Taken {
	d := Taken{Entities: t.Entities(), Dropped: []string{}, Kept: []string{}, Branches: []Branch{}}
	d.Items, _, _ = t.Total()
	for _, r := range t.Rows() {
		d.Branches = append(d.Branches, Branch{r.Name, r.Depth, r.Entities, r.New(), r.More})
	}
	return d
}

// OfTaken returns the document of a case that was written to a file.
func OfTaken(t *casefile.Tree, c *casefile.Case, p *profiles.Profile, r *casefile.Report, file string) Taken {
	d := OfTree(t)
	d.File, d.Items, d.Entities, d.Replaced = &file, len(c.Records), casefile.Entities(p, c.Records), casefile.Total(r.Replaced)
	d.Real = casefile.Total(r.Real)
	d.Dropped, d.Kept = append(d.Dropped, casefile.Names(r.Dropped)...), append(d.Kept, casefile.Names(r.Kept)...)
	return d
}
