package profiles

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

//go:embed builtin/*.yaml
var builtin embed.FS

//go:generate go test . -run JSONSchema -update

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

// Guardrails are the rules of the document that ddbdesk enforces.
type Guardrails struct {
	Regions    []string // connecting anywhere else is refused; empty: any
	Production []string // names and account numbers that are production; see IsProduction
	Retention  string
	Notes      []string
}

// Names lists the built-in profiles in alphabetical order.
func Names() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic("profiles: the built-in profiles are not in the program: " + err.Error())
	}
	return models.NamesOf(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".yaml") })
}

// Folder returns the folder of the user's own profiles: NAME.yaml there is opened as NAME, like a built-in one.
func Folder() string { return filepath.Join(appdir.Config(), "profiles") }

// Own lists the profiles in the user's folder in alphabetical order, without those that a built-in one hides. A folder that
// cannot be read has none.
func Own() []string {
	entries, err := os.ReadDir(Folder())
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if ok && !e.IsDir() && !slices.Contains(Names(), name) {
			names = append(names, name)
		}
	}
	return names
}

// ErrUnknown is returned by Open for a name that is neither a built-in profile
// nor a file.
type ErrUnknown struct {
	Name string
}

func (e *ErrUnknown) Error() string {
	hint := models.DidYouMean(e.Name, slices.Concat(Names(), Own()))
	if hint == "" {
		hint = "; built-in: " + strings.Join(Names(), ", ")
	}
	return fmt.Sprintf("no schema or file named %q%s", models.Printable(e.Name), hint)
}

// ReadSource returns the text of a built-in profile, of a file, or of a profile in the user's folder.
func ReadSource(name string) (file string, text []byte, err error) {
	if text, err := builtin.ReadFile("builtin/" + name + ".yaml"); err == nil && !strings.ContainsAny(name, `/\`) {
		return "builtin:" + name + ".yaml", text, nil
	}
	path := name
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		if strings.ContainsAny(name, `/\`) {
			return "", nil, &ErrUnknown{name}
		}
		path = filepath.Join(Folder(), name+".yaml")
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return "", nil, &ErrUnknown{name}
		}
	}
	text, err = appdir.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("read profile: %w", err)
	}
	return path, text, nil
}

// Open loads a built-in profile by name, or a file. vars are values of its
// variables. A profile with faults returns Errors, all of them.
func Open(name string, vars map[string]string) (*Profile, error) {
	return (*Reader)(nil).Open(name, Values{Given: vars})
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
