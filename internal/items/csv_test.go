package items

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// Programs split pasted text at tabs, and often at commas.
func TestPastedCellsStartNoFormula(t *testing.T) {
	for cell, want := range map[string]string{
		"a,b": "a,b", "a,=1+1": "a,'=1+1", "a, +1+1,x": "a,' +1+1,x", "'=1": "'=1", "a\n'=1": "a '=1", "1,-2": "1,-2", "a,\"=1": "a,'\"=1",
	} {
		if got := guardPastedCell(cell); got != want {
			t.Errorf("guardPastedCell(%q) = %q, want %q", cell, got, want)
		}
	}
}

func TestGuardCellReturnsSafeText(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "=1+1": "'=1+1", "two\r\nlines\tand a tab": "two\nlines\tand a tab",
	} {
		if got := guardCell(text); got != want {
			t.Errorf("guardCell(%q) = %q, want %q", text, got, want)
		}
	}
	if got := guardCell("\x1b[2J"); strings.ContainsRune(got, 0x1b) {
		t.Errorf("guardCell keeps an escape sequence: %q", got)
	}
}

// A cell with a value in DynamoDB's typed JSON becomes this value, not a map with an attribute M.
func TestCellsWithTypesAroundTheirValues(t *testing.T) {
	for cell, want := range map[string]string{
		`{"M":{"x":{"N":"1"}}}`: `{"":{"M":{"x":{"N":"1"}}}}`, `{"N":"5"}`: `{"":{"N":"5"}}`, `{"x":{"N":"1"}}`: `{"":{"M":{"x":{"N":"1"}}}}`,
	} {
		v, ok := cellValue(cell).(types.AttributeValue)
		if got := string(models.Item{"": v}.AppendDynamoDBJSON(nil)); !ok || got != want {
			t.Errorf("%s: got %s, want %s", cell, got, want)
		}
	}
}

// A CSV file preserves every text that it can represent. The writer counts the others.
func TestCSVRoundTrips(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	for text, changed := range map[string]int{
		"'=x": 0, "''=x": 0, "'": 0, "'x": 0, "''": 0, "=1+1": 0, "'=1+1": 0, "@x": 0, "a,b": 0, "\"q\"": 0, "a\nb": 0, "a\tb": 0, " x ": 0,
		"a;=1": 0, "a;'=1": 0, "a\n''@x": 0, "'\t=1": 0, "\t": 0,
		"a\r\nb": 1, "\x00": 1, "\u202e": 1, "": 1,
	} {
		var out bytes.Buffer
		w := NewWriter(&out, CSV, Shape{Table: table})
		it := models.Item{"PK": models.StringValue("k"), "note": models.StringValue(text)}
		if err := errors.Join(w.Write([]models.Item{it}), w.Close(Tail{Count: 1})); err != nil {
			t.Fatal(err)
		}
		if w.Changed() != changed {
			t.Errorf("%q: Changed() = %d, want %d: %q", text, w.Changed(), changed, out.String())
		}
		c := csv.NewReader(&out)
		records, err := c.ReadAll()
		if err != nil || len(records) != 2 {
			t.Fatalf("%q: got records %v, %v", text, records, err)
		}
		if got := removeGuard(records[1][1]); (got == text) != (changed == 0) && text != "" {
			t.Errorf("%q was read back as %q", text, got)
		}
	}
}

// Loading restores every text that a CSV file can represent.
func TestRemoveGuardInvertsGuardCell(t *testing.T) {
	part := rapid.SampledFrom([]string{"'", "=", "+", "-", "@", "\uff1d", ";", "\t", "\n", " ", "\"", "\u00a0", "1", "a", ".5"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "text"), "")
		cell := guardCell(text)
		if got := removeGuard(cell); got != text {
			t.Fatalf("%q becomes the cell %q, but is read as %q", text, cell, got)
		}
		if models.CSVCell(cell) != cell {
			t.Fatalf("%q becomes %q, which is a formula", text, cell)
		}
	})
}
