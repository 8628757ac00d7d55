package snippet_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamo "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/models"
)

var noon = time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC)

func key(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }

func matches(name, template string) accesspatterns.KeyCondition {
	return accesspatterns.KeyCondition{Attribute: key(name), Compare: accesspatterns.Matches, Template: models.MustTemplate(template)}
}

func pattern(read accesspatterns.Read, params ...*accesspatterns.Param) *accesspatterns.Pattern {
	if read.Operation == "" {
		read.Operation = accesspatterns.Query
	}
	events := &models.Table{Name: "events", PartitionKey: key("PK"), SortKey: key("SK")}
	return &accesspatterns.Pattern{ID: "p", Profile: "test", Table: events, Read: read, Params: params}
}

// where returns a filter condition.
func where(attribute string, t models.Type, o accesspatterns.Operator, values ...string) accesspatterns.FilterCondition {
	f := accesspatterns.FilterCondition{Attribute: attribute, Type: t, Compare: o}
	for _, text := range values {
		f.Values = append(f.Values, models.MustTemplate(text))
	}
	return f
}

// requests returns requests of every kind.
func requests(t *testing.T) map[string]*accesspatterns.Request {
	t.Helper()
	pk := matches("PK", "CASE#{id}")
	index := &models.Index{Name: "GSI1", PartitionKeys: models.KeyList(key("PK"))}
	fanOut := matches("PK", "KIND#{kind}")
	list, clientFilter := map[string]*accesspatterns.Request{}, where("SK", models.TypeS, accesspatterns.Contains, "x")
	clientFilter.ClientSide = true
	for name, read := range map[string]accesspatterns.Read{
		"get": {Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{pk, matches("SK", "META")}},
		"batch": {
			Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{matches("PK", "CASE#{ids}"), matches("SK", "META")},
			Projection: []string{"status", "customer.name"},
		},
		"query": {Index: index, Key: []accesspatterns.KeyCondition{pk}, Descending: true},
		"count": {Operation: accesspatterns.Count, Key: []accesspatterns.KeyCondition{pk}},
		"scan": {
			Operation: accesspatterns.Scan,
			Filter:    []accesspatterns.FilterCondition{where("size", models.TypeN, accesspatterns.GreaterOrEqual, "{n}"), clientFilter},
		},
		"loop": {
			Key:    []accesspatterns.KeyCondition{fanOut},
			FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"a", "it's b"}},
		},
		"unlike": {
			Key:    []accesspatterns.KeyCondition{fanOut},
			Filter: []accesspatterns.FilterCondition{where("kind", models.TypeS, accesspatterns.Equal, "{kind}")},
			FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"a", "b"}},
		},
	} {
		p := pattern(
			read, &accesspatterns.Param{Name: "id", Type: accesspatterns.String},
			&accesspatterns.Param{Name: "n", Type: accesspatterns.Integer},
			&accesspatterns.Param{Name: "ids", Type: accesspatterns.String, List: true},
		)
		p.Title = "All events"
		args := map[string]string{}
		switch name {
		case "get", "query", "count":
			args["id"] = "it's <7> \"x\" é"
		case "batch":
			args["ids"] = "7, it's 8"
		case "scan":
			args["n"] = "12"
		}
		r, err := p.Bind(args, noon)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list[name] = r
	}
	return list
}

var testOptions = snippet.Options{Region: "af-south-1", Endpoint: "http://localhost:8000", Profile: "my team"}

func TestGolden(t *testing.T) {
	for name, r := range requests(t) {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, lang := range snippet.Languages() {
				all.WriteString("-- " + lang.Title() + " --\n" + snippet.ForRequest(r, lang, testOptions))
			}
			golden.RequireEqual(t, []byte(all.String()))
		})
	}
}

func TestHiddenParametersBecomePlaceholders(t *testing.T) {
	r := requests(t)["query"]
	for _, lang := range snippet.Languages() {
		got := snippet.ForRequest(r, lang, snippet.Options{Hidden: []string{"id"}})
		if strings.Contains(got, "<7>") || !strings.Contains(got, "CASE#<id>") {
			t.Errorf("%s: want only the placeholder <id>, got:\n%s", lang, got)
		}
		if lang != snippet.CLI && lang != snippet.PartiQL && !strings.Contains(got, "Masked values") {
			t.Errorf("%s does not name the masked values:\n%s", lang, got)
		}
	}
}

// The snippet hides a number even though the placeholder is not a valid number.
func TestHiddenNumbersBecomePlaceholders(t *testing.T) {
	r := requests(t)["scan"]
	for _, lang := range snippet.Languages() {
		got := snippet.ForRequest(r, lang, snippet.Options{Hidden: []string{"n"}})
		if strings.Contains(got, "12") || !strings.Contains(got, "<hidden>") {
			t.Errorf("%s: want the placeholder <hidden>, got:\n%s", lang, got)
		}
	}
}

// The test type-checks Go snippets against the SDK version that ddbdesk uses.
func TestGoSnippetsCompile(t *testing.T) {
	fset := token.NewFileSet()
	check := types.Config{Importer: sdk(t, fset)}
	for name, r := range requests(t) {
		text := snippet.ForRequest(r, snippet.Go, testOptions)
		file, err := parser.ParseFile(fset, name+".go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted: %v\n%s", name, err, text)
		}
		if _, err := check.Check("main", fset, []*ast.File{file}, nil); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// Names of any length and script need the layout of gofmt.
func TestGoSnippetsAreFormatted(t *testing.T) {
	name := rapid.StringMatching(`[a-zé"(){}/: ]{1,20}|[a-z]{30,60}|[a-z]{100,240}`)
	rapid.Check(t, func(t *rapid.T) {
		r := accesspatterns.Request{Pattern: pattern(accesspatterns.Read{Operation: accesspatterns.Scan})}
		for range rapid.IntRange(1, 3).Draw(t, "scans") {
			scan := &dynamodb.ScanInput{
				TableName: aws.String("t"), FilterExpression: aws.String(name.Draw(t, "filter")),
				ExpressionAttributeNames: rapid.MapOfN(name, name, 1, 6).Draw(t, "names"),
			}
			for a, v := range scan.ExpressionAttributeNames {
				scan.ExpressionAttributeValues = models.Item{a: models.StringValue(v), "b": models.StringValue("(")}
			}
			r.Legs = append(r.Legs, accesspatterns.Leg{Scan: scan})
		}
		text := snippet.ForRequest(&r, snippet.Go, snippet.Options{})
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Fatalf("%v:\n%s\nwant\n%s", err, text, formatted)
		}
	})
}

// attributevalueSource declares the parts of a package that snippets use and ddbdesk does not import.
const attributevalueSource = `package attributevalue

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

type DecoderOptions struct{ UseNumber bool }

func UnmarshalMapWithOptions(m map[string]types.AttributeValue, out any, options ...func(*DecoderOptions)) error { return nil }
`

// sdk returns an importer of packages from the build cache.
func sdk(t *testing.T, fset *token.FileSet) types.Importer {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}",
		"context", "encoding/json", "fmt", "log", "os", "github.com/aws/aws-sdk-go-v2/config", "github.com/aws/aws-sdk-go-v2/service/dynamodb").Output()
	if err != nil {
		t.Skipf("the go command cannot list the packages: %v", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	inner := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("there is no package " + path)
		}
		return os.Open(exports[path])
	})
	file, err := parser.ParseFile(fset, "attributevalue.go", attributevalueSource, 0)
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	stub, err := (&types.Config{Importer: inner}).Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return imports{inner, path, stub}
}

type imports struct {
	types.Importer
	path string
	stub *types.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if path == i.path {
		return i.stub, nil
	}
	return i.Importer.Import(path)
}

// A key with any text remains the same when a program or a shell parses the snippet.
func TestKeysRoundTripThroughSnippets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		write := func(lang snippet.Language) string {
			return snippet.ForKey(&models.Table{Name: "events"}, models.Item{"PK": models.StringValue(text)}, lang, snippet.Options{})
		}
		for lang, find := range map[snippet.Language]func(string) (string, error){
			snippet.Go:         keyInGo,
			snippet.Python:     func(s string) (string, error) { return strconv.Unquote(textBetween(s, `{"S": `, "},\n")) },
			snippet.TypeScript: func(s string) (string, error) { return keyInScript(textBetween(s, `{ S: `, " },\n")) },
		} {
			out := write(lang)
			if got, err := find(out); err != nil || got != text {
				t.Fatalf("%s: %q was read back as %q: %v\n%s", lang, text, got, err, out)
			}
			if i := strings.IndexFunc(strings.ReplaceAll(strings.ReplaceAll(out, "\n", ""), "\t", ""), models.IsMisleading); i >= 0 {
				t.Fatalf("%s contains control characters:\n%q", lang, out)
			}
		}
	})
}

func textBetween(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func keyInScript(literal string) (s string, err error) {
	return s, json.Unmarshal([]byte(literal), &s)
}

func keyInGo(program string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", program, 0)
	if err != nil {
		return "", err
	}
	found := ""
	ast.Inspect(file, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if name, ok := kv.Key.(*ast.Ident); ok && name.Name == "Value" {
			found = kv.Value.(*ast.BasicLit).Value
		}
		return true
	})
	return strconv.Unquote(found)
}

// A shell cannot insert values that need JSON escapes, so each value gets its own command.
func TestShellRepeatsCommandWhereItCannotLoop(t *testing.T) {
	p := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "KIND#{kind}")},
		FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"a", `b"`}},
	})
	r, err := p.Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	text := snippet.ForRequest(r, snippet.CLI, snippet.Options{})
	for _, value := range []string{`'{":PK":{"S":"KIND#a"}}'`, `'{":PK":{"S":"KIND#b\""}}'`} {
		if strings.Count(text, value) != 1 {
			t.Errorf("want %s once in:\n%s", value, text)
		}
	}
	if strings.Contains(text, "for ") || strings.Count(text, "aws dynamodb query") != 2 {
		t.Errorf("want 2 queries without a loop, got:\n%s", text)
	}
}

// DynamoDB rejects empty maps of names and values.
func TestSnippetsHaveNoEmptyMaps(t *testing.T) {
	r, err := pattern(accesspatterns.Read{Operation: accesspatterns.Scan}).Bind(nil, noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range snippet.Languages() {
		text := strings.ToLower(snippet.ForRequest(r, lang, snippet.Options{}))
		if !strings.Contains(text, "events") || strings.Contains(text, "expression") {
			t.Errorf("%s: want no empty expression maps, got:\n%s", lang, text)
		}
	}
}

func TestBinaryKeysAreSpelledInEveryLanguage(t *testing.T) {
	k := models.Item{"id": &dynamo.AttributeValueMemberB{Value: []byte{0, 0xff, 'a'}}}
	for lang, want := range map[snippet.Language]string{
		snippet.CLI: `'{"id":{"B":"AP9h"}}'`, snippet.Go: `[]byte("\x00\xffa")`,
		snippet.Python: `{"B": base64.b64decode("AP9h")}`, snippet.TypeScript: `{ B: Buffer.from("AP9h", "base64") }`,
	} {
		if got := snippet.ForKey(&models.Table{Name: "blobs"}, k, lang, snippet.Options{}); !strings.Contains(got, want) {
			t.Errorf("%s: %s is missing in:\n%s", lang, want, got)
		}
	}
}

func TestEachLanguageHasItsOwnExtension(t *testing.T) {
	used := map[string]snippet.Language{}
	for _, lang := range snippet.Languages() {
		extension := lang.Extension()
		if other, taken := used[extension]; taken || extension == "" {
			t.Errorf("%s has the same extension %q as %q, or none", lang, extension, other)
		}
		used[extension] = lang
	}
}
