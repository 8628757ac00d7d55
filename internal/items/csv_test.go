package items

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A paste is split at tabs, and often at commas.
func TestPastedCellsStartNoFormula(t *testing.T) {
	for cell, want := range map[string]string{
		"a,b": "a,b", "a,=1+1": "a,'=1+1", "a, +1+1,x": "a,' +1+1,x", "'=1": "'=1", "a\n'=1": "a '=1", "1,-2": "1,-2", "a,\"=1": "a,'\"=1",
	} {
		if got := pasted(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}

func TestCSVCells(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "=1+1": "'=1+1", "two\r\nlines\tand a tab": "two\nlines\tand a tab",
	} {
		if got := CSVCell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := CSVCell("\x1b[2J"); strings.ContainsRune(got, 0x1b) {
		t.Errorf("an escape sequence stays: %q", got)
	}
}

// A cell with the type of DynamoDB around its value is that value, and not a map of one attribute called M.
func TestCellsWithTypesAroundTheirValues(t *testing.T) {
	for cell, want := range map[string]string{
		`{"M":{"x":{"N":"1"}}}`: `{"":{"M":{"x":{"N":"1"}}}}`, `{"N":"5"}`: `{"":{"N":"5"}}`, `{"x":{"N":"1"}}`: `{"":{"M":{"x":{"N":"1"}}}}`,
	} {
		v, ok := cellValue(cell).(types.AttributeValue)
		if got := string(models.Item{"": v}.AppendDynamoDBJSON(nil)); !ok || got != want {
			t.Errorf("%s is read as %s", cell, got)
		}
	}
}
