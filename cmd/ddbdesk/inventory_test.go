package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/tui"
)

var updateInventory = flag.Bool("inventory.update", false, "record the inventory in testdata/inventory.txt, as after a release")

// The inventory lists what users and programs rely on: commands with flags, screens with keys, JSON fields, and agents'
// tools. The changelog names every difference from the recorded inventory in backticks.
func TestInventoryChangesAreInChangelog(t *testing.T) {
	const file = "testdata/inventory.txt"
	now := inventory(t)
	if *updateInventory {
		if err := os.WriteFile(file, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSpace(string(text)), "\n")
	log, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(log), "## [Unreleased]")
	section, _, _ = strings.Cut(section, "\n## [")
	_, removed, _ := strings.Cut(section, "\n### Removed\n")
	removed, _, _ = strings.Cut(removed, "\n### ")
	for _, line := range before {
		if !slices.Contains(now, line) && !isNamed(removed, line, now) {
			t.Errorf("- %s: not named in CHANGELOG.md, [Unreleased], Removed, in backticks", line)
		}
	}
	for _, line := range now {
		if !slices.Contains(before, line) && !isNamed(section, line, before) {
			t.Errorf("+ %s: not named in CHANGELOG.md, [Unreleased], in backticks", line)
		}
	}
}

var backticks = regexp.MustCompile("`[^`]+`")

// isNamed reports whether the text contains a line of the inventory in backticks: the last part of the line or, if the
// other inventory lacks it completely, its command, screen or tool.
func isNamed(text, line string, other []string) bool {
	parts := strings.Split(line, " · ")
	last := parts[len(parts)-1]
	if parts[0] == "key" {
		_, last, _ = strings.Cut(parts[2], ".")
	}
	words := []string{last, last[strings.LastIndexByte(last, '.')+1:]}
	if owner := " · " + parts[1]; !slices.ContainsFunc(other, func(l string) bool { return strings.HasSuffix(l, owner) || strings.Contains(l, owner+" · ") }) {
		words = append(words, strings.TrimPrefix(parts[1], "ddbdesk "))
	}
	return slices.ContainsFunc(words, func(word string) bool {
		pattern := regexp.MustCompile("(^|[` ./])" + regexp.QuoteMeta(strings.TrimPrefix(word, "ddbdesk ")) + "($|[` =\\[:|,./])")
		return slices.ContainsFunc(backticks.FindAllString(text, -1), pattern.MatchString)
	})
}

func inventory(t *testing.T) []string {
	t.Helper()
	list := slices.Concat(commandInventory(rootCommand(&app{})), keyInventory(), documentInventory(t), toolInventory(t))
	slices.Sort(list)
	return slices.Compact(list)
}

func commandInventory(cmd *cobra.Command) []string {
	var list []string
	if cmd.Runnable() && !cmd.Hidden {
		list = append(list, "command · "+cmd.CommandPath())
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		list = append(list, fmt.Sprintf("flag · %s · --%s", cmd.CommandPath(), f.Name))
	})
	cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { list = append(list, fmt.Sprintf("flag · %s · --%s", cmd.CommandPath(), f.Name)) })
	for _, sub := range cmd.Commands() {
		list = append(list, commandInventory(sub)...)
	}
	return list
}

func keyInventory() []string {
	var list []string
	for _, s := range tui.Scopes() {
		for _, a := range s.Actions {
			list = append(list, fmt.Sprintf("key · screen %s · %s.%s · %s", s.Name, s.Name, a.Name, strings.Join(a.Binding.Keys(), " ")))
		}
	}
	return list
}

// documentInventory runs commands on sample data. It omits fields of items, which depend on the schema.
func documentInventory(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	db := "--embedded=" + dir
	if code, _, errs := ddbdesk(t, "seed", "authbridge", db, "--at", "2026-01-20T12:00:00Z"); code != cli.ExitOK {
		t.Fatal(errs)
	}
	id := firstID(t, db)
	var list []string
	for _, args := range [][]string{
		{"schema list"},
		{"schema show", "authbridge"},
		{"schema lint", "authbridge"},
		{"pattern list", "authbridge"},
		{"decode", "authbridge", "CASE#" + id, "META"},
		{"run", "authbridge", "list-verifications-by-date", "date=2026-01-19", "--limit", "2", db},
		{"find", id, db},
		{"change", "authbridge", "claim-review", "verificationId=" + id, "--dry-run", "--role", "admin", db},
		{"drift", "authbridge", db},
		{"table check", "authbridge", db},
		{"journal show"},
		{"version"},
	} {
		command := strings.Fields(args[0])
		_, out, errs := ddbdesk(t, slices.Concat(command, args[1:], []string{"-o", "json"})...)
		var document any
		d := json.NewDecoder(bytes.NewReader([]byte(out)))
		if err := d.Decode(&document); err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
		}
		for _, field := range fields("", document) {
			list = append(list, "document · "+args[0]+" -o json · "+strings.TrimPrefix(field, "."))
		}
	}
	return list
}

// firstID returns the ID of a case in review.
func firstID(t *testing.T, db string) string {
	t.Helper()
	_, out, errs := ddbdesk(t, "run", "authbridge", "list-verifications-by-date", "date=2026-01-19", "-o", "json", db)
	var page struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(out), &page); err != nil || len(page.Items) == 0 {
		t.Fatal(err, errs)
	}
	return page.Items[0]["verificationId"].(string)
}

// dataObject matches objects whose fields are names from the data: attributes, placeholders and key templates.
var dataObject = regexp.MustCompile(`(^|\.)(items\[\]|key|keys|before|after|placeholders|item|values|sensitive|attributes|variables)\.`)

func fields(path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		var list []string
		for name, inner := range v {
			at := strings.TrimPrefix(path+"."+name, ".")
			if dataObject.MatchString(at) {
				continue
			}
			list = append(append(list, at), fields(at, inner)...)
		}
		return list
	case []any:
		var list []string
		for _, inner := range v {
			list = append(list, fields(path+"[]", inner)...)
		}
		return list
	}
	return nil
}

func toolInventory(t *testing.T) []string {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "inventory", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: newMCP(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // The process ends with the test.
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, tool := range tools.Tools {
		list = append(list, "tool · "+tool.Name)
		schema, ok := tool.InputSchema.(map[string]any)
		if !ok {
			t.Fatalf("the schema of %s has the type %T", tool.Name, tool.InputSchema)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name := range properties {
			list = append(list, "tool · "+tool.Name+" · "+name)
		}
	}
	return list
}
