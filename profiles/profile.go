package profiles

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

//go:embed builtin
var builtin embed.FS

//go:generate go test . -run JSONSchema -update
//go:generate go run ../internal/tools/worddoc -schema profile.schema.json -out ../docs/profile-words.md ../docs/examples/forum.yaml ../docs/examples/online-shop.yaml builtin/authbridge.yaml builtin/ebay-sniper.yaml builtin/form-bridge.yaml builtin/tazco.yaml builtin/zentriqvision.yaml

//go:embed profile.schema.json
var jsonSchema []byte

// JSONSchema returns the JSON Schema (draft 2020-12) of a profile. It accepts
// every profile that loads, and some that do not: names and templates are only
// checked by Load. A test generates the schema from the declarations.
func JSONSchema() []byte { return bytes.Clone(jsonSchema) }

// A Profile is a checked description of one schema. It and what it refers to never change after
// they were built, so goroutines share it. Slices have the order of the file. Text in it was
// written by the author of the profile: print it with models.Printable.
type Profile struct {
	Name        string
	Title       string
	Description string
	Source      string
	File        string // where it was read from; built-in ones start with "builtin:"
	Overlay     string // the environment whose overlay applies, "" for none
	Variables   []Variable
	Guardrails  Guardrails
	Requests    string // table of change requests, or the ID of one; "" for none
	Session     Terms
	Tables      []*models.Table
	Entities    []*models.Entity
	Lifecycles  []*models.Lifecycle
	Patterns    []*accesspatterns.Pattern
	Actions     []*change.Action
	Trails      []*change.Trail
	Queues      []*change.Queue
	Findings    []*accesspatterns.Finding
	Accepts     []Acceptance
	ValueMaps   map[string]models.ValueMap // by the name that placeholders give as their format

	decl    *profileDecl
	src     *source
	repairs []*change.Action // of entities that declare none
	// listings are the patterns that list an entity, and starts those among them that the documented ones need.
	listings, starts []*accesspatterns.Pattern
	digest           string
}

// Terms are what users must give before anything is read. The zero Terms require nothing.
type Terms struct {
	Reason bool   // why they work with the database
	Ticket string // the ID of a ticket that matches this regular expression as a whole, "" for none
}

// A Variable is a value that table names can contain. Value is Default unless a value was
// given.
type Variable struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Default     string `json:"default"`
	Description string `json:"-"`
}

// An Acceptance silences the warnings of one rule of lint. One that silences nothing is a
// finding of lint itself.
type Acceptance struct {
	Finding string // the name of the rule
	At      string // the path of a part of the profile, "" for all of it
	Why     string
}

// Guardrails are the rules of the document that ddbdesk enforces. The zero Guardrails allow
// every region and name no production.
type Guardrails struct {
	Regions    []string // connecting anywhere else is refused; empty: any
	Production []string // names and account numbers that are production; see IsProduction
	Retention  string
	Notes      []string
}

// Load reads the text of a profile, which can include no files. file names it in diagnostics.
// The error is Errors, with the faults of every overlay. A value in vars for a variable that
// the profile does not declare is a fault. The caller may change body afterwards.
func Load(file string, body []byte, vars map[string]string) (*Profile, error) {
	p, _, err := load(text{file: file, text: body}, Values{Given: vars})
	return p, err
}

// LoadFile reads the text of a profile that is, or will be, the file at path. It can include
// files of that folder. Variables have their defaults. The error is that of Load.
func LoadFile(path string, body []byte) (*Profile, error) {
	p, _, err := load(text{file: path, text: body, read: besideFile(path)}, Values{})
	return p, err
}

// load reports the errors of every overlay, so that a profile that loads in one environment loads in all. It returns
// the included files also of a profile with errors.
func load(of text, values Values) (*Profile, []inclusion, error) {
	p, included := assemble(of, "", values)
	bad := p.src.bad
	overlaid, chosen := p, values.environment(p)
	for _, environment := range p.decl.Overlays.Keys() {
		q, _ := assemble(of, environment, values)
		for _, d := range q.src.bad {
			if !slices.Contains(p.src.bad, d) {
				d.Message += fmt.Sprintf(" (with the overlay %s)", models.Printable(environment))
				bad = append(bad, d)
			}
		}
		if environment == chosen {
			overlaid = q
		}
	}
	if len(bad) > 0 {
		slices.SortStableFunc(bad, Diagnostic.Compare)
		return nil, included, Errors(slices.Compact(bad)) // what several actions share has each fault once
	}
	overlaid.digest = digest(of.text, included, overlaid)
	return overlaid, included, nil
}

func assemble(of text, environment string, values Values) (*Profile, []inclusion) {
	decl := &profileDecl{}
	src, included := parse(of, environment, decl)
	b := &builder{source: src, decl: decl, p: &Profile{File: of.file, Overlay: environment, decl: decl, src: src}}
	if len(decl.Tables)+len(decl.Entities)+len(decl.Patterns) > 0 || len(src.bad) == 0 {
		b.build(values)
	}
	return b.p, included
}

// Digest returns the hexadecimal SHA-256 of the profile's text, of the files that it includes, of the environment whose
// overlay applies, and of the values of its variables. A plan stores it, because the same plan can mean something else
// with another profile.
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
