package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// documentedConfiguration returns the example in docs/configuration.md.
func documentedConfiguration(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/configuration.md contains no example")
	}
	return example
}

func TestDocumentedConfigurationLoads(t *testing.T) {
	example := documentedConfiguration(t)
	f, err := config.Parse("config.yaml", []byte(example), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Contexts) != 5 || f.Theme.Name != "default" || len(f.Keys) != 2 || f.Options.ASCII == nil || f.Options.Mouse == nil {
		t.Errorf("the example loads as %+v", f)
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

func TestConfigurationDocumentNamesEveryWord(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	v := vocabulary()
	for _, list := range [][]string{v.Themes, v.Colors, v.Roles} {
		for _, word := range list {
			if !strings.Contains(string(text), "`"+word+"`") {
				t.Errorf("docs/configuration.md does not name `%s`", word)
			}
		}
	}
	for _, word := range widget.ContextColors() {
		if !strings.Contains(string(text), word) {
			t.Errorf("docs/configuration.md does not name the color %s", word)
		}
	}
}

// parsed returns an app with the configuration file and the flags.
func parsed(t *testing.T, file string, args ...string) *app {
	t.Helper()
	f, err := config.Parse("config.yaml", []byte(file), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	a := &app{settings: settings{file: f}, stores: &stores{}}
	root := rootCommand(a)
	root.SetArgs(args)
	root.RunE = func(*cobra.Command, []string) error { return nil }
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFlagsOverrideEveryContext(t *testing.T) {
	example := documentedConfiguration(t)
	a := parsed(t, example, "--context", "staging", "--region", "eu-west-1", "--read-only")
	want := globalFlags{purpose: a.flags.purpose, Context: config.Context{
		Name: "staging", Profile: "zentriq-staging", Region: "eu-west-1", Role: "developer", ReadOnly: true, Environment: "staging",
		Color: "blue", Vars: map[string]string{"environment": "staging"}, Production: new(bool),
	}}
	if d := cmp.Diff(want, a.flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Error(d)
	}
	o := &opener{app: a}
	if err := o.Use("try-out"); err != nil {
		t.Fatal(err)
	}
	want = globalFlags{purpose: a.flags.purpose, Context: config.Context{
		Name: "try-out", Embedded: "/home/kagiso/try", Region: "eu-west-1", Role: "admin", ReadOnly: true, RawEdits: "true",
	}}
	if d := cmp.Diff(want, o.current().flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Errorf("after a change of context (-want +got):\n%s", d)
	}
	if o.current().mayChange() {
		t.Error("a change of context removed --read-only")
	}
	if err := o.Use(""); err != nil {
		t.Fatal(err)
	}
	want = globalFlags{purpose: a.flags.purpose, Context: config.Context{Region: "eu-west-1", Role: "support", ReadOnly: true}}
	if d := cmp.Diff(want, o.current().flags, cmp.AllowUnexported(globalFlags{})); d != "" {
		t.Errorf("without a context (-want +got):\n%s", d)
	}
	if err := o.Use("nowhere"); err == nil {
		t.Error("Use accepted an unknown context")
	}
	if a.flags.Name != "staging" {
		t.Error("Use changed the context of the previous app")
	}
}

func TestProfileFlagOverridesEmbeddedContext(t *testing.T) {
	a := parsed(t, documentedConfiguration(t), "--context", "try-out", "--profile", "other")
	if _, ok := a.embeddedDir(); ok || a.flags.Profile != "other" {
		t.Errorf("the context overrides --profile: %+v", a.flags)
	}
}

// An environment variable with an endpoint redirects a context to another database, like --endpoint-url.
func TestEndpointVariableSelectsAnotherDatabase(t *testing.T) {
	const file = "contexts: {open: {region: eu-west-1, production: false}, own: {endpoint-url: 'http://127.0.0.1:1', production: false}, " +
		"dir: {embedded: /tmp/x, production: false}}"
	for variable, want := range map[string]map[string]bool{
		"AWS_REGION":                {"open": false, "own": false, "dir": false},
		"AWS_ENDPOINT_URL":          {"open": true, "own": false, "dir": false},
		"AWS_ENDPOINT_URL_DYNAMODB": {"open": true, "own": false, "dir": false},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "http://127.0.0.1:2")
			for context, redirected := range want {
				if d := parsed(t, file, "--context", context).declaration(); d.Redirected != redirected {
					t.Errorf("%s: Redirected = %t, want %t", context, d.Redirected, redirected)
				}
			}
		})
	}
}

func TestContextsListResolvedSettings(t *testing.T) {
	t.Setenv("AWS_REGION", "af-south-1")
	a := parsed(t, documentedConfiguration(t), "--context", "staging", "--role", "support")
	list, current := (&opener{app: a}).Contexts()
	list = slices.DeleteFunc(list, func(c tui.Context) bool { return c.Kind != "" }) // AWS profiles and the embedded database
	if current != "staging" || len(list) != 6 {
		t.Fatalf("got %d contexts, current %q, want 6 and staging", len(list), current)
	}
	want := tui.Context{
		Name: "prod-af", Profile: "zentriq-prod", Region: "af-south-1", Role: "support", ReadOnly: true, Environment: "prod",
		Flags: []string{"--role"}, Declared: session.Declaration{Accounts: []string{"111122223333"}},
	}
	if d := cmp.Diff(want, list[2]); d != "" {
		t.Error(d)
	}
	if list, _ := (&opener{app: a, demo: &demo{}}).Contexts(); list != nil {
		t.Error("the demo lists contexts")
	}
}

func TestDemoDefaultsToAdminAndKeepsTypedRole(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "admin"},
		{[]string{"--role", "support"}, "support"},
		{[]string{"--context", "staging"}, "admin"},
	} {
		a := parsed(t, documentedConfiguration(t), c.args...)
		a.enterDemo()
		if a.flags.Role != c.want || a.flags.Name != "" || a.flags.Profile != "" {
			t.Errorf("%v: got %+v, want role %s and no context", c.args, a.flags, c.want)
		}
	}
}

func TestTourNeedsWritableSession(t *testing.T) {
	for _, c := range []struct {
		args             []string
		wanted, explicit bool
		tour, refused    bool
	}{
		{nil, true, false, true, false},
		{nil, false, true, false, false},
		{[]string{"--role", "support"}, true, false, false, false},
		{[]string{"--role", "support"}, true, true, false, true},
		{[]string{"--read-only"}, true, true, false, true},
	} {
		a := parsed(t, documentedConfiguration(t), c.args...)
		a.enterDemo()
		if tour, err := a.canTakeTour(c.wanted, c.explicit); tour != c.tour || (err != nil) != c.refused {
			t.Errorf("%v, wanted %v, explicit %v: got %v, %v", c.args, c.wanted, c.explicit, tour, err)
		}
	}
}

func TestSignsFollowLocale(t *testing.T) {
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
			t.Errorf("%v: signs(%v) = %v, want %v", c.env, c.ascii, got, c.want)
		}
	}
}

func TestChooseThemePrefersFlag(t *testing.T) {
	configured := config.Theme{Name: "mono", Colors: map[string]string{"accent": "#123456"}}
	accent := slices.Index(widget.ColorNames(), "accent")
	if theme, err := chooseTheme(configured, ""); err != nil || theme.Name() != "mono" || theme.Palette(true, 0)[accent] == nil {
		t.Errorf("got theme %v, %v, want mono", theme.Name(), err)
	}
	if theme, err := chooseTheme(configured, "16"); err != nil || theme.Name() != "16" {
		t.Errorf("got theme %v, %v, want 16", theme.Name(), err)
	}
	if _, err := chooseTheme(configured, "fluorescent"); err == nil ||
		!strings.HasPrefix(err.Error(), `--theme: invalid theme "fluorescent"; use auto, dark, light, default, high-contrast`) {
		t.Errorf("got %v, want an error about the theme fluorescent", err)
	}
	nord := config.Theme{Name: "nord", Background: "light"}
	for flag, dark := range map[string]bool{"": false, "dark": true, "light": false, "auto": true} {
		theme, err := chooseTheme(nord, flag)
		want, _ := widget.ThemeNamed("nord")
		if err != nil || theme.Palette(true, 0)[0] != want.Palette(dark, 0)[0] {
			t.Errorf("--theme %q on a dark terminal with background: light: %v", flag, err)
		}
	}
}

func TestFolderAfterEmbeddedFlagIsRejected(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"table", "check", "authbridge", "--embedded", dir},
		{"--embedded", dir, "authbridge"},
		{"decode", "authbridge", "CASE#1", "--embedded", dir},
		{"serve", "--embedded", "./not-there-yet"},
	} {
		code, out, errs := ddbdesk(t, args...)
		if code != cli.ExitUsage || out != "" || !strings.Contains(errs, "--embedded: write the folder after =, as in --embedded=") {
			t.Errorf("%v: exit %d, want a usage error about --embedded: %q, %s", args, code, out, errs)
		}
	}
	t.Chdir(dir)
	if err := os.Mkdir("schema", 0o700); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitOK, "authbridge", "--embedded", "schema", "list")
	file := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		nil,
		{"run", "--embedded"},
		{"schema", "show", "--embedded", "authbridge"},
		{"schema", "show", "--embedded", file},
		{"decode", "authbridge", "--embedded", "CASE#1/META"},
		{"run", "authbridge", "--", "--embedded", dir},
	} {
		if err := cli.MisplacedFolder(args, nil); err != nil {
			t.Errorf("MisplacedFolder(%v) = %v, want no error", args, err)
		}
	}
}
