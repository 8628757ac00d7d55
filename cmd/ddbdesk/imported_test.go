package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// An imported schema has no errors, loads the items of its file or library, recognizes each of them, and shows no
// drift.
func TestImportedSchemasLoadTheirItems(t *testing.T) {
	for _, c := range []struct {
		format, files, items string // items is "" if files contains the items
		count                string
	}{
		{"workbench", "workbench-facets.json", "", "4 items"},
		{"workbench", "workbench-rows.json", "", "4 items"},
		{"aws-model", "aws-model.json", "", "4 items"},
		{"aws-schema", "aws-schema.json aws-schema-usage.json", "", "4 items"},
		{"onetable", "onetable-2.3.1.json", "onetable-2.3.1-items.json", "9 items"},
		{"onetable", "onetable-2.7.7.json", "onetable-2.7.7-items.json", "9 items"},
		{"electrodb", "electrodb-1.12.1.json", "electrodb-1.12.1-items.jsonl", "10 items"},
		{"electrodb", "electrodb-2.15.1.json", "electrodb-2.15.1-items.jsonl", "10 items"},
		{"electrodb", "electrodb-3.9.3.json", "electrodb-3.9.3-items.jsonl", "10 items"},
	} {
		name, _, _ := strings.Cut(c.files, " ")
		t.Run(name, func(t *testing.T) {
			isolate(t)
			testdata := filepath.Join("..", "..", "internal", "interchange", "testdata")
			dir := t.TempDir()
			profile, items, db := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "items.json"), "--embedded="+filepath.Join(dir, "db")
			args := []string{"schema", "import", c.format, "--out", profile}
			for file := range strings.FieldsSeq(c.files) {
				args = append(args, filepath.Join(testdata, file))
			}
			if c.items == "" {
				args = append(args, "--items", items)
			} else {
				args, items = append(args, "--table", "library"), filepath.Join(testdata, c.items)
			}
			ok := func(args ...string) (out, errs string) {
				code, out, errs := ddbdesk(t, args...)
				if code != cli.ExitOK {
					t.Fatalf("%s: exit %d\n%s", strings.Join(args, " "), code, errs)
				}
				return out, errs
			}
			ok(args...)
			if _, errs := ok("schema", "lint", profile); !strings.Contains(errs, "0 errors") {
				t.Errorf("schema lint found errors: %s", errs)
			}
			load := []string{"load", profile, items, db}
			if c.format == "electrodb" {
				load = append(load, "--table", "clinic")
			} else if c.items != "" {
				load = append(load, "--table", "library")
			}
			if out, errs := ok(load...); strings.TrimSpace(out) != c.count {
				t.Errorf("loaded %s, want %s items: %s", out, c.count, errs)
			}
			if out, errs := ok("drift", profile, db); !strings.Contains(errs, "no drift") {
				t.Errorf("drift found differences: %s%s", out, errs)
			}
		})
	}
}

// Two sources make different IDs for a table, so only its name identifies it.
func TestMergeRecognizesTableByName(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	schema, model, items := filepath.Join(dir, "club.yaml"), filepath.Join(dir, "model.json"), filepath.Join(dir, "items.json")
	for path, text := range map[string]string{
		schema: "name: club\nvariables:\n  stage: {default: dev}\ntables:\n  main:\n    name: \"club-{stage}\"\n    partition_key: pk\n" +
			"entities:\n  Room:\n    table: main\n    keys: {pk: ROOMS}\n",
		model: `{"ModelName": "m", "DataModel": [{"TableName": "club-dev", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk",
			"AttributeType": "S"}}, "TableData": [{"pk": {"S": "USER#1"}, "id": {"S": "1"}}, {"pk": {"S": "USER#2"}, "id": {"S": "2"}}]}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, errs := ddbdesk(t, "schema", "import", model, "--merge", schema, "--items", items)
	if code != cli.ExitOK || !strings.Contains(errs, "1 table, 2 entities") || !strings.Contains(errs, "recognizes 2 of 2 sample items") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if text, err := os.ReadFile(items); err != nil || !strings.Contains(string(text), "USER#2") {
		t.Errorf("items %s, error %v", text, err)
	}
}

// An entity without keys stands for unknown items, so it does not join the entities of a schema.
func TestMergeOmitsEntityWithoutKeys(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	schema, template := filepath.Join(dir, "club.yaml"), filepath.Join(dir, "template.yaml")
	model := filepath.Join(dir, "model.json")
	const room = "name: club\ntables:\n  main:\n    name: club\n    partition_key: pk\nentities:\n  Room:\n    table: main\n    keys: {pk: ROOMS}\n"
	for path, text := range map[string]string{
		schema: room,
		template: "Resources: {Club: {Type: AWS::DynamoDB::Table, Properties: {TableName: club, KeySchema: [{AttributeName: pk, KeyType: HASH}], " +
			"AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]}}}\n",
		model: `{"ModelName": "m", "DataModel": [{"TableName": "club", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk",
			"AttributeType": "S"}}, "TableData": [{"pk": {"S": "USER#1"}, "id": {"S": "1"}}, {"pk": {"S": "USER#2"}, "id": {"S": "2"}}]}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, errs := ddbdesk(t, "schema", "import", template, "--merge", schema)
	if text, err := os.ReadFile(schema); code != cli.ExitOK || err != nil || strings.Contains(string(text), "undocumented") {
		t.Errorf("exit %d, error %v: %s%s", code, err, errs, text)
	}
	drafted := filepath.Join(dir, "drafted.yaml")
	if code, _, errs := ddbdesk(t, "schema", "import", template, "--out", drafted); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	code, _, errs = ddbdesk(t, "schema", "import", model, "--merge", drafted)
	if code != cli.ExitOK || !strings.Contains(errs, "entity Club has no keys, so it matches every item of table club; remove it") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
