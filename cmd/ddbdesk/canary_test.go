package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/models"
)

// Commands that change items are no operations yet. None writes a canary: no change in any format, no plan, and nothing that
// is left.
func TestNoChangeWritesCanaries(t *testing.T) {
	w, watch := canaryWorld(t)
	look := func(channel, text string, typed ...string) {
		for _, s := range watch.Find(text) {
			if s.Marker.Secret || s.Marker.Value == "" || !slices.ContainsFunc(typed, func(arg string) bool { return strings.Contains(arg, s.Marker.Value) }) {
				t.Errorf("%s: %s", channel, s)
			}
		}
	}
	call := func(args ...string) int {
		code, out, errs := ddbdesk(t, append(args, "--context", "a")...)
		if code == cli.ExitOther {
			t.Fatalf("%q: exit %d: %s", args, code, errs)
		}
		look(args[0], out, args...)
		look(args[0]+", stderr", errs, args...)
		return code
	}
	for _, a := range w.p.Actions {
		it := w.one(a.Entity)
		if it == nil {
			continue
		}
		base := append([]string{"change", w.schema, a.ID, "--reason", "as agreed", "--actor", "ana"}, given(inputs(a, it))...)
		for _, format := range []string{"text", "json", "cli"} {
			call(append(slices.Clone(base), "--dry-run", "-o", format)...)
		}
		plan := filepath.Join(t.TempDir(), a.ID+".json")
		if call(append(slices.Clone(base), "--plan", plan)...) == cli.ExitOK {
			text, err := os.ReadFile(plan)
			if err != nil {
				t.Fatal(err)
			}
			look("plan file", string(text), base...)
			call("apply", plan, "--yes", "--role", "admin", "--actor", "ben")
			call("apply", plan, "--yes", "--role", "admin", "--actor", "ben", "-o", "json")
		}
		call(append(slices.Clone(base), "--yes")...)
		call(append(slices.Clone(base), "--yes", "--role", "admin", "-o", "json")...)
		call("undo", w.schema, "--yes", "--role", "admin", "--reason", "a mistake")
		w.restore()
	}
	for _, args := range [][]string{
		{"drift", w.schema, "--allow-scan"},
		{"drift", w.schema, "--allow-scan", "-o", "json"},
		{"drift", w.schema, "--allow-scan", "--repair", "--reason", "set right"},
		{"journal"},
		{"journal", "show", "-o", "json"},
		{"__complete", "run", w.schema, "x", ""},
	} {
		call(args...)
	}
	w.left(func(name, text string) {
		if filepath.Ext(name) != ".json" { // Plans have what was typed, and are looked at above.
			look("file "+name, text)
		}
	})
}

// given returns the arguments of a pattern or an action.
func given(args map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, name+"="+args[name])
	}
	return list
}

// inputs returns the inputs of an action on an item. New values are not canaries.
func inputs(a *change.Action, it models.Item) map[string]string {
	args := map[string]string{}
	values := a.Entity.Values(it)
	for _, in := range a.Inputs {
		v, there := values(in.Name)
		of := func(k models.Key) bool { t, ok := a.Entity.KeyTemplate(k.Name); return ok && t.Has(in.Name) }
		switch {
		case there && (of(a.Entity.Table.PartitionKey) || of(a.Entity.Table.SortKey)):
			args[in.Name] = v
		case !in.Required:
		case in.Name == a.Target && len(a.Transitions) > 0:
			args[in.Name] = a.Transitions[0].To
		case in.Type == accesspatterns.Enum && len(in.Enum) > 0:
			args[in.Name] = in.Enum[0]
		case in.Type == accesspatterns.Number, in.Type == accesspatterns.Integer:
			args[in.Name] = "7"
		case in.Type == accesspatterns.Boolean:
			args[in.Name] = "true"
		case in.Type == accesspatterns.Timestamp, in.Type == accesspatterns.Day:
			args[in.Name] = "now"
		default:
			args[in.Name] = in.Prefix + "new@example.org"
		}
	}
	return args
}
