package models_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// Editing a document as plain JSON keeps sets and binary values, even in elements that moved.
func TestEditedDocumentsKeepTypes(t *testing.T) {
	t.Parallel()
	old, err := models.ParseItem([]byte(`{"x":{"L":[{"M":{"tags":{"SS":["a","b"]},"n":{"N":"1"},"raw":{"B":"AQI="}}},{"NS":["1","2"]},{"S":"5"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[{"tags":["c"],"n":2,"raw":"AQ=="},[1,2],"5"]`: `{"L":[{"M":{"n":{"N":"2"},"raw":{"B":"AQ=="},"tags":{"SS":["c"]}}},{"NS":["1","2"]},{"S":"5"}]}`,
		`[[1,2],5]`:               `{"L":[{"NS":["1","2"]},{"N":"5"}]}`,
		`[{"tags":"a","new":[]}]`: `{"L":[{"M":{"new":{"L":[]},"tags":{"S":"a"}}}]}`,
		`[{"tags":[1]}]`:          `{"L":[{"M":{"tags":{"L":[{"N":"1"}]}}}]}`,
	} {
		v, err := models.ValueOf(models.TypeL, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(models.AppendTypedJSON(nil, models.TypedLike(v, old["x"]))); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestTextAfterJSONIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[1]]`, `[1] ]`, `[1]}`, `[1] 2`, `[1`} {
		if v, err := models.ValueOf(models.TypeL, text); err == nil {
			t.Errorf("%s: got %s, want an error", text, models.AppendTypedJSON(nil, v))
		}
	}
}

// DynamoDB rejects a set with equal values, and encoding/json drops a value whose name occurs twice.
func TestAmbiguousJSONIsRejected(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]models.Type{
		`["a","b","a"]`: models.TypeSS, `[1,1.0]`: models.TypeNS, `["AQ==","AQ=="]`: models.TypeBS, `[]`: models.TypeSS,
		`{"a":1,"a":2}`: models.TypeM, `[{"b":{"a":1,"a":1}}]`: models.TypeL, `["\ud800"]`: models.TypeL,
	} {
		if v, err := models.ValueOf(kind, text); err == nil {
			t.Errorf("%s: got %s, want an error", text, models.AppendTypedJSON(nil, v))
		}
	}
	for _, text := range []string{`{"t":{"S":"1"},"t":{"S":"2"}}`, `{"t":{"M":{"a":{"S":"1"},"a":{"S":"1"}}}}`} {
		if it, err := models.ParseItem([]byte(text)); err == nil {
			t.Errorf("%s: got %s, want an error", text, it.AppendDynamoDBJSON(nil))
		}
	}
}
