package main

import (
	"encoding/base64"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A flight runs the commands on one profile whose items contain canaries: values that
// must not appear in any output.
type flight struct {
	t      *testing.T
	name   string
	schema string // what commands are given: the profile's file
	blind  bool   // without masking, so that canaries must be found
	dir    string // of the embedded store
	temp   string
	g      *canary.Garden
	p      *profiles.Profile // as the commands read it
	seen   map[string]int    // markers found, by channel
	leaks  []string
}

func newFlight(t *testing.T, name string, blind bool) *flight {
	t.Helper()
	home := t.TempDir()
	f := &flight{t: t, name: name, blind: blind, dir: t.TempDir(), temp: t.TempDir(), seen: map[string]int{}}
	for variable, dir := range map[string]string{
		"HOME": home, "DDBDESK_STATE_DIR": filepath.Join(home, "state"),
		"DDBDESK_CONFIG_DIR": filepath.Join(home, "config"), "TMPDIR": f.temp,
	} {
		t.Setenv(variable, dir)
	}
	text, err := canary.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	if blind {
		text = canary.Blind(text)
	}
	f.schema = filepath.Join(home, name+".yaml")
	if err := os.WriteFile(f.schema, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := canary.Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	if f.g, err = canary.Plant(p, 2, time.Now()); err != nil {
		t.Fatal(err)
	}
	if f.p, err = canary.Open(name, blind); err != nil {
		t.Fatal(err)
	}
	f.store()
	return f
}

// store writes the items with canaries to the embedded store.
func (f *flight) store() {
	f.t.Helper()
	db := openStore(f.t, f.dir)
	defer db.Close() //nolint:errcheck // The cleanup closes it, too.
	conn, err := store.Connect(f.t.Context(), store.Options{Embedded: db})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := tables.Create(f.t.Context(), f.g.Profile, conn); err != nil {
		f.t.Fatal(err)
	}
	for table, items := range f.g.Tables() {
		if err := conn.Admin().PutItems(f.t.Context(), table.Name, items); err != nil {
			f.t.Fatal(err)
		}
	}
}

// look searches the output of a channel. Typed is what the person entered, which may
// be repeated to the same person; revealed personal data may be shown.
func (f *flight) look(channel, text string, revealed bool, typed ...string) {
	for _, s := range f.g.Watch.Find(text) {
		given := s.Marker.Value != "" && !s.Marker.Secret &&
			slices.ContainsFunc(typed, func(arg string) bool { return strings.Contains(arg, s.Marker.Value) })
		if given || revealed && !s.Marker.Secret {
			continue
		}
		f.seen[channel]++
		if f.seen[channel] <= 3 {
			f.leaks = append(f.leaks, channel+": "+s.String())
		}
	}
	if revealed {
		f.seen[channel+" (revealed)"] += len(f.g.Watch.Find(text))
	}
}

// runPattern runs a command and searches its streams.
func (f *flight) run(channel string, args ...string) (code int, stdout, stderr string) {
	f.t.Helper()
	args = append(args, "--embedded="+f.dir)
	code, stdout, stderr = ddbdesk(f.t, args...)
	if code == cli.ExitOther {
		f.t.Fatalf("%s: %q: exit %d: %s", channel, args, code, stderr)
	}
	f.look(channel, stdout, slices.Contains(args, "--reveal"), args...)
	f.look(channel+", stderr", stderr, false, args...)
	return code, stdout, stderr
}

// given returns the arguments of a pattern or an action.
func given(args map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, name+"="+args[name])
	}
	return list
}

// patterns runs every pattern that an item matches, in every format.
func (f *flight) patterns() {
	asked := map[*accesspatterns.Pattern]int{}
	for _, planted := range f.g.Items {
		if planted.Entity == nil {
			continue
		}
		view := accesspatterns.ItemView(planted.Entity, planted.Item)
		for _, r := range accesspatterns.Relations(f.g.Profile.Patterns, f.g.Profile.Entities, view) {
			if asked[r.Pattern]++; asked[r.Pattern] > 1 {
				continue
			}
			f.pattern(r.Pattern.ID, given(r.Args))
		}
	}
	for _, p := range f.g.Profile.Patterns {
		if p.IsRead() && len(p.Params) == 0 {
			f.pattern(p.ID, nil)
		}
	}
}

func (f *flight) pattern(id string, args []string) {
	base := append([]string{"run", f.schema, id}, args...)
	for _, format := range []string{"table", "json", "jsonl", "csv", "dynamodb"} {
		f.run("run -o "+format, append(slices.Clone(base), "-o", format, "--all", "--allow-scan")...)
	}
	f.run("run --reveal as support", append(slices.Clone(base), "--reveal", "--reason", "because", "--allow-scan")...)
	f.run("run --reveal", append(slices.Clone(base), "--role", "developer", "--reveal", "--reason", "because",
		"--all", "--allow-scan", "-o", "json")...)
	f.run("run --explain", append(slices.Clone(base), "--explain")...)
	f.run("run, refused", append(slices.Clone(base), "--limit", "x")...)
	_, out, errs := f.run("run --limit", append(slices.Clone(base), "--limit", "1", "--allow-scan", "-o", "jsonl")...)
	for range 4 {
		_, token, more := strings.Cut(errs, "--next ")
		if !more {
			return
		}
		token = strings.TrimSpace(strings.SplitN(token, "\n", 2)[0])
		f.look("token", token+"\n"+decoded(token), false)
		_, out, errs = f.run("run --next", append(slices.Clone(base), "--limit", "1", "--allow-scan", "-o", "jsonl", "--next", token)...)
	}
	_ = out
}

// decoded returns the readable part of a token.
func decoded(token string) string {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return ""
	}
	return string(text)
}

// keys decodes every key of an item of each entity.
func (f *flight) keys() {
	done := map[*models.Entity]bool{}
	for _, planted := range f.g.Items {
		if done[planted.Entity] {
			continue
		}
		done[planted.Entity] = true
		for _, k := range planted.Table.KeyAttributes() {
			if text, ok := planted.Item.Text(k.Name); ok {
				f.run("decode", "decode", f.schema, text)
				f.run("decode -o json", "decode", f.schema, text, "-o", "json")
				f.run("find", "find", text)
				f.run("find -o json", "find", text, "-o", "json")
			}
		}
	}
}

// actions plans every action on an item, in every format, and applies it.
func (f *flight) actions() {
	for _, a := range f.g.Profile.Actions {
		list := f.g.Of(a.Entity)
		for _, it := range list[:min(len(list), 1)] {
			base := append([]string{"change", f.schema, a.ID, "--reason", "as agreed", "--actor", "ana"}, given(inputs(a, it))...)
			for _, format := range []string{"text", "json", "cli"} {
				f.run("change --dry-run -o "+format, append(slices.Clone(base), "--dry-run", "-o", format)...)
			}
			plan := filepath.Join(f.t.TempDir(), a.ID+".json")
			if code, _, _ := f.run("change --plan", append(slices.Clone(base), "--plan", plan)...); code == cli.ExitOK {
				text, err := os.ReadFile(plan)
				if err != nil {
					f.t.Fatal(err)
				}
				f.look("plan file", string(text), false, base...)
				f.run("apply", "apply", plan, "--yes", "--role", "admin", "--actor", "ben")
				f.run("apply, again", "apply", plan, "--yes", "--role", "admin", "--actor", "ben", "-o", "json")
			}
			f.run("change, refused", append(slices.Clone(base), "--yes")...)
			f.run("change --yes", append(slices.Clone(base), "--yes", "--role", "admin", "-o", "json")...)
			f.run("undo", "undo", f.schema, "--yes", "--role", "admin", "--reason", "a mistake")
			f.store()
		}
	}
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

// cases saves the case of an item of each entity. The key may be typed.
func (f *flight) cases() {
	f.t.Helper()
	done := map[*models.Entity]bool{}
	for _, planted := range f.g.Items {
		if planted.Entity == nil || done[planted.Entity] {
			continue
		}
		done[planted.Entity] = true
		path := filepath.Join(os.Getenv("HOME"), planted.Entity.Name+".ddbcase")
		args := []string{"case", "save", f.schema, planted.Entity.Name, "--depth", "2", "--out", path, "-o", "json"}
		for _, k := range planted.Table.PrimaryKeys() {
			text, _ := planted.Item.Text(k.Name)
			args = append(args, k.Name+"="+text)
		}
		if code, _, errs := f.run("case save", args...); code != cli.ExitOK {
			f.t.Errorf("%q: exit %d: %s", args, code, errs)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			f.t.Fatal(err)
		}
		f.look("case file", string(text), false)
	}
}

// rest runs every other command.
func (f *flight) rest() {
	for channel, args := range map[string][]string{
		"drift": {"drift", f.schema, "--allow-scan"}, "drift -o json": {"drift", f.schema, "--allow-scan", "-o", "json"},
		"drift --repair": {"drift", f.schema, "--allow-scan", "--repair", "--reason", "set right"},
		"journal":        {"journal"}, "journal show -o json": {"journal", "show", "-o", "json"}, "journal verify": {"journal", "verify"},
		"journal resolve": {"journal", "resolve", f.schema}, "table check": {"table", "check", f.schema},
		"schema show": {"schema", "show", f.schema}, "schema lint": {"schema", "lint", f.schema},
		"pattern list": {"pattern", "list", f.schema},
		"doctor":       {"doctor", "-o", "json"}, "complete": {"__complete", "run", f.schema, "x", ""},
	} {
		f.run(channel, args...)
	}
}

// files searches every file that remains: the journal, the memory, keys and temporary
// files.
func (f *flight) files() {
	f.t.Helper()
	for _, root := range []string{os.Getenv("HOME"), f.temp} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path == f.schema {
				return err
			}
			text, err := os.ReadFile(path)
			f.look("file "+filepath.Base(path), path+"\n"+string(text), false)
			return err
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
	left, err := os.ReadDir(f.temp)
	if err != nil || len(left) > 0 {
		f.t.Errorf("temporary files remain: %v, %v", left, err)
	}
}

// fly runs all of the above.
func (f *flight) fly() {
	f.patterns()
	f.keys()
	f.actions()
	f.cases()
	f.rest()
	f.files()
}

// blindSees are the channels in which commands without masking must show canaries. A
// channel that shows none proves nothing.
var blindSees = []string{
	"run -o table", "run -o json", "run -o jsonl", "run -o csv", "run -o dynamodb", "run --next", "token", "plan file",
	"change --dry-run -o text", "change --dry-run -o json", "change --dry-run -o cli", "change --plan", "apply", "undo",
	"journal", "journal show -o json", "file journal.jsonl", "case file",
}

// TestNoCommandWritesCanaries checks that no command writes a canary. With DDBDESK_TEST_CANARY=1 it covers all profiles, and
// each command must write one without masking.
func TestNoCommandWritesCanaries(t *testing.T) {
	names, full := []string{canary.Awkward}, os.Getenv("DDBDESK_TEST_CANARY") != ""
	if full {
		names = canary.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			f := newFlight(t, name, false)
			f.fly()
			for _, leak := range f.leaks {
				t.Error(leak)
			}
		})
	}
	if !full {
		return
	}
	t.Run("blind", func(t *testing.T) {
		f := newFlight(t, canary.Awkward, true)
		f.fly()
		for _, channel := range blindSees {
			if f.seen[channel] == 0 {
				t.Errorf("%s: no canary found without masking", channel)
			}
		}
	})
}
