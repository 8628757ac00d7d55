// Package profiles reads a schema, one YAML file that describes the design of tables, into the checked types of models
// and accesspatterns. It reports every mistake in the file at once, each with line, column, path and the nearest valid
// word.
//
// The package contains the schema language, its JSON Schema and the five built-in schemas. Package profiles/lint
// finds defects of the described design, and package profiles/sample generates sample items.
package profiles

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

//go:embed builtin
var builtin embed.FS

//go:generate go test . -run JSONSchema -update
//go:generate go run ../internal/tools/worddoc -schema profile.schema.json -out ../docs/schema-words.md

//go:embed profile.schema.json
var jsonSchema []byte

// JSONSchema returns the JSON Schema (draft 2020-12) of a schema. It accepts every schema that loads, and some that
// do not, because only Load checks names and templates.
func JSONSchema() []byte { return bytes.Clone(jsonSchema) }

// A Profile is a checked description of one schema. It is immutable, including everything that it refers to, so
// goroutines can share it. Slices are in file order. Its texts come from the author of the file, so print them with
// models.Printable.
type Profile struct {
	Name        string
	Title       string
	Description string
	Source      string
	File        string // path or name; built-in ones start with "builtin:"
	Overlay     string // the environment whose overlay applies, "" for none
	Variables   []Variable
	Guardrails  Guardrails
	CoveredBy   []string // schemas of a table opened without one, whose rules raw changes could break
	KeyEntered  bool     // the user entered the key of a table that could not be described
	Requests    string   // table of change requests, or the ID of one; "" for none
	Session     SessionRules
	Tables      []*models.Table
	Entities    []*models.Entity
	Lifecycles  []*models.Lifecycle
	Patterns    []*accesspatterns.Pattern
	Actions     []*change.Action
	Trails      []*change.Trail
	Queues      []*change.Queue
	Findings    []*accesspatterns.Finding
	Accepts     []Acceptance
	ValueMaps   map[string]models.ValueMap // value maps by the name that placeholders use as their format

	decl    *profileDecl
	src     *source
	repairs []*change.Action // repairs of entities that declare none
	// listings contains the patterns that list an entity, and neededListings contains the listings that documented
	// patterns need.
	listings, neededListings []*accesspatterns.Pattern
	digest                   string
}

// SessionRules defines the information that users must give before ddbdesk reads anything. The zero value requires
// nothing.
type SessionRules struct {
	Reason bool   // users must give a reason for working with the database
	Ticket string // regular expression that a whole ticket ID must match, "" for none
}

// A Variable is a value that table names can contain. Value equals Default unless the user gives a value.
type Variable struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Default     string `json:"default"`
	Description string `json:"-"`
}

// An Acceptance silences the warnings of one lint rule. Lint reports an acceptance that silences nothing.
type Acceptance struct {
	Finding string // the name of the rule
	At      string // the path of a part of the schema, "" for all of it
	Reason  string
}

// Guardrails contains the rules of the document that ddbdesk enforces. The zero value allows every region and does not
// name production.
type Guardrails struct {
	Regions    []string // the only regions to connect to; empty: any
	Production []string // names and account numbers that are production; see IsProduction
	Retention  string
	RawEdits   string // "no": only actions can change items
	Notes      []string
}

// Load reads the text of a schema without included files. file names the text in diagnostics. The error is of type
// Errors and contains the faults of every overlay. A value in vars for an undeclared variable is a fault. The caller
// may change body afterwards.
func Load(file string, body []byte, vars map[string]string) (*Profile, error) {
	p, _, err := load(profileText{file: file, text: body}, Values{Given: vars})
	return p, err
}

// LoadFile reads the text of a schema that is, or will be, the file at path. It can include files of that folder.
// Variables have their defaults. It returns the same errors as Load.
func LoadFile(path string, body []byte) (*Profile, error) {
	p, _, err := load(profileText{file: path, text: body, read: besideFile(path)}, Values{})
	return p, err
}

// load reports errors of every overlay, so that a schema loads in all environments. It always returns included files.
func load(source profileText, values Values) (*Profile, []inclusion, error) {
	p, included := assemble(source, "", values)
	faults := p.src.faults
	overlaid, chosen := p, values.environment(p)
	for _, environment := range p.decl.Overlays.Keys() {
		q, _ := assemble(source, environment, values)
		for _, d := range q.src.faults {
			if !slices.Contains(p.src.faults, d) {
				d.Message += fmt.Sprintf(" (with the overlay %s)", models.Printable(environment))
				faults = append(faults, d)
			}
		}
		if environment == chosen {
			overlaid = q
		}
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, Diagnostic.Compare)
		return nil, included, Errors(slices.Compact(faults)) // parts that several actions share report each fault once
	}
	overlaid.digest = digest(source.text, included, overlaid)
	return overlaid, included, nil
}

func assemble(input profileText, environment string, values Values) (*Profile, []inclusion) {
	decl := &profileDecl{}
	src, included := parse(input, environment, decl)
	b := &builder{source: src, decl: decl, p: &Profile{File: input.file, Overlay: environment, decl: decl, src: src}}
	if len(decl.Tables)+len(decl.Entities)+len(decl.Patterns) > 0 || len(src.faults) == 0 {
		b.build(values)
	}
	return b.p, included
}

// Digest returns the hexadecimal SHA-256 of the schema's text, of the files that it includes, of the environment whose
// overlay applies, and of the values of its variables. A plan stores it, because the same plan can have a different
// meaning with another schema.
func (p *Profile) Digest() string { return p.digest }

func digest(text []byte, included []inclusion, p *Profile) string {
	h := sha256.New()
	h.Write(text)
	for _, i := range included {
		fmt.Fprintf(h, "\x00include %q %q", i.path, i.text)
	}
	if p.Overlay != "" {
		fmt.Fprintf(h, "\x00overlay %q", p.Overlay)
	}
	for _, v := range p.Variables {
		fmt.Fprintf(h, "\x00%q=%q", v.Name, v.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A Severity is the importance of a diagnostic.
type Severity string

// These are the severities of diagnostics.
const (
	Error   Severity = "error"   // the schema cannot be used
	Warning Severity = "warning" // a defect of the schema
	Info    Severity = "info"    // a defect of the document that ddbdesk works around
)

// A Diagnostic is one fault of a schema, or of the design that it describes. Commands write diagnostics as JSON, so
// the JSON names must not change.
type Diagnostic struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`   // 1-based; 0 for the whole file
	Column     int      `json:"column"` // 1-based
	Path       string   `json:"path"`   // patterns.get-verification.key.PK
	Severity   Severity `json:"severity"`
	Rule       string   `json:"rule"` // syntax, unknown-word, or a lint rule
	Kind       string   `json:"kind,omitempty"`
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"`
	Finding    string   `json:"finding,omitempty"` // the documented finding that explains it
}

func (d Diagnostic) fault() placed.Fault {
	return placed.Fault{File: d.File, Line: d.Line, Column: d.Column, Path: d.Path, Message: d.Message, Suggestion: d.Suggestion}
}

// String formats the diagnostic as [placed.Fault.Format] does.
func (d Diagnostic) String() string { return d.fault().Format(d.File, string(d.Severity)) }

// Errors contains every error of one schema. It is never empty if a function returns it as an error.
type Errors []Diagnostic

func (e Errors) Error() string {
	return strings.Join(models.MapSlice(e, Diagnostic.String), "\n")
}

// Compare orders diagnostics by their place in the file, then by message.
func (d Diagnostic) Compare(o Diagnostic) int { return d.fault().Compare(o.fault()) }

// productionWords mark a name as production if they occur in it as a whole word.
var productionWords = []string{"prod", "production", "live"}

// IsProduction reports whether a name indicates production. connection contains the connection's context, environment,
// AWS profile or account number; IsProduction also checks variable values and table names. A name indicates production
// if it equals, or contains as a whole word, prod, production, live or a name in guardrails.production, regardless of
// case.
func (p *Profile) IsProduction(connection ...string) bool {
	return p.DeclaresProduction(connection...) ||
		slices.ContainsFunc(p.Tables, func(t *models.Table) bool { return p.isProductionName(t.Name) })
}

// DeclaresProduction is IsProduction without the table names.
func (p *Profile) DeclaresProduction(connection ...string) bool {
	names := slices.Clone(connection)
	for _, v := range p.Variables {
		names = append(names, v.Value)
	}
	return slices.ContainsFunc(names, p.isProductionName)
}

func (p *Profile) isProductionName(name string) bool {
	words := nameWords(name)
	for _, known := range slices.Concat(productionWords, p.Guardrails.Production) {
		same := func(word string) bool { return strings.EqualFold(word, known) }
		if same(name) || slices.ContainsFunc(words, same) {
			return true
		}
	}
	return false
}

// ProductionAccounts returns the account numbers in guardrails.production. Only AWS can identify the account of a
// connection.
func (p *Profile) ProductionAccounts() []string {
	return slices.DeleteFunc(slices.Clone(p.Guardrails.Production), func(name string) bool { return !models.IsAccount(name) })
}

// NamesNoProduction reports whether only the connection can indicate production, because the schema has no
// guardrails.production and its table names contain neither variables nor a word for production.
func (p *Profile) NamesNoProduction() bool {
	return len(p.Guardrails.Production) == 0 && len(p.Variables) == 0 && !p.IsProduction()
}

var (
	wordStart  = models.LazyRegexp(`(\p{Ll})(\p{Lu})`)
	acronymEnd = models.LazyRegexp(`(\p{Lu})(\p{Lu}\p{Ll})`)
)

// nameWords splits a name at non-letters and changes of case. For example, PRODOrders has the words PROD and Orders.
func nameWords(name string) []string {
	name = acronymEnd().ReplaceAllString(wordStart().ReplaceAllString(name, "$1 $2"), "$1 $2")
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}
