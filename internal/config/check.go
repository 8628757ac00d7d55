// This file checks what the decoder read and makes a configuration of it.

package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Vocabulary is the words that the rest of the program knows.
type Vocabulary struct {
	Roles   []string
	Themes  []string
	Colours []string // the meanings of a theme's colours
	Marks   []string // the colours of a context
	Scopes  []Scope

	// Budget says what is wrong with the budget of a context; nil takes any.
	Budget func(text string) error

	// Clashes finds keys that would reach two actions, or another than meant. It
	// is asked once everything else about the keys is right; nil finds none.
	Clashes func(Bindings) []Clash
}

// A Scope is where keys mean something: a screen, or everywhere.
type Scope struct {
	Name    string
	Actions []string
}

// A Clash is a key of the configuration that cannot be given to an action.
type Clash struct {
	Scope, Action, Key string
	Why                string // "the action \"copy\" has it"
}

func (s *source) file(d fileDecl, words Vocabulary) *File {
	f := &File{Options: Options{ASCII: d.Options.ASCII, Mouse: d.Options.Mouse}}
	for _, c := range d.Contexts {
		f.Contexts = append(f.Contexts, s.context(c, words))
	}
	f.Theme = s.theme(d.Theme, words)
	f.Keys = s.bindings(d.Keys, words)
	return f
}

// tableName matches what may stand in a table's name, which is what variables
// are parts of. Source: Amazon DynamoDB Developer Guide, "Naming rules".
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,255}$`)

func (s *source) context(p pair[contextDecl], words Vocabulary) Context {
	d, path := p.value, join("contexts", p.key)
	c := Context{
		Name: p.key, Profile: d.Profile, Region: d.Region, EndpointURL: d.EndpointURL, Embedded: d.Embedded, Role: d.Role,
		Actor: d.Actor, ReadOnly: d.ReadOnly, Environment: d.Environment, Budget: d.Budget, Colour: d.Colour,
	}
	if strings.TrimSpace(p.key) == "" || models.Printable(p.key) != p.key {
		s.errorf(path, "use letters, digits and -", "%q is no name for a context", models.Printable(p.key))
	}
	if d.Role != "" && !slices.Contains(words.Roles, d.Role) {
		s.unknown(path+".role", "role", d.Role, words.Roles)
	}
	if d.Colour != "" && !slices.Contains(words.Marks, d.Colour) {
		s.unknown(path+".colour", "colour", d.Colour, words.Marks)
	}
	if words.Budget != nil && s.set(path+".budget") {
		if err := words.Budget(d.Budget); err != nil {
			s.errorf(path+".budget", "", "%v", err)
		}
	}
	if d.EndpointURL != "" {
		if u, err := url.Parse(d.EndpointURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			s.errorf(path+".endpoint-url", "such as http://127.0.0.1:8000", "%q is no http or https address", models.Printable(d.EndpointURL))
		}
	}
	if d.Embedded != "" && (d.EndpointURL != "" || d.Profile != "") {
		s.errorf(path+".embedded", "leave out one of them", "the embedded store needs neither profile nor endpoint-url")
	}
	if s.set(path+".actor") && strings.TrimSpace(d.Actor) == "" {
		s.errorf(path+".actor", "leave it out, or say who acts", "an actor needs a name")
	}
	if len(d.Vars) > 0 {
		c.Vars = map[string]string{}
	}
	for _, v := range d.Vars {
		if !tableName.MatchString(v.value) {
			s.errorf(join(path+".vars", v.key), "letters, digits, _ . and - can, at most 255 of them", "%q cannot be part of a table name", models.Printable(v.value))
		}
		c.Vars[v.key] = v.value
	}
	return c
}

// set reports whether the file says something at path.
func (s *source) set(path string) bool {
	return s.Stands(path)
}

func (s *source) theme(d themeDecl, words Vocabulary) Theme {
	if d.Base != "" && !slices.Contains(words.Themes, d.Base) {
		s.unknown("theme.base", "theme", d.Base, words.Themes)
	}
	return Theme{
		Name: d.Base, Colours: s.colours(d.Colours, "theme", words, "base", "dark", "light"),
		Dark: s.colours(d.Dark, "theme.dark", words), Light: s.colours(d.Light, "theme.light", words),
	}
}

var hexColour = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

func (s *source) colours(list pairs[string], path string, words Vocabulary, also ...string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	found := map[string]string{}
	for _, p := range list {
		at := join(path, p.key)
		if !slices.Contains(words.Colours, p.key) {
			s.unknown(at, "colour of a theme", p.key, append(slices.Clone(words.Colours), also...))
			continue
		}
		if n, err := strconv.Atoi(p.value); !hexColour.MatchString(p.value) && (err != nil || n < 0 || n > 255 || strconv.Itoa(n) != p.value) {
			s.errorf(at, `write "#3b50c8", or 0 to 255 for a colour of the terminal's table`, "%q is no colour", models.Printable(p.value))
			continue
		}
		found[p.key] = p.value
	}
	return found
}

// bindings checks keys one by one, and when each is right, against each other.
func (s *source) bindings(scopes pairs[pairs[[]string]], words Vocabulary) Bindings {
	if len(scopes) == 0 {
		return nil
	}
	before := len(s.bad)
	names := make([]string, len(words.Scopes))
	actions := map[string][]string{}
	for i, scope := range words.Scopes {
		names[i] = scope.Name
		actions[scope.Name] = scope.Actions
	}
	found := Bindings{}
	for _, scope := range scopes {
		path := join("keys", scope.key)
		if _, ok := actions[scope.key]; !ok {
			s.unknown(path, "scope", scope.key, names)
			continue
		}
		found[scope.key] = map[string][]string{}
		for _, action := range scope.value {
			at := join(path, action.key)
			if !slices.Contains(actions[scope.key], action.key) {
				s.unknown(at, "action", action.key, actions[scope.key])
				continue
			}
			for i, key := range action.value {
				if why, instead := CheckKey(key); why != "" {
					s.errorf(join(at, strconv.Itoa(i)), instead, "%s", why)
				}
			}
			found[scope.key][action.key] = action.value
		}
	}
	if words.Clashes == nil || len(s.bad) > before {
		return found
	}
	for _, c := range oneEach(words.Clashes(found)) {
		at := join(join("keys", c.Scope), c.Action)
		for i, key := range found[c.Scope][c.Action] {
			if key == c.Key && s.set(join(at, strconv.Itoa(i))) {
				at = join(at, strconv.Itoa(i))
				break
			}
		}
		s.errorf(at, "", "the key %q is taken: %s", c.Key, c.Why)
	}
	return found
}

// clashesSaid is how many reasons are written out: a key that moves in lists is
// taken on every screen.
const clashesSaid = 3

// oneEach makes one clash of all that one key of an action has.
func oneEach(clashes []Clash) []Clash {
	type place struct{ scope, action, key string }
	whys := map[place][]string{}
	var list []Clash
	for _, c := range clashes {
		at := place{c.Scope, c.Action, c.Key}
		if whys[at] == nil {
			list = append(list, c)
		}
		whys[at] = append(whys[at], c.Why)
	}
	for i, c := range list {
		why := whys[place{c.Scope, c.Action, c.Key}]
		if more := len(why) - clashesSaid; more > 0 {
			why = append(why[:clashesSaid:clashesSaid], fmt.Sprintf("and %d more", more))
		}
		list[i].Why = strings.Join(why, "; ")
	}
	return list
}
