package rows_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

var now = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// entities returns a table with a card and a client.
func entities() (*models.Table, *models.Entity, *models.Entity) {
	t := &models.Table{Name: "cards", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, TTL: "ttl"}
	card := &models.Entity{Name: "Card", Table: t, Attributes: []*models.Attribute{
		{Name: "cardId", Path: "cardId", Type: models.TypeS},
		{Name: "status", Path: "status", Type: models.TypeS},
		{Name: "amount", Path: "amount", Type: models.TypeN},
		{Name: "balance", Path: "balance", Type: models.TypeN, Format: models.Cents},
		{Name: "fileSize", Path: "fileSize", Type: models.TypeN, Format: models.Bytes},
		{Name: "createdAt", Path: "createdAt", Type: models.TypeS, Format: models.ISO8601},
		{Name: "active", Path: "active", Type: models.TypeBOOL},
		{Name: "holder", Path: "holder", Type: models.TypeM, Attributes: []*models.Attribute{
			{Name: "email", Path: "holder.email", Type: models.TypeS},
		}},
	}}
	card.Lifecycles = []*models.Lifecycle{{Name: "card", Entity: card, Attribute: "status", States: []*models.State{
		{Name: "pending"}, {Name: "approved"}, {Name: "auto_approved"}, {Name: "rejected"},
	}}}
	client := &models.Entity{Name: "Client", Table: t, Attributes: []*models.Attribute{
		{Name: "name", Path: "name", Type: models.TypeS},
		{Name: "createdAt", Path: "createdAt", Type: models.TypeN, Format: models.EpochSeconds},
	}}
	card.Seal()
	client.Seal()
	return t, card, client
}

// tableRow is a row in the tests.
type tableRow struct {
	item  models.Item
	kind  *models.Entity
	cells []string
}

func (r tableRow) Kind() *models.Entity                        { return r.kind }
func (r tableRow) At(path string) (types.AttributeValue, bool) { return r.item.At(path) }
func (r tableRow) Item() models.Item                           { return r.item }
func (r tableRow) SortKey(column string) rows.SortKey          { return rows.KeyOf(r, column) }
func (r tableRow) Cells() []string                             { return r.cells }

// table returns the rows of the tests by a letter.
func table() map[string]rows.Row {
	_, card, client := entities()
	row := func(e *models.Entity, it models.Item, cells ...string) rows.Row {
		return tableRow{it, e, cells}
	}
	return map[string]rows.Row{
		"a": row(card, models.Item{
			"cardId": models.StringValue("card_1"), "status": models.StringValue("approved"), "amount": number("100"),
			"balance": number("12345"), "createdAt": models.StringValue("2026-01-19T10:00:00Z"),
			"active": &types.AttributeValueMemberBOOL{Value: true},
		}, "card_1", "✓ approved", "26 h ago"),
		"b": row(card, models.Item{
			"cardId": models.StringValue("card_2"), "status": models.StringValue("auto_approved"),
			"amount":  number("12345678901234567890123456789012345678"),
			"balance": number("9999"), "createdAt": models.StringValue("2026-01-01T00:00:00Z"), "fileSize": number("3145728"),
			"holder": &types.AttributeValueMemberM{Value: models.Item{"email": models.Display{Text: "k•••@•••.com", Masked: true}.Value()}},
		}, "card_2", "✓ auto_approved", "Kagiso Molefe"),
		"c": row(client, models.Item{
			"name": models.StringValue("Kagiso"), "createdAt": number("1768896000"),
		}, "Kagiso"),
	}
}

func fields() *rows.Fields {
	t, card, client := entities()
	return rows.NewFields(t, []*models.Entity{card, client}, "strayed")
}

// matchingRows returns the letters of the rows that match the filter.
func matchingRows(t *testing.T, f *rows.Filter) string {
	t.Helper()
	var out strings.Builder
	all := table()
	for _, name := range []string{"a", "b", "c"} {
		if _, keep := f.Match(all[name]); keep {
			out.WriteString(name)
		}
	}
	return out.String()
}

func TestFilterMatchesWordsAndConditions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"card", "ab"},
		{"KAGISO", "bc"},
		{"kagiso card", "b"},
		{`"kagiso molefe"`, "b"},
		{"-card", "c"},
		{`-"kagiso molefe"`, "ac"},
		{"status:approved", "a"},
		{"status:appr", "ab"},
		{"STATUS:approved,auto_approved", "ab"},
		{"-status:approved", "bc"},
		{"status!=approved", "bc"},
		{"status=approved card", "a"},
		{"amount>100", "b"},
		{"amount>=100", "ab"},
		{"amount:1e2", "a"},
		{"amount>12345678901234567890123456789012345677", "b"},
		{"amount>12345678901234567890123456789012345678", ""},
		{"balance>100", "a"},
		{"balance<=123.45", "ab"},
		{"fileSize>=3MB", "b"},
		{"createdAt>=-7d", "ac"},
		{"createdAt>=-30d", "abc"},
		{"createdAt:yesterday", "a"},
		{"createdAt:2026-01-01", "b"},
		{"createdAt<2026-01-19", "b"},
		{"createdAt<=2026-01-19", "ab"},
		{"active:true", "a"},
		{"active:no", ""},
		{"amount:?", "ab"},
		{"-amount:?", "c"},
		{"is:card", "ab"},
		{"-is:card", "c"},
		{"email:?", "b"},
		{"email:kagiso", ""}, // masked text does not match
		{"holder.email:.com", "b"},
		{"email>=a", ""}, // a masked value has no order
		{"card >", ""},
		{"[.status]", ""},
		{"2026-01-19T10:00", "a"},
		{"https://x", ""},
	} {
		f, err := rows.Parse(c.text, fields(), now)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := matchingRows(t, f); got != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEmptyFilter(t *testing.T) {
	for _, text := range []string{"", "   ", `""`} {
		if f, err := rows.Parse(text, fields(), now); f != nil || err != nil {
			t.Errorf("Parse(%q) = %v, %v, want nil", text, f, err)
		}
	}
}

func TestParseExplainsErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		incomplete bool
	}{
		{"statu:approved", `no attribute "statu"; did you mean "status"?`, false},
		{"zzzzqqq:approved", `no attribute "zzzzqqq"; quote it to search for the text`, false},
		{"status:", "status: value missing; use one of pending, approved, auto_approved, rejected", true},
		{"amount>", "amount: value missing; amount:? finds rows that have one", true},
		{"status:aproved", `status: no such value "aproved"; did you mean "approved"?`, false},
		{"amount>abc", `amount: "abc" is not a number`, false},
		{"createdAt>=soon", `createdAt: "soon" is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today, yesterday, or now-7d`, false},
		{"createdAt:-7d", `createdAt: "-7d" is a single instant; write createdAt>=-7d for since then`, false},
		{"active:maybe", `active: "maybe" is neither true nor false`, false},
		{"fileSize>3miles", `fileSize: unknown unit "miles"; use B, KB, MB or GB`, false},
		{"is:planet", `is: unknown entity "planet"`, false},
	} {
		_, err := rows.Parse(c.text, fields(), now)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
			continue
		}
		if errors.Is(err, rows.ErrIncomplete) != c.incomplete {
			t.Errorf("%s: ErrIncomplete: %v", c.text, !c.incomplete)
		}
	}
}

// The filter falls back to fuzzy matching only if nothing matches, so that similar rows do not hide exact matches.
func TestFuzzyWords(t *testing.T) {
	f, err := rows.Parse("kgso", fields(), now)
	if err != nil {
		t.Fatal(err)
	}
	if got := matchingRows(t, f); got != "" {
		t.Errorf("exact words: got %q, want no rows", got)
	}
	fallback := f.Fallback()
	if fallback == nil || !fallback.IsFuzzy() {
		t.Fatal("the filter has no fuzzy fallback")
	}
	if got := matchingRows(t, fallback); got != "bc" {
		t.Errorf("fuzzy words: got %q, want bc", got)
	}
	if fallback.Fallback() != nil {
		t.Error("the fuzzy filter has a fallback")
	}
	terms, err := rows.Parse("status:approved -card", fields(), now)
	if err != nil {
		t.Fatal(err)
	}
	if terms.Fallback() != nil {
		t.Error("a filter with conditions has a fallback")
	}
}

// While the user types the name of a field, the filter falls back to the other words, so that the rows stay visible.
func TestPendingFieldName(t *testing.T) {
	for text, want := range map[string]string{"stat": "abc", "amount:? createda": "ab", "kgso crea": "bc"} {
		f, err := rows.Parse(text, fields(), now)
		if err != nil {
			t.Fatal(err)
		}
		if got := matchingRows(t, f); got != "" {
			t.Errorf("%s: got %q, want no rows", text, got)
		}
		next := f.Fallback()
		if next == nil || next.Pending() == "" || next.IsFuzzy() {
			t.Fatalf("%s: Fallback() = %v", text, next)
		}
		if text == "kgso crea" {
			continue // no row contains the other word
		}
		if got := matchingRows(t, next); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		text, tail string
		choices    []string
	}{
		{"sta", "tus:", []string{"status"}},
		{"card -sta", "tus:", []string{"status"}},
		{"status:a", "", []string{"approved", "auto_approved"}},
		{"status:au", "to_approved", []string{"auto_approved"}},
		{"status:approved,rej", "ected", []string{"rejected"}},
		{"active:", "", []string{"true", "false"}},
		{"cr", "eatedAt:", []string{"createdAt"}},
		{".sta", "", nil},
		{"nothing", "", nil},
		{"", "", nil},
		{"card ", "", nil},
		{`"sta`, "", nil},
	} {
		tail, choices := rows.Complete(c.text, fields(), 5)
		if tail != c.tail || !cmp.Equal(choices, c.choices) {
			t.Errorf("%q: got tail %q and choices %q, want %q and %q", c.text, tail, choices, c.tail, c.choices)
		}
	}
}
