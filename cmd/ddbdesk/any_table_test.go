package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ddbdesk finds, queries, edits, deletes and restores items of a table without a schema, for every type of key, with
// and without a sort key, and on indexes of every kind.
func TestTablesWithoutSchemaInEveryShape(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	t.Setenv("DDBDESK_STATE_DIR", filepath.Join(dir, "state"))
	at := []string{"--embedded=" + filepath.Join(dir, "db"), "--role", "admin"}
	run := func(t *testing.T, want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := ddbdesk(t, append(args, at...)...)
		if code != want {
			t.Fatalf("%q: exit %d, want %d: %s%s", args, code, want, out, errs)
		}
		return out, errs
	}
	values := map[string]struct{ typed, text string }{
		"S": {`{"S":"C#1"}`, "C#1"}, "N": {`{"N":"-12345678901234567890.5"}`, "-12345678901234567890.5"}, "B": {`{"B":"AQL/"}`, "AQL/"},
	}
	for _, shape := range []struct{ partition, sort string }{{"S", ""}, {"S", "S"}, {"N", "B"}, {"B", "N"}, {"N", ""}} {
		partition, sort := shape.partition, shape.sort
		t.Run(partition+sort, func(t *testing.T) {
			table, indexes := "t-"+partition+sort, "{gs1: {partition_key: g, projection: KEYS_ONLY}, "+
				"gs2: {partition_key: [g, {name: n, type: N}], sort_key: [{name: b, type: B}, h], projection: INCLUDE, include: [rest]}"
			key := []string{`"the.key"=` + values[partition].text}
			item := `"the.key": ` + values[partition].typed
			attributes := `"the.key": {type: ` + partition + `, required: true}`
			keys := `partition_key: {name: the.key, type: ` + partition + "}"
			if sort != "" {
				keys += `, sort_key: {name: "sort key", type: ` + sort + "}"
				indexes += ", loc: {partition_key: {name: the.key, type: " + partition + "}, sort_key: {name: n, type: N}, local: true}"
				key = append(key, `"sort key"=`+values[sort].text)
				attributes += `, "sort key": {type: ` + sort + `, required: true}`
				item += `, "sort key": ` + values[sort].typed
			}
			schema := filepath.Join(dir, table+".yaml")
			text := fmt.Sprintf("name: shape\ntables: {main: {name: %s, %s, indexes: %s}}}\nentities:\n  It: {table: main, attributes: {%s}}\n", table, keys, indexes, attributes)
			file := filepath.Join(dir, table+".json")
			full := "{" + item + `, "g": {"S": "x y"}, "n": {"N": "1e3"}, "b": {"B": "AA=="}, "h": {"S": "z"}, "rest": {"L": [{"M": {"a.b": {"NS": ["1"]}}}]}}`
			for name, content := range map[string]string{schema: text, file: full} {
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run(t, 0, "table", "create", schema)
			run(t, 0, "table", "put", table, file, "--reason", "ticket 7", "--yes")
			one := func(args ...string) {
				t.Helper()
				if out, _ := run(t, 0, append(args, "-o", "jsonl")...); strings.Count(out, "\n") != 1 || !strings.Contains(out, `"n":1000`) {
					t.Errorf("%q: want one item with n = 1000, got %s", args, out)
				}
			}
			one(append([]string{"table", "get", table}, key...)...)
			one(append([]string{"run", table, "get"}, key...)...)
			one("table", "query", table, key[0])
			one("table", "query", table, "--index", "gs2", "g=x y", "n=1000", "b=AA==", "--where", "h begins-with z")
			one("run", table, "query-gs2", "g=x y", "n=1000")
			one("table", "scan", table, "--allow-scan", "--where", "rest exists")
			run(t, 0, "table", "query", table, "--index", "gs1", "g=x y", "-o", "jsonl")
			if sort != "" {
				one("table", "query", table, "--index", "loc", key[0], "--where", "n >= 999")
			}
			if out, _ := run(t, 0, "find", table, full, "-o", "json"); !strings.Contains(out, `"table": "`+table) {
				t.Errorf("find does not return the item: %s", out)
			}
			edit := append([]string{"table", "edit", table}, key...)
			run(t, 0, append(edit, "--set", "n=7", "--remove", "rest", "--reason", "ticket 7", "--yes")...)
			if out, _ := run(t, 0, append([]string{"table", "get", table, "-o", "dynamodb"}, key...)...); !strings.Contains(out, `"n":{"N":"7"}`) {
				t.Errorf("n is not 7 after the edit: %s", out)
			}
			run(t, 0, append([]string{"table", "delete", table}, append(key, "--reason", "ticket 7", "--yes")...)...)
			run(t, 1, append([]string{"table", "get", table}, key...)...)
			run(t, 0, "undo", table, "--reason", "wrong", "--yes")
			run(t, 0, "undo", table, "--reason", "wrong", "--yes")
			one(append([]string{"table", "get", table}, key...)...)
		})
	}
}

// Without SCHEMA, ddbdesk find searches tables without a schema if no schema contains the value.
func TestFindSearchesTablesWithoutSchema(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	at := "--embedded=" + filepath.Join(dir, "db")
	expect(t, 0, "", "seed", "authbridge", at)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for table, sort := range map[string]string{"sessions": "", "orders": ", sort_key: sk"} {
		keys := "id: {type: S, required: true}"
		if sort != "" {
			keys += ", sk: {type: S, required: true}"
		}
		schema := write(table+".yaml", "name: x\ntables: {main: {name: "+table+", partition_key: id"+sort+"}}\nentities: {It: {table: main, attributes: {"+keys+"}}}\n")
		expect(t, 0, "", "table", "create", schema, at, "--role", "admin")
	}
	put := func(table, item string) {
		expect(t, 0, "", "table", "put", table, write("item.json", item), "--reason", "test", "--yes", at, "--role", "admin")
	}
	put("sessions", `{"id": {"S": "cus_0003"}, "password": {"S": "secret_0815"}}`)
	put("orders", `{"id": {"S": "CUSTOMER#cus_0003"}, "sk": {"S": "ORDER#1"}, "orderId": {"S": "ord_318003"}}`)
	expect(t, 0, `"schema": "sessions"`, "find", "cus_0003", "-o", "json", at)
	expect(t, 1, "no results", "find", "secret_0815", at, "--role", "support")
	expect(t, 1, "2 tables of orders, sessions were not scanned, because no schema", "find", "ord_318003", at)
	expect(t, 0, `"schema": "orders"`, "find", "ord_318003", "--allow-scan", "-o", "json", at)
	expect(t, 1, "no results for this Verification case ID", "find", "ver_77aa02cd-8e7d-4c7b-9a51-0d6f8f4b2c11", at)
}

func TestCompletionListsTablesAndCommands(t *testing.T) {
	isolate(t)
	db := "--embedded=" + filepath.Join(t.TempDir(), "db")
	if code, _, errs := ddbdesk(t, "table", "create", "authbridge", db); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for words, want := range map[string]string{
		"table query " + db: "AuthBridgeTable", "table edit " + db: "AuthBridgeTable", "schema init " + db: "AuthBridgeTable",
		"help": "table", "help table": "query",
	} {
		_, out, errs := ddbdesk(t, append(append([]string{"__complete"}, strings.Fields(words)...), "")...)
		if !slices.Contains(strings.Split(out, "\n"), want) {
			t.Errorf("%s: %q is missing in %s%s", words, want, out, errs)
		}
	}
}
