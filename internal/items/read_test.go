package items

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const typed = `name: typed
tables:
  data: {name: data, partition_key: pk}
  other: {name: other, partition_key: id, sort_key: {name: at, type: N}}
entities:
  Thing:
    table: data
    keys: {pk: "THING#{id}"}
    attributes:
      id: {type: S, required: true}
      tags: {type: SS}
      sizes: {type: NS}
      blob: {type: B}
      on: {type: BOOL}
      parts: {type: L, items: M, attributes: {n: {type: N}}}
      inner: {type: M, attributes: {deep: {type: SS}}}
  Point:
    table: other
    attributes: {id: {type: S, required: true}, at: {type: N, required: true}}
`

// all reads a file with a text and returns its items as DynamoDB JSON.
func all(t *testing.T, text string, o ReadOptions) (string, error) {
	t.Helper()
	p, err := profiles.Load("typed.yaml", []byte(typed), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Profile = p
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

// A text without types gets those of the profile: in JSON, and in the cells of CSV.
func TestPlainValuesGetTheTypesOfTheProfile(t *testing.T) {
	want := `data{"pk":{"S":"THING#1"},"blob":{"B":"aGk="},"id":{"S":"1"},"inner":{"M":{"deep":{"SS":["x"]}}},"on":{"BOOL":true},` +
		`"parts":{"L":[{"M":{"n":{"N":"5"}}}]},"sizes":{"NS":["1","2"]},"tags":{"SS":["a","b"]}}`
	for name, text := range map[string]string{
		"JSON": `{"pk": "THING#1", "id": "1", "tags": ["a", "b"], "sizes": [1, 2], "blob": "aGk=", "on": true, "parts": [{"n": 5}], "inner": {"deep": ["x"]}}`,
		"list": `[{"pk": "THING#1", "id": "1", "tags": ["a", "b"], "sizes": ["1", 2], "blob": "aGk=", "on": true, "parts": [{"n": "5"}], "inner": {"deep": ["x"]}}]`,
		"CSV": "pk,id,tags,sizes,blob,on,parts,inner\n" +
			`THING#1,1,"[""a"",""b""]","[1,2]",aGk=,true,"[{""n"":5}]","{""deep"":[""x""]}"` + "\n",
	} {
		got, err := all(t, text, ReadOptions{})
		if err != nil || sorted(got) != sorted(want) {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, got, want)
		}
	}
}

// sorted returns the characters of a text without the order of attributes.
func sorted(text string) string {
	it, err := models.ParseItem([]byte(text[strings.IndexByte(text+"{", '{'):]))
	if err != nil {
		return text
	}
	return string(it.AppendDynamoDBJSON(nil))
}

func TestTheTableFollowsFromTheKeys(t *testing.T) {
	got, err := all(t, `{"id": "p", "at": 7}`+"\n"+`{"pk": "THING#1", "id": "1"}`, ReadOptions{})
	if err != nil || !strings.HasPrefix(got, "other{") || !strings.Contains(got, `"at":{"N":"7"}`) || !strings.Contains(got, "\ndata{") {
		t.Errorf("%v\n%s", err, got)
	}
}

// Bad files are errors about the input that name the place and no value.
func TestBadFilesNameThePlace(t *testing.T) {
	for _, tt := range []struct{ text, says string }{
		{"", "f is empty"},
		{"  \n", "f is empty"},
		{"{", "f ends in the middle or is damaged, after item 0"},
		{`{"pk": "THING#1", "id": "1"} x`, "f: not JSON after item 1"},
		{`[1]`, "f: item 1 is not an object"},
		{`{"pk": {"S": 1}}`, "f: item 1 is not readable: attribute pk: type S needs a text in quotes"},
		{`{"pk": {"N": "x"}}`, "f: item 1 is not readable: attribute pk"},
		{`{"pk": "THING#1", "id": "1", "blob": "*"}`, "f: item 1 is not readable: attribute blob: not base64"},
		{`{"pk": "THING#1", "id": "1", "on": "secret"}`, "f: item 1 is not readable: attribute on: not true or false"},
		{`{"x": "1"}`, "f: item 1 fits no table"},
		{`{"nothing": [{"PutRequest": {"Item": {}}}]}`, "f: item 1 is for table nothing, which the schema does not have"},
		{"pk,id\nTHING#1\n", "f: line 2: wrong number of fields"},
		{"\x1f\x8bxx", "f is not a gzip file"},
	} {
		_, err := all(t, tt.text, ReadOptions{})
		if !errors.Is(err, ErrInput) || !strings.HasPrefix(err.Error(), tt.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.says)
		}
	}
}
