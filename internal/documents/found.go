package documents

import (
	"encoding/json"
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/find"
)

// Hit is an item that was found. Title and key are masked; patterns are the IDs of those that
// can run with it. State is "" for an item without a lifecycle, and Entity "" for one that no
// entity matches. Way is read, followed or scan: what the value named, what another hit led to,
// or what a scan came upon.
type Hit struct {
	Schema   string          `json:"schema"`
	Entity   string          `json:"entity"`
	Table    string          `json:"table"`
	Key      json.RawMessage `json:"key"`
	Title    string          `json:"title"`
	State    string          `json:"state"`
	Patterns []string        `json:"patterns"`
	Way      string          `json:"way"`
}

// Missing is a pattern that could find the value with more parameters.
type Missing struct {
	Schema     string   `json:"schema"`
	Pattern    string   `json:"pattern"`
	Parameters []string `json:"parameters"`
}

// Found is the document of find. ConsumedCapacity is in RCU, also for reads that found nothing.
type Found struct {
	Hits             []Hit     `json:"hits"`
	Requests         int       `json:"requests"`
	ConsumedCapacity float64   `json:"consumedCapacity"`
	Missing          []Missing `json:"missing"`
}

// ways are the words for how an item was found.
var ways = map[find.Way]string{find.Direct: "read", find.Followed: "followed", find.Scanned: "scan"}

// OfFound returns the document of a result. It uses the masker of each hit's session, so what a
// user revealed in one schema stays masked in the others.
func OfFound(r find.Result) Found {
	d := Found{Hits: []Hit{}, Requests: r.Requests, ConsumedCapacity: Capacity(r.Capacity), Missing: []Missing{}}
	for _, h := range r.Hits {
		masked := h.Workspace.Session.Masker().Item(h.Table, h.Item)
		key, _ := h.Table.PrimaryKey(masked)
		card := h.Card()
		j := Hit{
			Schema: h.Workspace.Session.Profile().Name, Table: h.Table.Name, Key: key.AppendJSON(nil), Title: card.Title,
			Patterns: []string{}, Way: ways[h.Way],
		}
		if h.Entity != nil {
			j.Entity = h.Entity.Name
		}
		if len(card.States) > 0 {
			j.State = card.States[0].Name
		}
		for _, related := range h.Workspace.Reading.Related(h.Table, h.Item) {
			if id := related.Pattern.FullID(); !slices.Contains(j.Patterns, id) {
				j.Patterns = append(j.Patterns, id)
			}
		}
		d.Hits = append(d.Hits, j)
	}
	for _, m := range r.Missing {
		d.Missing = append(d.Missing, Missing{m.Profile.Name, m.Pattern.FullID(), m.Parameters})
	}
	return d
}
