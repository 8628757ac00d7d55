package items

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

var everyFormat = []*Format{CSV, TSV, JSON, JSONL, DynamoDB, Text, Keys}

// checkExport exports items in a format and checks the output.
func checkExport(t interface {
	Helper()
	Fatalf(string, ...any)
}, subject string, f *Format, out string, items []models.Item,
) {
	t.Helper()
	allowed := ""
	if f == CSV || f == TSV {
		allowed = "\t"
	}
	if acts := hostile.FirstUnsafe(out, allowed); acts != "" {
		t.Fatalf("%s as %s contains %s", subject, f, acts)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	switch f {
	case CSV:
		records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(records) != len(items)+1 {
			t.Fatalf("%s as CSV: got %d records for %d items, %v", subject, len(records), len(items), err)
		}
	case TSV, Text:
		if len(lines) != len(items)+1 {
			t.Fatalf("%s as %s: got %d lines for %d items", subject, f, len(lines), len(items))
		}
	case JSONL, Keys:
		if len(lines) != len(items) {
			t.Fatalf("%s as %s: got %d lines for %d items", subject, f, len(lines), len(items))
		}
		for _, l := range lines {
			if !json.Valid([]byte(l)) {
				t.Fatalf("%s as %s: invalid JSON: %.200q", subject, f, l)
			}
		}
	default:
		if !json.Valid([]byte(out)) {
			t.Fatalf("%s as %s: invalid JSON: %.200q", subject, f, out)
		}
	}
}

// shapeItem returns the attributes of a shape with a key.
func shapeItem(s hostile.Shape) models.Item {
	it := models.Item{"PK": text(s.Name), "SK": text(hostile.Text)}
	maps.Copy(it, s.Attributes)
	return it
}

func TestHostileShapesInEveryFormat(t *testing.T) {
	var all []models.Item
	for _, s := range hostile.Shapes() {
		all = append(all, shapeItem(s))
	}
	named := &models.Entity{Name: hostile.Text, Table: table, Keys: map[string]models.Template{
		"PK": models.MustTemplate("{shape}"), "SK": models.MustTemplate("{text}"),
	}}
	shape := Shape{
		Table: table, Entities: []*models.Entity{order}, WithEntity: true, Masker: models.NewMasker([]*models.Entity{named}, true),
	}
	for _, f := range everyFormat {
		checkExport(t, "all shapes", f, exportOf(t, f, shape, all), all)
	}
}

func exportOf(t interface{ Fatalf(string, ...any) }, f *Format, s Shape, items []models.Item) string {
	var out strings.Builder
	w := NewWriter(&out, f, s)
	if err := w.Write(items); err != nil {
		t.Fatalf("%v", err)
	}
	if err := w.Close(Tail{Count: len(items)}); err != nil {
		t.Fatalf("%v", err)
	}
	return out.String()
}

// Every format is well-formed for any value. JSON preserves every text, and CSV changes a cell only where necessary.
func TestHostileValuesInEveryFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := hostile.Generator().Draw(t, "value")
		name := hostile.Generator().Filter(func(s string) bool { return s != "" && s != "PK" && s != "SK" }).Draw(t, "name")
		items := []models.Item{{"PK": text("1"), "SK": text(value), name: text(value)}, {"PK": text("2"), "SK": text("x")}}
		for _, f := range everyFormat {
			out := exportOf(t, f, Shape{Table: table}, items)
			checkExport(t, "a value", f, out, items)
			switch f {
			case JSONL:
				var row map[string]string
				first, _, _ := strings.Cut(out, "\n")
				if err := json.Unmarshal([]byte(first), &row); err != nil || row["SK"] != strings.ToValidUTF8(value, "\ufffd") &&
					!haveSameRunes(row["SK"], value) {
					t.Fatalf("%+q was read back as %+q, %v", value, row["SK"], err)
				}
			case CSV:
				records, _ := csv.NewReader(strings.NewReader(out)).ReadAll()
				at := slices.Index(records[0], "SK")
				if got := records[1][at]; models.PrintableLines(value) == value && !strings.ContainsAny(value, "'\r\uff9e\uff9f") &&
					strings.ReplaceAll(got, "'", "") != value {
					t.Fatalf("%+q becomes %+q", value, got)
				}
			default:
			}
		}
	})
}

// haveSameRunes compares texts, in which each byte that is not UTF-8 equals U+FFFD.
func haveSameRunes(a, b string) bool { return slices.Equal([]rune(a), []rune(b)) }
