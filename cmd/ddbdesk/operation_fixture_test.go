package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An operationFixture is a database with items, behind a connection that can fail, in which every operation can run.
// Values for parameters come from their declarations: from an Enum, the completion, or the placeholder in the usage. A
// new operation needs no change here unless it has a new placeholder.
type operationFixture struct {
	t      *testing.T // the test that uses it now
	owner  *testing.T
	p      *profiles.Profile
	schema string // name on the command line
	items  []canary.MarkedItem
	absent canary.MarkedItem   // exists only in a file, not in a table
	words  map[string][]string // values by placeholder
	home   string

	line              *faults.Connection
	url               string
	db                *embedded.Store
	files             string // the files of db
	backup            string // a copy of files, which restore puts back
	fileCount         int    // number of files named by calls
	combinesArguments bool   // Calls combine many arguments.
}

// newOperationFixture opens a fixture with the items. Context a has a table for requests, and context b has no items.
func newOperationFixture(t *testing.T, p *profiles.Profile, source []byte, items []canary.MarkedItem) *operationFixture {
	t.Helper()
	isolate(t)
	home := t.TempDir()
	for variable, value := range map[string]string{
		"HOME": home, "DDBDESK_STATE_DIR": filepath.Join(home, "state"), "DDBDESK_CONFIG_DIR": filepath.Join(home, "config"),
		"TMPDIR": t.TempDir(), "AWS_MAX_ATTEMPTS": "1", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(variable, value)
	}
	w := &operationFixture{t: t, owner: t, p: p, items: items, home: home, schema: filepath.Join(home, p.Name+".yaml"), files: filepath.Join(home, "db")}
	w.backup = filepath.Join(home, "kept")
	for _, it := range items {
		if it.Entity != nil {
			w.absent = it
		}
	}
	w.write(w.schema, string(source))
	w.open()
	serve := func(h http.HandlerFunc) string {
		server := httptest.NewServer(h)
		t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})
		return server.URL
	}
	w.url = serve(func(rw http.ResponseWriter, r *http.Request) { w.line.ServeHTTP(rw, r) })
	empty := openStore(t, "")
	config := fmt.Sprintf("profiles: [%q]\ncontexts:\n  a: {endpoint-url: %q, production: false, requests: {table: ddbdesk-requests}}\n  b: {endpoint-url: %q, production: false}\n",
		w.schema, w.url, serve(empty.ServeHTTP))
	w.write(filepath.Join(home, "config", "config.yaml"), config)
	for _, db := range []*embedded.Store{w.db, empty} {
		conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
		if err == nil {
			_, err = tables.Create(t.Context(), p, conn)
		}
		for _, it := range items {
			if err == nil && db == w.db && it.Table.KeyID(it.Item) != w.absent.Table.KeyID(w.absent.Item) {
				err = stored.Put(t.Context(), conn.Writer(), it.Table.Name, []models.Item{it.Item})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.fill()
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(w.backup, os.DirFS(w.files)); err != nil {
		t.Fatal(err)
	}
	w.open()
	return w
}

func (w *operationFixture) open() {
	w.t.Helper()
	w.db = openStore(w.owner, w.files)
	w.line = faults.New(w.db)
}

// restore resets the database to its initial items.
func (w *operationFixture) restore() {
	w.t.Helper()
	err := w.db.Close()
	if err == nil {
		err = os.RemoveAll(w.files)
	}
	if err == nil {
		err = os.CopyFS(w.files, os.DirFS(w.backup))
	}
	if err == nil {
		err = os.Chmod(w.files, 0o700) // CopyFS does not keep the permissions, which only allow the owner.
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

func (w *operationFixture) write(path, text string) string {
	w.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

// fill creates files and requests as subjects of operations.
func (w *operationFixture) fill() {
	t := w.t
	t.Helper()
	must := func(args ...string) string {
		t.Helper()
		code, out, errs := ddbdesk(t, append(args, "--context", "a", "--role", "admin")...)
		if code != cli.ExitOK {
			t.Fatalf("%q: exit %d: %s", args, code, errs)
		}
		return out
	}
	w.words = map[string][]string{
		"SCHEMA": {w.schema}, "CONTEXT": {"a", "b"}, "TEXT": {"as agreed"}, "N": {"1"}, "WCU": {"100"}, "STATE": {"open"}, "FILTER": {"changed"},
		"NAME": {"example"}, "TOKEN": {"no-token"}, "ATTRIBUTE": {"note"}, "KEY": nil, "VALUE": nil, "SORTKEY": nil, "FILE": {w.schema},
		"TIME": {"1h", "2026-01-20T12:00:00Z"}, "DIR": {w.backup}, "ID": {"123456789012"}, "SESSION": {"20"},
		"NAME=VALUE": {"note=x"}, "NAME OP VALUE": {"note exists"}, "FORMAT": {"cloudformation"}, "ATTRIBUTE=STATES": {"Order.status=paid,packed"},
		"NAME=FILE": {"note=" + w.schema},
	}
	named := func(word string, values []string) { w.words[word] = values }
	named("TABLE", models.MapSlice(w.p.Tables, func(t *models.Table) string { return t.Name }))
	named("ENTITY", models.MapSlice(w.p.Entities, func(e *models.Entity) string { return e.Name }))
	named("PATTERN", models.MapSlice(w.p.Patterns, func(q *accesspatterns.Pattern) string { return q.ID }))
	named("ACTION", models.MapSlice(w.p.Actions, func(a *change.Action) string { return a.ID }))
	named("ENTITY|PATTERN", slices.Concat(w.words["ENTITY"], w.words["PATTERN"]))
	seen := map[*models.Entity]bool{}
	for _, it := range w.items {
		if seen[it.Entity] {
			continue
		}
		seen[it.Entity] = true
		for _, k := range it.Table.KeyAttributes() {
			if text, ok := it.Item.Text(k.Name); ok && len(text) < 1000 {
				named("KEY", append(w.words["KEY"], text))
				if k == it.Table.SortKey {
					named("SORTKEY", append(w.words["SORTKEY"], text))
				}
			}
		}
	}
	named("VALUE", w.words["KEY"])
	must("table", "create", w.schema, "--requests")
	actors, filed := []string{"tester", "ana"}, 0
	for _, a := range w.p.Actions {
		it := w.itemOf(a.Entity)
		if it == nil || filed == len(actors) {
			continue
		}
		args := append([]string{"change", w.schema, a.ID, "--reason", "as agreed", "-o", "json", "--context", "a"}, argFlags(inputs(a, it))...)
		code, out, _ := ddbdesk(t, append(args, "--request", "--actor", actors[filed])...)
		if code != cli.ExitOK {
			continue // The item's state does not allow the action.
		}
		filed++
		var request struct{ Request string }
		if err := json.Unmarshal([]byte(out), &request); err != nil {
			t.Fatal(err)
		}
		named("ID", append([]string{request.Request}, w.words["ID"]...))
		plan := filepath.Join(w.home, a.ID+".json")
		must(append(args[:7], append([]string{"--plan", plan}, argFlags(inputs(a, it))...)...)...)
		named("FILE", append(w.words["FILE"], plan))
	}
	if filed < len(actors) && w.p.Name == canary.Awkward { // Built-in schemas may allow no action.
		t.Fatalf("filed only %d requests", filed)
	}
	for i, e := range w.p.Entities {
		if it := w.itemOf(e); it != nil && i < 2 {
			path := filepath.Join(w.home, e.Name+".ddbcase")
			must(append([]string{"case", "save", w.schema, e.Name, "--out", path}, w.pairs([]string{e.Name})...)...)
			named("FILE", append(w.words["FILE"], path))
		}
	}
	named("FILE", append(w.words["FILE"], w.write(filepath.Join(w.home, "items.jsonl"), string(w.absent.Item.AppendJSON(nil))+"\n")))
}

func (w *operationFixture) itemOf(e *models.Entity) models.Item {
	for _, it := range w.items {
		if it.Entity == e && e != nil {
			return it.Item
		}
	}
	return nil
}

// pairs returns name=value arguments for the pattern, action or entity that the preceding arguments name.
func (w *operationFixture) pairs(before []string) []string {
	for _, name := range before {
		if a := w.p.Action(name); a != nil && w.itemOf(a.Entity) != nil {
			return argFlags(inputs(a, w.itemOf(a.Entity)))
		}
		if q := w.p.Pattern(name); q != nil {
			for _, it := range w.items {
				if it.Entity == nil {
					continue
				}
				for _, r := range accesspatterns.Relations(w.p.Patterns, w.p.Entities, accesspatterns.ItemView(it.Entity, it.Item)) {
					if r.Pattern == q {
						return argFlags(r.Args)
					}
				}
			}
		}
		if e := w.p.Entity(name); e != nil {
			var list []string
			for _, k := range e.Table.PrimaryKeys() {
				text, _ := w.itemOf(e).Text(k.Name)
				list = append(list, k.Name+"="+text)
			}
			return list
		}
	}
	return nil
}

// values returns the possible values of a parameter, each as one or several texts.
func (w *operationFixture) values(o *op.Op, p *op.Param, before []string) [][]string {
	w.t.Helper()
	word, list := p.Placeholder(), p.Enum
	switch {
	case word == "name=value":
		if pairs := w.pairs(before); pairs != nil {
			return [][]string{pairs}
		}
		return nil
	case word == "NAME=VALUE" && p.Argument:
		return w.keys(before[0])
	case word == "CONTEXT" && p.List:
		return [][]string{w.words[word]}
	case word == "FILE" && !p.Argument:
		w.fileCount++
		list = []string{filepath.Join(w.home, fmt.Sprintf("made-%d", w.fileCount))}
	case list == nil:
		known := false
		if list, known = w.words[word]; !known {
			w.t.Fatalf("%s: no value for %s of %s; add it to operationFixture.words", o.Path, word, p.Name)
		}
	}
	var each [][]string
	for _, text := range list {
		each = append(each, []string{text})
	}
	return each
}

// keys returns an item's partition key and its whole key, for the item of a table.
func (w *operationFixture) keys(table string) [][]string {
	for _, it := range w.items {
		if it.Table.Name == table {
			var all []string
			for _, k := range it.Table.PrimaryKeys() {
				text, _ := it.Item.Text(k.Name)
				all = append(all, k.Name+"="+text)
			}
			return [][]string{all[:1], all}
		}
	}
	return [][]string{{"none=1"}}
}

// arguments returns the positional arguments of calls, with and without each optional one.
func (w *operationFixture) arguments(o *op.Op, params []*op.Param, before []string) [][]string {
	w.t.Helper()
	i := slices.IndexFunc(params, func(p *op.Param) bool { return p.Argument })
	if i < 0 {
		return [][]string{before}
	}
	var list [][]string
	p := params[i]
	for _, v := range w.values(o, p, before) {
		list = append(list, w.arguments(o, params[i+1:], append(slices.Clone(before), v...))...)
	}
	if !p.Required {
		list = append(list, w.arguments(o, params[i+1:], before)...)
	}
	return list
}

// together lists flags that need other flags, either to be valid or to let the operation end.
var together = map[string][]string{"watch": {"--every=1ms", "--units=0.5"}}

// calls returns command lines for an operation, the shortest first: combinations of arguments in each format, and the
// longest combination with each flag. They always contain a reason and consent, because no user can answer.
func (w *operationFixture) calls(o *op.Op) [][]string {
	w.t.Helper()
	params := o.Form().Params
	words, formats, flags := strings.Fields(o.Path), [][]string{nil}, [][]string(nil)
	for _, p := range params {
		value := []string{"--" + p.Name}
		switch {
		case p.Argument:
			continue
		case p.Type != accesspatterns.Boolean:
			value = nil
			for _, text := range w.values(o, p, nil)[0] {
				value = append(value, fmt.Sprintf("--%s=%s", p.Name, text))
			}
		}
		if p.Required || slices.Contains([]string{"reason", "yes", "allow-scan", "once", "context"}, p.Name) {
			words = append(words, value...)
			continue
		}
		flags = append(flags, append(value, together[p.Name]...))
	}
	for _, format := range o.Formats {
		formats = append(formats, []string{"-o", format})
	}
	if !slices.ContainsFunc(params, func(p *op.Param) bool { return p.Name == "context" && !p.Argument }) {
		words = append(words, "--context=a")
	}
	combinations := w.arguments(o, params, nil)
	slices.SortStableFunc(combinations, func(a, b []string) int { return len(a) - len(b) })
	maximum := 2
	if w.combinesArguments || os.Getenv("DDBDESK_TEST_EVERYTHING") != "" || os.Getenv("DDBDESK_TEST_CANARY") != "" || os.Getenv("DDBDESK_TEST_FAULTS") != "" {
		maximum = 8
	}
	if len(combinations) > maximum {
		combinations = append(combinations[:maximum/2], combinations[len(combinations)-maximum/2:]...)
	}
	var list [][]string
	for i, arguments := range combinations {
		ways := formats
		if i == len(combinations)-1 {
			ways = slices.Concat(formats, flags)
		}
		for _, more := range ways {
			list = append(list, slices.Concat(words, more, []string{"--"}, arguments))
		}
	}
	return list
}

func (w *operationFixture) dump() string {
	w.t.Helper()
	var names struct{ TableNames []string }
	_, text, err := postDynamo(w.t, http.DefaultClient, w.url, "", "ListTables", strings.NewReader("{}"))
	if err == nil {
		err = json.Unmarshal([]byte(text), &names)
	}
	all := map[string]string{}
	for _, name := range names.TableNames {
		if err == nil {
			_, all[name], err = postDynamo(w.t, http.DefaultClient, w.url, "", "Scan", strings.NewReader(fmt.Sprintf(`{"TableName":%q}`, name)))
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(all)
}

// eachFile calls look with every remaining file, except the database and the files that the fixture wrote itself.
func (w *operationFixture) eachFile(look func(name, text string)) {
	w.t.Helper()
	for _, root := range []string{w.home, os.Getenv("TMPDIR")} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (path == w.files || path == w.backup) {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || path == w.schema || d.Name() == "items.jsonl" {
				return err
			}
			text, err := os.ReadFile(path)
			look(d.Name(), path+"\n"+string(text))
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// argFlags formats the arguments of a pattern or an action as name=value.
func argFlags(args map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		list = append(list, name+"="+args[name])
	}
	return list
}

// inputs returns the inputs of an action for an item. New values are not markers.
func inputs(a *change.Action, it models.Item) map[string]string {
	args := map[string]string{}
	values := a.Entity.Values(it)
	for _, in := range a.Inputs {
		v, exists := values(in.Name)
		isPartOf := func(k models.Key) bool { t, ok := a.Entity.KeyTemplate(k.Name); return ok && t.Has(in.Name) }
		switch {
		case exists && (isPartOf(a.Entity.Table.PartitionKey) || isPartOf(a.Entity.Table.SortKey)):
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
