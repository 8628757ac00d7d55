package models_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// everyType contains a value of each DynamoDB type under its descriptor.
var everyType = models.Item{
	"S":    s(`<a href="x">&\</a>` + "\n\u2028é👍"),
	"N":    n("12345678901234567890123456789012345678"),
	"B":    &types.AttributeValueMemberB{Value: []byte{0, 0xff, '>'}},
	"BOOL": &types.AttributeValueMemberBOOL{Value: true},
	"NULL": null(),
	"M":    m("b.c", m("d", n("-1.5E-130"))),
	"L":    l(s("x"), n("0.10"), l(), null()),
	"SS":   &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
	"NS":   &types.AttributeValueMemberNS{Value: []string{"1E+2", "9.99"}},
	"BS":   &types.AttributeValueMemberBS{Value: [][]byte{{1}, {}}},
}

func TestItemJSON(t *testing.T) {
	plain := map[string]string{
		"S": `"<a href=\"x\">&\\</a>\n\u2028é👍"`, "N": `12345678901234567890123456789012345678`, "B": `"AP8+"`,
		"BOOL": `true`, "NULL": `null`, "M": `{"b.c":{"d":-1.5E-130}}`, "L": `["x",0.10,[],null]`,
		"SS": `["b","a"]`, "NS": `[1E+2,9.99]`, "BS": `["AQ==",""]`,
	}
	typed := map[string]string{
		"S": `{"S":"<a href=\"x\">&\\</a>\n\u2028é👍"}`, "N": `{"N":"12345678901234567890123456789012345678"}`, "B": `{"B":"AP8+"}`,
		"BOOL": `{"BOOL":true}`, "NULL": `{"NULL":true}`, "M": `{"M":{"b.c":{"M":{"d":{"N":"-1.5E-130"}}}}}`,
		"L":  `{"L":[{"S":"x"},{"N":"0.10"},{"L":[]},{"NULL":true}]}`,
		"SS": `{"SS":["b","a"]}`, "NS": `{"NS":["1E+2","9.99"]}`, "BS": `{"BS":["AQ==",""]}`,
	}
	for name, v := range everyType {
		if got := string(models.AppendValueJSON(nil, v)); got != plain[name] {
			t.Errorf("%s is written as %s, want %s", name, got, plain[name])
		}
		if got := string(models.AppendTypedJSON(nil, v)); got != typed[name] {
			t.Errorf("%s is typed as %s, want %s", name, got, typed[name])
		}
		if got := models.ValueType(v); string(got) != name {
			t.Errorf("%s: ValueType() = %s", name, got)
		}
	}
	if got := string(models.Item{"b": n("1"), "a": s("x"), "B": null()}.AppendJSON([]byte("> "))); got != `> {"B":null,"a":"x","b":1}` {
		t.Errorf("an item is written as %s", got)
	}
	if got := string(models.Item{}.AppendDynamoDBJSON(nil)); got != `{}` {
		t.Errorf("an empty item is written as %s", got)
	}
	if b, err := json.Marshal(models.Item{"a": n("1.0")}); err != nil || string(b) != `{"a":1.0}` {
		t.Errorf("an item inside other JSON is written as %s (%v)", b, err)
	}
}

// Other servers send values that DynamoDB never sends. The output must still be valid JSON.
func TestItemJSONFromOddServers(t *testing.T) {
	tests := []struct {
		value types.AttributeValue
		want  string
	}{
		{n("NaN"), `"NaN"`},
		{n("01"), `"01"`},
		{n("+1"), `"+1"`},
		{n(""), `""`},
		{n("1,2"), `"1,2"`},
		{n("0e1"), `0e1`},
		{n("9E+5"), `9E+5`},
		{n(" 1"), `" 1"`},
		{n("true"), `"true"`},
		{s("a\u2028b"), `"a\u2028b"`},
		{s("a\xffb"), `"a\ufffdb"`},
		{nil, `null`},
		{&types.UnknownUnionMember{Tag: "X"}, `null`},
	}
	for _, tt := range tests {
		if got := string(models.AppendValueJSON(nil, tt.value)); got != tt.want {
			t.Errorf("%#v is written as %s, want %s", tt.value, got, tt.want)
		}
	}
	if got := string(models.AppendTypedJSON(nil, nil)); got != `null` {
		t.Errorf("AppendTypedJSON(nil) = %s, want null", got)
	}
	if models.ValueType(nil) != "" {
		t.Error("ValueType(nil) is not empty")
	}
}

func drawText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", `"`, `\`, "<&>", "\x00\x1f\x7f", "\u2028", "\xff"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }))
}

// Valid UTF-8 text survives JSON unchanged. Other text becomes valid UTF-8.
func TestJSONTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText().Draw(t, "text")
		var decoded string
		if err := json.Unmarshal(models.AppendValueJSON(nil, s(text)), &decoded); err != nil {
			t.Fatalf("%q has invalid JSON: %v", text, err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && decoded != want || !utf8.ValidString(decoded) {
			t.Fatalf("%q was read back as %q", text, decoded)
		}
	})
}

// A page token encodes its keys as typed JSON, which must decode to the same values.
func TestParseKeyJSONReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		value := rapid.OneOf(
			rapid.Map(text, s),
			rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,37}`), n),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }),
		)
		want := models.Item{}
		for range rapid.IntRange(0, 4).Draw(t, "attributes") {
			want[text.Draw(t, "name")] = value.Draw(t, "value")
		}
		line := want.AppendDynamoDBJSON(nil)
		got, err := models.ParseKeyJSON(line)
		if err != nil || string(got.AppendDynamoDBJSON(nil)) != string(line) {
			t.Fatalf("%s is read as %s: %v", line, got.AppendDynamoDBJSON(nil), err)
		}
	})
}

func TestParseKeyJSONRejects(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{"PK":"x"}`, `{"PK":{}}`, `{"PK":{"S":"a","N":"1"}}`, `{"PK":{"S":1}}`, `{"PK":{"BOOL":"true"}}`, `{"PK":{"X":"a"}}`,
		`{"PK":{"N":"one"}}`, `{"PK":{"B":"%"}}`, `{"PK":{"S":"a"}`,
	} {
		if it, err := models.ParseKeyJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), "key ") {
			t.Errorf("%s: got %v (%v), want an error", text, it, err)
		}
	}
}

func TestItemAt(t *testing.T) {
	it := models.Item{
		"a":     &types.AttributeValueMemberM{Value: models.Item{"b": m("c", n("7")), "b.c": s("inner")}},
		"x.y":   s("dotted"),
		"x":     m("y", s("nested")),
		"flag":  &types.AttributeValueMemberBOOL{Value: false},
		"bytes": &types.AttributeValueMemberB{Value: []byte("hi")},
		"list":  l(s("x")),
		"none":  null(),
	}
	tests := []struct {
		path, text string
		ok         bool
	}{
		{"a.b.c", "inner", true},
		{"x.y", "dotted", true},
		{"flag", "false", true},
		{"bytes", "aGk=", true},
		{"a", "", false},
		{"a.b", "", false},
		{"a.z", "", false},
		{"list", "", false},
		{"list.0", "", false},
		{"none", "", false},
		{"flag.x", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		if text, ok := it.Text(tt.path); text != tt.text || ok != tt.ok {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.path, text, ok, tt.text, tt.ok)
		}
	}
	if _, ok := it.At("a.b"); !ok {
		t.Error("At(a.b) found no value")
	}
	if diff := cmp.Diff(
		[]string{"a", "bytes", "flag", "list", "none", "x", "x.y"}, it.Names(),
	); diff != "" || !slices.IsSorted(it.Names()) {
		t.Errorf("names (-want +got)\n%s", diff)
	}
}

func typed(t models.Type) option { return func(a *models.Attribute) { a.Type = t } }
func items(t models.Type) option { return func(a *models.Attribute) { a.Items = t } }

// Forms edit lists and sets element by element, so each element needs the type that the schema declares.
func TestElementAndMemberTypes(t *testing.T) {
	inner := attr("city")
	list := attr("homes", typed(models.TypeL))
	documents := attr("homes", typed(models.TypeL), func(a *models.Attribute) { a.Attributes = []*models.Attribute{inner} })
	for name, tt := range map[string]struct {
		of              *models.Attribute
		element, member *models.Attribute
	}{
		"nothing":           {nil, nil, nil},
		"a text":            {attr("name", pii), nil, &models.Attribute{Name: "name", Path: "name", Type: models.TypeS}},
		"a list":            {list, nil, nil},
		"a list of numbers": {attr("ns", typed(models.TypeL), items(models.TypeN)), &models.Attribute{Name: "ns", Path: "ns", Type: models.TypeN}, &models.Attribute{Name: "ns", Path: "ns", Type: models.TypeN}},
		"a list of documents": {
			documents,
			&models.Attribute{Name: "homes", Path: "homes", Type: models.TypeM, Attributes: documents.Attributes},
			&models.Attribute{Name: "homes", Path: "homes", Type: models.TypeM, Attributes: documents.Attributes},
		},
		"a set of texts": {
			attr("tags", typed(models.TypeSS), enum("a", "b")), nil, &models.Attribute{Name: "tags", Path: "tags", Type: models.TypeS, Enum: []string{"a", "b"}},
		},
		"a set of numbers": {attr("ids", typed(models.TypeNS)), nil, &models.Attribute{Name: "ids", Path: "ids", Type: models.TypeN}},
		"a set of bytes":   {attr("keys", typed(models.TypeBS)), nil, &models.Attribute{Name: "keys", Path: "keys", Type: models.TypeB}},
	} {
		if diff := cmp.Diff(tt.element, tt.of.Element()); diff != "" {
			t.Errorf("element of %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.member, tt.of.Member()); diff != "" {
			t.Errorf("member of %s (-want +got):\n%s", name, diff)
		}
	}
}

// A label includes its value. A value without a label stands alone.
func TestLabelsIncludeTheirValue(t *testing.T) {
	a := attr("status")
	a.Labels = models.Labels{"0": "Open", "1": ""}
	for value, want := range map[string]string{"0": "Open (0)", "1": "1", "2": "2"} {
		if got := a.Labeled(value); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
	if got := (*models.Attribute)(nil).Labeled("0"); got != "0" {
		t.Errorf("without an attribute: got %q, want 0", got)
	}
}

// Differs checks the prefix first, then the allowed values, then the format.
func TestDiffersDescribesProblem(t *testing.T) {
	id := attr("id", prefix("ver_"), format(models.UUID))
	const uuid = "4f0c8d8d-fd64-42ff-8322-b8281a5de183"
	for value, want := range map[string]string{"ver_" + uuid: "", uuid: "does not start with ver_", "ver_7": "is not a UUID"} {
		if got := id.Differs(value); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
	if got := attr("status", enum("open", "closed")).Differs("gone"); got != "is not one of open, closed" {
		t.Errorf("got %q, want \"is not one of open, closed\"", got)
	}
}

// The longest declared name that matches a path is one name, even with dots. Every other dot separates two names.
func TestPathsHandleNamesWithDots(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: key("p.k")}
	e := entity(table, "E", map[string]string{"p.k": "E#{id}"},
		attr("id"), attr("a", document(attr("b"), attr("c.d"))), attr("a.b", document(attr("x"))), attr("a.b.c"))
	for path, want := range map[string]string{
		"p.k": "p.k", "id": "id", "a.b": "a.b", "a.b.c": "a.b.c", "a.b.x": "a.b|x", "a.c.d": "a|c.d", "a.c.d.e": "a|c.d|e", "a.z.y": "a|z|y", "u.v": "u|v",
	} {
		if got := strings.Join(e.PathNames(path), "|"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	it := models.Item{"a": m("b", s("old")), "own.dot": s("old")}
	for _, path := range []string{"a.b.x", "a.c.d", "own.dot", "u.v", "id"} {
		e.Set(it, path, s("new"))
		if v, _ := it.At(path); !models.EqualValues(v, s("new")) {
			t.Errorf("%s = %v, want new", path, v)
		}
	}
	names := func() string {
		a, _ := it["a"].(*types.AttributeValueMemberM)
		return strings.Join(it.Names(), " ") + " | " + strings.Join(models.Item(a.Value).Names(), " ")
	}
	if got := names(); got != "a a.b id own.dot u | b c.d" {
		t.Errorf("after Set: got %s", got)
	}
	for _, path := range []string{"a.b.x", "a.c.d", "own.dot", "id", "a.none", "none.at.all"} {
		e.Remove(it, path)
		if v, present := it.At(path); present {
			t.Errorf("Remove left %s = %v", path, v)
		}
	}
	e.Remove(it, "a.b")
	e.Remove(it, "a.b") // The b inside the document a stays.
	if got := names(); got != "a u | b" {
		t.Errorf("after Remove: got %s, want a u | b", got)
	}
}

func s(text string) types.AttributeValue { return models.StringValue(text) }

func n(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

// m returns a map with one entry.
func m(name string, v types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{name: v}}
}

func l(values ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: values}
}

func null() types.AttributeValue { return &types.AttributeValueMemberNULL{Value: true} }

type option func(*models.Attribute)

// attr returns a string attribute that the options change.
func attr(name string, options ...option) *models.Attribute {
	a := &models.Attribute{Name: name, Path: name, Type: models.TypeS, Documented: true}
	for _, change := range options {
		change(a)
	}
	return a
}

func pii(a *models.Attribute)      { a.Sensitive = models.PII }
func secret(a *models.Attribute)   { a.Sensitive = models.Secret }
func required(a *models.Attribute) { a.Required = true }
func keyOnly(a *models.Attribute)  { a.KeyOnly = true }

func format(f models.Format) option { return func(a *models.Attribute) { a.Format = f } }
func prefix(p string) option        { return func(a *models.Attribute) { a.Prefix = p } }
func enum(words ...string) option   { return func(a *models.Attribute) { a.Enum = words } }

// document makes an attribute a map. Go evaluates nested attributes first, so document completes their paths.
func document(inner ...*models.Attribute) option {
	return func(a *models.Attribute) {
		a.Type, a.Attributes = models.TypeM, inner
		var complete func(string, []*models.Attribute)
		complete = func(outer string, list []*models.Attribute) {
			for _, n := range list {
				n.Path = outer + "." + n.Name
				complete(n.Path, n.Attributes)
			}
		}
		complete(a.Name, inner)
	}
}

func key(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }

// entity returns a sealed entity. keys maps key attributes to templates.
func entity(table *models.Table, name string, keys map[string]string, attributes ...*models.Attribute) *models.Entity {
	e := &models.Entity{Name: name, Table: table, Keys: map[string]models.Template{}, Attributes: attributes}
	for k, text := range keys {
		e.Keys[k] = models.MustTemplate(text)
	}
	e.Seal()
	return e
}

// benchTable returns a single-table schema with a dozen entities, and an item.
func benchTable() (*models.Table, []*models.Entity, models.Item) {
	key := func(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }
	table := &models.Table{
		ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{
			{Name: "GSI1", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))},
			{Name: "byStatus", PartitionKeys: models.KeyList(key("status")), SortKeys: models.KeyList(key("createdAt"))},
		},
	}
	var entities []*models.Entity
	for i := range 12 {
		entities = append(entities, &models.Entity{
			Name: fmt.Sprintf("Kind%d", i), Table: table,
			Keys: map[string]models.Template{
				"PK": models.MustTemplate("CASE#{id}"), "SK": models.MustTemplate(fmt.Sprintf("K%d#{sub}", i)),
				"GSI1PK": models.MustTemplate("PERSON#{email}"), "GSI1SK": models.MustTemplate("{status}#{createdAt}"),
			},
			Attributes: []*models.Attribute{
				attr("id"), attr("sub"), attr("status"), attr("createdAt", format(models.ISO8601)),
				attr("email", pii, format(models.Email)), attr("person", pii, document(attr("name"))), attr("note"),
			},
		})
	}
	for _, e := range entities {
		e.Seal()
	}
	it := models.Item{
		"PK": s("CASE#c_1"), "SK": s("K11#7"), "GSI1PK": s("PERSON#kago@example.bw"), "GSI1SK": s("open#2026-01-14T10:00:00Z"),
		"id": s("c_1"), "sub": s("7"), "status": s("open"), "createdAt": s("2026-01-14T10:00:00Z"),
		"email": s("kago@example.bw"), "person": m("name", s("Kago")), "note": s("as agreed"),
	}
	return table, entities, it
}

func BenchmarkMaskRow(b *testing.B) {
	table, entities, it := benchTable()
	mask := models.NewMasker(entities, false)
	b.ReportAllocs()
	for b.Loop() {
		mask.Item(table, it)
	}
}

func BenchmarkRecognizeRow(b *testing.B) {
	table, entities, it := benchTable()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := models.Recognize(entities, table, it); !ok {
			b.Fatal("Recognize rejected the row")
		}
	}
}
