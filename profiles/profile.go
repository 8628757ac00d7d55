package profiles

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// A Profile is one schema document, checked.
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
	ValueMaps   map[string]models.ValueMap // by the name that placeholders give as their format

	decl    *profileDecl
	src     *source
	repairs []*change.Action // those that nobody declares
	digest  string
}

// A Variable is a value in table names.
type Variable struct {
	Name, Value, Default, Description string
}

// Guardrails are the rules of the document that ddbdesk enforces.
type Guardrails struct {
	Regions    []string // connecting anywhere else is refused; empty: any
	Production []string // names of contexts and variable values that are production
	Retention  string
	Notes      []string
}

// Names lists the built-in profiles.
func Names() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic("profiles: the built-in profiles are not in the program: " + err.Error())
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	sort.Strings(names)
	return names
}

// ErrUnknown is returned by Open for a name that is neither a built-in profile
// nor a file.
type ErrUnknown struct {
	Name string
}

func (e *ErrUnknown) Error() string {
	hint := models.DidYouMean(e.Name, Names())
	if hint == "" {
		hint = "; built-in: " + strings.Join(Names(), ", ")
	}
	return fmt.Sprintf("no schema or file named %q%s", models.Printable(e.Name), hint)
}

// ReadSource returns the text of a built-in profile, or of a file.
func ReadSource(name string) (file string, text []byte, err error) {
	if text, err := builtin.ReadFile("builtin/" + name + ".yaml"); err == nil && !strings.ContainsAny(name, `/\`) {
		return "builtin:" + name + ".yaml", text, nil
	}
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return "", nil, &ErrUnknown{name}
	}
	text, err = os.ReadFile(filepath.Clean(name))
	if err != nil {
		return "", nil, fmt.Errorf("read profile: %w", err)
	}
	return name, text, nil
}

// Open loads a built-in profile by name, or a file. vars are values of its
// variables. A profile with faults returns Errors, all of them.
func Open(name string, vars map[string]string) (*Profile, error) {
	file, text, err := ReadSource(name)
	if err != nil {
		return nil, err
	}
	return Load(file, text, vars)
}

// Load reads the text of a profile. file names it in diagnostics.
func Load(file string, text []byte, vars map[string]string) (*Profile, error) {
	decl := &profileDecl{}
	src := parse(file, text, decl)
	b := &builder{source: src, decl: decl, p: &Profile{File: file, decl: decl, src: src}}
	if len(decl.Tables)+len(decl.Entities)+len(decl.Patterns) > 0 || len(src.bad) == 0 {
		b.build(vars)
	}
	if len(src.bad) > 0 {
		slices.SortStableFunc(src.bad, Diagnostic.Compare)
		return nil, Errors(slices.Compact(src.bad)) // what several actions share has each fault once
	}
	b.p.digest = digest(text, b.p.Variables)
	return b.p, nil
}

// Table returns the table by its id or real name, nil when there is none.
func (p *Profile) Table(name string) *models.Table {
	for _, t := range p.Tables {
		if t.ID == name || t.Name == name {
			return t
		}
	}
	return nil
}

// Entity returns the entity by name, nil when there is none.
func (p *Profile) Entity(name string) *models.Entity {
	for _, e := range p.Entities {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Pattern returns the pattern by id, with or without the profile's name.
func (p *Profile) Pattern(id string) *accesspatterns.Pattern {
	id = strings.TrimPrefix(id, p.Name+".")
	for _, q := range p.Patterns {
		if q.ID == id {
			return q
		}
	}
	return nil
}

// PatternIDs lists the ids of the patterns without the profile's name.
func (p *Profile) PatternIDs() []string {
	ids := make([]string, len(p.Patterns))
	for i, q := range p.Patterns {
		ids[i] = q.ID
	}
	return ids
}

// EntitiesOf lists the entities that live in the table.
func (p *Profile) EntitiesOf(t *models.Table) []*models.Entity {
	var list []*models.Entity
	for _, e := range p.Entities {
		if e.Table == t {
			list = append(list, e)
		}
	}
	return list
}

// FindingsOf lists the findings about an entity.
func (p *Profile) FindingsOf(e *models.Entity) []*accesspatterns.Finding {
	var list []*accesspatterns.Finding
	for _, f := range p.Findings {
		for _, name := range f.Entities {
			if name == e.Name {
				list = append(list, f)
			}
		}
	}
	return list
}

// IsProduction reports whether one of the names (a context, a variable's
// value) counts as production.
func (p *Profile) IsProduction(names ...string) bool {
	for _, n := range names {
		for _, prod := range p.Guardrails.Production {
			if strings.EqualFold(n, prod) {
				return true
			}
		}
	}
	return false
}

// Position returns the line and column, from 1, of the part of the file at path,
// or of the closest part around it that the file contains; zeros when there is
// none.
func (p *Profile) Position(path string) (line, column int) { return p.src.At(path) }

// SampleHints says what sample data of an entity looks like.
type SampleHints struct {
	Count    int                 // items; 0: not given
	Per      string              // the entity that Count is for each item of, "" for all
	Weights  map[string][]Weight // values of attributes, by path
	Examples map[string][]string // values of attributes, by path, when they have no weights
}

// A Weight is a value and how often it occurs relative to the others.
type Weight struct {
	Value string
	Times int
}

// SampleHintsOf returns what the profile says of the entity's sample data.
func (p *Profile) SampleHintsOf(e *models.Entity) SampleHints {
	d, _ := p.decl.Entities.get(e.Name)
	h := SampleHints{Count: d.Sample.Count, Per: d.Sample.Per, Weights: map[string][]Weight{}, Examples: map[string][]string{}}
	for _, of := range d.Sample.Of {
		for _, v := range of.Value {
			h.Weights[of.Key] = append(h.Weights[of.Key], Weight{v.Key, v.Value})
		}
	}
	h.addExamples("", d.Attributes)
	return h
}

func (h *SampleHints) addExamples(parent string, list ordered[attributeDecl]) {
	for _, a := range list {
		path := join(parent, a.Key)
		h.Examples[path] = a.Value.Examples
		h.addExamples(path, a.Value.Attributes)
	}
}
