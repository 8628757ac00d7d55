package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An AgentView reads one schema for an agent. It can neither reveal personal data nor write; see session.Viewer. It is
// safe for concurrent use.
type AgentView struct {
	viewer  *session.Viewer
	reading *reading.Reader
	planner *changes.Planner
	file    FileRequest // nil without a requests table
}

// A FileRequest files an agent's plan as a request, which a user then decides. client is the name and version of the
// agent's program.
type FileRequest func(ctx context.Context, p *change.Plan, client string) (team.Request, error)

// NewAgentView returns a view for a viewer. With a nil file, the view only shows plans.
func NewAgentView(v *session.Viewer, file FileRequest) *AgentView {
	catalog := tables.New(v)
	rd := reading.New(v, catalog)
	return &AgentView{v, rd, changes.NewPlanner(v, catalog, rd, drift.New(v, catalog, rd)), file}
}

func (v *AgentView) profile() *profiles.Profile { return v.viewer.Profile() }

// readPattern returns a pattern that an agent may run. instead names the tool for a write pattern.
func (v *AgentView) readPattern(id, instead string) (*accesspatterns.Pattern, error) {
	q := v.profile().Pattern(id)
	switch {
	case q == nil:
		hint := cmp.Or(models.DidYouMean(id, v.profile().PatternIDs()), "; list_patterns lists them")
		return nil, session.InputErrorf("%s has no pattern %q%s", v.profile().Name, models.Printable(id), hint)
	case !q.IsRead():
		return nil, session.InputErrorf("%s is a write pattern; %s", q.FullID(), instead)
	case q.Read.Operation == accesspatterns.Scan:
		return nil, &session.Refusal{
			Reason: q.FullID() + " scans a table, which agents are not allowed to do",
			Advice: "use a pattern with a key",
		}
	}
	return q, nil
}

// A runDoc is the envelope of `run -o json`. Truncated is additional, because the answers to agents are limited.
type runDoc struct {
	Items            []json.RawMessage       `json:"items"`
	Count            int                     `json:"count"`
	ScannedCount     int                     `json:"scannedCount"`
	ConsumedCapacity float64                 `json:"consumedCapacity"`
	Requests         int                     `json:"requests"`
	Next             *string                 `json:"next"`
	Finding          *accesspatterns.Finding `json:"finding"`
	Truncated        bool                    `json:"truncated"` // more rows follow, or values were shortened
}

// pageRows is the number of rows to read at a time. The answer can end after each page.
const pageRows = 10

func (v *AgentView) run(ctx context.Context, a *arguments, maximum limits) (out runDoc, units float64, err error) {
	q, err := v.readPattern(a.pattern, "plan_change plans changes")
	if err != nil {
		return out, 0, err
	}
	request, err := v.reading.Bind(q, a.parameters)
	if err != nil {
		return out, 0, err
	}
	if err := v.reading.CheckNarrowed(request, "use a pattern that compares whole values"); err != nil {
		return out, 0, err
	}
	r, err := v.reading.Run(request, reading.RunOptions{Limit: min(pageRows, maximum.rows), Token: a.next})
	if err != nil {
		text, isTokenError := strings.CutPrefix(err.Error(), "--next: ")
		if isTokenError {
			err = session.InputErrorf("parameter next: %s", text)
		}
		return out, 0, err
	}
	out.Items, out.Finding = []json.RawMessage{}, q.Defect()
	encoder := v.viewer.Masker().Encoder(q.Table, false)
	if len(q.Returns) > 1 {
		encoder = encoder.WithEntityField()
	}
	more, size, omitted, next := true, 0, 0, ""
	for more && len(out.Items) < maximum.rows && r.Totals().Capacity < maximum.units && size < maximum.bytes/2 {
		if len(out.Items) > 0 {
			if next, err = r.Token(); err != nil {
				return out, r.Totals().Capacity, err
			}
		}
		r.SetLimit(min(pageRows, maximum.rows-len(out.Items)))
		page, err := r.Next(ctx)
		if err != nil {
			return out, r.Totals().Capacity, err // a failed read also consumed capacity
		}
		items := models.MapSlice(page.Items, func(it models.Item) json.RawMessage { return encoder.Append(nil, it) })
		for _, item := range items {
			size += len(item)
		}
		if next != "" && size > maximum.bytes/8*7 { // The rest is for the other members.
			omitted = page.Count
			break
		}
		more, next = page.More, ""
		out.Items = append(out.Items, items...)
	}
	t := r.Totals()
	out.Count, out.ScannedCount, out.Requests, out.ConsumedCapacity = t.Count-omitted, t.Scanned, t.Requests, reading.Round(t.Capacity)
	if more {
		if next == "" {
			next, err = r.Token()
		}
		out.Next, out.Truncated = &next, true
	}
	return out, t.Capacity, err
}

func (v *AgentView) table(name string) (*models.Table, error) {
	p := v.profile()
	if name == "" && len(p.Tables) == 1 {
		return p.Tables[0], nil
	}
	if t := p.Table(name); t != nil {
		return t, nil
	}
	known := strings.Join(models.MapSlice(p.Tables, func(t *models.Table) string { return t.Name }), ", ")
	if name == "" {
		return nil, session.InputErrorf("missing parameter table; tables of %s: %s", p.Name, known)
	}
	return nil, session.InputErrorf("%s has no table %q; tables: %s", p.Name, models.Printable(name), known)
}

func keyOf(t *models.Table, args map[string]string) (models.Item, error) {
	out, keys := models.Item{}, t.PrimaryKeys()
	keyNames := strings.Join(models.MapSlice(keys, func(k models.Key) string { return k.Name }), " and ")
	for _, k := range keys {
		v, err := models.ScalarValue(k.Type, args[k.Name])
		if args[k.Name] == "" || err != nil {
			return nil, session.InputErrorf("parameter key: missing %s of type %s; expected %s", k.Name, k.Type, keyNames)
		}
		out[k.Name] = v
	}
	for name := range args {
		if out[name] == nil {
			return nil, session.InputErrorf("parameter key: %q is not a key attribute of %s; expected %s",
				models.Printable(name), t.Name, keyNames)
		}
	}
	return out, nil
}
