package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// ddbdesk applies and undoes a saved sweep. The undo keeps items that changed in between.
func TestSweepIsUndoneByItsID(t *testing.T) {
	db := storeWith(t, "authbridge", inReview("ver_1"), inReview("ver_2"))
	file := filepath.Join(t.TempDir(), "sweep.json")
	run := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := ddbdesk(t, append(args, "--role", "admin", "--embedded="+db)...)
		if code != want {
			t.Fatalf("%v: exit %d\n%s%s", args, code, out, errs)
		}
		return out, errs
	}
	run(cli.ExitOK, "change", "authbridge", "approve", "--over", "list-client-verifications", "clientId=c", "--plan", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Sweep string
		Items int
	}
	for line := range bytes.Lines(text) {
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s, %v", line, err)
		}
	}
	if m.Items != 2 {
		t.Fatalf("want 2 items, got %s", text)
	}
	_, errs := run(cli.ExitOK, "apply", file, "--yes")
	if !strings.Contains(errs, "2 committed; 16 WCU") || !strings.Contains(errs, "undo authbridge --sweep "+m.Sweep[:8]) {
		t.Errorf("apply: want 2 committed items and an undo hint, got %s", errs)
	}
	out, _ := run(cli.ExitOK, "undo", "authbridge", "--sweep", m.Sweep[:8], "--dry-run")
	if !strings.Contains(out, "Undo sweep "+m.Sweep[:8]+": 2 items, about 16 WCU") || !strings.Contains(out, "approved → in_review") {
		t.Errorf("undo --dry-run: want 2 items, got %s", out)
	}
	_, errs = run(cli.ExitOK, "undo", "authbridge", "--yes") // The latest change belongs to the sweep.
	if !strings.Contains(errs, "2 committed; 16 WCU") {
		t.Errorf("undo: want 2 committed items, got %s", errs)
	}
	_, errs = run(cli.ExitConflict, "undo", "authbridge", "--sweep", m.Sweep, "--yes")
	if !strings.Contains(errs, "nothing can be undone") {
		t.Errorf("the second undo: got %s, want a refusal", errs)
	}
}

func TestSweepContinuesWithoutReaderOfItsReport(t *testing.T) {
	db := storeWith(t, "authbridge", inReview("ver_1"), inReview("ver_2"), inReview("ver_3"))
	file := filepath.Join(t.TempDir(), "sweep.json")
	at := []string{"--role", "admin", "--embedded=" + db}
	expect(t, cli.ExitOK, "", append(at, "change", "authbridge", "approve", "--over", "list-client-verifications", "clientId=c", "--plan", file)...)
	reader, writer, err := os.Pipe()
	if err == nil {
		err = reader.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ddbdesk", append(at, "apply", file, "--yes")...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &errs
	err = errors.Join(cmd.Run(), writer.Close())
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitOther || !strings.Contains(errs.String(), "3 committed") ||
		!strings.Contains(errs.String(), "the sweep was applied, but its report could not be written") {
		t.Errorf("exit %d, %v\n%s", code, err, errs.String())
	}
}

// The schema that the user names, or a schema beside the plan, replaces the file that the plan names.
func TestPlansApplyWithMovedSchema(t *testing.T) {
	isolate(t)
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("shop.yaml", `
name: shop
requests: shop-requests
tables: {orders: {name: orders, partition_key: shop, sort_key: id}}
entities: {Order: {table: orders, keys: {shop: "{shop}", id: "{id}"}, attributes: {shop: {type: S}, id: {type: S}, note: {type: S}}}}
patterns: {orders: {title: Orders, operation: query, table: orders, key: {shop: "{shop}"}, returns: [Order]}}
actions: {note: {title: Note, entity: Order, inputs: {note: {attribute: Order.note}}, set: {note: "{note}"}}}
`)
	write("orders.json", `[{"shop":"a","id":"1"},{"shop":"a","id":"2"},{"shop":"b","id":"1"}]`)
	run := func(text string, args ...string) {
		t.Helper()
		expect(t, cli.ExitOK, text, append(args, "--role", "admin", "--embedded=db")...)
	}
	run("3 items", "load", "shop.yaml", "orders.json")
	run("created", "table", "create", "shop.yaml", "--requests")
	run("filed", "change", "shop.yaml", "note", "--over", "orders", "shop=a", "--input", "note=x", "--plan", "sweep.json", "--request")
	if err := os.Mkdir("moved", 0o700); err != nil {
		t.Fatal(err)
	}
	run("nothing is written yet", "change", "shop.yaml", "note", "shop=b", "id=1", "note=x", "--plan", "moved/plan.json")
	if err := os.Rename("shop.yaml", "moved/shop.yaml"); err != nil {
		t.Fatal(err)
	}
	run("2 committed", "requests", "apply", "moved/shop.yaml", "2", "--file", "sweep.json", "--yes")
	run("to undo, run ddbdesk undo moved/shop.yaml ", "apply", "moved/plan.json", "--yes")
}
