// Package schema has the operations on schemas, which show, check, draft and export them, and the documents that describe them.
package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// Operations are the operations of this package, as the help lists them.
var Operations = []*op.Op{
	listSchemas, showSchema, lintSchema, exportSchema, documentSchema, printJSONSchema, initSchema, importSchema, printPolicy,
	listPatterns,
}

// input is the schema that an operation is about.
type input struct{ schema string }

func inputs(in *input) []*op.Param { return []*op.Param{op.SchemaArg(&in.schema)} }

// A row is one schema in the document of schema list, with the numbers of its parts. Patterns counts reads and writes;
// Findings are schema issues.
type row struct {
	Name     string `json:"name" col:"NAME"`
	Title    string `json:"title" col:"TITLE"`
	Tables   int    `json:"tables" col:"TABLES"`
	Indexes  int    `json:"indexes" col:"INDEXES"`
	Entities int    `json:"entities" col:"ENTITIES"`
	Patterns int    `json:"patterns" col:"PATTERNS"`
	Findings int    `json:"findings" col:"FINDINGS"`
}

// listSchemas is ddbdesk schema list. It notes schemas that have errors.
var listSchemas = op.New(op.Op{
	Path: "schema list", Title: "List built-in and custom profiles", Needs: op.Offline, Formats: op.TableJSON,
}, nil, func(_ context.Context, c *op.Call, _ *struct{}) (op.Result, error) {
	list, err := c.Profiles()
	if list == nil {
		return nil, err
	}
	if err != nil {
		c.Warn(strings.Split(err.Error(), "\n"))
	}
	var rows []row
	for _, p := range list {
		r := row{p.Name, p.Title, len(p.Tables), 0, len(p.Entities), len(p.Patterns), len(p.Findings)}
		for _, t := range p.Tables {
			r.Indexes += len(t.Indexes)
		}
		rows = append(rows, r)
	}
	return op.Rows{List: rows}, nil
})

// listPatterns is ddbdesk pattern list.
var listPatterns = op.New(op.Op{
	Path: "pattern list", Title: "List the access patterns of a schema", Needs: op.Offline, Formats: op.TableJSON,
}, inputs, func(_ context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	return op.Rows{List: OfPatterns(p.Patterns)}, nil
})

// lintSchema is ddbdesk schema lint.
var lintSchema = op.New(op.Op{
	Path: "schema lint", Title: "Check a profile for errors, and the schema for design issues", Needs: op.Offline, Formats: op.TextJSON,
}, inputs, func(_ context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if invalid, ok := errors.AsType[profiles.Errors](err); ok {
		return diagnostics(invalid), op.Faulty
	}
	if err != nil {
		return nil, err
	}
	found := diagnostics(lint.Run(p))
	if found.count(profiles.Error) > 0 {
		return found, op.Faulty
	}
	return found, nil
})

// diagnostics are what lint found: a list that a script can count by lines, with a summary beside it.
type diagnostics []profiles.Diagnostic

func (list diagnostics) count(s profiles.Severity) (n int) {
	for _, d := range list {
		if d.Severity == s {
			n++
		}
	}
	return n
}

func (list diagnostics) JSON() any { return append([]profiles.Diagnostic{}, list...) }

func (list diagnostics) Text(to op.Output) error {
	for _, d := range list {
		line := d.String()
		if d.Kind != "" {
			line += " [" + d.Kind + " " + d.Rule + "]"
		}
		if d.Finding != "" {
			line += " (documented as " + d.Finding + ")"
		}
		if err := to.Lines(line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(to.Beside, "%s, %s, %s\n", english.Plural(list.count(profiles.Error), "error", ""),
		english.Plural(list.count(profiles.Warning), "warning", ""), english.Plural(list.count(profiles.Info), "note", ""))
	return err
}

// printJSONSchema is ddbdesk schema json-schema.
var printJSONSchema = op.New(op.Op{
	Path: "schema json-schema", Title: "Print the JSON Schema of profiles, for editors", Needs: op.Offline,
}, nil, func(context.Context, *op.Call, *struct{}) (op.Result, error) {
	return op.Raw(profiles.JSONSchema()), nil
})
