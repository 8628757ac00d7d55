package items

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Loading a file restores the exported values. The export counts the values that loading changes.
func TestExportCountsValuesThatLoadChanges(t *testing.T) {
	p, err := profiles.Load("typed.yaml", []byte(typed), nil)
	if err != nil {
		t.Fatal(err)
	}
	const csv, both = "csv", "both"
	for value, lossy := range map[string]string{
		`"x":{"S":"a"}`: "", `"x":{"M":{"n":{"N":"1"}}}`: "", `"x":{"L":[{"BOOL":true},{"NULL":true},{"N":"2"}]}`: "", `"x":{"M":{}}`: "",
		`"x":{"N":"1"}`: csv, `"x":{"BOOL":true}`: csv, `"x":{"S":"{}"}`: csv, `"x":{"S":"[1]"}`: csv, `"x":{"NULL":true}`: csv,
		`"x":{"B":"AQ=="}`: both, `"x":{"SS":["a"]}`: both, `"x":{"NS":["1"]}`: both, `"x":{"L":[{"SS":["a"]}]}`: both,
		`"x":{"M":{"a":{"B":"AQ=="}}}`: both, `"parts":{"L":[{"M":{"n":{"N":"1"},"tags":{"SS":["a"]}}}]}`: both,
		`"mail":{"S":"{}"}`: "", `"until":{"N":"1"}`: "", `"on":{"BOOL":true}`: "", `"blob":{"B":"AQ=="}`: "", `"tags":{"SS":["a","b"]}`: "",
		`"sizes":{"NS":["1","2"]}`: "", `"parts":{"L":[{"M":{"n":{"N":"1"}}}]}`: "", `"inner":{"M":{"deep":{"SS":["a"]}}}`: "",
		`"mail":{"L":[]}`: csv, `"on":{"S":"true"}`: both, `"tags":{"L":[{"S":"a"}]}`: both,
		`"until":{"S":"1"}`: both, `"mail":{"N":"1"}`: both, `"parts":{"L":[{"M":{"n":{"S":"1"}}}]}`: both,
	} {
		it, err := models.ParseItem([]byte(`{"pk":{"S":"THING#1"},"id":{"S":"1"},` + value + "}"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*Format{CSV, JSON, JSONL, DynamoDB} {
			var out bytes.Buffer
			w := NewWriter(&out, f, Shape{Table: p.Tables[0], Entities: p.Entities, Masker: models.NewMasker(p.Entities, true)})
			if err := errors.Join(w.Write([]models.Item{it}), w.Close(Tail{Count: 1})); err != nil {
				t.Fatal(err)
			}
			want := 0
			if f == CSV && (lossy == csv || lossy == both) || (f == JSON || f == JSONL) && lossy == both {
				want = 1
			}
			if w.Changed() != want {
				t.Errorf("%s in %s: Changed() = %d, want %d", value, f, w.Changed(), want)
			}
			got, err := readAll(t, out.String())
			if same := err == nil && got == "data"+string(it.AppendDynamoDBJSON(nil)); !same && w.Changed() == 0 && lossy != csv {
				t.Errorf("%s in %s was read back as %s, %v\n%s", value, f, got, err, out.String())
			}
		}
	}
}
