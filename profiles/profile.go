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

//go:embed builtin/*.yaml
var builtin embed.FS

//go:generate go test . -run JSONSchema -update
//go:generate go run ../internal/tools/worddoc -schema profile.schema.json -out ../docs/profile-words.md ../docs/examples/forum.yaml ../docs/examples/online-shop.yaml builtin/authbridge.yaml builtin/ebay-sniper.yaml builtin/form-bridge.yaml builtin/tazco.yaml builtin/zentriqvision.yaml

//go:embed profile.schema.json
var jsonSchema []byte

// JSONSchema returns the JSON Schema (draft 2020-12) of a profile. It accepts
// every profile that loads, and some that do not: names and templates are only
// checked by Load. A test generates the schema from the declarations.
func JSONSchema() []byte { return bytes.Clone(jsonSchema) }

// A Profile is a checked description of one schema.
type Profile struct {
	Name        string
	Title       string
	Description string
	Source      string
	File        string // where it was read from; built-in ones start with "builtin:"
	Variables   []Variable
	Guardrails  Guardrails
	Requests    string // table of change requests, or the ID of one; "" for none
	Tables      []*models.Table
	Entities    []*models.Entity
	Lifecycles  []*models.Lifecycle
	Patterns    []*accesspatterns.Pattern
	Actions     []*change.Action
	Trails      []*change.Trail
	Queues      []*change.Queue
	Findings    []*accesspatterns.Finding
	Accepts     []Acceptance
	OldWords    []OldWord
	ValueMaps   map[string]models.ValueMap // by the name that placeholders give as their format

	decl    *profileDecl
	src     *source
	repairs []*change.Action // of entities that declare none
	// listings are the patterns that list an entity, and starts those among them that the documented ones need.
	listings, starts []*accesspatterns.Pattern
	digest           string
}

// A Variable is a value that table names can contain.
type Variable struct {
	Name, Value, Default, Description string
}

// An Acceptance silences the warnings of one rule of lint.
type Acceptance struct {
	Finding string // the name of the rule
	At      string // the path of a part of the profile, "" for all of it
	Why     string
}

// An OldWord is a former spelling of a word, which is still accepted.
type OldWord struct {
	Path      string // of the old word
	Word, Now string
}

// Guardrails are the rules of the document that ddbdesk enforces.
type Guardrails struct {
	Regions    []string // connecting anywhere else is refused; empty: any
	Production []string // names and account numbers that are production; see IsProduction
	Retention  string
	Notes      []string
}

// Load reads the text of a profile. file names it in diagnostics.
func Load(file string, text []byte, vars map[string]string) (*Profile, error) {
	return load(file, text, Values{Given: vars})
}

func load(file string, text []byte, values Values) (*Profile, error) {
	decl := &profileDecl{}
	src := parse(file, text, decl)
	b := &builder{source: src, decl: decl, p: &Profile{File: file, decl: decl, src: src}}
	if len(decl.Tables)+len(decl.Entities)+len(decl.Patterns) > 0 || len(src.bad) == 0 {
		b.build(values)
	}
	if len(src.bad) > 0 {
		slices.SortStableFunc(src.bad, Diagnostic.Compare)
		return nil, Errors(slices.Compact(src.bad)) // what several actions share has each fault once
	}
	b.p.digest = digest(text, b.p.Variables)
	return b.p, nil
}

// Digest returns the hexadecimal SHA-256 of the profile's text and the values of
// its variables. A plan stores it, because the same plan can mean something else
// with another profile.
func (p *Profile) Digest() string { return p.digest }

// digest returns the hexadecimal SHA-256 of a profile with the values of its variables.
func digest(text []byte, vars []Variable) string {
	h := sha256.New()
	h.Write(text)
	for _, v := range vars {
		fmt.Fprintf(h, "\x00%q=%q", v.Name, v.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}
