package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func testVocabulary() Vocabulary {
	return Vocabulary{
		Roles: []string{"support", "developer", "admin"}, Themes: []string{"default", "mono"}, Colors: []string{"text", "accent"},
		Marks: []string{"blue", "green"}, Backgrounds: []string{"dark", "light"},
		Scopes: []Scope{{"everywhere", []string{"palette", "help"}}, {"workbench", []string{"export", "copy"}}},
		Conflicts: func(b Bindings) []Conflict {
			var list []Conflict
			for _, k := range b["workbench"]["export"] {
				switch k {
				case "?":
					list = append(list, Conflict{"workbench", "export", k, `it is "help" everywhere`})
				case "j": // j moves the cursor in every list.
					for _, scope := range []string{"drift", "home", "item", "map", "queue"} {
						list = append(list, Conflict{"workbench", "export", k, `it is "down" in ` + scope})
					}
				}
			}
			return list
		},
	}
}

func TestParseReadsEverySetting(t *testing.T) {
	yes, no, limit := true, false, 64
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	got, err := Parse("c.yaml", []byte(`
contexts:
  prod-af:
    profile: prod
    region: af-south-1
    role: support
    actor: kagiso
    read-only: true
    environment: prod
    production: true
    production-accounts: ["111122223333"]
    budget: 250
    color: blue
    vars: {stage: prod}
  local: {endpoint-url: "http://127.0.0.1:8000"}
theme:
  base: mono
  accent: "#3b50c8"
  dark: {text: 250}
keys:
  everywhere: {palette: [":", ctrl+k]}
  workbench: {export: X, copy: []}
options: {ascii: true, mouse: false, scan-limit: 64, time-zone: UTC}
find: [local, prod-af]
profiles: [team/schemas, /srv/shop.yaml, ~/own.yaml]
`), testVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Path: "c.yaml", Found: true,
		Contexts: []Context{
			{
				Name: "prod-af", Profile: "prod", Region: "af-south-1", Role: "support", Actor: "kagiso", ReadOnly: true,
				Environment: "prod", Budget: "250", Color: "blue", Vars: map[string]string{"stage": "prod"},
				Production: &yes, Accounts: []string{"111122223333"},
			},
			{Name: "local", EndpointURL: "http://127.0.0.1:8000"},
		},
		Theme:   Theme{Name: "mono", Colors: map[string]string{"accent": "#3b50c8"}, Dark: map[string]string{"text": "250"}},
		Keys:    Bindings{"everywhere": {"palette": {":", "ctrl+k"}}, "workbench": {"export": {"X"}, "copy": {}}},
		Options: Options{ASCII: &yes, Mouse: &no, ScanLimit: &limit, Zone: time.UTC},
		Find:    []string{"local", "prod-af"},
		Profiles: []string{
			filepath.FromSlash("team/schemas"), filepath.Clean("/srv/shop.yaml"), filepath.Join(home, "own.yaml"),
		},
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b *time.Location) bool { return a == b })); d != "" {
		t.Error(d)
	}
	if got, err := Parse("c.yaml", []byte("theme: mono\n"), testVocabulary()); err != nil || got.Theme.Name != "mono" {
		t.Errorf("a theme name: got %v, %v", got, err)
	}
	if got, err := Parse("c.yaml", []byte("theme: dark\n"), testVocabulary()); err != nil || got.Theme.Name != "" || got.Theme.Background != "dark" {
		t.Errorf("a background name: got %v, %v", got, err)
	}
}

func TestParseReportsAllErrorsWithPositions(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"faults in every section": {
			`contexts:
  prod:
    profil: x
    role: supprt
    color: bleu
    vars: {stage: a/b}
theme: {base: defalt, acent: "#fff", text: reddish}
keys:
  workbnch: {export: X}
  workbench:
    exprt: X
    copy: [ctrl+i]
options: {ascii: maybe, mouse: [1], time-zone: Gaborone}
profiles: [team, " "]
`, `c.yaml:3:5: error: contexts.prod.profil: unknown key "profil"; did you mean "profile"?
c.yaml:4:5: error: contexts.prod.role: unknown role "supprt"; did you mean "support"?
c.yaml:5:5: error: contexts.prod.color: unknown color "bleu"; did you mean "blue"?
c.yaml:6:12: error: contexts.prod.vars.stage: "a/b" cannot be part of a table name; use up to 255 letters, digits, '_', '.' and '-'
c.yaml:7:9: error: theme.base: unknown theme "defalt"; did you mean "default"?
c.yaml:7:23: error: theme.acent: unknown theme color "acent"; did you mean "accent"?
c.yaml:7:38: error: theme.text: invalid color "reddish"; use a value such as "#3b50c8", or 0 to 255 for a color of the terminal's palette
c.yaml:9:3: error: keys.workbnch: unknown scope "workbnch"; did you mean "workbench"?
c.yaml:11:5: error: keys.workbench.exprt: unknown action "exprt"; did you mean "export"?
c.yaml:12:12: error: keys.workbench.copy.0: terminals send key "ctrl+i" as tab; use another key
c.yaml:13:11: error: options.ascii: expected true or false, found "maybe"
c.yaml:13:25: error: options.mouse: expected plain text, found a list
c.yaml:13:37: error: options.time-zone: unknown time zone "Gaborone"; use local, UTC or a name such as Africa/Gaborone
c.yaml:14:18: error: profiles.1: the path is empty; use a schema file or a folder of schemas`,
		},
		"conflict": {
			"keys:\n  workbench:\n    export: [X, \"?\"]\n",
			`c.yaml:3:17: error: keys.workbench.export.1: key "?" is in use: it is "help" everywhere`,
		},
		"conflict on every screen": {
			"keys:\n  workbench:\n    export: j\n",
			`c.yaml:3:13: error: keys.workbench.export.0: key "j" is in use: ` +
				`it is "down" in drift; it is "down" in home; it is "down" in item; and 2 more`,
		},
		"not YAML":      {"contexts: [\n", `c.yaml:2:1: error: not YAML: did not find expected node content while parsing a flow node`},
		"duplicate key": {"theme: mono\ntheme: default\n", `c.yaml:2:1: error: theme: duplicate key "theme"`},
		"no mapping":    {"- a\n", `c.yaml:1:1: error: expected a mapping (key: value), found a list`},
		"cyclic alias":  {"contexts: &a\n  x: *a\n", `c.yaml:2:3: error: contexts.x: alias refers to a mapping that contains it; write the value instead`},
		"URL without a scheme": {
			"contexts:\n  a: {endpoint-url: localhost:8000}\n",
			`c.yaml:2:7: error: contexts.a.endpoint-url: invalid HTTP URL "localhost:8000"; use a URL such as http://127.0.0.1:8000`,
		},
		"export and embedded database": {
			"contexts:\n  a: {from-export: /x, embedded: /y}\n",
			`c.yaml:2:7: error: contexts.a.from-export: from-export cannot be used with embedded, profile or endpoint-url; remove one of the two`,
		},
		"embedded database and AWS profile": {
			"contexts:\n  a: {embedded: /x, profile: y}\n",
			`c.yaml:2:7: error: contexts.a.embedded: embedded cannot be used with profile or endpoint-url; remove one of the two`,
		},
		"empty actor": {"contexts:\n  a: {actor: ''}\n", `c.yaml:2:7: error: contexts.a.actor: the actor is empty; remove the key or set an ID`},
		"blank name":  {"contexts:\n  \" \": {}\n", `c.yaml:2:3: error: contexts. : invalid context name " "; use letters, digits and -`},
		"map key":     {"contexts:\n  ? [a]\n  : {}\n", `c.yaml:1:1: error: contexts: expected a word, found a list`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(c.text), testVocabulary())
			var bad Errors
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want faults", err)
			}
			if d := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(bad.Error(), "\n")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadAcceptsMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	if f, err := Read(path, testVocabulary()); err != nil || f.Found {
		t.Errorf("without a file: got %v, %v", f, err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, testVocabulary()); err == nil || !strings.HasPrefix(err.Error(), path+": error: cannot read the file: ") {
		t.Errorf("a folder instead of a file: got %v", err)
	}
}

func TestParseAcceptsEmptyFiles(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "contexts:\ntheme:\nkeys:\noptions:\n"} {
		if _, err := Parse("c.yaml", []byte(text), testVocabulary()); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("contexts: {a: {role: admin}}\nkeys: {workbench: {copy: [x]}}\n"))
	f.Add([]byte("theme: &x {base: *x}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("c.yaml", text, testVocabulary())
		if (file == nil) == (err == nil) {
			t.Fatalf("got file %v and error %v, want exactly one", file, err)
		}
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "c.yaml:") {
					t.Fatalf("the fault has no position: %q", line)
				}
			}
		}
	})
}
