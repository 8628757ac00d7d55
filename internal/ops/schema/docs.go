package schema

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

type docsInput struct {
	input

	format string
	check  bool
	to     File
}

var documentSchema = op.New(op.Op{
	Path: "schema docs", Title: "Document a schema: tables, keys, states, patterns, issues",
	Help: "Prints documentation for the schema in one file: Markdown with Mermaid state diagrams, or HTML.\n\n" +
		"With --check, ddbdesk compares the document with --out FILE instead of writing it, and exits with 10 if the\n" +
		"file is out of date.",
	Needs: op.Offline,
}, func(in *docsInput) []*op.Param {
	in.format = "markdown"
	return append(in.to.Params("the document"), op.SchemaArg(&in.schema),
		op.Flag(&in.format, "format", "write the document as `FORMAT`: markdown or html").OneOf(documentFormats()...),
		op.Flag(&in.check, "check", "with --out, report whether the file is up to date"))
}, func(ctx context.Context, c *op.Call, in *docsInput) (op.Result, error) {
	switch {
	case in.check && in.to.Out == "":
		return nil, session.InputErrorf("--check requires --out FILE")
	case in.check && in.to.Force:
		return nil, session.InputErrorf("--check writes nothing; omit --force")
	case !in.check:
		if err := in.to.Ready(); err != nil {
			return nil, err
		}
	}
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	text, err := WriteDocument(ctx, p, in.format, "Written by `ddbdesk schema docs "+filepath.Base(in.schema)+"`. Edit the schema instead.")
	if err != nil {
		return nil, err
	}
	if !in.check {
		return in.to.Save(text)
	}
	current, err := appdir.ReadFile(in.to.Out)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", op.FileError(err))
	}
	if !bytes.Equal(bytes.ReplaceAll(current, []byte("\r\n"), []byte("\n")), text) {
		c.Notef("%s is out of date; to rewrite it, replace --check with --force", op.Short(in.to.Out))
		return nil, op.Conflict
	}
	return nil, nil
})

func documentFormats() []string { return []string{"markdown", "html"} }

// WriteDocument returns the document of a schema as HTML, or as Markdown for any other format. origin is a sentence
// for the readers about the document itself, or "". Equal schemas produce equal bytes, so that CI can compare them.
func WriteDocument(ctx context.Context, p *profiles.Profile, format, origin string) ([]byte, error) {
	found, err := lint.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	d := &document{p: p, origin: origin, found: found, out: &markdown{}}
	if format == "html" {
		d.out = &page{title: title(p)}
	}
	d.write()
	return []byte(d.out.String()), nil
}

func title(p *profiles.Profile) string {
	if p.Title != "" {
		return p.Title
	}
	return p.Name
}

// An output writes the parts of a document. Texts are plain; code is a name, a template or a value.
type output interface {
	heading(level int, text string)
	paragraph(text string)
	// table writes rows below a header. Cells that begin with a backquote are code.
	table(header []string, rows [][]string)
	diagram(l *models.Lifecycle)
	String() string
}

// A document writes a schema in the schema's order.
type document struct {
	p      *profiles.Profile
	origin string
	found  []profiles.Diagnostic // results of lint
	out    output
}

func (d *document) write() {
	p := d.p
	d.out.heading(1, title(p))
	for _, text := range []string{p.Description, source(p.Source), d.origin} {
		if text != "" {
			d.out.paragraph(text)
		}
	}
	for _, t := range p.Tables {
		d.table(t)
	}
	for _, e := range p.Entities {
		d.entity(e)
	}
	if len(p.Lifecycles) > 0 {
		d.out.heading(2, "Lifecycles")
	}
	for _, l := range p.Lifecycles {
		d.out.heading(3, l.Name)
		d.out.diagram(l)
	}
	d.patterns()
	d.findings()
}

func source(text string) string {
	if text == "" {
		return ""
	}
	return "Source: " + text
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text
}

func (d *document) table(t *models.Table) {
	d.out.heading(2, "Table "+t.Name)
	if t.Description != "" {
		d.out.paragraph(t.Description)
	}
	key := func(k models.Key) string {
		if k.Type == models.TypeS {
			return k.Name
		}
		return k.Name + " (" + string(k.Type) + ")"
	}
	keys := func(list []models.Key) string { return code(strings.Join(models.MapSlice(list, key), ", ")) }
	partition, sort := t.KeysOf(nil)
	rows := [][]string{{"Table", keys(partition), keys(sort), "ALL"}}
	for _, x := range t.Indexes {
		projection := string(x.Projection)
		if len(x.Include) > 0 {
			projection += ": " + strings.Join(x.Include, ", ")
		}
		rows = append(rows, []string{code(x.Name), keys(x.PartitionKeys), keys(x.SortKeys), projection})
	}
	d.out.table([]string{"Index", "Partition key", "Sort key", "Projection"}, rows)
	if t.TTL != "" {
		d.out.paragraph("TTL attribute: " + t.TTL)
	}
	header := []string{"Entity"}
	for _, k := range t.KeyAttributes() {
		header = append(header, k.Name)
	}
	var entities [][]string
	for _, e := range d.p.EntitiesOf(t) {
		row := []string{e.Name}
		for _, k := range t.KeyAttributes() {
			template, _ := e.KeyTemplate(k.Name)
			row = append(row, code(template.String()))
		}
		entities = append(entities, row)
	}
	d.out.table(header, entities)
}

func (d *document) entity(e *models.Entity) {
	d.out.heading(2, "Entity "+e.Name)
	if e.Title != e.Name {
		d.out.paragraph(e.Title)
	}
	var rows [][]string
	var add func(list []*models.Attribute)
	add = func(list []*models.Attribute) {
		for _, a := range list {
			var notes []string
			note := func(condition bool, text string) {
				if condition {
					notes = append(notes, text)
				}
			}
			note(a.Description != "", a.Description)
			note(len(a.Enum) > 0, "one of "+strings.Join(models.MapSlice(a.Enum, a.Labeled), ", "))
			note(a.Sensitive == models.PII, "personal data")
			note(a.Sensitive == models.Secret, "secret")
			note(a.KeyOnly, "only in the key")
			note(a.Refers != "", "refers to "+a.Refers)
			note(a.Equals != "", "repeats "+a.Equals)
			note(!a.Documented, "not documented")
			required := ""
			if a.Required {
				required = "yes"
			}
			rows = append(rows, []string{code(a.Path), string(a.Type), required, string(a.Format), strings.Join(notes, "; ")})
			add(a.Attributes)
		}
	}
	add(e.Attributes)
	d.out.table([]string{"Attribute", "Type", "Required", "Format", "Notes"}, rows)
}

func (d *document) patterns() {
	if len(d.p.Patterns) == 0 {
		return
	}
	d.out.heading(2, "Access patterns")
	var rows [][]string
	for _, q := range d.p.Patterns {
		index := ""
		if q.Read.Index != nil {
			index = q.Read.Index.Name
		}
		var parameters, issues []string
		for _, par := range q.Params {
			name := par.Name
			if !par.Required {
				name = "[" + name + "]"
			}
			parameters = append(parameters, name)
		}
		for _, f := range q.Findings {
			issues = append(issues, f.ID)
		}
		table := ""
		if q.Table != nil {
			table = q.Table.Name
		}
		rows = append(rows, []string{
			code(q.ID), q.Title, string(q.Read.Operation), table, code(index),
			strings.Join(parameters, ", "), cost(q), strings.Join(issues, ", "),
		})
	}
	d.out.table([]string{"Pattern", "Title", "Operation", "Table", "Index", "Parameters", "Reads", "Issues"}, rows)
}

func cost(q *accesspatterns.Pattern) string {
	filtered := ""
	if len(q.Read.Filter) > 0 {
		filtered = ", before its filter"
	}
	switch q.Read.Operation {
	case accesspatterns.Get:
		return "one item"
	case accesspatterns.Scan:
		return "the whole table" + filtered
	case accesspatterns.Write:
		return ""
	case accesspatterns.Query, accesspatterns.Count:
	}
	text := "part of a partition"
	if len(q.Read.Key) == 1 {
		text = "a partition"
	}
	if q.Read.FanOut != nil {
		text = "several partitions"
	}
	return text + filtered
}

func (d *document) findings() {
	if len(d.p.Findings) > 0 {
		d.out.heading(2, "Schema issues")
		d.out.table([]string{"ID", "Kind", "Issue", "Workaround"}, models.MapSlice(d.p.Findings, func(f *accesspatterns.Finding) []string {
			return []string{f.ID, string(f.Kind), f.Title, f.Workaround}
		}))
	}
	counts := map[string]int{}
	for _, r := range d.found {
		if r.Severity == profiles.Warning && r.Finding == "" {
			counts[r.Rule]++
		}
	}
	if len(counts) == 0 {
		return
	}
	d.out.heading(2, "Warnings of schema lint")
	var rows [][]string
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		rows = append(rows, []string{code(rule), fmt.Sprint(counts[rule])})
	}
	d.out.table([]string{"Rule", "Number"}, rows)
}

// A markdown writes GitHub-flavored Markdown with Mermaid diagrams.
type markdown struct{ strings.Builder }

func (m *markdown) heading(level int, text string) {
	if m.Len() > 0 {
		m.WriteByte('\n')
	}
	m.WriteString(strings.Repeat("#", level) + " " + escape(text) + "\n")
}

// paragraph keeps code between backquotes, and escapes all other Markdown and HTML in the text.
func (m *markdown) paragraph(text string) {
	parts := strings.Split(strings.TrimSpace(text), "`")
	for i := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			parts[i] = "`" + models.Printable(parts[i]) + "`"
		} else {
			parts[i] = escape(parts[i])
		}
	}
	m.WriteString("\n" + strings.Join(parts, "") + "\n")
}

func (m *markdown) table(header []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			if text, ok := strings.CutPrefix(c, "`"); ok {
				c = "`" + strings.NewReplacer("|", `\|`, "`", "'", "\n", " ").Replace(text) + "`"
			} else {
				c = escape(c)
			}
			m.WriteString("| " + c + " ")
		}
		m.WriteString("|\n")
	}
	m.WriteByte('\n')
	line(header)
	m.WriteString(strings.Repeat("| --- ", len(header)) + "|\n")
	for _, r := range rows {
		line(r)
	}
}

func escape(text string) string {
	special := strings.NewReplacer("\\", `\\`, "|", `\|`, "`", "\\`", "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "\n", " ")
	return special.Replace(models.Printable(text))
}

func (m *markdown) diagram(l *models.Lifecycle) {
	id := map[string]string{}
	m.WriteString("\n```mermaid\nstateDiagram-v2\n")
	for i, s := range l.States {
		id[s.Name] = fmt.Sprintf("s%d", i)
		fmt.Fprintf(m, "  state %q as %s\n", strings.ReplaceAll(models.Printable(s.Name), `"`, "'"), id[s.Name])
		if s.Initial {
			fmt.Fprintf(m, "  [*] --> %s\n", id[s.Name])
		}
	}
	for _, t := range l.Transitions {
		for _, from := range t.From {
			fmt.Fprintf(m, "  %s --> %s", id[from], id[t.To])
			if t.Name != "" {
				m.WriteString(": " + models.Printable(t.Name))
			}
			m.WriteByte('\n')
		}
	}
	m.WriteString("```\n")
}

// A page writes a self-contained HTML page without scripts.
type page struct {
	title string
	strings.Builder
}

// String returns the whole page.
func (p *page) String() string {
	return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + text(p.title) + "</title>\n<style>\n" +
		"body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }\n" +
		"body { color: #1f2328; background: #fff }\n" +
		"table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }\n" +
		"th, td { border: 1px solid #d0d7de; padding: .3rem .6rem; text-align: left; vertical-align: top }\n" +
		"th { background: #f6f8fa } code { font: 13px ui-monospace, monospace }\n" +
		"pre { font: 13px/1.2 ui-monospace, monospace; overflow-x: auto }\n" +
		"</style>\n</head>\n<body>\n" + p.Builder.String() + "</body>\n</html>\n"
}

func text(s string) string { return html.EscapeString(models.Printable(s)) }

func (p *page) heading(level int, s string) { fmt.Fprintf(p, "<h%d>%s</h%d>\n", level, text(s), level) }

func (p *page) paragraph(s string) {
	parts := strings.Split(strings.TrimSpace(s), "`")
	for i := range parts {
		if parts[i] = text(parts[i]); i%2 == 1 && i < len(parts)-1 {
			parts[i] = "<code>" + parts[i] + "</code>"
		}
	}
	fmt.Fprintf(p, "<p>%s</p>\n", strings.Join(parts, ""))
}

func (p *page) table(header []string, rows [][]string) {
	line := func(tag string, cells []string) {
		p.WriteString("<tr>")
		for _, c := range cells {
			if s, ok := strings.CutPrefix(c, "`"); ok {
				c = "<code>" + text(s) + "</code>"
			} else {
				c = text(c)
			}
			fmt.Fprintf(p, "<%s>%s</%s>", tag, c, tag)
		}
		p.WriteString("</tr>\n")
	}
	p.WriteString("<table>\n")
	line("th", header)
	for _, r := range rows {
		line("td", r)
	}
	p.WriteString("</table>\n")
}

func (p *page) diagram(l *models.Lifecycle) {
	p.table([]string{"Transition", "From", "To", "Actor"}, models.MapSlice(l.Transitions, func(t *models.Transition) []string {
		return []string{t.Name, strings.Join(t.From, ", "), t.To, t.Actor}
	}))
}
