package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/local"
)

// The console connects with any AWS profile, region or endpoint or to the embedded database, and saves the choice.
func TestConsoleChoosesItsConnection(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(appdir.ConfigEnv, dir)
	for _, name := range []string{"AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "aws"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "none"))
	if err := os.WriteFile(filepath.Join(dir, "aws"), []byte("[profile acme]\nregion = eu-west-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(path, []byte("# mine\ncontexts:\n  prod: {region: af-south-1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := local.New()
	start := func() *opener {
		a := appWith(globalFlags{Context: config.Context{Role: "support"}})
		a.console = &console{localStore: memory}
		if _, err := a.configuration(); err != nil {
			t.Fatal(err)
		}
		return &opener{app: a}
	}
	o := start()
	list, current := o.Contexts()
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if current != "" || !slices.Equal(names, []string{"", "prod", "profile:acme", "embedded:"}) {
		t.Errorf("Contexts() = %q, current %q", names, current)
	}
	for name, want := range map[string]string{
		"profile:acme": "acme", "http://localhost:8000": "http://localhost:8000", "embedded:": "embedded", "prod": "",
	} {
		if err := o.Use(name); err != nil || o.Source().Place != want {
			t.Errorf("%s connects to %q, error %v", name, o.Source().Place, err)
		}
	}
	flagged := start() // An AWS profile and an endpoint also replace the endpoint of the command line; a context does not.
	flagged.app.typed.EndpointURL, flagged.app.changed = "http://localhost:1", map[string]bool{"endpoint-url": true}
	if list, _ := flagged.Contexts(); len(list) != 4 || list[0].Title() != "http://localhost:1" || list[2].Endpoint != "" {
		t.Errorf("got connections %+v, want the endpoint first", list)
	}
	for _, want := range [][2]string{
		{"profile:acme", "acme"},
		{"http://localhost:2", "http://localhost:2"},
		{"prod", "http://localhost:1"},
		{"embedded:", "embedded"},
		{"", "http://localhost:1"},
	} {
		if err := flagged.Use(want[0]); err != nil || flagged.Source().Place != want[1] {
			t.Errorf("%s connects to %q, error %v", want[0], flagged.Source().Place, err)
		}
	}
	if err := o.Use("nowhere"); err == nil {
		t.Error("Use accepted an unknown context")
	}
	if err := o.Use("profile:acme"); err != nil {
		t.Fatal(err)
	}
	next := start()
	if next.useLastConnection(); next.Source().Place != "acme" {
		t.Errorf("the next start connects to %q, want acme", next.Source().Place)
	}
	given := start()
	given.app.flags.Name = "prod"
	if given.useLastConnection(); given.Source().Place != "" {
		t.Error("the remembered context overrides the command line")
	}
	saved, err := o.Save("profile:acme")
	text, _ := os.ReadFile(path)
	if err != nil || saved != "acme" || !strings.Contains(string(text), "# mine\ncontexts:\n  acme:\n    profile: \"acme\"\n  prod:") {
		t.Errorf("Save() = %q, %v:\n%s", saved, err, text)
	}
	if _, err := o.Save("profile:acme"); err == nil {
		t.Error("Save accepted a saved context")
	}
	if name, err := start().Save(""); err == nil {
		t.Errorf("Save accepted the connection of the environment as %s", name)
	}
	if _, err := o.Save("prod"); err == nil {
		t.Error("Save accepted a context")
	}
}

// A console without a connection opens a schema, but does not create the embedded database.
func TestConsoleWithoutConnectionCreatesNoDatabase(t *testing.T) {
	dir := t.TempDir()
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	for _, name := range []string{"HOME", appdir.ConfigEnv, appdir.StateEnv} {
		t.Setenv(name, dir)
	}
	a := appWith(globalFlags{Context: config.Context{Role: "support"}})
	t.Cleanup(a.close)
	a.console = &console{localStore: local.New()}
	o := &opener{app: a}
	p, err := o.Profile("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Open(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(appdir.EmbeddedStore()); err == nil || o.Source().Missing == "" {
		t.Errorf("opening a schema created %s", appdir.EmbeddedStore())
	}
}
