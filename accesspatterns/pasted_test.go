package accesspatterns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

func TestSplitPasted(t *testing.T) {
	type parts struct{ Key, Sort, Item string }
	tests := map[string]struct {
		text string
		want parts
	}{
		"key":           {"CASE#1", parts{Key: "CASE#1"}},
		"blanks around": {"  CASE#1 \r\n", parts{Key: "CASE#1"}},
		"quotes around": {`"CASE#1",`, parts{Key: "CASE#1"}},
		"blank inside":  {"NAME#Mpho K", parts{Key: "NAME#Mpho K"}},
		"slash inside":  {"application/json", parts{Key: "application/json"}},
		"slash":         {"CASE#1 / META", parts{Key: "CASE#1", Sort: "META"}},
		"bar":           {"CASE#1 | META", parts{Key: "CASE#1", Sort: "META"}},
		"tab":           {"CASE#1\tMETA", parts{Key: "CASE#1", Sort: "META"}},
		"lines":         {"CASE#1\r\nMETA\n", parts{Key: "CASE#1", Sort: "META"}},
		"quoted pair":   {`"CASE#1" / 'META'`, parts{Key: "CASE#1", Sort: "META"}},
		"nothing":       {" \n\t", parts{}},
		"empty quotes":  {`""`, parts{}},
		"one quote":     {`"`, parts{Key: `"`}},
		"longest":       {strings.Repeat("x", accesspatterns.MaxPasted), parts{Key: strings.Repeat("x", accesspatterns.MaxPasted)}},
		"empty item":    {`{"Item":{}}`, parts{Item: `{"Item":{"M":{}}}`}},
		"plain item": {
			`{"PK":"A","n":1.50,"on":true,"no":null,"l":["x",{"y":2}]}`,
			parts{Item: `{"PK":{"S":"A"},"l":{"L":[{"S":"x"},{"M":{"y":{"N":"2"}}}]},"n":{"N":"1.50"},"no":{"NULL":true},"on":{"BOOL":true}}`},
		},
		"typed item": {
			`{"PK":{"S":"A"},"s":{"SS":["a"]},"b":{"B":"AQI="},"m":{"M":{"x":{"N":"1"}}},"l":{"L":[{"BOOL":false}]}}`,
			parts{Item: `{"PK":{"S":"A"},"b":{"B":"AQI="},"l":{"L":[{"BOOL":false}]},"m":{"M":{"x":{"N":"1"}}},"s":{"SS":["a"]}}`},
		},
		"as the CLI says it": {`{"Item":{"PK":{"S":"A"}},"ConsumedCapacity":{"Units":1}}`, parts{Item: `{"PK":{"S":"A"}}`}},
		"38 digits": {
			`{"n":12345678901234567890123456789012345678}`,
			parts{Item: `{"n":{"N":"12345678901234567890123456789012345678"}}`},
		},
		"looks typed": {`{"PK":{"S":"A"},"name":"B"}`, parts{Item: `{"PK":{"M":{"S":{"S":"A"}}},"name":{"S":"B"}}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got parts
			key, sort, item, err := accesspatterns.SplitPasted(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got.Key, got.Sort = key, sort
			if item != nil {
				got.Item = string(item.AppendDynamoDBJSON(nil))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSplitPastedRejectsInvalidText(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"cut off":     {`{"PK":"A"`, "starts like the JSON of an item"},
		"no JSON":     {`{PK: A}`, "not JSON at character 2"},
		"two items":   {`{"PK":"A"} {"PK":"B"}`, "paste one item"},
		"bad binary":  {`{"PK":{"B":"?"}}`, "PK: the binary value is not base64"},
		"bad inside":  {`{"PK":{"M":{"x":1}}}`, "PK: x: the value has no type"},
		"number as S": {`{"PK":{"S":1}}`, "PK: the value is not of type S"},
		"too long":    {strings.Repeat("x", accesspatterns.MaxPasted+1), "800 KB is too much"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, _, err := accesspatterns.SplitPasted(tt.text)
			if !errors.Is(err, accesspatterns.ErrPasted) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want one about %q", err, tt.want)
			}
		})
	}
}

// A pasted key or item fills the parameters of a pattern. Times are left to the user, and a text without a word of a key is no key.
func TestPastedFillsParameters(t *testing.T) {
	entities, patterns := cases()
	p := *patterns[1]
	required := &accesspatterns.Param{Name: "createdAt", Type: accesspatterns.Timestamp, Required: true, Attribute: entities[0].Attribute("createdAt"), Entity: entities[0]}
	optional := &accesspatterns.Param{Name: "createdAt", Type: accesspatterns.Timestamp, Attribute: entities[0].Attribute("createdAt"), Entity: entities[0]}
	token := &accesspatterns.Param{Name: "clientId", Type: accesspatterns.Token}
	const item = `{"PK":"CASE#c_1","SK":"META","GSI1PK":"CLIENT#acme","createdAt":"2026-01-14T10:00:00Z","clientId":"acme","status":"open","caseId":"c_1"}`
	for name, tt := range map[string]struct {
		text   string
		params []*accesspatterns.Param
		entity string
		want   map[string]string
	}{
		"a key":             {"CASE#c_1", nil, "Case", map[string]string{"caseId": "c_1"}},
		"a pair":            {"CASE#c_1 / DOC#7", nil, "Document", map[string]string{"caseId": "c_1"}},
		"an item":           {item, nil, "Case", map[string]string{"caseId": "c_1"}},
		"a required time":   {item, []*accesspatterns.Param{required}, "Case", map[string]string{"caseId": "c_1", "createdAt": "2026-01-14T10:00:00Z"}},
		"an optional time":  {item, []*accesspatterns.Param{optional}, "Case", map[string]string{"caseId": "c_1"}},
		"a page token":      {item, []*accesspatterns.Param{token}, "Case", map[string]string{"caseId": "c_1"}},
		"a key of another":  {"CLIENT#acme", nil, "Case", map[string]string{}},
		"a bare ID":         {"c_1", nil, "", nil},
		"no word of a key":  {"open#2026-01-14T10:00:00Z", nil, "", nil},
		"an item of others": {`{"PK":"X#1","SK":"META"}`, nil, "", nil},
		"no item":           {`{"PK":`, nil, "", nil},
	} {
		p.Params = append(slices.Clone(patterns[1].Params), tt.params...)
		args, entity := accesspatterns.Pasted(&p, patterns, entities, tt.text)
		found := ""
		if entity != nil {
			found = entity.Name
		}
		if diff := cmp.Diff(tt.want, args); diff != "" || found != tt.entity {
			t.Errorf("%s: of %q, want %q (-want +got):\n%s", name, found, tt.entity, diff)
		}
	}
}

func FuzzSplitPasted(f *testing.F) {
	f.Add(`{"Item":{"PK":{"S":"A"}}}`)
	f.Add("a / b")
	f.Add("\t")
	f.Fuzz(func(t *testing.T, text string) {
		key, sort, item, err := accesspatterns.SplitPasted(text)
		if err != nil && (key != "" || sort != "" || item != nil) {
			t.Errorf("%q gives an error and a result", text)
		}
		if item != nil && (key != "" || sort != "") {
			t.Errorf("%q is an item and a key", text)
		}
	})
}
