package items

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

var (
	table = &models.Table{
		Name: "orders", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
	}
	order = &models.Entity{
		Name: "Order", Table: table, Columns: []string{"status", "totals.net"},
		Attributes: []*models.Attribute{
			{Name: "status", Type: models.TypeS}, {Name: "amount", Type: models.TypeN}, {Name: "totals", Type: models.TypeM},
		},
	}
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

const digits = "12345678901234567890123456789012345678"

func items() []models.Item {
	return []models.Item{
		{"PK": text("O#1"), "SK": text("META"), "status": text("=open"), "amount": number(digits), "zone": text("a")},
		{
			"PK": text("O#2"), "SK": text("META"),
			"totals": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"net": number("-1.50")}},
		},
	}
}

func written(t *testing.T, f *Format, s Shape, tail Tail, pages ...[]models.Item) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, f, s)
	for _, p := range pages {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(tail); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEveryFormatWritesItems(t *testing.T) {
	shape := Shape{Table: table, Entities: []*models.Entity{order}}
	for f, want := range map[*Format]string{
		CSV: "status,totals.net,PK,SK,amount,totals,zone\n" +
			"'=open,,O#1,META," + digits + ",,a\n" +
			",-1.50,O#2,META,,\"{\"\"net\"\":-1.50}\",\n",
		TSV: "status\ttotals.net\tPK\tSK\tamount\ttotals\tzone\n" +
			"'=open\t\tO#1\tMETA\t" + digits + "\t\ta\n" +
			"\t-1.50\tO#2\tMETA\t\t{\"net\":-1.50}\t\n",
		JSONL: `{"PK":"O#1","SK":"META","amount":` + digits + `,"status":"=open","zone":"a"}` + "\n" +
			`{"PK":"O#2","SK":"META","totals":{"net":-1.50}}` + "\n",
		JSON: `{"items":[` + "\n" + `{"PK":"O#1","SK":"META","amount":` + digits + `,"status":"=open","zone":"a"},` + "\n" +
			`{"PK":"O#2","SK":"META","totals":{"net":-1.50}}],"count":2,"next":null}` + "\n",
		DynamoDB: `{"Items":[` + "\n" + `{"PK":{"S":"O#1"},"SK":{"S":"META"},"amount":{"N":"` + digits +
			`"},"status":{"S":"=open"},"zone":{"S":"a"}},` + "\n" +
			`{"PK":{"S":"O#2"},"SK":{"S":"META"},"totals":{"M":{"net":{"N":"-1.50"}}}}]}` + "\n",
		Keys: `{"PK":{"S":"O#1"},"SK":{"S":"META"}}` + "\n" + `{"PK":{"S":"O#2"},"SK":{"S":"META"}}` + "\n",
		Text: "status  totals.net\n=open\n        -1.50\n",
	} {
		got := written(t, f, shape, Tail{Count: 2, Fields: []Field{{"next", nil}}}, items()[:1], items()[1:])
		if f == CSV || f == TSV {
			got = written(t, f, shape, Tail{}, items())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
	}
}

func TestFormatsHaveDescriptions(t *testing.T) {
	for _, f := range Formats() {
		if f.Name == "" || f.Title == "" || f.Extension == "" || f.Note == "" || (f.item == nil) != (f.ItemNote == "") {
			t.Errorf("%+v lacks a name or description", f)
		}
	}
	if FormatNamed("nothing") != nil {
		t.Error("FormatNamed returned an unknown format")
	}
}

func TestEmptyResultIsCompleteDocument(t *testing.T) {
	for f, want := range map[*Format]string{
		JSON: `{"items":[],"count":0}` + "\n", DynamoDB: `{"Items":[]}` + "\n", JSONL: "", Text: "",
		CSV: "status,totals.net,PK,SK,amount,totals\n",
	} {
		if got := written(t, f, Shape{Table: table, Entities: []*models.Entity{order}}, Tail{}, nil); got != want {
			t.Errorf("%s of an empty result is %q, want %q", f, got, want)
		}
	}
}

func TestEveryFormatWritesCount(t *testing.T) {
	for f, want := range map[*Format]string{
		JSON: `{"items":[],"count":7}` + "\n", DynamoDB: `{"Items":[],"Count":7}` + "\n",
		JSONL: `{"count":7}` + "\n", CSV: "count\n7\n", Text: "7\n",
	} {
		if got := written(t, f, Shape{Count: true}, Tail{Count: 7}, nil); got != want {
			t.Errorf("%s of a count is %q, want %q", f, got, want)
		}
	}
}

// The writer chooses the columns from the first items, and later reports attributes that have no column.
func TestLateAttributesAreNamed(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, CSV, Shape{Table: table})
	for _, it := range items() {
		if err := w.Write([]models.Item{it}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"totals"}, w.Omitted()); diff != "" {
		t.Error(diff)
	}
}

// Text omits the columns of indexes that the entities do not use. CSV has all columns, because programs read it.
func TestIndexColumnsDependOnEntities(t *testing.T) {
	otherTable := *table
	for _, name := range []string{"GSI1PK", "courier"} {
		otherTable.Indexes = append(otherTable.Indexes, &models.Index{Name: name, PartitionKeys: []models.Key{{Name: name, Type: models.TypeS}}})
	}
	locker := &models.Entity{Name: "Locker", Table: &otherTable, Keys: map[string]models.Template{
		"PK": models.MustTemplate("{id}"), "SK": models.MustTemplate("META"), "GSI1PK": models.MustTemplate("L#{id}"),
	}}
	for f, want := range map[*Format]string{Text: "PK  SK    GSI1PK\n1   META  L#1\n", CSV: "PK,SK,GSI1PK,courier\n1,META,L#1,\n"} {
		shape := Shape{Table: &otherTable, Entities: []*models.Entity{locker}}
		it := models.Item{"PK": text("1"), "SK": text("META"), "GSI1PK": text("L#1")}
		if got := written(t, f, shape, Tail{}, []models.Item{it}); got != want {
			t.Errorf("%s is %q, want %q", f, got, want)
		}
	}
}

// If an entity has no columns, its rows show its attributes in additional ones.
func TestEntitiesWithoutColumnsAreNotEmpty(t *testing.T) {
	note := &models.Entity{Name: "Note", Table: table, Attributes: []*models.Attribute{{Name: "text"}, {Name: "day", KeyOnly: true}}}
	it := models.Item{"PK": text("O#3"), "SK": text("NOTE"), "text": text("call back")}
	want := "status  totals.net  text\n                    call back\n"
	if got := written(t, Text, Shape{Table: table, Entities: []*models.Entity{order, note}}, Tail{}, []models.Item{it}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMixedEntitiesAreNamed(t *testing.T) {
	named := &models.Entity{Name: "=PK", Table: table, Keys: map[string]models.Template{
		"PK": models.MustTemplate("O#1"), "SK": models.MustTemplate("{kind}"),
	}}
	shape := Shape{Table: table, Columns: []string{"SK"}, WithEntity: true, Masker: models.NewMasker([]*models.Entity{named}, true)}
	if got, want := written(t, CSV, shape, Tail{}, items()), "_entity,SK\n'=PK,META\n,META\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSONNamesEntitiesOnRequest(t *testing.T) {
	order := &models.Entity{Name: "Order", Table: table, Keys: map[string]models.Template{
		"PK": models.MustTemplate("O#1"), "SK": models.MustTemplate("{kind}"),
	}}
	masker := models.NewMasker([]*models.Entity{order}, true)
	known := models.Item{"PK": text("O#1"), "SK": text("META"), "a": text("x")}
	unknown := models.Item{"PK": text("O#2"), "SK": text("META")}
	item := models.Item{"PK": text("O#1"), "SK": text("META"), "_entity": text("mine")}
	want := `{"_entity":"Order","PK":"O#1","SK":"META","a":"x"}` + "\n" + `{"_entity":null,"PK":"O#2","SK":"META"}` + "\n" +
		`{"PK":"O#1","SK":"META","_entity":"mine"}` + "\n"
	shape := Shape{Table: table, WithEntity: true, Masker: masker}
	if got := written(t, JSONL, shape, Tail{}, []models.Item{known, unknown, item}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := written(t, DynamoDB, shape, Tail{}, []models.Item{known}); strings.Contains(got, "_entity") {
		t.Errorf("DynamoDB JSON contains _entity: %s", got)
	}
}

// For any value, every record has as many cells as the header, and preserves text without control characters.
func TestCellsSurviveCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		var out bytes.Buffer
		w := NewWriter(&out, CSV, Shape{Columns: []string{"a", "b"}})
		if err := w.Write([]models.Item{{"a": text(value), "b": number("-1e5")}}); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(records) != 2 || len(records[1]) != 2 {
			t.Fatalf("%q is written as %q: %v", value, records, err)
		}
		cell, _, _ := strings.Cut(records[1][0], ";") // A spreadsheet may split there, and a number is not a formula.
		if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) && strings.Trim(cell, "+-.0123456789eE") != "" {
			t.Fatalf("%q may run as a formula", cell)
		}
		if records[1][1] != "-1e5" {
			t.Fatalf("-1e5 is written as %q", records[1][1])
		}
	})
}

// JSON escapes control characters, and preserves every text.
func TestJSONRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		var out bytes.Buffer
		w := NewWriter(&out, JSONL, Shape{})
		if err := w.Write([]models.Item{{"a": text(value)}}); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(strings.TrimSuffix(out.String(), "\n"), models.IsMisleading); i >= 0 {
			t.Fatalf("%q contains control characters", out.String())
		}
		var decoded map[string]string
		if err := json.Unmarshal(out.Bytes(), &decoded); err != nil || decoded["a"] != value {
			t.Fatalf("%q was read back as %q: %v", value, decoded["a"], err)
		}
	})
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReported(t *testing.T) {
	for _, f := range []*Format{CSV, TSV, JSON, JSONL, DynamoDB, Keys, Text} {
		w := NewWriter(fullDisk{}, f, Shape{Table: table})
		err := w.Write(items())
		if f == Text {
			err = w.Close(Tail{})
		}
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want the write error", f, err)
		}
	}
}

// drawnRows stores the rows that it would draw.
type drawnRows struct {
	fullDisk
	rows [][]string
}

func (d *drawnRows) DrawRows(p Part) error { d.rows = append(d.rows, p.Rows...); return nil }

func (d *drawnRows) At(time.Time) string { return "" }

// A table does not cut cells. Wide ones outside the key column do not move the other rows.
func TestTextTablesDoNotCutCells(t *testing.T) {
	long := strings.Repeat("THREAD#", 20)
	table := func() *TextTable {
		t := NewTextTable("KEY", "VALUE", "LAST")
		t.Keys = "KEY"
		t.Add(long, long, "x")
		t.Add("k", "v", "y")
		return t
	}
	var out bytes.Buffer
	if err := table().Write(&out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(out.String(), "\n"); !strings.HasPrefix(got[1], long+"  "+long+"  x") || !strings.HasPrefix(got[2], "k"+strings.Repeat(" ", len(long)+1)+"v    ") {
		t.Errorf("the table cuts a cell: %q", got)
	}
	screen := &drawnRows{}
	if err := table().Write(screen); err != nil {
		t.Fatal(err)
	}
	if row := screen.rows[0]; row[0] != long || row[1] != long {
		t.Errorf("the terminal receives %q", row)
	}
}
