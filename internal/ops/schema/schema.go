// Package schema contains the operations that show, check, draft and export schemas, and their documents.
package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// Operations lists the package's operations in help order.
var Operations = []*op.Op{
	listSchemas, showSchema, lintSchema, exportSchema, documentSchema, printJSONSchema, initSchema, importSchema, printPolicy,
	listPatterns,
}

// input is the schema argument of an operation.
type input struct{ schema string }

func inputs(in *input) []*op.Param { return []*op.Param{op.SchemaArg(&in.schema)} }

// A row is one schema in the document of schema list, with the number of its parts. Patterns counts reads and writes.
// Findings counts schema issues.
type row struct {
	Name     string `json:"name" col:"NAME"`
	Title    string `json:"title" col:"TITLE"`
	Tables   int    `json:"tables" col:"TABLES"`
	Indexes  int    `json:"indexes" col:"INDEXES"`
	Entities int    `json:"entities" col:"ENTITIES"`
	Patterns int    `json:"patterns" col:"PATTERNS"`
	Findings int    `json:"findings" col:"ISSUES"`
}

// listSchemas is ddbdesk schema list. It notes invalid schemas.
var listSchemas = op.New(op.Op{
	Path: "schema list", Title: "List built-in schemas and yours", Needs: op.Offline, Formats: op.TableJSON,
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
	return op.Rows{List: rows, Optional: []string{"INDEXES", "ENTITIES"}}, nil
})

var listPatterns = op.New(op.Op{
	Path: "pattern list", Title: "List the access patterns of a schema", Needs: op.Offline, Formats: op.TableJSON,
}, inputs, func(_ context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	return op.Rows{List: NewPatterns(p.Patterns), Plain: plainPatterns(p.Patterns), Optional: optionalOfPatterns}, nil
})

var lintSchema = op.New(op.Op{
	Path: "schema lint", Title: "Check a schema for errors and for design issues", Needs: op.Offline, Formats: op.TextJSON,
}, inputs, func(ctx context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if invalid, ok := errors.AsType[profiles.Errors](err); ok {
		return diagnostics(invalid), op.InvalidInput
	}
	if err != nil {
		return nil, err
	}
	list, err := lint.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	found := diagnostics(list)
	if found.count(profiles.Error) > 0 {
		return found, op.InvalidInput
	}
	return found, nil
})

// diagnostics contains the results of lint, as a list whose lines a script can count, with a separate summary.
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
	lines := items.NewSentences()
	for _, d := range list {
		line := d.String()
		if d.Kind != "" {
			line += " [" + d.Kind + " " + d.Rule + "]"
		}
		if d.Finding != "" {
			line += " (documented as " + d.Finding + ")"
		}
		lines.Add(line)
	}
	if err := lines.Write(to.Writer); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to.SideOutput, "%s, %s, %s\n", english.Plural(list.count(profiles.Error), "error", ""),
		english.Plural(list.count(profiles.Warning), "warning", ""), fmt.Sprint(list.count(profiles.Info), " info"))
	return err
}

var printJSONSchema = op.New(op.Op{
	Path: "schema json-schema", Title: "Print the JSON Schema of schema files, for editors", Needs: op.Offline,
}, nil, func(context.Context, *op.Call, *struct{}) (op.Result, error) {
	return op.Raw(profiles.JSONSchema()), nil
})

var showSchema = op.New(op.Op{
	Path: "schema show", Title: "Show the tables, entities, states, patterns and actions",
	Needs: op.Offline, Formats: op.TextJSON,
}, inputs, func(_ context.Context, c *op.Call, in *input) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	return shownSchema{p}, nil
})

// shownSchema is a schema as the result of schema show.
type shownSchema struct{ *profiles.Profile }

func (p shownSchema) JSON() any { return NewSchema(p.Profile) }

func (p shownSchema) Text(to op.Output) error {
	about := items.NewSentences(p.Name + ": " + p.Title)
	for line := range strings.FieldsFuncSeq(p.Description, func(r rune) bool { return r == '\n' }) {
		about.Add(line)
	}
	if p.Overlay != "" {
		about.Add("overlay " + p.Overlay)
	}
	parts := []*items.TextTable{about}
	if to.Plain {
		entities := items.NewTextTable("ENTITY", "TITLE", "TABLE")
		entities.Optional = optionalOfPatterns
		for _, e := range p.Entities {
			entities.Add(e.Name, e.Title, e.Table.Name)
		}
		parts = append(parts, entities)
	} else {
		parts = append(parts, p.keys()...)
	}
	for _, l := range p.Lifecycles {
		name := fmt.Sprintf("lifecycle %s (%s.%s)", l.Name, l.Entity.Name, l.Attribute)
		state := func(s *models.State) string { return s.Name }
		if to.Plain {
			name, state = l.Attribute+" of "+l.Entity.Title, func(s *models.State) string { return l.Title(s.Name) }
		}
		parts = append(parts, items.NewSentences(name+": "+strings.Join(models.MapSlice(l.States, state), ", ")))
	}
	patterns := op.Table(NewPatterns(p.Patterns))
	if to.Plain {
		patterns = op.Table(plainPatterns(p.Patterns))
	}
	patterns.Optional = optionalOfPatterns
	for i, t := range append(parts, patterns, actionTable(p.Profile, to.Plain)) {
		if t.Len() == 0 {
			continue
		}
		if i > 0 {
			if _, err := io.WriteString(to.Writer, "\n"); err != nil {
				return err
			}
		}
		if err := t.Write(to.Writer); err != nil {
			return err
		}
	}
	return nil
}

func (p shownSchema) keys() (parts []*items.TextTable) {
	for _, t := range p.Tables {
		part := items.NewSentences(fmt.Sprintf("table %s   %s", t.Name, keyText(t.KeysOf(nil))))
		for _, x := range t.Indexes {
			optional := ""
			if x.Optional {
				optional = "   optional"
			}
			part.Add(fmt.Sprintf("  index %s   %s%s", x.Name, keyText(x.PartitionKeys, x.SortKeys), optional))
		}
		for _, e := range p.EntitiesOf(t) {
			part.Add("  entity " + e.Name)
			for _, name := range e.KeyNames() {
				if tpl, ok := e.KeyTemplate(name); ok {
					part.Add(fmt.Sprintf("    %-28s %s", name, tpl))
				}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// A plainPattern is a row of the table of patterns for role support.
type plainPattern struct {
	ID         string `col:"PATTERN"`
	Parameters Params `col:"PARAMETERS"`
	Title      string `col:"TITLE"`
	Issue      string `col:"ISSUE"`
	Kind       string `col:"KIND"` // read or write
}

// optionalOfPatterns lists the columns of patterns that a terminal omits first.
var optionalOfPatterns = []string{"TABLE", "INDEX", "ISSUE"}

func plainPatterns(list []*accesspatterns.Pattern) []plainPattern {
	return models.MapSlice(list, func(q *accesspatterns.Pattern) plainPattern {
		doc := NewPattern(q)
		row := plainPattern{ID: q.ID, Parameters: doc.Parameters, Title: q.Title, Kind: doc.Kind}
		if doc.Finding != nil {
			row.Issue = doc.Finding.Title
		}
		return row
	})
}

func keyText(partition, sort []models.Key) string {
	name := func(k models.Key) string { return k.Name }
	text := "partition key " + strings.Join(models.MapSlice(partition, name), " + ")
	if len(sort) > 0 {
		text += ", sort key " + strings.Join(models.MapSlice(sort, name), " + ")
	}
	return text
}

// kindWords describes the kinds of actions for role support.
var kindWords = map[change.ActionKind]string{
	change.KindUpdate: "changes attributes", change.KindPut: "adds an item", change.KindDelete: "deletes the item",
	change.KindMove: "moves the item to another key", change.KindRepair: "corrects index keys",
}

// actionTable describes the actions. With plain, it shows titles instead of names of entities and states.
func actionTable(p *profiles.Profile, plain bool) *items.TextTable {
	header := []string{"ACTION", "TITLE", "ENTITY", "CHANGE", "INPUTS", "NOTES", "ISSUES"}
	if plain {
		header = header[:6]
	}
	t := items.NewTextTable(header...)
	t.Optional, t.WholeLast = []string{"ENTITY", "INPUTS", "ISSUES", "TITLE"}, true
	for _, act := range p.Actions {
		a, entity, change := NewAction(act), act.Entity.Name, string(act.Kind)
		if plain {
			entity, change = act.Entity.Title, cmp.Or(kindWords[act.Kind], change)
		}
		if l := act.Lifecycle; l != nil {
			from, to := act.From(), act.To()
			if plain {
				from, to = models.MapSlice(from, l.Title), l.Title(to)
			}
			change = strings.Join(from, ", ") + " → " + cmp.Or(to, "…")
		}
		params := models.MapSlice(a.Inputs, func(in Input) Param { return in.Param })
		cells := []string{a.Name, a.Title, entity, change, Params(params).String(), actionNotes(a), strings.Join(a.Findings, " ")}
		t.Add(cells[:len(header)]...)
	}
	return t
}

func actionNotes(a Action) string {
	var notes []string
	if !a.Enabled {
		notes = append(notes, "disabled")
	}
	if a.Reason == change.ReasonRequired {
		notes = append(notes, "needs a reason")
	}
	if a.FourEyes {
		notes = append(notes, "needs two people")
	}
	if !a.Undo {
		notes = append(notes, "no undo")
	}
	return strings.Join(notes, ", ")
}

type exportInput struct {
	input

	format string
	to     File
}

var exportSchema = op.New(op.Op{
	Path: "schema export", Title: "Export a schema to the format of another tool",
	Help: "Prints the tables, indexes and TTL of a schema as " + english.OxfordWordSeries(exportFormats(), "or") + ".\n" +
		"A note on stderr lists the parts that the format cannot express.",
	Needs: op.Offline,
}, func(in *exportInput) []*op.Param {
	return append(in.to.Params("the file"), op.SchemaArg(&in.schema),
		op.Arg(&in.format, "format", "format of the file").OneOf(exportFormats()...))
}, func(_ context.Context, c *op.Call, in *exportInput) (op.Result, error) {
	if err := in.to.Ready(); err != nil {
		return nil, err
	}
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	text, omitted, err := interchange.Find(in.format).Write(p)
	if err != nil {
		return nil, session.InputErrorf("%v", err) // The format cannot represent the schema.
	}
	r, err := in.to.Save(text)
	if err == nil && len(omitted) > 0 {
		c.Notef("format %s cannot express %s", in.format, strings.Join(omitted, ", "))
	}
	return r, err
})

func exportFormats() []string {
	var names []string
	for _, f := range interchange.Formats() {
		if f.Writes() {
			names = append(names, f.Name)
		}
	}
	return names
}

// A File determines where to write a generated file.
type File struct {
	Out   string // new file; "" returns the text as the result
	Force bool   // replaces an existing file
}

// Params declares the parameters of the file. subject names the file in the help.
func (f *File) Params(subject string) []*op.Param {
	return []*op.Param{
		op.Flag(&f.Out, "out", "write "+subject+" to a new `FILE` (default: stdout)"),
		op.Flag(&f.Force, "force", "with --out, replace the file if it exists"),
	}
}

// Ready returns an error if the file cannot be written. Call it before the operation reads anything.
func (f *File) Ready() error {
	if f.Force && f.Out == "" {
		return session.InputErrorf("--force requires --out FILE")
	}
	if f.Out == "" {
		return nil
	}
	switch err := items.CheckPath(f.Out); {
	case err == nil, f.Force && errors.Is(err, items.ErrExists):
		return nil
	case errors.Is(err, items.ErrExists):
		return session.InputErrorf("--out: %s exists; use --force to replace it", op.Short(f.Out))
	default:
		return session.InputErrorf("--out: %v", err)
	}
}

// Save writes the complete file or nothing. If Out is empty, it returns the text as the result.
func (f *File) Save(text []byte) (op.Result, error) {
	switch {
	case f.Out == "":
		return op.Raw(text), nil
	case f.Force:
		return nil, appdir.Replace(f.Out, text, 0o644)
	}
	return nil, appdir.Create(f.Out, text)
}
