package local

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// These are the maximum number of entries of each kind, and the maximum size of a stored argument in bytes.
const (
	maxStoredValues  = 20
	maxStoredVisits  = 50
	maxStoredQueries = 50
	maxStoredUses    = 200
	maxArgLength     = 1 << 10
)

// A Visit is an item that the user opened.
type Visit struct {
	Table  *models.Table
	Entity *models.Entity // nil if no entity of the schema matched
	Key    models.Item    // unmasked primary key; mask it before showing it
	At     time.Time
}

// A Query is a pattern that the user ran, with the arguments as typed, so that relative times remain relative.
type Query struct {
	Pattern *accesspatterns.Pattern
	Args    map[string]string // mask the arguments of sensitive parameters before showing them
	At      time.Time
}

// visitDecl and queryDecl are the JSON forms of a Visit and a Query.
type visitDecl struct {
	Table  string          `json:"table"`
	Entity string          `json:"entity,omitempty"`
	Key    json.RawMessage `json:"key"`
}

type queryDecl struct {
	Pattern string            `json:"pattern"`
	Args    map[string]string `json:"args,omitempty"`
}

// A History is a session's view of the store. It is safe for concurrent use.
type History struct {
	s     *session.Viewer
	store *Store
	seen  seen
}

// NewHistory returns the history of a session in a store.
func NewHistory(s *session.Viewer, store *Store) *History {
	return &History{s: s, store: store, seen: seen{
		views: map[*models.Entity][]seenItem{}, cache: map[*accesspatterns.Param]suggestions{},
	}}
}

func (h *History) place(kind string, rest ...string) string {
	t := h.s.Target()
	place := t.Region + "/" + t.Profile
	switch {
	case t.Embedded:
		place = "embedded"
	case t.Custom:
		place = t.Endpoint
	}
	parts := append([]string{kind, h.s.Profile().Name, h.s.Context(), place}, rest...)
	for _, v := range h.s.Profile().Variables {
		parts = append(parts, v.Name+"="+v.Value)
	}
	return strings.Join(parts, "\x1f")
}

// Values returns up to 20 values that the user entered for a parameter, newest first. It returns none while the session
// masks the parameter.
func (h *History) Values(p *accesspatterns.Pattern, param string) []string {
	q := p.Param(param)
	if q == nil || h.s.Masker().Hides(h.s.Sensitivity(q)) {
		return nil
	}
	var list []string
	for _, e := range h.store.List(h.place("values", p.ID, param)) {
		list = append(list, e.ID)
	}
	return list
}

// RecordRun stores the arguments of a run, both separately and together. It keeps sensitive values only in memory, and
// does not store secrets at all.
func (h *History) RecordRun(p *accesspatterns.Pattern, args map[string]string) {
	private := map[string]bool{}
	saved := map[string]string{}
	for _, q := range p.Params {
		text, isSet := args[q.Name]
		if !isSet || text == "" || q.Type == accesspatterns.Token || q.Name == p.PageParam {
			continue
		}
		sensitivity := h.s.Sensitivity(q)
		if sensitivity == models.Secret || len(text) > maxArgLength {
			return
		}
		saved[q.Name] = text
		if sensitivity != models.NotSensitive || mayBePersonal(q, text) {
			private[q.Name] = true
		}
	}
	for name, text := range saved {
		h.store.Add(h.place("values", p.ID, name), text, nil, maxStoredValues, private[name])
	}
	h.store.Add(h.place("queries"), queryID(p, saved), queryDecl{p.ID, saved}, maxStoredQueries, len(private) > 0)
	h.invalidate()
}

func queryID(p *accesspatterns.Pattern, args map[string]string) string {
	id := p.ID
	for _, q := range p.Params {
		if text, ok := args[q.Name]; ok {
			id += "\x1f" + q.Name + "=" + text
		}
	}
	return id
}

// Queries returns the patterns that the user ran, with their arguments, newest first.
func (h *History) Queries() []Query {
	var list []Query
	for _, e := range h.store.List(h.place("queries")) {
		var d queryDecl
		if json.Unmarshal(e.Value, &d) != nil {
			continue // edited by hand; the next run replaces it
		}
		p := h.s.Profile().Pattern(d.Pattern)
		unknown := func(name string) bool { return p.Param(name) == nil }
		if p == nil || slices.ContainsFunc(slices.Collect(maps.Keys(d.Args)), unknown) {
			continue // the schema has changed in the meantime
		}
		list = append(list, Query{p, d.Args, e.At})
	}
	return list
}

// mayBePersonal reports whether a value lacks the documented form. Such a value may be personal and stays in memory.
func mayBePersonal(q *accesspatterns.Param, text string) bool {
	return strings.Contains(text, "@") || q.Warn(text) != ""
}

// RecordVisit records that the user opened an item.
func (h *History) RecordVisit(t *models.Table, it models.Item) {
	key, ok := t.PrimaryKey(it)
	if !ok {
		return
	}
	typed := key.AppendDynamoDBJSON(nil)
	d := visitDecl{Table: t.ID, Key: typed}
	if r, ok := h.s.Recognize(t, it); ok {
		d.Entity = r.Entity.Name
	}
	h.store.Add(h.place("visits"), t.ID+" "+string(typed), d, maxStoredVisits, h.s.HidesKey(t, it))
	h.RecordItems(t, []models.Item{it})
}

// Visits returns up to 50 items that the user opened, newest first.
func (h *History) Visits() []Visit {
	var list []Visit
	for _, e := range h.store.List(h.place("visits")) {
		var d visitDecl
		if json.Unmarshal(e.Value, &d) != nil {
			continue // edited by hand; the next visit replaces it
		}
		t := h.s.Profile().Table(d.Table)
		key, err := models.ParseKeyJSON(d.Key)
		if t == nil || err != nil {
			continue // the schema has changed in the meantime
		}
		if key, ok := t.PrimaryKey(key); ok {
			list = append(list, Visit{t, h.s.Profile().Entity(d.Entity), key, e.At})
		}
	}
	return list
}

// Use records that the user chose a command in the palette.
func (h *History) Use(command string) {
	h.store.Add("uses\x1f"+h.s.Profile().Name, command, nil, maxStoredUses, false)
}

// Commands returns the commands that the user chose in the palette, newest first.
func (h *History) Commands() []string {
	var list []string
	for _, e := range h.store.List("uses\x1f" + h.s.Profile().Name) {
		list = append(list, e.ID)
	}
	return list
}

// Layout returns the stored layout with the given name, or nil.
func (h *History) Layout(name string) []byte {
	return h.store.Fact("layout\x1f" + h.s.Profile().Name + "\x1f" + name)
}

// SetLayout stores a layout under a name, as JSON without item data. Nil or invalid JSON deletes the layout.
func (h *History) SetLayout(name string, layout []byte) {
	if !json.Valid(layout) {
		layout = nil
	}
	h.store.SetFact("layout\x1f"+h.s.Profile().Name+"\x1f"+name, layout)
}

// A DriftCheck is a finished search for drift in all tables of a schema.
type DriftCheck struct {
	At      time.Time `json:"at"`
	Items   int       `json:"items"`   // items with defects
	Scanned int       `json:"scanned"` // items read
}

// Drift returns the last finished search for drift. ok is false if there is none.
func (h *History) Drift() (d DriftCheck, ok bool) {
	raw := h.store.Fact(h.place("drift"))
	return d, raw != nil && json.Unmarshal(raw, &d) == nil
}

// SetDrift stores the result of a finished search for drift.
func (h *History) SetDrift(d DriftCheck) {
	if raw, err := json.Marshal(d); err == nil {
		h.store.SetFact(h.place("drift"), raw)
	}
}

// Notice returns, only once, the problem that prevents reading or writing the history, or "".
func (h *History) Notice() string { return h.store.Notice() }
