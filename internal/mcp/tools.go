package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// arguments contains the arguments of all tools. Each tool declares a subset. The descriptions are short, because
// agents read them in every conversation.
type arguments struct {
	schema, value, text, pattern, key, sort, table, id, action, reason, next string

	limit              int
	parameters, inputs map[string]string // parameters of a pattern, and inputs of an action
	item               map[string]string // key of an item
}

// defaultRows is the number of rows that run_pattern returns by default.
const defaultRows = 20

// tools returns the operations for agents. A test fixes this set, because adding one must be a deliberate decision.
func (s *Server) tools(t *toolCall) []*op.Op {
	planOp := op.Op{
		Path: "plan_change", Agent: "Plan an action and show its writes, without writing; an admin applies it", Needs: op.Reads,
	}
	if s.canFileRequests() {
		planOp.Agent, planOp.Needs = "Plan an action, show its writes, and file it as a request, which an admin applies", op.Writes
	}
	itemKey := func(a *arguments) []*op.Param {
		return []*op.Param{
			schemaParam(a), op.Flag(&a.table, "table", "required if the schema has more than one table"),
			op.Arg(&a.item, "key", "the table's key attributes and their values, as strings"),
		}
	}
	list := []*op.Op{
		tool(op.Op{
			Path: "find", Agent: "Find the items that a value identifies, in all schemas", Needs: op.Reads,
		}, t.find, func(a *arguments) []*op.Param {
			return []*op.Param{op.Arg(&a.value, "value", "an ID, key, email, domain, link or item as JSON, or a text that contains one")}
		}),
		tool(op.Op{
			Path: "list_patterns", Agent: "List the documented access patterns with their parameters",
		}, t.list, func(a *arguments) []*op.Param {
			return []*op.Param{schemaParam(a), op.Flag(&a.text, "text", "part of the ID or title")}
		}),
		tool(op.Op{
			Path: "run_pattern", Agent: "Run a read pattern; returns its items", Needs: op.Reads,
		}, t.withView(t.run), func(a *arguments) []*op.Param {
			return []*op.Param{
				schemaParam(a), op.Arg(&a.pattern, "pattern", "ID from list_patterns"),
				op.Flag(&a.parameters, "parameters", "times as 2026-01-14T10:00:00Z, today or now-7d; several values of a list as a,b"),
				op.Flag(&a.limit, "limit", fmt.Sprintf("rows, %d if omitted, at most %d", defaultRows,
					perCall.rows)).WithCheck(func() error {
					if a.limit < 0 || a.limit > perCall.rows {
						return fmt.Errorf("%d is out of range; use 1 to %d", a.limit, perCall.rows)
					}
					return nil
				}),
				nextParam(a),
			}
		}),
		tool(op.Op{Path: "decode_key", Agent: "Decode a key into its entity and values"}, t.withView(t.decode),
			func(a *arguments) []*op.Param {
				return []*op.Param{
					schemaParam(a), op.Arg(&a.key, "key", ""),
					op.Flag(&a.sort, "sort_key", "").WithCheck(func() error { return accesspatterns.CheckKey(cmp.Or(a.sort, "none")) }),
				}
			}),
		tool(op.Op{Path: "get_item", Agent: "Read one item by its primary key", Needs: op.Reads}, t.withView(t.item), itemKey),
		tool(op.Op{Path: "related", Agent: "List the patterns that an item's values fill", Needs: op.Reads},
			t.withView(t.related), itemKey),
		tool(op.Op{Path: "explain_finding", Agent: "Explain a known issue of a schema"}, t.withView(t.finding),
			func(a *arguments) []*op.Param {
				return []*op.Param{schemaParam(a), op.Arg(&a.id, "id", "")}
			}),
		tool(planOp, t.withView(t.plan), func(a *arguments) []*op.Param {
			return []*op.Param{
				schemaParam(a), op.Arg(&a.action, "action", ""), op.Flag(&a.inputs, "inputs", ""),
				op.Flag(&a.reason, "reason", ""),
			}
		}),
	}
	for _, q := range s.patterns {
		o := op.Op{Path: toolName(q), Agent: q.Title, Needs: op.Reads}
		list = append(list, tool(o, t.withView(t.run), func(a *arguments) []*op.Param {
			a.pattern, a.parameters = q.FullID(), map[string]string{}
			page := nextParam(a)
			if slices.ContainsFunc(q.Params, func(p *accesspatterns.Param) bool { return p.Name == page.Name }) {
				page.Name = "page_token"
			}
			inputs := []*op.Param{page}
			for _, p := range q.Params {
				inputs = append(inputs, op.MapFlag(a.parameters, p))
			}
			return inputs
		}))
	}
	return list
}

// toolName uses at most 64 letters, digits, '_' and '-', which every client accepts. Long names end with a hash.
func toolName(q *accesspatterns.Pattern) string {
	const maximum, hash = 64, 8
	name := strings.ReplaceAll(q.FullID(), ".", "_")
	if len(name) > maximum {
		sum := sha256.Sum256([]byte(name))
		name = name[:maximum-hash-1] + "_" + hex.EncodeToString(sum[:hash/2])
	}
	return name
}

// A handler returns the document of a tool. It records its reads in the tool call.
type handler func(ctx context.Context, a *arguments) (any, error)

func tool(o op.Op, do handler, inputs func(*arguments) []*op.Param) *op.Op {
	return op.New(o, inputs, func(ctx context.Context, _ *op.Call, a *arguments) (op.Result, error) {
		document, err := do(ctx, a)
		return op.Doc{Document: document}, err
	})
}

func (t *toolCall) withView(do func(ctx context.Context, d *AgentView, a *arguments) (any, error)) handler {
	return func(ctx context.Context, a *arguments) (any, error) {
		d, err := t.viewOf(a)
		if err != nil {
			return nil, err
		}
		t.journalView, t.subject = d, d.profile().Name
		return do(ctx, d, a)
	}
}

// viewOf returns the view of the schema that a call names, or the only view that fits the call.
func (t *toolCall) viewOf(a *arguments) (*AgentView, error) {
	if name, _, ok := strings.Cut(cmp.Or(a.pattern, a.action), "."); ok && a.schema == "" {
		a.schema = name
	}
	if a.schema == "" {
		matching := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return !t.views[name].fits(a) })
		if len(matching) > 1 {
			return nil, session.InputErrorf("missing parameter schema; schemas that fit: %s", strings.Join(matching, ", "))
		} else if len(matching) == 1 {
			a.schema = matching[0]
		}
	}
	return t.view(a.schema)
}

// fits reports whether a call without a schema can refer to this view.
func (v *AgentView) fits(a *arguments) bool {
	p := v.profile()
	switch {
	case a.pattern != "":
		return p.Pattern(a.pattern) != nil
	case a.action != "":
		return p.Action(a.action) != nil
	case a.id != "":
		return slices.ContainsFunc(p.Findings, func(f *accesspatterns.Finding) bool { return strings.EqualFold(f.ID, a.id) })
	case a.key != "":
		doc, err := explore.Decode(p, a.key, a.sort)
		return err == nil && len(doc.Candidates) > 0
	}
	return slices.ContainsFunc(p.Tables, func(table *models.Table) bool {
		_, err := keyOf(table, a.item)
		return err == nil && (a.table == "" || table.Name == a.table)
	})
}

func schemaParam(a *arguments) *op.Param { return op.Flag(&a.schema, "schema", "") }

func nextParam(a *arguments) *op.Param {
	return op.Flag(&a.next, "next", "page token of the previous response")
}

func (t *toolCall) find(ctx context.Context, a *arguments) (any, error) {
	if t.o.Find == nil {
		return nil, errors.New("search is not available on this server")
	}
	found, err := t.o.Find(ctx, strings.TrimSpace(a.value))
	found.Offers, found.Truncated = nil, found.Truncated || len(found.Hits) > t.limits.rows // No tool accepts an offer.
	found.Hits = found.Hits[:min(len(found.Hits), t.limits.rows)]
	t.rows, t.units = len(found.Hits), found.ConsumedCapacity
	for i, failed := range found.Failed {
		found.Failed[i].Error = models.Printable(agentError(failed.Err).Error())
	}
	return found, err
}

// A schemaDoc describes a schema and the actions that plan_change accepts.
type schemaDoc struct {
	Schema  string      `json:"schema"`
	Title   string      `json:"title"`
	Tables  []string    `json:"tables"`
	Actions []actionDoc `json:"actions"`
}

// An actionDoc contains the data for choosing and planning an action.
type actionDoc struct {
	Name       string                   `json:"name"`
	Title      string                   `json:"title"`
	Transition *schema.ActionTransition `json:"transition,omitempty"`
	Inputs     []paramDoc               `json:"inputs"`
	Reason     change.ReasonRule        `json:"reason,omitempty"`
}

// A patternDoc contains the data for choosing and running a pattern.
type patternDoc struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Operation  string     `json:"operation"`
	Parameters []paramDoc `json:"parameters,omitempty"`
	Finding    string     `json:"finding,omitempty"` // ID of the issue that prevents the documented behavior
}

// A paramDoc omits the default if the parameter has none.
type paramDoc struct {
	schema.Param

	Default *string `json:"default,omitempty"`
}

// list omits parts that no tool can run: writes, scans and disabled actions.
func (t *toolCall) list(_ context.Context, a *arguments) (any, error) {
	names := t.names
	if a.schema != "" {
		if _, err := t.view(a.schema); err != nil {
			return nil, err
		}
		names, t.subject = []string{a.schema}, a.schema
	}
	requested := func(id, title string) bool {
		return strings.Contains(strings.ToLower(id+" "+title), strings.ToLower(a.text))
	}
	schemas, patterns := []schemaDoc{}, []patternDoc{}
	for _, name := range names {
		d := t.views[name]
		p := d.profile()
		tables := models.MapSlice(p.Tables, func(t *models.Table) string { return t.Name })
		schemaEntry := schemaDoc{name, p.Title, tables, []actionDoc{}}
		for _, act := range p.Actions {
			if !act.IsRaw() && act.Disabled == "" && len(act.RevealingNames()) == 0 && requested(act.FullID(), act.Title) {
				doc := schema.NewAction(act)
				entry := actionDoc{act.FullID(), doc.Title, doc.Transition, []paramDoc{}, doc.Reason}
				for _, in := range doc.Inputs {
					entry.Inputs = append(entry.Inputs, paramDoc{in.Param, in.Default})
				}
				schemaEntry.Actions = append(schemaEntry.Actions, entry)
			}
		}
		schemas = append(schemas, schemaEntry)
		for _, q := range p.Patterns {
			if _, err := d.readPattern(q.ID, ""); err != nil || !requested(q.FullID(), q.Title) {
				continue
			}
			doc := schema.NewPattern(q)
			entry := patternDoc{doc.ID, doc.Title, doc.Operation, nil, ""}
			for _, in := range doc.Parameters {
				entry.Parameters = append(entry.Parameters, paramDoc{in, in.Default})
			}
			if doc.Finding != nil {
				entry.Finding = doc.Finding.ID
			}
			patterns = append(patterns, entry)
		}
	}
	return map[string]any{"schemas": schemas, "patterns": patterns}, nil
}

func (t *toolCall) run(ctx context.Context, d *AgentView, a *arguments) (any, error) {
	maximum := t.limits
	maximum.rows = min(maximum.rows, cmp.Or(a.limit, defaultRows))
	t.subject = models.PrintableCell(a.pattern, 80)
	doc, units, err := d.run(ctx, a, maximum)
	t.rows, t.units = len(doc.Items), units
	return doc, err
}

func (*toolCall) decode(_ context.Context, d *AgentView, a *arguments) (any, error) {
	doc, err := explore.Decode(d.profile(), a.key, a.sort)
	if err != nil {
		return nil, session.InputErrorf("key: %v", err)
	}
	return doc, nil
}

func (t *toolCall) get(ctx context.Context, d *AgentView, a *arguments) (*models.Table, models.Item, error) {
	table, err := d.table(a.table)
	if err != nil {
		return nil, nil, err
	}
	k, err := keyOf(table, a.item)
	if err != nil {
		return nil, nil, err
	}
	var used store.Meter
	it, err := d.reading.Get(used.Watch(ctx), table, k)
	if t.units = used.Units(); err == nil {
		t.rows, t.subject = min(len(it), 1), t.subject+" "+table.Name
	}
	return table, it, err
}

func (t *toolCall) item(ctx context.Context, d *AgentView, a *arguments) (any, error) {
	table, it, err := t.get(ctx, d, a)
	if err != nil {
		return nil, err
	}
	doc := map[string]any{"table": table.Name, "entity": "", "item": nil} // an empty entity means none
	if it != nil {
		doc["item"] = json.RawMessage(d.viewer.Masker().Encoder(table, false).Append(nil, it))
	}
	if r, ok := d.viewer.Recognize(table, it); ok && it != nil {
		doc["entity"] = r.Entity.Name
	}
	return doc, nil
}

// A relatedDoc is a pattern that an item fills, with the parameters that the agent may see.
type relatedDoc struct {
	Pattern    string            `json:"pattern"`
	Title      string            `json:"title"`
	Parameters map[string]string `json:"parameters"`
	Hidden     []string          `json:"hidden,omitempty"` // parameters whose values are masked
}

func (t *toolCall) related(ctx context.Context, d *AgentView, a *arguments) (any, error) {
	table, it, err := t.get(ctx, d, a)
	switch {
	case err != nil:
		return nil, err
	case it == nil:
		return nil, session.InputErrorf("no such item in %s", table.Name)
	}
	list := []relatedDoc{}
	for _, r := range d.reading.Related(table, it) {
		doc := relatedDoc{Pattern: r.Pattern.FullID(), Title: r.Pattern.Title, Parameters: map[string]string{}}
		for _, q := range r.Pattern.Params {
			if value, ok := r.Args[q.Name]; ok && d.viewer.Sensitivity(q) == models.NotSensitive {
				doc.Parameters[q.Name] = value
			} else if ok {
				doc.Hidden = append(doc.Hidden, q.Name)
			}
		}
		list = append(list, doc)
	}
	return map[string]any{"patterns": list}, nil
}

func (*toolCall) finding(_ context.Context, d *AgentView, a *arguments) (any, error) {
	all := d.profile().Findings
	if i := slices.IndexFunc(all, func(f *accesspatterns.Finding) bool { return strings.EqualFold(f.ID, a.id) }); i >= 0 {
		return all[i], nil
	}
	ids := models.MapSlice(all, func(f *accesspatterns.Finding) string { return f.ID })
	return nil, session.InputErrorf("%s has no finding %q; findings: %s", d.profile().Name, models.Printable(a.id), strings.Join(ids, ", "))
}

// A planDoc is a plan for a user to apply.
type planDoc struct {
	changes.Document

	Apply string `json:"apply"` // instruction for the user who applies it
}

func (t *toolCall) plan(ctx context.Context, d *AgentView, a *arguments) (any, error) {
	t.subject, t.rows = models.PrintableCell(t.subject+" "+a.action, 80), 1
	act, err := d.planner.Action(a.action)
	if err != nil {
		return nil, err
	}
	if refused, ok := errors.AsType[*session.Refusal](d.viewer.CanPlan(act)); ok {
		return nil, &session.Refusal{Reason: refused.Reason} // The remedy is for users who edit the schema.
	}
	if names := act.RevealingNames(); len(names) > 0 {
		return nil, &session.Refusal{
			Reason: fmt.Sprintf("%s depends on masked values (%s), and its plan would reveal them", act.FullID(),
				strings.Join(names, ", ")),
			Advice: "ask a user to plan it",
		}
	}
	missing := slices.DeleteFunc(slices.Clone(act.Inputs), func(p *accesspatterns.Param) bool {
		_, byDefault := act.Defaults[p.Name]
		return !p.Required || byDefault || a.inputs[p.Name] != ""
	})
	if act.Reason == change.ReasonRequired && strings.TrimSpace(a.reason) == "" {
		missing = append(missing, &accesspatterns.Param{Name: "reason"})
	}
	if len(missing) > 1 || len(missing) == 1 && missing[0].Name == "reason" {
		names := models.MapSlice(missing, func(p *accesspatterns.Param) string { return p.Name })
		return nil, session.InputErrorf("%s requires %s", act.FullID(), english.OxfordWordSeries(names, "and"))
	}
	if _, err := d.planner.SubjectKey(act, a.inputs); err != nil {
		return nil, err
	}
	if _, err := session.ReasonFor(act, a.reason); err != nil {
		return nil, fmt.Errorf("reason: %w", err)
	}
	var used store.Meter
	p, err := d.planner.Plan(used.Watch(ctx), act, a.inputs, a.reason)
	if t.units = used.Units(); err != nil {
		return nil, err
	}
	doc := planDoc{Document: changes.DocumentOf(act, changes.Planned, a.reason, p.Shown(d.viewer.Masker()), false)}
	capacity := p.Capacity()
	doc.Capacity, doc.Token = &capacity, nil // a token belongs to a sent request
	if d.file == nil {
		doc.Apply = fmt.Sprintf("Nothing was written. To apply the change, a user with role admin runs the action %s of %s in ddbdesk.",
			act.ID, d.profile().Name)
		return doc, nil
	}
	filed, err := d.file(ctx, p, t.client)
	if err != nil {
		return nil, fmt.Errorf("ddbdesk planned the change but could not file the request: %w", err)
	}
	doc.Request, doc.Apply = &filed.ID, fmt.Sprintf("Filed as request %s of %s; the item was not changed. "+
		"A user with role admin reviews it "+
		"in ddbdesk.", filed.ID, d.profile().Name)
	return doc, nil
}
