package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func words() Vocabulary {
	return Vocabulary{
		Roles: []string{"support", "developer", "admin"}, Themes: []string{"default", "mono"}, Colours: []string{"text", "accent"},
		Marks:  []string{"blue", "green"},
		Scopes: []Scope{{"everywhere", []string{"palette", "help"}}, {"workbench", []string{"export", "copy"}}},
		Clashes: func(b Bindings) []Clash {
			var list []Clash
			for _, k := range b["workbench"]["export"] {
				switch k {
				case "?":
					list = append(list, Clash{"workbench", "export", k, `it is "help" everywhere`})
				case "j": // It moves in every list.
					for _, scope := range []string{"drift", "home", "item", "map", "queue"} {
						list = append(list, Clash{"workbench", "export", k, `it is "down" in ` + scope})
					}
				}
			}
			return list
		},
	}
}

func TestParse(t *testing.T) {
	yes, no := true, false
	got, err := Parse("c.yaml", []byte(`
contexts:
  prod-af:
    profile: prod
    region: af-south-1
    role: support
    actor: kagiso
    read-only: true
    environment: prod
    budget: 250
    colour: blue
    vars: {stage: prod}
  local: {endpoint-url: "http://127.0.0.1:8000"}
theme:
  base: mono
  accent: "#3b50c8"
  dark: {text: 250}
keys:
  everywhere: {palette: [":", ctrl+k]}
  workbench: {export: X, copy: []}
options: {ascii: true, mouse: false}
`), words())
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Path: "c.yaml", Found: true,
		Contexts: []Context{
			{
				Name: "prod-af", Profile: "prod", Region: "af-south-1", Role: "support", Actor: "kagiso", ReadOnly: true,
				Environment: "prod", Budget: "250", Colour: "blue", Vars: map[string]string{"stage": "prod"},
			},
			{Name: "local", EndpointURL: "http://127.0.0.1:8000"},
		},
		Theme:   Theme{Name: "mono", Colours: map[string]string{"accent": "#3b50c8"}, Dark: map[string]string{"text": "250"}},
		Keys:    Bindings{"everywhere": {"palette": {":", "ctrl+k"}}, "workbench": {"export": {"X"}, "copy": {}}},
		Options: Options{ASCII: &yes, Mouse: &no},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err := Parse("c.yaml", []byte("theme: mono\n"), words()); err != nil || got.Theme.Name != "mono" {
		t.Errorf("the short form of a theme: %v, %v", got, err)
	}
}

// Everything wrong is said at once, each with its place.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"everything": {
			`contexts:
  prod:
    profil: x
    role: supprt
    colour: bleu
    vars: {stage: a/b}
theme: {base: defalt, acent: "#fff", text: reddish}
keys:
  workbnch: {export: X}
  workbench:
    exprt: X
    copy: [ctrl+i]
options: {ascii: maybe, mouse: [1]}
`, `c.yaml:3:5: error: contexts.prod.profil: unknown word "profil"; did you mean "profile"?
c.yaml:4:5: error: contexts.prod.role: unknown role "supprt"; did you mean "support"? known are support, developer, admin
c.yaml:5:5: error: contexts.prod.colour: unknown colour "bleu"; did you mean "blue"? known are blue, green
c.yaml:6:12: error: contexts.prod.vars.stage: "a/b" cannot be part of a table name; letters, digits, _ . and - can, at most 255 of them
c.yaml:7:9: error: theme.base: unknown theme "defalt"; did you mean "default"? known are default, mono
c.yaml:7:23: error: theme.acent: unknown colour of a theme "acent"; did you mean "accent"? known are text, accent, base, dark, light
c.yaml:7:38: error: theme.text: "reddish" is no colour; write "#3b50c8", or 0 to 255 for a colour of the terminal's table
c.yaml:9:3: error: keys.workbnch: unknown scope "workbnch"; did you mean "workbench"? known are everywhere, workbench
c.yaml:11:5: error: keys.workbench.exprt: unknown action "exprt"; did you mean "export"? known are export, copy
c.yaml:12:12: error: keys.workbench.copy.0: the key "ctrl+i" cannot be told apart: terminals send it as tab; choose another key
c.yaml:13:11: error: options.ascii: expected true or false, found "maybe"
c.yaml:13:25: error: options.mouse: expected plain text, found a list`,
		},
		"clash": {
			"keys:\n  workbench:\n    export: [X, \"?\"]\n",
			`c.yaml:3:17: error: keys.workbench.export.1: the key "?" is taken: it is "help" everywhere`,
		},
		"clash on every screen": {
			"keys:\n  workbench:\n    export: j\n",
			`c.yaml:3:13: error: keys.workbench.export.0: the key "j" is taken: it is "down" in drift; it is "down" in home; it is "down" in item; and 2 more`,
		},
		"not YAML": {"contexts: [\n", `c.yaml:2:1: error: not YAML: did not find expected node content while parsing a flow node`},
		"twice":    {"theme: mono\ntheme: default\n", `c.yaml:2:1: error: theme: "theme" stands here twice`},
		"no map":   {"- a\n", `c.yaml:1:1: error: expected a mapping (word: value), found a list`},
		"alias":    {"contexts: &a\n  x: *a\n", `c.yaml:2:3: error: contexts.x: an alias stands inside what it repeats; write it out`},
		"address":  {"contexts:\n  a: {endpoint-url: localhost:8000}\n", `c.yaml:2:7: error: contexts.a.endpoint-url: "localhost:8000" is no http or https address; such as http://127.0.0.1:8000`},
		"both":     {"contexts:\n  a: {embedded: /x, profile: y}\n", `c.yaml:2:7: error: contexts.a.embedded: the embedded store needs neither profile nor endpoint-url; leave out one of them`},
		"no actor": {"contexts:\n  a: {actor: ''}\n", `c.yaml:2:7: error: contexts.a.actor: an actor needs a name; leave it out, or say who acts`},
		"no name":  {"contexts:\n  \" \": {}\n", `c.yaml:2:3: error: contexts. : " " is no name for a context; use letters, digits and -`},
		"map key":  {"contexts:\n  ? [a]\n  : {}\n", `c.yaml:1:1: error: contexts: expected a word, found a list`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(c.text), words())
			var bad Errors
			if !errors.As(err, &bad) {
				t.Fatalf("error %v", err)
			}
			if d := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(bad.Error(), "\n")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	if f, err := Read(path, words()); err != nil || f.Found {
		t.Errorf("without a file: %v, %v", f, err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, words()); err == nil || !strings.HasPrefix(err.Error(), path+": error: cannot be read: ") {
		t.Errorf("a folder in its place: %v", err)
	}
}

func TestEmptyFileSaysNothing(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "contexts:\ntheme:\nkeys:\noptions:\n"} {
		if _, err := Parse("c.yaml", []byte(text), words()); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("contexts: {a: {role: admin}}\nkeys: {workbench: {copy: [x]}}\n"))
	f.Add([]byte("theme: &x {base: *x}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("c.yaml", text, words())
		if (file == nil) == (err == nil) {
			t.Fatalf("file %v and error %v", file, err)
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "c.yaml:") {
					t.Fatalf("a line without a place: %q", line)
				}
			}
		}
	})
}
