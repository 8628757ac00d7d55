package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Desk reads one schema for an agent. It is made of parts that can neither reveal personal data nor
// write; see session.Viewer. It is safe for concurrent use.
type Desk struct {
	viewer  *session.Viewer
	reading *reading.Reader
	planner *changes.Planner
	file    File // nil where no table for requests is configured
}

// A File files what an agent planned as a request that a user decides. Client is the name and version of the agent's program.
type File func(ctx context.Context, p *change.Plan, client string) (team.Request, error)

// NewDesk returns the desk of a viewer. File is nil if plans are only shown.
func NewDesk(v *session.Viewer, file File) *Desk {
	catalog := tables.New(v)
	rd := reading.New(v, catalog)
	return &Desk{v, rd, changes.NewPlanner(v, catalog, rd, drift.New(v, catalog, rd)), file}
}

func (d *Desk) profile() *profiles.Profile { return d.viewer.Profile() }

// patternDoc is a pattern in a list: enough to choose and to run it.
type patternDoc struct {
	ID         string         `json:"id"`
	Title      string         `json:"title"`
	Kind       string         `json:"kind"`
	Operation  string         `json:"operation"`
	Parameters []schema.Param `json:"parameters,omitempty"`
	Finding    string         `json:"finding,omitempty"` // ID of the issue by which it does not work as documented
}

func (d *Desk) patterns(text string) []patternDoc {
	list := []patternDoc{}
	for _, q := range d.profile().Patterns {
		if !strings.Contains(strings.ToLower(q.FullID()+" "+q.Title), strings.ToLower(text)) {
			continue
		}
		doc := schema.OfPattern(q)
		entry := patternDoc{ID: doc.ID, Title: doc.Title, Kind: doc.Kind, Operation: doc.Operation, Parameters: doc.Parameters}
		if doc.Finding != nil {
			entry.Finding = doc.Finding.ID
		}
		list = append(list, entry)
	}
	return list
}

func errScan(q *accesspatterns.Pattern) error {
	return &session.Refusal{Why: q.FullID() + " scans a table, which agents are not allowed to do", Next: "use a pattern with a key"}
}

// rowsOf are the items of a run, with what was consumed.
type rowsOf struct {
	doc   runDoc
	total reading.Page
}

// runDoc is the envelope of `run -o json`, with what an agent has to know about its limits.
type runDoc struct {
	Items            []json.RawMessage       `json:"items"`
	Count            int                     `json:"count"`
	ScannedCount     int                     `json:"scannedCount"`
	ConsumedCapacity float64                 `json:"consumedCapacity"`
	Requests         int                     `json:"requests"`
	Next             *string                 `json:"next"`
	Finding          *accesspatterns.Finding `json:"finding"`
	Truncated        bool                    `json:"truncated"` // more follows, or values were shortened
}

// pageRows is how many rows are read at once: the answer can end after each of these pages.
const pageRows = 10

func (d *Desk) run(ctx context.Context, id string, given map[string]string, token string, most limits) (rowsOf, error) {
	q, err := d.reading.Pattern(id)
	if err != nil {
		return rowsOf{}, err
	}
	switch {
	case !q.IsRead():
		return rowsOf{}, session.InputErrorf("%s is a write pattern; plan_change plans changes", q.FullID())
	case q.Read.Operation == accesspatterns.Scan:
		return rowsOf{}, errScan(q)
	}
	request, err := d.reading.Bind(q, given)
	if err != nil {
		return rowsOf{}, err
	}
	r, err := d.reading.Run(request, reading.RunOptions{Limit: min(pageRows, most.rows), Token: token})
	if err != nil {
		return rowsOf{}, err
	}
	out := rowsOf{doc: runDoc{Items: []json.RawMessage{}, Finding: q.Defect()}}
	encoder, size := d.viewer.Masker().Encoder(q.Table, false), 0
	if len(q.Returns) > 1 {
		encoder = encoder.Named()
	}
	more := true
	for more && out.within(most, size) {
		r.SetLimit(min(pageRows, most.rows-len(out.doc.Items)))
		page, err := r.Next(ctx)
		if err != nil {
			out.total = r.Totals() // what failed was paid for as well
			return out, err
		}
		for _, it := range page.Items {
			item := json.RawMessage(encoder.Append(nil, it))
			size += len(item)
			out.doc.Items = append(out.doc.Items, item)
		}
		more, out.total = page.More, r.Totals()
	}
	t := r.Totals()
	out.doc.Count, out.doc.ScannedCount, out.doc.Requests = t.Count, t.Scanned, t.Requests
	out.doc.ConsumedCapacity = documents.Capacity(t.Capacity)
	if !more {
		return out, nil
	}
	next, err := r.Token()
	out.doc.Next, out.doc.Truncated = &next, true
	return out, err
}

func (o rowsOf) within(most limits, size int) bool {
	return len(o.doc.Items) < most.rows && o.total.Capacity < most.units && size < most.bytes/2 // the rest is for a last page
}

// item is an item that was read by its key.
type itemDoc struct {
	Table  string          `json:"table"`
	Entity string          `json:"entity"` // "" if no entity matches
	Item   json.RawMessage `json:"item"`   // null if there is none
}

func (d *Desk) table(name string) (*models.Table, error) {
	list := d.profile().Tables
	if name == "" && len(list) == 1 {
		return list[0], nil
	}
	for _, t := range list {
		if name == t.ID || name == t.Name {
			return t, nil
		}
	}
	known := strings.Join(models.NamesOf(list, func(t *models.Table) string { return t.Name }), ", ")
	if name == "" {
		return nil, session.InputErrorf("table: missing; tables of %s: %s", d.profile().Name, known)
	}
	return nil, session.InputErrorf("%s has no table %q; tables: %s", d.profile().Name, models.Printable(name), known)
}

func key(t *models.Table, given map[string]any) (models.Item, error) {
	out, want := models.Item{}, models.NamesOf(t.PrimaryKeys(), func(k models.Key) string { return k.Name })
	for _, k := range t.PrimaryKeys() {
		var text string
		switch v := given[k.Name].(type) {
		case string:
			text = v
		case json.Number:
			text = v.String()
		case float64:
			return nil, session.InputErrorf("key: pass %s as a string; JSON numbers cannot hold every DynamoDB number", k.Name)
		}
		v, err := models.ScalarValue(k.Type, text)
		if text == "" || err != nil {
			return nil, session.InputErrorf("key: needs %s of type %s; expected %s", k.Name, k.Type, strings.Join(want, " and "))
		}
		out[k.Name] = v
	}
	for name := range given {
		if !slices.Contains(want, name) {
			return nil, session.InputErrorf("key: %q is not a key attribute of %s; expected %s",
				models.Printable(name), t.Name, strings.Join(want, " and "))
		}
	}
	return out, nil
}

func (d *Desk) get(ctx context.Context, table string, given map[string]any) (*models.Table, models.Item, error) {
	t, err := d.table(table)
	if err != nil {
		return nil, nil, err
	}
	k, err := key(t, given)
	if err != nil {
		return nil, nil, err
	}
	it, err := d.reading.Get(ctx, t, k)
	return t, it, err
}

func (d *Desk) shown(t *models.Table, it models.Item) itemDoc {
	doc := itemDoc{Table: t.Name, Item: json.RawMessage("null")}
	if it == nil {
		return doc
	}
	doc.Item = d.viewer.Masker().Encoder(t, false).Append(nil, it)
	if r, ok := d.viewer.Recognize(t, it); ok {
		doc.Entity = r.Entity.Name
	}
	return doc
}

// relatedDoc is a pattern that an item fills, with the parameters that may be shown.
type relatedDoc struct {
	Pattern    string            `json:"pattern"`
	Title      string            `json:"title"`
	Parameters map[string]string `json:"parameters"`
	Hidden     []string          `json:"hidden,omitempty"` // parameters whose values are masked
}

func (d *Desk) related(t *models.Table, it models.Item) []relatedDoc {
	list := []relatedDoc{}
	for _, r := range d.reading.Related(t, it) {
		doc := relatedDoc{Pattern: r.Pattern.FullID(), Title: r.Pattern.Title, Parameters: map[string]string{}}
		for _, q := range r.Pattern.Params {
			value, ok := r.Args[q.Name]
			switch {
			case !ok:
			case d.viewer.Sensitivity(q) == models.Open:
				doc.Parameters[q.Name] = value
			default:
				doc.Hidden = append(doc.Hidden, q.Name)
			}
		}
		list = append(list, doc)
	}
	return list
}

func (d *Desk) finding(id string) (*accesspatterns.Finding, error) {
	for _, f := range d.profile().Findings {
		if strings.EqualFold(f.ID, id) {
			return f, nil
		}
	}
	ids := models.NamesOf(d.profile().Findings, func(f *accesspatterns.Finding) string { return f.ID })
	return nil, session.InputErrorf("%s has no finding %q; findings: %s", d.profile().Name, models.Printable(id), strings.Join(ids, ", "))
}

// planDoc is a plan that a person may apply.
type planDoc struct {
	documents.Change
	Apply string `json:"apply"` // what a person does to apply it
}

func (d *Desk) plan(ctx context.Context, id string, inputs map[string]string, reason string) (*change.Plan, planDoc, error) {
	a, err := d.planner.Action(id)
	if err != nil {
		return nil, planDoc{}, err
	}
	if _, err := d.planner.CheckInputs(ctx, a, inputs); err != nil {
		return nil, planDoc{}, err
	}
	if err := session.NeedsReason(a, reason); err != nil {
		return nil, planDoc{}, fmt.Errorf("reason: %w", err)
	}
	p, err := d.planner.Plan(ctx, a, inputs, reason)
	if err != nil {
		return nil, planDoc{}, err
	}
	shown := p.Shown(d.viewer.Masker())
	doc := documents.OfChange(a, documents.Planned, reason, shown, false)
	capacity := p.Capacity()
	doc.Capacity, doc.Token = &capacity, nil // a token is for the request that is sent, and none is
	apply := fmt.Sprintf("Nothing was written. To apply the change, a user with role admin runs the action %s of %s in ddbdesk.",
		a.ID, d.profile().Name)
	return p, planDoc{doc, apply}, nil
}
