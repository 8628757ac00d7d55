package items

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const typed = `name: typed
tables:
  data:
    name: data
    partition_key: pk
    ttl: until
    indexes: {mails: {partition_key: mail, projection: ALL}}
  other: {name: other, partition_key: id, sort_key: {name: at, type: N}}
entities:
  Thing:
    table: data
    keys: {pk: "THING#{id}"}
    attributes:
      id: {type: S, required: true}
      mail: {type: S}
      until: {type: N}
      state: {type: S, enum: [new, old]}
      doc: {type: M, undocumented: true}
      tags: {type: SS}
      sizes: {type: NS}
      blob: {type: B}
      on: {type: BOOL}
      parts: {type: L, items: M, attributes: {n: {type: N}}}
      inner: {type: M, attributes: {deep: {type: SS}}}
  Order:
    table: data
    keys: {pk: "ORDER#{number}"}
    attributes: {number: {type: N, required: true}, items: {type: L}}
  Point:
    table: other
    attributes: {id: {type: S, required: true}, at: {type: N, required: true}}
`

// readAll reads a file with this text and returns its items as DynamoDB JSON.
func readAll(t *testing.T, text string) (string, error) {
	t.Helper()
	return readAs(t, "", text)
}

// readAs is readAll for items of an entity, which may lack keys.
func readAs(t *testing.T, entity, text string) (string, error) {
	t.Helper()
	p, err := profiles.Load("typed.yaml", []byte(typed), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := ReadOptions{Profile: p, Entity: entity}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out []string
	err = Read(path, o, func(r Record) error {
		out = append(out, r.Table.Name+string(r.Item.AppendDynamoDBJSON(nil)))
		return nil
	})
	return strings.Join(out, "\n"), err
}

// Values without DynamoDB types get the types of the schema, in JSON and in CSV cells.
func TestUntypedValuesGetTypesOfSchema(t *testing.T) {
	want := `data{"pk":{"S":"THING#1"},"blob":{"B":"aGk="},"id":{"S":"1"},"inner":{"M":{"deep":{"SS":["x"]}}},"on":{"BOOL":true},` +
		`"parts":{"L":[{"M":{"n":{"N":"5"}}}]},"sizes":{"NS":["1","2"]},"tags":{"SS":["a","b"]}}`
	for name, text := range map[string]string{
		"JSON": `{"pk": "THING#1", "id": "1", "tags": ["a", "b"], "sizes": [1, 2], "blob": "aGk=", "on": true, "parts": [{"n": 5}], "inner": {"deep": ["x"]}}`,
		"list": `[{"pk": "THING#1", "id": "1", "tags": ["a", "b"], "sizes": ["1", 2], "blob": "aGk=", "on": true, "parts": [{"n": "5"}], "inner": {"deep": ["x"]}}]`,
		"CSV": "pk,id,tags,sizes,blob,on,parts,inner\n" +
			`THING#1,1,"[""a"",""b""]","[1,2]",aGk=,true,"[{""n"":5}]","{""deep"":[""x""]}"` + "\n",
	} {
		got, err := readAll(t, text)
		if err != nil || sorted(got) != sorted(want) {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, got, want)
		}
	}
}

// DynamoDB stores 1e2 and 100.0 as 100, so no pattern finds an item whose key contains another form.
func TestKeysContainNumbersInStoredForm(t *testing.T) {
	for _, number := range []string{"100", "100.0", "1e2", "1.00E+2"} {
		got, err := readAs(t, "Order", `{"number": `+number+`}`)
		if want := `data{"number":{"N":"100"},"pk":{"S":"ORDER#100"}}`; err != nil || got != want {
			t.Errorf("%s: %v\n%s, want\n%s", number, err, got, want)
		}
	}
}

// Results have a list "items", and so do many items, such as an order.
func TestAttributeNamedItemsIsNotResult(t *testing.T) {
	for _, items := range []string{"[]", `[{"L":[]}]`, `[{"number":2}]`, `[{"pk":"ORDER#2","number":2}]`} {
		for _, name := range []string{"items", "Items"} {
			order := `{"pk":"ORDER#1","number":1,"` + name + `":` + items + `}`
			for _, text := range []string{order, "[" + order + "]", `{"items":[` + order + `],"count":1}`} {
				got, err := readAll(t, text)
				if err != nil || strings.Count(got, "data{") != 1 || !strings.Contains(got, `"pk":{"S":"ORDER#1"}`) || !strings.Contains(got, name) {
					t.Errorf("%s: got %v, want 1 item:\n%s", text, err, got)
				}
			}
			got, err := readAs(t, "Order", `{"number":1,"`+name+`":`+items+`}`)
			if err != nil || strings.Count(got, "data{") != 1 || !strings.Contains(got, `"pk":{"S":"ORDER#1"}`) {
				t.Errorf("with an entity: got %v\n%s", err, got)
			}
		}
	}
}

// sorted returns the item in a text as JSON with sorted attributes.
func sorted(text string) string {
	it, err := models.ParseItem([]byte(text[strings.IndexByte(text+"{", '{'):]))
	if err != nil {
		return text
	}
	return string(it.AppendDynamoDBJSON(nil))
}

func TestKeysDetermineTable(t *testing.T) {
	got, err := readAll(t, `{"id": "p", "at": 7}`+"\n"+`{"pk": "THING#1", "id": "1"}`)
	if err != nil || !strings.HasPrefix(got, "other{") || !strings.Contains(got, `"at":{"N":"7"}`) || !strings.Contains(got, "\ndata{") {
		t.Errorf("got %v and items\n%s", err, got)
	}
}

// The error for an invalid file names the line but no value.
func TestBadFilesNamePlace(t *testing.T) {
	for _, tt := range []struct{ text, message string }{
		{"", "f is empty"},
		{"  \n", "f is empty"},
		{"{", "f is incomplete or damaged at item 1"},
		{`{"pk": "THING#1", "id": "1"} x`, "f: not JSON at item 2"},
		{`[1]`, "f: item 1 is not an object"},
		{`{"pk": {"S": 1}}`, "f: item 1 is not readable: attribute pk: type S needs a string in quotes"},
		{`{"pk": {"N": "x"}}`, "f: item 1 is not readable: attribute pk"},
		{`{"pk": "THING#1", "id": "1", "blob": "*"}`, "f: item 1 is not readable: attribute blob: not base64"},
		{`{"pk": "THING#1", "id": "1", "on": "secret"}`, "f: item 1 is not readable: attribute on: not a value of type BOOL"},
		{`{"pk": "THING#1", "id": "1", "tags": ["a", null]}`, "f: item 1 is not readable: attribute tags: element 1 has type NULL instead of S"},
		{`{"pk": "THING#1", "id": "1", "tags": [{"a": "secret"}]}`, "f: item 1 is not readable: attribute tags: element 0 has type M instead of S"},
		{`{"pk": "THING#1", "id": "1", "sizes": [1, "secret"]}`, "f: item 1 is not readable: attribute sizes: element 1: not a value of type N"},
		{`{"x": "1"}`, "f: item 1 does not match any table"},
		{`{"nothing": [{"PutRequest": {"Item": {}}}]}`, "f: item 1 is for table nothing, which is not in the schema"},
		{"{\"pk\": \"THING#1\", \"id\": \"\xff\"}", "f is not UTF-8 at item 1; save it as UTF-8"},
		{"pk,id\nTHING#1\n", "f: invalid CSV in line 2: wrong number of fields"},
		{"\x1f\x8bxx", "f is not a gzip file"},
		{"pk,id,\nTHING#1,1,x\n", "f: line 1: column 3 has no name"},
		{`{"pk": "THING#1", "id": "1", "_entity": "mine"}`, "f: item 1 is not readable: _entity does not name an entity of the schema"},
		{`{"pk": "THING#1", "id": "1", "_entity": 7}`, "f: item 1 is not readable: _entity does not name an entity of the schema"},
		{"pk,id,_entity\nTHING#1,1,mine\n", "f: item 1 is not readable: _entity does not name an entity of the schema"},
		// encoding/json keeps the last of two values, and replaces half of a surrogate pair.
		{`{"pk": "THING#1", "id": "1", "id": "2"}`, `f: the JSON at item 1 has "id" twice in one object`},
		{`{"pk": "THING#1", "id": "1", "doc": {"a": [1, {"b": 1}], "\u0061": 2}}`, `f: the JSON at item 1 has "a" twice in one object`},
		{`{"pk": {"S": "THING#1", "S": "THING#2"}}`, `f: the JSON at item 1 has "S" twice in one object`},
		{`{"pk": "THING#1", "id": "\ud800"}`, "f: the JSON at item 1 has text that is not valid Unicode"},
		{`{"pk": "THING#1", "id": "\\\ud83d\\ude00"}`, "f: the JSON at item 1 has text that is not valid Unicode"},
		{`{"pk": "THING#1", "id": "1", "\udc00": 1}`, "f: the JSON at item 1 has text that is not valid Unicode"},
		// Part of a result must not be loaded as the complete result.
		{`{"items": [{"pk": "THING#1", "id": "1"}], "next": null, "truncated": true}`, "f contains only a part of a result, because an error ended the read after 1 item; export"},
		{`{"items": [], "next": "t", "truncated": true}`, "f contains only a part of a result, because an error ended the read after 0 items; export the items again, or read the rest with --next"},
		{`{"Items": [], "truncated": true}`, "f contains only a part of a result"},
	} {
		_, err := readAll(t, tt.text)
		if !errors.Is(err, ErrInput) || !strings.HasPrefix(err.Error(), tt.message) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got error %v, want %q", tt.text, err, tt.message)
		}
	}
}

// Other programs write UTF-16 (PowerShell), other separators (spreadsheets) and typed values in cells (AWS).
func TestFilesOfOtherProgramsAreRead(t *testing.T) {
	const want = `data{"doc":{"M":{"city":{"S":"Köln"}}},"id":{"S":"1"},"pk":{"S":"THING#1"}}`
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy, text string) string {
		out, err := unicode.UTF16(order, mark).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const line = `{"pk":"THING#1","id":"1","doc":{"city":"Köln"}}` + "\r\n"
	for name, text := range map[string]string{
		"UTF-8":                              line,
		"UTF-8 with a byte order mark":       "\ufeff" + line,
		"UTF-16LE":                           utf16(unicode.LittleEndian, unicode.UseBOM, line),
		"UTF-16BE":                           utf16(unicode.BigEndian, unicode.UseBOM, line),
		"UTF-16LE without a byte order mark": utf16(unicode.LittleEndian, unicode.IgnoreBOM, line),
		"UTF-16BE without a byte order mark": utf16(unicode.BigEndian, unicode.IgnoreBOM, line),
		"UTF-16 with tabs":                   utf16(unicode.LittleEndian, unicode.UseBOM, "pk\tid\tdoc\r\nTHING#1\t1\t{\"city\":\"Köln\"}\r\n"),
		"semicolons":                         "pk;id;doc\nTHING#1;1;\"{\"\"city\"\":\"\"Köln\"\"}\"\n",
		"separator line":                     "sep=;\r\npk;id;doc\nTHING#1;1;\"{\"\"city\"\":\"\"Köln\"\"}\"\n",
		"vertical bars":                      "pk|id|\"doc\"\nTHING#1|1|\"{\"\"city\"\":\"\"Köln\"\"}\"\n",
		"typed cells":                        "pk,id,doc\nTHING#1,1,\"{\"\"city\"\":{\"\"S\"\":\"\"Köln\"\"}}\"\n",
		"quoted column name":                 "pk,\"id\",doc\nTHING#1,1,\"{\"\"city\"\":\"\"Köln\"\"}\"\n",
	} {
		if got, err := readAll(t, text); err != nil || sorted(got) != sorted(want) {
			t.Errorf("%s: got %v\n%s", name, err, got)
		}
	}
	got, err := readAll(t, "pk,id,doc,parts\nTHING#1,1,{},\"[{\"\"M\"\":{\"\"n\"\":{\"\"N\"\":\"\"5\"\"}}}]\"\n")
	if err != nil || !strings.Contains(got, `"doc":{"M":{}}`) || !strings.Contains(got, `"parts":{"L":[{"M":{"n":{"N":"5"}}}]}`) {
		t.Errorf("a list with types: got %v\n%s", err, got)
	}
}

func TestUnusualNamesAndPairsAreAccepted(t *testing.T) {
	const text = `{"pk": "THING#1", "id": "\ud83d\ude00 \\ud800", "doc": {"id": [{"id": 1}, {"id": "id"}]}, "tags": ["id", "id:\""]}`
	if got, err := readAll(t, text); err != nil || !strings.Contains(got, `"id":{"S":"😀 \\ud800"}`) {
		t.Errorf("got %v and items\n%s", err, got)
	}
	if got, err := readAll(t, `{"items": [{"pk": "THING#1", "id": "1"}], "next": null, "truncated": false}`); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// Only the names that an export adds are removed.
func TestEntityFieldIsRemoved(t *testing.T) {
	const want = `data{"id":{"S":"1"},"pk":{"S":"THING#1"}}`
	for _, text := range []string{
		`{"pk": "THING#1", "id": "1", "_entity": "Thing"}`, `{"pk": "THING#1", "id": "1", "_entity": null}`,
		"_entity,pk,id\nThing,THING#1,1\n", "_entity,pk,id\n,THING#1,1\n",
	} {
		if got, err := readAll(t, text); err != nil || sorted(got) != sorted(want) {
			t.Errorf("%s: %v\n%s", text, err, got)
		}
	}
}

// A text that only begins like JSON keeps all its characters.
func TestCellsWithTextAfterJSONAreTexts(t *testing.T) {
	for _, text := range []string{"[1]]", "[1] ]", "{}}", "[1] x", "[1],[2]"} {
		got, err := readAll(t, "pk,id,note\nTHING#1,1,\""+text+"\"\n")
		if err != nil || !strings.Contains(got, `"note":{"S":"`+text+`"}`) {
			t.Errorf("%s: got %v, want the text as note:\n%s", text, err, got)
		}
	}
}

// A declared text stays a text, even if it is JSON.
func TestTextCellsAreNotParsedAsJSON(t *testing.T) {
	for _, text := range []string{"{}", "[]", `{"a":1}`, `{"N":"5"}`, `["a"]`} {
		got, err := readAll(t, "pk,id,mail\nTHING#1,1,\""+strings.ReplaceAll(text, `"`, `""`)+"\"\n")
		want := string(models.Item{"mail": models.StringValue(text)}.AppendDynamoDBJSON(nil))
		if err != nil || !strings.Contains(got, strings.Trim(want, "{}")) {
			t.Errorf("%s: %v\n%s", text, err, got)
		}
	}
}
