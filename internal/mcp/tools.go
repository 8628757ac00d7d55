package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// The arguments of the tools. Their descriptions are read by agents, in each conversation: they are short.
type (
	findIn struct {
		Value string `json:"value" jsonschema:"an ID, key, email, domain or item as JSON, complete"`
	}
	listIn struct {
		Schema string `json:"schema,omitempty"`
		Text   string `json:"text,omitempty" jsonschema:"part of the ID or title"`
	}
	runIn struct {
		Schema     string            `json:"schema,omitempty"`
		Pattern    string            `json:"pattern" jsonschema:"ID from list_patterns"`
		Parameters map[string]string `json:"parameters,omitempty" jsonschema:"times as 2026-01-14T10:00:00Z, today or now-7d"`
		Limit      int               `json:"limit,omitempty" jsonschema:"rows, 20 if omitted, at most 100"`
		Next       string            `json:"next,omitempty" jsonschema:"page token of the previous answer"`
	}
	decodeIn struct {
		Schema  string `json:"schema,omitempty"`
		Key     string `json:"key"`
		SortKey string `json:"sort_key,omitempty"`
	}
	itemIn struct {
		Schema string         `json:"schema,omitempty"`
		Table  string         `json:"table,omitempty" jsonschema:"required if the schema has more than one table"`
		Key    map[string]any `json:"key" jsonschema:"the table's key attributes and their values, as strings"`
	}
	findingIn struct {
		Schema string `json:"schema,omitempty"`
		ID     string `json:"id"`
	}
	planIn struct {
		Schema string            `json:"schema,omitempty"`
		Action string            `json:"action"`
		Inputs map[string]string `json:"inputs,omitempty"`
		Reason string            `json:"reason,omitempty"`
	}
)

// defaultRows is how many rows run_pattern returns without a limit.
const defaultRows = 20

// patternsDoc is the answer of list_patterns.
type patternsDoc struct {
	Schemas  []schemaDoc  `json:"schemas"`
	Patterns []patternDoc `json:"patterns"`
}

// schemaDoc names a schema with the actions that plan_change takes.
type schemaDoc struct {
	Schema  string   `json:"schema"`
	Title   string   `json:"title"`
	Tables  []string `json:"tables"`
	Actions []string `json:"actions"`
}

func (s *Server) addTools() {
	add(s, &sdk.Tool{Name: "find", Description: "Find the items that a value identifies, in all schemas"}, s.find)
	add(s, &sdk.Tool{Name: "list_patterns", Description: "List the documented access patterns with their parameters"}, s.list)
	add(s, &sdk.Tool{Name: "run_pattern", Description: "Run a read pattern; returns its items"}, s.run)
	add(s, &sdk.Tool{Name: "decode_key", Description: "Decode a key into its entity and values"}, s.decode)
	add(s, &sdk.Tool{Name: "get_item", Description: "Read one item by its primary key"}, s.item)
	add(s, &sdk.Tool{Name: "related", Description: "List the patterns that an item's values fill"}, s.related)
	add(s, &sdk.Tool{Name: "explain_finding", Description: "Explain a known issue of a schema"}, s.finding)
	what := "Plan an action and show what it would write; writes nothing; an admin applies it"
	if s.files() {
		what = "Plan an action, show what it would write, and file it as a request; an admin applies it"
	}
	add(s, &sdk.Tool{Name: "plan_change", Description: what}, s.plan)
}

func (s *Server) find(ctx context.Context, in findIn, most scope) (answer, error) {
	if s.o.Find == nil {
		return answer{}, errors.New("search is not available on this server")
	}
	found, err := s.o.Find(ctx, in.Value)
	if err != nil {
		return answer{}, err
	}
	found.Hits = found.Hits[:min(len(found.Hits), most.rows)]
	return answer{value: found, rows: len(found.Hits), units: found.ConsumedCapacity}, nil
}

func (s *Server) list(_ context.Context, in listIn, _ scope) (answer, error) {
	names := s.names
	if in.Schema != "" {
		d, err := s.desk(in.Schema)
		if err != nil {
			return answer{}, err
		}
		names = []string{d.profile().Name}
	}
	doc := patternsDoc{Patterns: []patternDoc{}}
	for _, name := range names {
		p := s.desks[name].profile()
		doc.Schemas = append(doc.Schemas, schemaDoc{
			Schema: name, Title: p.Title, Actions: append([]string{}, p.ActionIDs()...),
			Tables: models.NamesOf(p.Tables, func(t *models.Table) string { return t.Name }),
		})
		doc.Patterns = append(doc.Patterns, s.desks[name].patterns(in.Text)...)
	}
	return answer{value: doc, about: in.Schema}, nil
}

func (s *Server) run(ctx context.Context, in runIn, most scope) (answer, error) {
	if name, _, ok := strings.Cut(in.Pattern, "."); ok && in.Schema == "" {
		in.Schema = name
	}
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	switch {
	case in.Limit < 0 || in.Limit > perCall.rows:
		return answer{desk: d}, session.InputErrorf("limit: %d is not between 1 and %d", in.Limit, perCall.rows)
	case in.Limit == 0:
		in.Limit = defaultRows
	}
	most.rows = min(most.rows, in.Limit)
	out, err := d.run(ctx, in.Pattern, in.Parameters, in.Next, most.limits)
	about := models.PrintableCell(in.Pattern, 80)
	return answer{value: out.doc, desk: d, about: about, rows: len(out.doc.Items), units: out.total.Capacity}, err
}

func (s *Server) decode(_ context.Context, in decodeIn, _ scope) (answer, error) {
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	if err := accesspatterns.CheckKey(in.SortKey); in.SortKey != "" && err != nil {
		return answer{desk: d}, session.InputErrorf("sort_key: %v", err)
	}
	p := d.profile()
	doc, err := explore.Decode(p, in.Key, in.SortKey)
	if err != nil {
		return answer{desk: d}, session.InputErrorf("key: %v", err)
	}
	return answer{value: doc, desk: d, about: p.Name}, nil
}

func (s *Server) item(ctx context.Context, in itemIn, _ scope) (answer, error) {
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	t, it, err := d.get(ctx, in.Table, in.Key)
	if err != nil {
		return answer{desk: d, about: d.profile().Name}, err
	}
	return answer{value: d.shown(t, it), desk: d, about: d.profile().Name + " " + t.Name, rows: min(len(it), 1), units: cost(it)}, nil
}

func cost(it models.Item) float64 {
	const unit = 4 << 10
	return float64(max((it.Size()+unit-1)/unit, 1))
}

func (s *Server) related(ctx context.Context, in itemIn, _ scope) (answer, error) {
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	t, it, err := d.get(ctx, in.Table, in.Key)
	switch {
	case err != nil:
		return answer{desk: d, about: d.profile().Name}, err
	case it == nil:
		return answer{desk: d, about: d.profile().Name, units: cost(nil)}, session.InputErrorf("there is no such item in %s", t.Name)
	}
	doc := map[string]any{"patterns": d.related(t, it)}
	return answer{value: doc, desk: d, about: d.profile().Name + " " + t.Name, rows: 1, units: cost(it)}, nil
}

func (s *Server) finding(_ context.Context, in findingIn, _ scope) (answer, error) {
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	doc, err := d.finding(in.ID)
	return answer{value: doc, desk: d, about: d.profile().Name}, err
}

func (s *Server) plan(ctx context.Context, in planIn, most scope) (answer, error) {
	d, err := s.desk(in.Schema)
	if err != nil {
		return answer{}, err
	}
	p, doc, err := d.plan(ctx, in.Action, in.Inputs, in.Reason)
	// A plan reads the item, and those that its conditions are about: their number is in the plan, their size is not.
	about := models.PrintableCell(d.profile().Name+" "+in.Action, 80)
	a := answer{value: doc, desk: d, about: about, rows: 1, units: float64(max(len(doc.Writes), 1))}
	if err != nil || d.file == nil {
		return a, err
	}
	filed, err := d.file(ctx, p, most.client)
	if err != nil {
		return a, fmt.Errorf("the change is planned, but no request was filed: %w", err)
	}
	doc.Request, doc.Apply = &filed.ID, fmt.Sprintf("Filed as request %s; the item was not changed. A user with role admin reviews it with "+
		"ddbdesk requests show %s %s.", filed.ID, session.SchemaName(d.profile()), filed.ID)
	a.value = doc
	return a, nil
}

// patternIn are the arguments of a tool that is one pattern.
type patternIn map[string]any

func (s *Server) addPatterns(ids []string) error {
	for _, id := range ids {
		schema, _, _ := strings.Cut(id, ".")
		d, err := s.desk(schema)
		if err != nil {
			return err
		}
		q, err := d.reading.Pattern(id)
		switch {
		case err != nil:
			return err
		case !q.IsRead():
			return session.InputErrorf("%s is a write pattern; only read patterns can be tools", q.FullID())
		case q.Read.Operation == accesspatterns.Scan:
			return errScan(q)
		}
		tool := &sdk.Tool{Name: toolName(q), Description: q.Title, InputSchema: argumentsOf(q)}
		add(s, tool, func(ctx context.Context, in patternIn, most scope) (answer, error) {
			run := runIn{Schema: schema, Pattern: q.FullID(), Parameters: map[string]string{}}
			for name, v := range in {
				switch text := textOf(v); name {
				case nextArgument:
					run.Next = text
				default:
					run.Parameters[name] = text
				}
			}
			return s.run(ctx, run, most)
		})
	}
	return nil
}

// toolName uses letters, digits, '_' and '-'. Source: MCP specification, "Tools".
func toolName(q *accesspatterns.Pattern) string { return strings.ReplaceAll(q.FullID(), ".", "_") }

// nextArgument is the page token among the arguments of a pattern's tool.
const nextArgument = "next"

func argumentsOf(q *accesspatterns.Pattern) map[string]any {
	properties := map[string]any{nextArgument: map[string]any{"type": "string", "description": "page token of the previous answer"}}
	required := []string{}
	for _, p := range q.Params {
		if properties[p.Name] = p.Schema(); p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func textOf(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
