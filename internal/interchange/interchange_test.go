package interchange

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// imports lists the files of testdata and their formats. Each has a golden schema.
var imports = []struct {
	files, format string
	items         int
	warnings      []string
}{
	{"workbench-facets.json", "workbench", 4, []string{"1 row with plain JSON", "facet Empty skipped: it has no rows"}},
	{"workbench-rows.json", "workbench", 4, nil},
	{"aws-model.json", "aws-model", 4, []string{
		"pattern 5 was skipped: done by a search service", "pattern 6 was skipped: its command has an unclosed quote",
	}},
	{"aws-schema.json aws-schema-usage.json", "aws-schema", 4, []string{"1 access pattern of several tables"}},
	{"onetable.json", "onetable", 0, []string{"Account.name is unique"}},
	{"onetable-item.json", "onetable", 0, []string{"Account.name is unique"}},
	{"onetable-2.7.7.json", "onetable", 0, []string{"which can be defaults"}},
	{"electrodb.json", "electrodb", 0, nil},
	{"electrodb-3.9.3.json", "electrodb", 0, nil},
	{"cloudformation.yaml", "cloudformation", 0, nil},
	{"cloudformation-functions.yaml", "cloudformation", 0, []string{
		"Resources.Fn::ForEach::Lists is not read; import the output of aws cloudformation get-template --template-stage Processed",
		"Resources.Nested (AWS::CloudFormation::Stack) has a template of its own, which is not read",
		"Resources.Orders.Properties.GlobalSecondaryIndexes[2].IndexName is computed by a function that cannot be resolved",
		"Resources.Orders.Properties.TimeToLiveSpecification.Precision is not read",
		"resource NoKeys: table NoKeys: KeySchema needs one HASH attribute and at most one RANGE attribute; it was skipped",
	}},
	{"serverless.yml", "cloudformation", 0, []string{
		"resources[1] ${file(resources/queues.yml)} is in another file, which is not read; import that file too",
		"Resources.Carts is in another file",
	}},
	{"terraform-state.json", "terraform", 0, nil},
}

func TestImportedSchemaRecognizesItsItems(t *testing.T) {
	for _, tt := range imports {
		name, _, _ := strings.Cut(tt.files, " ")
		name = strings.TrimSuffix(name, filepath.Ext(name))
		t.Run(name, func(t *testing.T) {
			var paths []string
			for file := range strings.FieldsSeq(tt.files) {
				paths = append(paths, filepath.Join("testdata", file))
			}
			in := read(t, tt.format, paths...)
			golden.RequireEqual(t, in.Profile.Text())
			if in.ItemCount() != tt.items {
				t.Errorf("ItemCount() = %d, want %d", in.ItemCount(), tt.items)
			}
			all := strings.Join(in.Warnings, "\n")
			for _, want := range tt.warnings {
				if !strings.Contains(all, want) {
					t.Errorf("warning %q is missing in:\n%s", want, all)
				}
			}
			if len(tt.warnings) == 0 && all != "" {
				t.Errorf("unexpected warnings:\n%s", all)
			}
			checkRecognized(t, in)
		})
	}
}

func read(t *testing.T, format string, paths ...string) *Import {
	t.Helper()
	var files []File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Name: path, Text: text})
	}
	in, err := Find(format).Read(files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestShellWordsFollowShellQuoting(t *testing.T) {
	for line, want := range map[string][]string{
		"aws dynamodb \\\n  --table-name \\\n  Orders": {"aws", "dynamodb", "--table-name", "Orders"},
		`a\ b 'c\d' "e\d \"f\""`:                       {"a b", `c\d`, `e\d "f"`},
		"Ord\\\ners ''":                                {"Orders", ""},
	} {
		if got, err := shellWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q and error %v, want %q", line, got, err, want)
		}
	}
}

// A warning about items with the same key appears once, and many items do not slow the import down.
func TestImportOfManyDuplicates(t *testing.T) {
	table := &draft.Table{Table: models.Table{ID: "t", Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}}
	r := &reader{out: &Import{Items: map[string][]models.Item{}}, keys: map[[2]string]bool{}}
	var list []models.Item
	for i := range 20_000 {
		list = append(list, models.Item{"PK": models.StringValue(strconv.Itoa(i))})
	}
	start := time.Now()
	if got := r.newItems(table, append(list, list...)); len(got) != len(list) || len(r.out.Warnings) != 1 {
		t.Errorf("got %d items and %d warnings, want %d and 1", len(got), len(r.out.Warnings), len(list))
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("comparing the keys took %s", took)
	}
}

// checkRecognized fails unless the schema loads and recognizes each sample item by its keys.
func checkRecognized(t *testing.T, in *Import) {
	t.Helper()
	p, err := profiles.Load("test.yaml", in.Profile.Text(), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, in.Profile.Text())
	}
	for id, list := range in.Items {
		for _, it := range list {
			r, ok := models.Recognize(p.Entities, p.Table(id), it)
			if !ok {
				t.Errorf("table %s: no entity matches %s", id, p.Table(id).KeyText(it))
				continue
			}
			for _, k := range r.Entity.KeyStates(it) {
				if k.Present && k.Expected != "" && k.Expected != k.Stored {
					t.Errorf("%s: %s is %q, but its template %s gives another key", r.Entity.Name, k.Name, k.Stored, k.Template)
				}
			}
		}
	}
}

// TestImportReadsOtherToolsSchemaFiles imports every schema file in a folder outside the repository.
func TestImportReadsOtherToolsSchemaFiles(t *testing.T) {
	dir := os.Getenv("DDBDESK_TEST_SCHEMA_FILES")
	if dir == "" {
		t.Skip("set DDBDESK_TEST_SCHEMA_FILES to a folder with schema files")
	}
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(".json .yaml .yml", filepath.Ext(path)) || strings.Contains(path, "invalid") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		top, err := decodeTop(text)
		if err != nil {
			return nil //nolint:nilerr // not a file of this kind
		}
		for _, f := range formats {
			if f.recognizes(top) {
				n++
				paths := []string{path}
				if isUsageData(top) {
					paths = schemaOf(path)
				}
				t.Run(filepath.Base(path), func(t *testing.T) { checkRecognized(t, read(t, f.Name, paths...)) })
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("read %d schema files: %v", n, err)
	}
}

// schemaOf returns the files of a schema that usage data needs, followed by the usage data.
func schemaOf(usage string) []string {
	schemas, _ := filepath.Glob(filepath.Join(strings.Replace(filepath.Dir(usage), "usage_data", "schemas", 1), "*.json"))
	return append(schemas, usage)
}

func TestElectroDBKeepsAttributeInsideItsOwnKey(t *testing.T) {
	in, err := Find("electrodb").Read([]File{{Name: "f.json", Text: []byte(`[{"table": "t",
		"model": {"entity": "e", "service": "s", "version": "1"}, "attributes": {"a": {"type": "string"}, "b": {"type": "string"}},
		"indexes": {"i": {"pk": {"field": "a", "composite": ["a"], "template": "x_${a}_y"},
			"sk": {"field": "b", "facets": "${b}", "composite": ["b"]}}}}]`)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Items["t"] = []models.Item{{
		"a": &types.AttributeValueMemberS{Value: "x_1_y"}, "b": &types.AttributeValueMemberS{Value: "2"},
		"__edb_e__": &types.AttributeValueMemberS{Value: "e"}, "__edb_v__": &types.AttributeValueMemberS{Value: "1"},
	}}
	checkRecognized(t, in)
}

// OneTable encrypts the attribute, but not the key that contains it.
func TestOneTableEncryptedKey(t *testing.T) {
	in, err := Find("onetable").Read([]File{{Name: "f.json", Text: []byte(`{"indexes": {"primary": {"hash": "pk"}},
		"models": {"User": {"pk": {"type": "string", "value": "user#${email}"}, "email": {"type": "string", "crypt": true}}}}`)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Items[in.Profile.Tables[0].ID] = []models.Item{{
		"pk": &types.AttributeValueMemberS{Value: "user#ann@example.com"}, "email": &types.AttributeValueMemberS{Value: "primary:5:tag:data"},
		"_type": &types.AttributeValueMemberS{Value: "User"},
	}}
	checkRecognized(t, in)
	if text := string(in.Profile.Text()); !strings.Contains(text, "emailClear: {type: S, sensitive: pii, key_only: true") {
		t.Errorf("the key attribute is not masked:\n%s", text)
	}
}

func TestOneTableUniqueFields(t *testing.T) {
	in, err := Find("onetable").Read([]File{{Name: "f.json", Text: []byte(`{"indexes": {"primary": {"hash": "pk", "sort": "sk"}},
		"models": {"Member": {"pk": {"type": "string", "value": "club#${club}"}, "sk": {"type": "string", "value": "member#${id}"},
		"club": {"type": "string"}, "id": {"type": "string", "uuid": true}, "note": {"type": "string"},
		"mail": {"type": "string", "map": "m", "unique": true, "scope": "${club}"},
		"phone": {"type": "string", "map": "home.p"}}}}`)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Items[in.Profile.Tables[0].ID] = []models.Item{{
		"pk": &types.AttributeValueMemberS{Value: "_unique#chess#Member#m#ann@example.com"}, "sk": &types.AttributeValueMemberS{Value: "_unique#"},
		"_type": &types.AttributeValueMemberS{Value: "_Unique"},
	}}
	checkRecognized(t, in)
	if text := string(in.Profile.Text()); !strings.Contains(text, "p: {type: S, sensitive: pii, description: property phone}") {
		t.Errorf("home.p is not masked:\n%s", text)
	}
	for path, want := range map[string]string{
		"Member.club": "false", "Member.id": "true", "Member.note": "false", "Member.m": "false pii",
		"MemberMailUnique.mail": "true pii", "MemberMailUnique.club": "true",
	} {
		entity, name, _ := strings.Cut(path, ".")
		a := in.Profile.Entity(entity).Attribute(name)
		if got := strings.TrimSpace(fmt.Sprint(a.Required, " ", a.Sensitive)); got != want {
			t.Errorf("%s is required and sensitive: %s, want %s", path, got, want)
		}
	}
}

func TestElectroDBNestedAttributes(t *testing.T) {
	in, err := Find("electrodb").Read([]File{{Name: "f.json", Text: []byte(`[{"table": "t",
		"model": {"entity": "e", "service": "s", "version": "1"}, "attributes": {"id": {"type": "string"}, "email": {"type": "string", "field": "e"},
		"guests": {"type": "list", "items": {"type": "map", "properties": {"phone": {"type": "string", "field": "p"}, "seat": {"type": "number"}}}}},
		"indexes": {"i": {"pk": {"field": "pk", "composite": ["id"]}}}}]`)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(in.Profile.Text())
	for _, want := range []string{"e: {type: S, sensitive: pii, description: property email}", "p: {type: S, sensitive: pii}", "seat: {type: N}"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
}

// A small file can describe a huge one, so the import limits the expansion.
func TestImportLimitsExpandingFiles(t *testing.T) {
	twice := strings.Repeat("${opt:a, self:custom.x}", 100)
	text := "service: x\nprovider: {name: aws}\ncustom: {x: \"" + twice + "\"}\nresources: {Resources: {Q: {Type: AWS::DynamoDB::Table, " +
		"Properties: {TableName: \"" + twice + "\", KeySchema: [{AttributeName: a, KeyType: HASH}]}}}}"
	in, err := Find("cloudformation").Read([]File{{Name: "f.yaml", Text: []byte(text)}}, Options{})
	if err != nil || len(in.Profile.Text()) > 1<<20 {
		t.Error(err)
	}
}

func TestWorkbenchLocalIndex(t *testing.T) {
	text := `{"ModelName": "m", "ModelMetadata": {"Description": "Two\n\nlines."}, "DataModel": [{"TableName": "rooms", "KeyAttributes": {
		"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}, "SortKey": {"AttributeName": "sk", "AttributeType": "S"}},
		"LocalSecondaryIndexes": [{"IndexName": "byFloor", "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"},
		"SortKey": {"AttributeName": "floor", "AttributeType": "N"}}, "Projection": {"ProjectionType": "ALL"}}]}]}`
	in, err := Find("workbench").Read([]File{{Name: "f.json", Text: []byte(text)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load("test.yaml", in.Profile.Text(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := p.Tables[0].Index("byFloor"); x == nil || !x.Local || x.SortKeys[0].Name != "floor" || len(in.Warnings) > 0 {
		t.Errorf("index %+v, warnings %q", x, in.Warnings)
	}
	if p.Description != "Two lines." {
		t.Errorf("description %q", p.Description)
	}
}

func TestImportOfOneResource(t *testing.T) {
	in, err := Find("cloudformation").Read([]File{{Name: "f.yaml", Text: []byte(
		"Type: AWS::DynamoDB::GlobalTable\nProperties: {TableName: notes, KeySchema: [{AttributeName: id, KeyType: HASH}]}")}}, Options{})
	if err != nil || len(in.Profile.Tables) != 1 || in.Profile.Tables[0].Name != "notes" {
		t.Errorf("import %+v, error %v", in, err)
	}
}

// A table in a file without items has at least the masks of a table without a schema.
func TestImportMasksKeyAttributes(t *testing.T) {
	in, err := Find("cloudformation").Read([]File{{Name: "f.yaml", Text: []byte(`Resources: {Users: {Type: AWS::DynamoDB::Table,
		Properties: {KeySchema: [{AttributeName: email, KeyType: HASH}, {AttributeName: at, KeyType: RANGE}]}}}`)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := in.Profile.Entities[0]
	if e.Attribute("email").Sensitive != models.PII || e.Attribute("at").Sensitive != models.NotSensitive {
		t.Errorf("email is %q, at is %q", e.Attribute("email").Sensitive, e.Attribute("at").Sensitive)
	}
}

func TestServerlessVariableInsideVariable(t *testing.T) {
	text := `service: shop
provider: {name: aws, stage: "${opt:stage, 'test'}", environment: "${file(env.${self:provider.stage}.yml):vars}"}
custom: {names: {test: carts-test}, tables: {test: {Users: {Type: AWS::DynamoDB::Table, Properties: {
  TableName: "users-${self:provider.environment.SUFFIX}", KeySchema: [{AttributeName: id, KeyType: HASH}]}}}, loop: "${self:custom}"}}
resources:
  - Resources: {Carts: {Type: AWS::DynamoDB::Table, Properties: {TableName: "${self:custom.names.${self:provider.stage}}",
      KeySchema: [{AttributeName: id, KeyType: HASH}]}}}
  - Resources: "${self:custom.tables.${self:provider.stage}}"
  - Resources: {Items: {Type: AWS::DynamoDB::Table, Properties: {TableName: "items-${file(../env.${opt:stage}.json):NAME}",
      KeySchema: [{AttributeName: id, KeyType: HASH}]}}}`
	in, err := Find("cloudformation").Read([]File{{Name: "serverless.yml", Text: []byte(text)}}, Options{
		OpenReferenced: func(_, path string) ([]byte, error) {
			if path != "env.test.yml" {
				return nil, fs.ErrNotExist
			}
			return []byte("vars: {SUFFIX: blue}"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, table := range in.Profile.Tables {
		names[table.ID] = table.Name + " " + strings.Join(table.Notes, "; ")
	}
	for id, want := range map[string]string{
		"carts": `carts-test CHECK: table name uses "test" for opt:stage, 'test'`,
		"users": "users-blue ",
		"items": `items-{name} CHECK: table name uses "test" for opt:stage`,
	} {
		if names[id] != want {
			t.Errorf("table %s is %q, want %q", id, names[id], want)
		}
	}
	want := "${self:custom.tables.${self:provider.stage}} is read as ${self:custom.tables.test}"
	if all := strings.Join(in.Warnings, "\n"); !strings.Contains(all, want) {
		t.Errorf("warning %q is missing in:\n%s", want, all)
	}
}

func TestServerlessFile(t *testing.T) {
	text := `service: shop
provider: {name: aws}
custom:
  keys: &keys {KeySchema: [{AttributeName: id, KeyType: HASH}], BillingMode: PAY_PER_REQUEST}
resources:
  Resources:
    Carts: {Type: AWS::DynamoDB::Table, Properties: {<<: *keys, TableName: "blue-carts", BillingMode: PROVISIONED}}
    Items: {Type: AWS::DynamoDB::Table, Properties: {<<: [*keys], TableName: "items-#{AWS::AccountId}"}}
    Users: {Type: AWS::DynamoDB::Table, Properties: {<<: *keys, TableName: "${strToBool(x)}"}}`
	in, err := Find("cloudformation").Read([]File{{Name: "serverless.yml", Text: []byte(text)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load("test.yaml", in.Profile.Text(), map[string]string{"accountId": "123456789012"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range p.Tables {
		got = append(got, strings.Join([]string{table.Name, table.PartitionKey.Name, table.Billing}, " "))
	}
	if want := "blue-carts id provisioned, items-123456789012 id on-demand, Users id on-demand"; strings.Join(got, ", ") != want {
		t.Errorf("tables %q, want %q", got, want)
	}
}

// terraformState returns a Terraform state with one table.
func terraformState(values string) string {
	return `{"terraform_version": "1", "values": {"root_module": {"resources": [{"address": "aws_dynamodb_table.t", "mode": "managed", ` +
		`"type": "aws_dynamodb_table", "name": "t", "values": {"name": "t", ` + values + `}}]}}}`
}

func TestImportRejectsSourceCode(t *testing.T) {
	for name, source := range map[string]struct{ format, text string }{
		"main.tf":   {"terraform", "resource \"aws_dynamodb_table\" \"t\" {\n"},
		"schema.ts": {"electrodb", "import { Entity } from 'electrodb';\n"},
		"stack.ts":  {"cloudformation", "import * as cdk from 'aws-cdk-lib';\n"},
	} {
		var none *Format
		for _, f := range []*Format{Find(source.format), none} {
			_, err := f.Read([]File{{Name: name, Text: []byte(source.text)}}, Options{})
			if err == nil || !strings.Contains(err.Error(), "source code") || !strings.HasSuffix(err.Error(), Find(source.format).Obtain) {
				t.Errorf("%s: got error %v", name, err)
			}
		}
	}
}

// The import of a file with an unknown part names the part, in every format.
func TestImportNamesUnreadParts(t *testing.T) {
	for _, tt := range []struct{ format, text, place string }{
		{"workbench", `{"ModelName": "m", "DataModel": [{"TableName": "t", "KeyAttributes": {"PartitionKey": {"AttributeName": "a",
			"AttributeType": "S"}}, "SampleDataFormats": {}}]}`, "DataModel[0].SampleDataFormats is not read"},
		{
			"aws-model", `{"tables": [{"TableName": "t", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "News": 1}]}`,
			"tables[0].News is not read",
		},
		{
			"aws-schema", `{"tables": [{"table_config": {"table_name": "t", "partition_key": "a"}, "lsi_list": [], "entities": {"E":
			{"entity_type": "E", "pk_template": "{a}", "fields": [{"name": "a", "type": "string", "required": true}]}}}]}`,
			"tables[0].lsi_list is not read",
		},
		{"onetable", `{"indexes": {"primary": {"hash": "a"}}, "models": {"M": {"a": {"type": "string", "validate": "/x/"},
			"b": {"type": "string", "validate": "/y/"}}}}`, "models.M.a.validate is not read (and 1 similar field)"},
		{"electrodb", `[{"model": {"entity": "e", "service": "s", "version": "1"}, "attributes": {"a": {"type": "string"}},
			"indexes": {"i": {"pk": {"field": "pk", "composite": ["a"], "hash": true}}}}]`, "[0].indexes.i.pk.hash is not read"},
		{"terraform", terraformState(`"hash_key": "a", "vector_index": [{}]`), "aws_dynamodb_table.t.vector_index is not read"},
	} {
		in, err := Find(tt.format).Read([]File{{Name: "f.json", Text: []byte(tt.text)}}, Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.format, err)
		} else if all := strings.Join(in.Warnings, "\n"); !strings.Contains(all, tt.place) {
			t.Errorf("%s: warning %q is missing in:\n%s", tt.format, tt.place, all)
		}
	}
}

func TestImportNamesFileErrors(t *testing.T) {
	for _, tt := range []struct{ name, format, text, message string }{
		{"truncated file", "workbench", `{"ModelName": "x", "DataModel": [`, "not a NoSQL Workbench model file: line 1: the file is truncated"},
		{"empty", "workbench", "", "not a NoSQL Workbench model file: the file is empty"},
		{"another format", "terraform", `{"DataModel": []}`, "not a Terraform state or plan file but a NoSQL Workbench model file; use workbench"},
		{"no format", "workbench", `{"a": 1}`, "not a NoSQL Workbench model file; in NoSQL Workbench, choose Export"},
		{"a list", "cloudformation", `[1, 2]`, "not a CloudFormation template file; pass a template with Resources"},
		{"no tables", "workbench", `{"DataModel": []}`, "DataModel has no tables"},
		{"wrong type", "workbench", `{"DataModel": "x"}`, "line 1: DataModel must not be a JSON string"},
		{"no key", "workbench", `{"DataModel": [{"TableName": "t"}]}`, "DataModel[0]: table needs TableName and KeyAttributes.PartitionKey"},
		{"another service", "workbench", `{"DataModel": [], "ModelMetadata": {"AWSService": "Amazon Keyspaces"}}`, "the model is for Amazon Keyspaces"},
		{"no DynamoDB table", "cloudformation", "Resources: {Q: {Type: AWS::SQS::Queue}}", "the template has no DynamoDB table"},
		{"no keys", "cloudformation", "Resources: {Q: {Type: AWS::DynamoDB::Table}}", "resource Q: table Q: KeySchema needs one HASH attribute"},
		{
			"key of a parameter", "cloudformation", "Parameters: {Key: {Type: String}}\nResources: {Q: {Type: AWS::DynamoDB::Table, " +
				"Properties: {KeySchema: [{AttributeName: !Ref Key, KeyType: HASH}]}}}",
			"resource Q: Resources.Q.Properties.KeySchema[0].AttributeName is Key, which has no default; give it a default",
		},
		{
			"duplicate key", "cloudformation", "Resources: {Q: {Type: AWS::DynamoDB::Table, Properties: " +
				"{KeySchema: [{AttributeName: a, KeyType: HASH}, {AttributeName: a, KeyType: RANGE}]}}}",
			"resource Q: table Q: attribute a is its partition key and its sort key",
		},
		{
			"nested stacks only", "cloudformation", "Resources: {Q: {Type: AWS::CloudFormation::Stack}}",
			"the template has no DynamoDB table; Resources.Q (AWS::CloudFormation::Stack) has a template of its own",
		},
		{
			"serverless.yml with resources in another file", "cloudformation", "service: x\nprovider: {name: aws}\nresources: ${file(tables.yml)}",
			"the template has no DynamoDB table; resources ${file(tables.yml)} is in another file",
		},
		{"variables without an end", "cloudformation", "service: x\nprovider: {name: aws}\ncustom: {a: \"${opt:b, self:custom.a}\"}\n" +
			"resources: {Resources: {Q: {Type: AWS::DynamoDB::Table, Properties: {TableName: \"${self:custom.a}\"}}}}", "resource Q: table"},
		{"not YAML", "cloudformation", "Resources: [", "not a CloudFormation template file: "},
		{"configuration", "terraform", `{"resource": {"aws_dynamodb_table": {}}}`, "the file is a Terraform configuration, in which expressions are not"},
		{"resource of another program", "workbench", `{"incident": 1, "resource": {"arn": "arn:aws:x"}}`, "not a NoSQL Workbench model file; in NoSQL"},
		{"resource list of another program", "terraform", `{"resource": []}`, "not a Terraform state or plan file; run terraform show"},
		{
			"table without distinct keys", "terraform", terraformState(`"hash_key": "a", "range_key": "a"`),
			"aws_dynamodb_table.t: table t: attribute a is its partition key and its sort key",
		},
		{"plan without a key", "terraform", terraformState(`"arn": "x"`), "aws_dynamodb_table.t: hash_key is not in the file; a plan omits values"},
		{"wrong type in a state", "terraform", terraformState(`"hash_key": []`), "aws_dynamodb_table.t: hash_key must not be a JSON array"},
		{"empty state", "terraform", `{"terraform_version": "1", "values": {}}`, "no managed resource of type aws_dynamodb_table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Find(tt.format).Read([]File{{Name: "f.json", Text: []byte(tt.text)}}, Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "f.json: "+tt.message) {
				t.Errorf("got error %v, want %q", err, tt.message)
			}
		})
	}
}
