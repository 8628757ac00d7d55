package accesspatterns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestSplitPasted(t *testing.T) {
	type parts struct{ Key, Sort, Item string }
	tests := map[string]struct {
		text string
		want parts
	}{
		"key":                {"CASE#1", parts{Key: "CASE#1"}},
		"surrounding blanks": {"  CASE#1 \r\n", parts{Key: "CASE#1"}},
		"surrounding quotes": {`"CASE#1",`, parts{Key: "CASE#1"}},
		"space inside":       {"NAME#Mpho K", parts{Key: "NAME#Mpho K"}},
		"slash inside":       {"application/json", parts{Key: "application/json"}},
		"slash":              {"CASE#1 / META", parts{Key: "CASE#1", Sort: "META"}},
		"bar":                {"CASE#1 | META", parts{Key: "CASE#1", Sort: "META"}},
		"tab":                {"CASE#1\tMETA", parts{Key: "CASE#1", Sort: "META"}},
		"lines":              {"CASE#1\r\nMETA\n", parts{Key: "CASE#1", Sort: "META"}},
		"quoted pair":        {`"CASE#1" / 'META'`, parts{Key: "CASE#1", Sort: "META"}},
		"blanks only":        {" \n\t", parts{}},
		"empty quotes":       {`""`, parts{}},
		"one quote":          {`"`, parts{Key: `"`}},
		"longest":            {strings.Repeat("x", accesspatterns.MaxPasted), parts{Key: strings.Repeat("x", accesspatterns.MaxPasted)}},
		"empty item":         {`{"Item":{}}`, parts{Item: `{"Item":{"M":{}}}`}},
		"plain item": {
			`{"PK":"A","n":1.50,"on":true,"no":null,"l":["x",{"y":2}]}`,
			parts{Item: `{"PK":{"S":"A"},"l":{"L":[{"S":"x"},{"M":{"y":{"N":"2"}}}]},"n":{"N":"1.5"},"no":{"NULL":true},"on":{"BOOL":true}}`},
		},
		"typed item": {
			`{"PK":{"S":"A"},"s":{"SS":["a"]},"b":{"B":"AQI="},"m":{"M":{"x":{"N":"1"}}},"l":{"L":[{"BOOL":false}]}}`,
			parts{Item: `{"PK":{"S":"A"},"b":{"B":"AQI="},"l":{"L":[{"BOOL":false}]},"m":{"M":{"x":{"N":"1"}}},"s":{"SS":["a"]}}`},
		},
		"output of the AWS CLI": {`{"Item":{"PK":{"S":"A"}},"ConsumedCapacity":{"Units":1}}`, parts{Item: `{"PK":{"S":"A"}}`}},
		"38 digits": {
			`{"n":12345678901234567890123456789012345678}`,
			parts{Item: `{"n":{"N":"12345678901234567890123456789012345678"}}`},
		},
		"looks typed": {`{"PK":{"S":"A"},"name":"B"}`, parts{Item: `{"PK":{"M":{"S":{"S":"A"}}},"name":{"S":"B"}}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got parts
			key, sort, item, err := accesspatterns.SplitPasted(nil, tt.text)
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
		"truncated":            {`{"PK":"A"`, "starts like the JSON of an item"},
		"not JSON":             {`{PK: A}`, "not JSON at character 2"},
		"two items":            {`{"PK":"A"} {"PK":"B"}`, "paste one item"},
		"invalid binary value": {`{"PK":{"B":"?"}}`, "attribute PK: type B needs base64"},
		"invalid nested value": {`{"PK":{"M":{"x":1}}}`, "attribute PK: attribute x: needs exactly one type"},
		"number as S":          {`{"PK":{"S":1}}`, "attribute PK: type S needs a string in quotes"},
		"too long":             {strings.Repeat("x", accesspatterns.MaxPasted+1), "the text has 800 KB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, _, err := accesspatterns.SplitPasted(nil, tt.text)
			if !errors.Is(err, accesspatterns.ErrPasted) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// A pasted key or item fills parameters, except times. Text that no key template matches is not a key.
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
		"a key":                     {"CASE#c_1", nil, "Case", map[string]string{"caseId": "c_1"}},
		"a pair":                    {"CASE#c_1 / DOC#7", nil, "Document", map[string]string{"caseId": "c_1"}},
		"an item":                   {item, nil, "Case", map[string]string{"caseId": "c_1"}},
		"a required time":           {item, []*accesspatterns.Param{required}, "Case", map[string]string{"caseId": "c_1", "createdAt": "2026-01-14T10:00:00Z"}},
		"an optional time":          {item, []*accesspatterns.Param{optional}, "Case", map[string]string{"caseId": "c_1"}},
		"a page token":              {item, []*accesspatterns.Param{token}, "Case", map[string]string{"caseId": "c_1"}},
		"a key of another entity":   {"CLIENT#acme", nil, "Case", map[string]string{}},
		"a bare ID":                 {"c_1", nil, "", nil},
		"not a key":                 {"open#2026-01-14T10:00:00Z", nil, "", nil},
		"an item of another entity": {`{"PK":"X#1","SK":"META"}`, nil, "", nil},
		"not an item":               {`{"PK":`, nil, "", nil},
	} {
		p.Params = append(slices.Clone(patterns[1].Params), tt.params...)
		args, entity := accesspatterns.Pasted(&p, patterns, entities, tt.text)
		found := ""
		if entity != nil {
			found = entity.Name
		}
		if diff := cmp.Diff(tt.want, args); diff != "" || found != tt.entity {
			t.Errorf("%s: got entity %q, want %q (-want +got):\n%s", name, found, tt.entity, diff)
		}
	}
}

func FuzzSplitPasted(f *testing.F) {
	f.Add(`{"Item":{"PK":{"S":"A"}}}`)
	f.Add("a / b")
	f.Add("\t")
	f.Fuzz(func(t *testing.T, text string) {
		key, sort, item, err := accesspatterns.SplitPasted(nil, text)
		if err != nil && (key != "" || sort != "" || item != nil) {
			t.Errorf("%q returned an error and a result", text)
		}
		if item != nil && (key != "" || sort != "") {
			t.Errorf("%q returned an item and a key", text)
		}
	})
}

// Other people may read an error, so it never contains the value of a sensitive parameter.
func TestErrorsDoNotRepeatSensitiveValues(t *testing.T) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for _, kind := range accesspatterns.ParamTypes() {
		for _, text := range []string{"kabo-7731", "1999-12-31", "77e31", "7731.5", "", "\x00kabo"} {
			p := &accesspatterns.Param{
				Name: "p", Type: kind, Sensitive: models.PII, Enum: []string{"a"}, Minimum: "now-1d", Maximum: "now",
			}
			if kind == accesspatterns.Number || kind == accesspatterns.Integer {
				p.Minimum, p.Maximum = "1", "2"
			}
			_, err := p.Read(text, now)
			if err != nil && text != "" && strings.Contains(err.Error(), strings.Trim(text, "\x00")) {
				t.Errorf("the error about a %s contains the value: %v", kind, err)
			}
		}
	}
}

func TestRedactorMasksSecretAndHiddenParameters(t *testing.T) {
	r := &accesspatterns.Request{
		Pattern: &accesspatterns.Pattern{Params: []*accesspatterns.Param{
			{Name: "token", Sensitive: models.Secret}, {Name: "email", Sensitive: models.PII}, {Name: "status"}, {Name: "empty"},
		}},
		Values: map[string]accesspatterns.Value{
			"token": {Text: "k3y"}, "email": {Text: "ann@k3y.com"}, "status": {Text: "open"}, "empty": {},
		},
	}
	const text = "TOKEN#k3y MAIL#ann@k3y.com open"
	tests := []struct {
		hidden  map[string]models.Sensitivity
		want    string
		redacts bool
	}{
		{nil, "TOKEN#[secret] MAIL#ann@[secret].com open", true},
		{map[string]models.Sensitivity{"email": models.PII}, "TOKEN#[secret] MAIL#••• open", true},
		{map[string]models.Sensitivity{"empty": models.PII}, "TOKEN#[secret] MAIL#ann@[secret].com open", true},
	}
	for _, tt := range tests {
		if got := r.Redactor(tt.hidden)(text); got != tt.want || r.HasRedactedValues(tt.hidden) != tt.redacts {
			t.Errorf("hidden %v: got %q, want %q", tt.hidden, got, tt.want)
		}
	}
	r.Read.Key = []accesspatterns.KeyCondition{matches("PK", "TOKEN#{token:md5}#{token:upper}")}
	if got := r.Redactor(nil)("TOKEN#fbe8cdb8cacde73703e02dcf0866f7e9#K3Y"); got != "TOKEN#[secret]#[secret]" {
		t.Errorf("other forms of a secret: got %q", got)
	}
	r.Values["token"] = accesspatterns.Value{}
	if r.HasRedactedValues(nil) || !r.HasRedactedValues(map[string]models.Sensitivity{"status": models.PII}) {
		t.Error("HasRedactedValues() does not depend on the hidden parameters")
	}
}

func TestGivenKeysComeFromRequest(t *testing.T) {
	mail := &accesspatterns.Param{Name: "mail", Type: accesspatterns.String, Required: true}
	p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "MAIL#{mail:lower}"), matches("SK", "A")}}, mail)
	r, err := p.Bind(map[string]string{"mail": "Ann@mail.bw"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"PK": {"MAIL#ann@mail.bw"}}, r.GivenKeys(nil)); diff != "" {
		t.Error(diff)
	}
	if got := r.GivenKeys(map[string]models.Sensitivity{"mail": models.PII}); got != nil {
		t.Errorf("GivenKeys() = %v for a masked parameter, want none", got)
	}
	mail.Sensitive = models.Secret
	if got := r.GivenKeys(nil); got != nil {
		t.Errorf("GivenKeys() = %v for a secret parameter, want none", got)
	}
}

// Someone who guesses a secret could confirm it by its digest.
func TestRedactorMasksDigestsOfSecrets(t *testing.T) {
	token := text("token")
	token.Sensitive = models.Secret
	digested := accesspatterns.KeyCondition{
		Attribute: key("PK"), Compare: accesspatterns.Equal, Template: models.MustTemplate("TOKEN#{token}").WithDigest("sha1"),
	}
	r, err := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{digested}}, token).Bind(map[string]string{"token": "k3y"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Redactor(nil)(legText(r.Legs[0])); got != "PK = '[secret]'" {
		t.Errorf("got %s, want PK = '[secret]'", got)
	}
}

// permissionTexts returns the permissions with their resources.
func permissionTexts(list []accesspatterns.Permission) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, strings.TrimPrefix(p.Action, "dynamodb:")+" "+p.Resource())
	}
	return strings.Join(parts, ", ")
}

// A query on an index needs permission for the index only, unless ddbdesk must read whole items from the table.
func TestReadsRequireMinimalPermissions(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: key("PK"), SortKey: key("SK")}
	newIndex := func(p models.Projection, include ...string) *models.Index {
		return &models.Index{Name: "x", PartitionKeys: models.KeyList(key("GSI1PK")), Projection: p, Include: include}
	}
	const query, count, get = accesspatterns.Query, accesspatterns.Count, accesspatterns.Get
	for name, tt := range map[string]struct {
		read accesspatterns.Read
		want string
	}{
		"get":                                {accesspatterns.Read{Operation: get}, "GetItem table/t"},
		"query":                              {accesspatterns.Read{Operation: query}, "Query table/t"},
		"write":                              {accesspatterns.Read{Operation: accesspatterns.Write}, ""},
		"whole items in the index":           {accesspatterns.Read{Operation: query, Index: newIndex(models.ProjectionAll)}, "Query table/t/index/x"},
		"keys in the index":                  {accesspatterns.Read{Operation: query, Index: newIndex(models.ProjectionKeysOnly)}, "Query table/t/index/x, BatchGetItem table/t"},
		"a count":                            {accesspatterns.Read{Operation: count, Index: newIndex(models.ProjectionKeysOnly)}, "Query table/t/index/x"},
		"attributes that the index has":      {accesspatterns.Read{Operation: query, Index: newIndex(models.ProjectionInclude, "a"), Projection: []string{"a", "PK"}}, "Query table/t/index/x"},
		"attributes that the index lacks":    {accesspatterns.Read{Operation: query, Index: newIndex(models.ProjectionInclude, "a"), Projection: []string{"b"}}, "Query table/t/index/x, BatchGetItem table/t"},
		"a scan of an index with everything": {accesspatterns.Read{Operation: accesspatterns.Scan, Index: newIndex(models.ProjectionAll)}, "Scan table/t/index/x"},
	} {
		if got := permissionTexts(tt.read.Permissions(table)); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		if got := tt.read.Permissions(nil); got != nil {
			t.Errorf("%s: Permissions(nil) = %v, want none", name, got)
		}
	}
	p := &accesspatterns.Pattern{Table: table, Read: accesspatterns.Read{Operation: get}, Params: []*accesspatterns.Param{text("a"), several("b")}}
	p.Variants = []accesspatterns.Variant{{Read: accesspatterns.Read{Operation: query}}, {Read: accesspatterns.Read{Operation: get}}}
	if got := permissionTexts(p.Permissions()); got != "GetItem table/t, BatchGetItem table/t, Query table/t" {
		t.Errorf("Permissions() with variants and a list = %s", got)
	}
	if p.Params, p.Variants = p.Params[:1], nil; permissionTexts(p.Permissions()) != "GetItem table/t" {
		t.Errorf("Permissions() without variants = %s, want GetItem table/t", permissionTexts(p.Permissions()))
	}
	p.Read.FanOut = &accesspatterns.FanOut{Placeholder: "a", Values: []string{"1", "2"}}
	if got := permissionTexts(p.Permissions()); got != "GetItem table/t, BatchGetItem table/t" {
		t.Errorf("Permissions() of a fan-out = %s", got)
	}
	stream := accesspatterns.Permission{Action: "dynamodb:GetRecords", Table: "t", Stream: true}
	if stream.Resource() != "table/t/stream/*" {
		t.Errorf("Resource() of a stream = %s, want table/t/stream/*", stream.Resource())
	}
	index := accesspatterns.PermissionFor("Query", table, newIndex(models.ProjectionAll))
	if index.String() != "dynamodb:Query on …/index/x" || accesspatterns.PermissionFor("Query", table, nil).String() != "dynamodb:Query on …/t" {
		t.Errorf("String() of an index permission = %s", index)
	}
}

// An error about a missing permission names the permission that the request needs.
func TestLegsNeedOnePermission(t *testing.T) {
	name, index := aws.String("t"), aws.String("x")
	table := &models.Table{Name: "t", PartitionKey: key("PK")}
	for want, leg := range map[string]accesspatterns.Leg{
		"BatchGetItem table/t":  accesspatterns.BatchLeg(table, []models.Item{{"PK": models.StringValue("1")}}),
		"GetItem table/t":       {Get: &dynamodb.GetItemInput{TableName: name}},
		"Query table/t/index/x": {Query: &dynamodb.QueryInput{TableName: name, IndexName: index}},
		"Query table/t":         {Query: &dynamodb.QueryInput{TableName: name}},
		"Scan table/t/index/x":  {Scan: &dynamodb.ScanInput{TableName: name, IndexName: index}},
		"":                      {},
	} {
		if got := permissionTexts(leg.Permissions()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A read that becomes a split scan also writes tokens, which must match the same request.
func TestSplitScanHasFingerprintOfWholeScan(t *testing.T) {
	whole := accesspatterns.WholeTable(&models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}})
	if got, want := string(whole.Split(4).Fingerprint()), string(whole.Fingerprint()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
