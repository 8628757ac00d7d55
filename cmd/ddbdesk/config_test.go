// This file tests the configuration: its document, what flags and contexts come
// to together, and what the terminal can show.

package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// documented is the example of docs/configuration.md.
func documented(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/configuration.md has no example")
	}
	return example
}

func TestDocumentedConfigurationLoads(t *testing.T) {
	example := documented(t)
	f, err := config.Parse("config.yaml", []byte(example), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Contexts) != 4 || f.Theme.Name != "default" || len(f.Keys) != 2 || f.Options.ASCII == nil || f.Options.Mouse == nil {
		t.Errorf("the example came to %+v", f)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config.Context]()) {
		if field.Name == "Name" {
			continue
		}
		used := false
		for _, c := range f.Contexts {
			used = used || !reflect.ValueOf(c).FieldByIndex(field.Index).IsZero()
		}
		if !used {
			t.Errorf("the example of docs/configuration.md does not show %s", field.Name)
		}
	}
}

// Everything that a file may name is in the document.
func TestConfigurationDocumentIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	v := vocabulary()
	for _, list := range [][]string{v.Themes, v.Colours, v.Roles} {
		for _, word := range list {
			if !strings.Contains(string(text), "`"+word+"`") {
				t.Errorf("docs/configuration.md does not name `%s`", word)
			}
		}
	}
	for _, word := range v.Marks {
		if !strings.Contains(string(text), word) {
			t.Errorf("docs/configuration.md does not name the colour %s", word)
		}
	}
}

// started is ddbdesk as it was called with flags, on a configuration.
func started(t *testing.T, file string, args ...string) *app {
	t.Helper()
	f, err := config.Parse("config.yaml", []byte(file), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	a := &app{file: f, stores: &stores{}}
	root := a.rootCommand()
	root.SetArgs(args)
	root.RunE = func(*cobra.Command, []string) error { return nil }
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFlagsWinOverEveryContext(t *testing.T) {
	example := documented(t)
	a := started(t, example, "--context", "staging", "--region", "eu-west-1", "--read-only")
	want := globalFlags{profile: "zentriq-staging", region: "eu-west-1", context: "staging", role: "developer", readOnly: true}
	if d := cmp.Diff(want, a.flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Error(d)
	}
	o := &opener{app: a}
	if err := o.Use("try-out"); err != nil {
		t.Fatal(err)
	}
	want = globalFlags{embedded: "/home/kagiso/try", region: "eu-west-1", context: "try-out", role: "admin", readOnly: true}
	if d := cmp.Diff(want, o.now().flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Errorf("after a change of the context: %s", d)
	}
	if o.now().mayChange() {
		t.Error("--read-only was lost on the way")
	}
	if err := o.Use(""); err != nil {
		t.Fatal(err)
	}
	want = globalFlags{region: "eu-west-1", role: "support", readOnly: true}
	if d := cmp.Diff(want, o.now().flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Errorf("without a context: %s", d)
	}
	if err := o.Use("nowhere"); err == nil {
		t.Error("a context that is not there was taken")
	}
	if a.flags.context != "staging" {
		t.Error("what was connected before changed under its sessions")
	}
}

func TestTypedProfileLeadsElsewhere(t *testing.T) {
	a := started(t, documented(t), "--context", "try-out", "--profile", "other")
	if _, ok := a.embeddedDir(); ok || a.flags.profile != "other" {
		t.Errorf("--profile lost against the context: %+v", a.flags)
	}
}

func TestContextsSayWhatTheyComeTo(t *testing.T) {
	t.Setenv("AWS_REGION", "af-south-1")
	a := started(t, documented(t), "--context", "staging", "--role", "support")
	list, current := (&opener{app: a}).Contexts()
	if current != "staging" || len(list) != 5 {
		t.Fatalf("%d contexts, %q in use", len(list), current)
	}
	want := tui.Context{
		Name: "prod-af", Profile: "zentriq-prod", Region: "af-south-1", Role: "support", ReadOnly: true, Environment: "prod", Flags: []string{"--role"},
	}
	if d := cmp.Diff(want, list[2]); d != "" {
		t.Error(d)
	}
	if list, _ := (&opener{app: a, demo: &demo{}}).Contexts(); list != nil {
		t.Error("the demo leads elsewhere")
	}
}

// Everything can be tried in the demo, and how it is for somebody else.
func TestDemoKeepsARoleThatWasTyped(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "admin"},
		{[]string{"--role", "support"}, "support"},
		{[]string{"--context", "staging"}, "admin"},
	} {
		a := started(t, documented(t), c.args...)
		a.enterDemo()
		if a.flags.role != c.want || a.flags.context != "" || a.flags.profile != "" {
			t.Errorf("%v: %+v, want the role %s and no context", c.args, a.flags, c.want)
		}
	}
}

// The tour would wait for a change that nobody can make.
func TestTourIsForThoseWhoMayChange(t *testing.T) {
	for _, c := range []struct {
		args          []string
		wanted, asked bool
		tour, refused bool
	}{
		{nil, true, false, true, false},
		{nil, false, true, false, false},
		{[]string{"--role", "support"}, true, false, false, false},
		{[]string{"--role", "support"}, true, true, false, true},
		{[]string{"--read-only"}, true, true, false, true},
	} {
		a := started(t, documented(t), c.args...)
		a.enterDemo()
		if tour, err := a.takesTour(c.wanted, c.asked); tour != c.tour || (err != nil) != c.refused {
			t.Errorf("%v, wanted %v, asked %v: %v, %v", c.args, c.wanted, c.asked, tour, err)
		}
	}
}

func TestSignsFollowTheLocale(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		ascii *bool
		env   map[string]string
		want  widget.Signs
	}{
		{nil, nil, widget.SignsAll},
		{nil, map[string]string{"LANG": "en_ZA.UTF-8"}, widget.SignsAll},
		{nil, map[string]string{"LANG": "en_ZA.utf8", "LC_ALL": "C"}, widget.SignsASCII},
		{nil, map[string]string{"LANG": "POSIX", "LC_CTYPE": "C.UTF-8"}, widget.SignsAll},
		{nil, map[string]string{"LANG": "de_DE.ISO-8859-1"}, widget.SignsASCII},
		{&no, map[string]string{"LANG": "C"}, widget.SignsAll},
		{&yes, map[string]string{"LANG": "C"}, widget.SignsASCII},
		{&yes, nil, widget.SignsFew},
	} {
		if got := signs(c.ascii, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v, want %v", c.env, got, c.want)
		}
	}
}

func TestThemeOfTheFileAndTheFlag(t *testing.T) {
	f := &config.File{Theme: config.Theme{Name: "mono", Colours: map[string]string{"accent": "#123456"}}}
	a := &app{}
	if theme, err := a.theme(f); err != nil || theme.Name() != "mono" || theme.Palette(true, 0).Accent == nil {
		t.Errorf("%v, %v", theme.Name(), err)
	}
	a.flags.theme = "16"
	if theme, err := a.theme(f); err != nil || theme.Name() != "16" {
		t.Errorf("%v, %v", theme.Name(), err)
	}
	a.flags.theme = "neon"
	if _, err := a.theme(f); err == nil || !strings.HasPrefix(err.Error(), `--theme: "neon" is none of default, high-contrast`) {
		t.Errorf("%v", err)
	}
}
