package models_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestTableKeys(t *testing.T) {
	table := pairTable()
	table.Indexes = append(table.Indexes, &models.Index{Name: "again", PartitionKeys: models.KeyList(key("SK")), SortKeys: models.KeyList(key("PK"))})
	var names []string
	for _, k := range table.KeyAttributes() {
		names = append(names, k.Name)
	}
	if diff := cmp.Diff([]string{"PK", "SK", "GSI1PK", "GSI1SK", "owner"}, names); diff != "" {
		t.Errorf("key attributes (-want +got)\n%s", diff)
	}
	if x := table.Index("byOwner"); x == nil || !x.HasKey("owner") || x.HasKey("PK") || table.Index("none") != nil {
		t.Error("Index() does not find an index by its name")
	}
	if pk, sk := table.KeysOf(table.Index("byOwner")); !slices.Equal(pk, models.KeyList(key("owner"))) || len(sk) > 0 {
		t.Errorf("KeysOf(byOwner) = %v, %v, want owner", pk, sk)
	}
	if pk, sk := table.KeysOf(nil); !slices.Equal(pk, models.KeyList(key("PK"))) || !slices.Equal(sk, models.KeyList(key("SK"))) {
		t.Errorf("KeysOf(nil) = %v, %v, want PK and SK", pk, sk)
	}
}

func TestPrimaryKey(t *testing.T) {
	simple := &models.Table{PartitionKey: models.Key{Name: "id", Type: models.TypeN}}
	tests := []struct {
		table     *models.Table
		item      models.Item
		key, text string // key: "" if incomplete
	}{
		{pairTable(), models.Item{"PK": s("A"), "SK": s("B"), "x": s("y")}, `{"PK":"A","SK":"B"}`, "A / B"},
		{pairTable(), models.Item{"PK": s("A")}, "", "A / "},
		{simple, models.Item{"id": n("7"), "PK": s("A")}, `{"id":7}`, "7"},
		{simple, models.Item{}, "", ""},
	}
	for _, tt := range tests {
		k, ok := tt.table.PrimaryKey(tt.item)
		if ok != (tt.key != "") || ok && string(k.AppendJSON(nil)) != tt.key {
			t.Errorf("PrimaryKey() = %s, want %q", k.AppendJSON(nil), tt.key)
		}
		if text := tt.table.KeyText(tt.item); text != tt.text {
			t.Errorf("KeyText() = %q, want %q", text, tt.text)
		}
	}
}

// In plain JSON, binary keys and quoted numbers are texts.
func TestPlainJSONKeysGetTheirTypes(t *testing.T) {
	table := &models.Table{
		PartitionKey: models.Key{Name: "id", Type: models.TypeB}, SortKey: models.Key{Name: "at", Type: models.TypeN},
		Indexes: []*models.Index{{Name: "X", PartitionKeys: models.KeyList(models.Key{Name: "of", Type: models.TypeB})}},
	}
	text := models.StringValue
	pasted := models.Item{"id": text("AQI="), "at": text("-12.50"), "of": text("no base64"), "raw": text("AQI=")}
	want := models.Item{
		"id": &types.AttributeValueMemberB{Value: []byte{1, 2}}, "at": &types.AttributeValueMemberN{Value: "-12.5"}, "of": text("no base64"),
		"raw": text("AQI="),
	}
	if got := table.TypeKeys(pasted); !reflect.DeepEqual(got, want) {
		t.Errorf("got %s, want typed keys", got.AppendDynamoDBJSON(nil))
	}
	if models.ValueType(pasted["id"]) != models.TypeS {
		t.Error("TypeKeys changed its argument")
	}
}

func TestLifecycleReturnsAllowedTransitions(t *testing.T) {
	approve := &models.Transition{Name: "approve", From: []string{"open", "held"}, To: "done"}
	hold := &models.Transition{Name: "hold", From: []string{"open"}, To: "held"}
	life := &models.Lifecycle{
		Attribute: "status", States: []*models.State{{Name: "open"}, {Name: "held"}, {Name: "done"}},
		Transitions: []*models.Transition{approve, hold},
	}
	for from, want := range map[string][]*models.Transition{"open": {approve, hold}, "held": {approve}, "done": nil, "Open": nil} {
		if diff := cmp.Diff(want, life.TransitionsFrom(from)); diff != "" {
			t.Errorf("from %s (-want +got)\n%s", from, diff)
		}
		if life.Terminal(from) != (want == nil) {
			t.Errorf("Terminal(%s) = %v, want %v", from, want != nil, want == nil)
		}
	}
	if life.State("held") == nil || life.State("Held") != nil {
		t.Error("State() must find a state only by its exact name")
	}
	e := &models.Entity{Lifecycles: []*models.Lifecycle{life}}
	if e.Lifecycle("status") != life || e.Lifecycle("state") != nil {
		t.Error("Lifecycle() must find a lifecycle only by its attribute")
	}
}

func TestNearestReturnsSimilarWord(t *testing.T) {
	words := []string{"status", "createdAt", "clientId", "id"}
	tests := []struct {
		word, want string
	}{
		{"statsu", "status"},
		{"Status", "status"},
		{"createdat", "createdAt"},
		{"client", "clientId"},
		{"cl", "clientId"},
		{"ID", "id"},
		{"verification", ""},
		{"di", "id"},
		{"zz", ""}, // two edits from "id", without a common letter
		{"zzz", ""},
		{"stat", "status"},
		{"diet", ""}, // two edits away from "id", but with another first letter
		{"", ""},
	}
	for _, tt := range tests {
		got, ok := models.Nearest(tt.word, words)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := models.DidYouMean("statsu", words); got != `; did you mean "status"?` {
		t.Errorf("DidYouMean(statsu) = %q", got)
	}
	if got := models.DidYouMean("verification", words); got != "" {
		t.Errorf("DidYouMean(verification) = %q, want none", got)
	}
	if got, _ := models.Nearest("sta", []string{"stab", "stay"}); got != "stab" {
		t.Errorf("Nearest of two equal words = %q, want the first", got)
	}
	if got, _ := models.Nearest("stat", []string{"status-by-day", "status"}); got != "status" {
		t.Errorf("Nearest of two words with the prefix = %q, want the shorter one", got)
	}
	if got, ok := models.Nearest("x", nil); ok {
		t.Errorf("Nearest without words = %q, want none", got)
	}
}

func TestTableNamesAndAccounts(t *testing.T) {
	for text, want := range map[string]struct{ table, account bool }{
		"orders-dev_1.v2":        {true, false},
		"Z":                      {true, false},
		"123456789012":           {true, true},
		"12345678901":            {true, false},
		"1234567890123":          {true, false},
		"１２３４５６７８９０１２":           {false, false},
		"":                       {false, false},
		"a b":                    {false, false},
		"a/b":                    {false, false},
		"bücher":                 {false, false},
		"a\n":                    {false, false},
		strings.Repeat("a", 255): {true, false},
		strings.Repeat("a", 256): {false, false},
	} {
		if got := models.IsTableName(text); got != want.table {
			t.Errorf("IsTableName(%q) = %v, want %v", text, got, want.table)
		}
		if got := models.IsAccount(text); got != want.account {
			t.Errorf("IsAccount(%q) = %v, want %v", text, got, want.account)
		}
	}
}

// An index contains its projected attributes, its keys and the table's keys. A path belongs to its first name.
func TestIndexContainsProjectedAttributes(t *testing.T) {
	table := pairTable()
	x := table.Index("GSI1")
	for projection, want := range map[models.Projection]string{
		models.ProjectionAll: "PK GSI1PK GSI1SK note note.text other", models.ProjectionKeysOnly: "PK GSI1PK GSI1SK",
		models.ProjectionInclude: "PK GSI1PK GSI1SK note note.text", models.ProjectionUnknown: "PK GSI1PK GSI1SK",
	} {
		x.Projection, x.Include = projection, nil
		if projection == models.ProjectionInclude {
			x.Include = []string{"note"}
		}
		var names []string
		for _, path := range []string{"PK", "GSI1PK", "GSI1SK", "note", "note.text", "other"} {
			if x.Holds(table, path) {
				names = append(names, path)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s contains %s, want %s", projection, got, want)
		}
	}
}

func TestKeyIDsDistinguishItems(t *testing.T) {
	table := &models.Table{PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS}}
	previous := map[string]bool{}
	for _, k := range [][2]string{{"a / b", "c"}, {"a", "b / c"}, {"a", "bc"}, {"ab", "c"}, {"1:a", "b"}, {"1", ":ab"}, {"", "abc"}, {"abc", ""}} {
		id := table.KeyID(models.Item{"PK": models.StringValue(k[0]), "SK": models.StringValue(k[1])})
		if previous[id] {
			t.Errorf("%q has the ID of another key: %s", k, id)
		}
		previous[id] = true
	}
}
