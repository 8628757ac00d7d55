package present

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// testEntity returns an entity with an attribute for each format, named after it.
func testEntity() *models.Entity {
	e := &models.Entity{
		Name:  "Thing",
		Table: &models.Table{Name: "Things", TTL: "ttl", PartitionKey: models.Key{Name: "id", Type: models.TypeS}},
	}
	for _, f := range models.Formats() {
		e.Attributes = append(e.Attributes, &models.Attribute{Name: string(f), Path: string(f), Format: f})
	}
	e.Attributes = append(e.Attributes, &models.Attribute{
		Name: "level", Path: "level", Type: models.TypeN, Labels: map[string]string{"0": "Open"},
	})
	e.Lifecycles = []*models.Lifecycle{{Attribute: "state", Entity: e, States: []*models.State{
		{Name: "new", Kind: models.StateOpen}, {Name: "done", Kind: models.StateGood}, {Name: "failed", Kind: models.StateBad},
	}}}
	return e
}

func TestValuesAreFormattedByType(t *testing.T) {
	long := "12345678901234567890123456789012345678"
	tests := []struct {
		path  string
		value types.AttributeValue
		cell  string
		text  string // text on the item screen
		note  string
		role  widget.Role
	}{
		{"iso8601", screentest.ItemText("2026-11-21T08:01:00Z"), "08:01 · 2 h ago", "2026-11-21T08:01:00Z", "2 h ago", widget.RoleText},
		{
			"iso8601-ms", screentest.ItemText("2026-10-01T08:01:00.123Z"), "01 Oct · 51 d ago", "2026-10-01T08:01:00.123Z",
			"51 d ago", widget.RoleText,
		},
		{"iso8601", screentest.ItemText("2024-01-01T00:00:00Z"), "Jan 2024 · 2 y ago", "2024-01-01T00:00:00Z", "2 y ago", widget.RoleText},
		{"iso8601", screentest.ItemText("soon"), "soon", "soon", "not a time as iso8601", widget.RoleWarn},
		{
			"epoch-seconds", screentest.ItemNumber("1795255452"), "10:04 · just now", "1795255452",
			"2026-11-21T10:04:12Z · just now", widget.RoleInfo,
		},
		{"level", screentest.ItemNumber("0"), "Open (0)", "Open (0)", "", widget.RoleText},
		{"level", screentest.ItemNumber("7"), "7", "7", "", widget.RoleInfo},
		{"ttl", screentest.ItemNumber("1797847452"), "21 Dec · in 30 d", "1797847452", "2026-12-21T10:04:12Z · in 30 d", widget.RoleInfo},
		{"date", screentest.ItemText("2026-11-20"), "2026-11-20", "2026-11-20", "34 h ago", widget.RoleText},
		{"day", screentest.ItemText("20261120"), "2026-11-20", "20261120", "34 h ago", widget.RoleText},
		{"cents", screentest.ItemNumber("123456789"), "1,234,567.89", "1,234,567.89", "123456789 cents", widget.RoleText},
		{"cents", screentest.ItemNumber("-5"), "-0.05", "-0.05", "-5 cents", widget.RoleText},
		{
			"cents", screentest.ItemNumber(long), "123,456,789,012,345,678,901,234,567,890,123,456.78",
			"123,456,789,012,345,678,901,234,567,890,123,456.78", long + " cents", widget.RoleText,
		},
		{"cents", screentest.ItemNumber("1.5"), "1.5", "1.5", "not whole cents", widget.RoleWarn},
		{"bytes", screentest.ItemNumber("3215155"), "3.1 MiB", "3.1 MiB", "3215155 bytes", widget.RoleText},
		{"bytes", screentest.ItemNumber("1"), "1 byte", "1 byte", "", widget.RoleText},
		{"seconds", screentest.ItemNumber("5405"), "1h 30m 5s", "1h 30m 5s", "5405 seconds", widget.RoleText},
		{"score", screentest.ItemNumber(long), long, long, "", widget.RoleInfo},
		{"state", screentest.ItemText("new"), "◐ new", "◐ new", "", widget.RoleInfo},
		{"state", screentest.ItemText("done"), "✓ done", "✓ done", "", widget.RoleGood},
		{"state", screentest.ItemText("failed"), "✗ failed", "✗ failed", "", widget.RoleBad},
		{"state", screentest.ItemText("lost"), "? lost", "? lost", "", widget.RoleWarn},
		{"email", models.HiddenValue(), "•••", "•••", "", widget.RoleFaint},
		{"other", screentest.ItemText("•••"), "•••", "•••", "", widget.RoleText},
		{"other", screentest.ItemText("[secret]"), "[secret]", "[secret]", "", widget.RoleText},
		{"other", screentest.ItemText(""), `""`, `""`, "empty", widget.RoleFaint},
		{"other", screentest.ItemText("a\x1b[2Jb\nc"), "a␛[2Jb␊c", "a\x1b[2Jb\nc", "", widget.RoleText},
		{"other", &types.AttributeValueMemberBOOL{Value: true}, "true", "true", "", widget.RoleInfo},
		{"other", &types.AttributeValueMemberNULL{Value: true}, "NULL", "NULL", "", widget.RoleFaint},
		{"other", &types.AttributeValueMemberB{Value: make([]byte, 32)}, "32 bytes", "32 bytes", "binary", widget.RoleMuted},
		{"other", &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "set of 2 a, b", "set of 2 a, b", "", widget.RoleMuted},
		{
			"other",
			&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"phone": screentest.Number0, "email": screentest.Number0}},
			"{2} email, phone", "{2} email, phone", "", widget.RoleMuted,
		},
		{"other", &types.AttributeValueMemberL{Value: []types.AttributeValue{
			screentest.Number0, screentest.ItemText("x"), screentest.Number0, screentest.Number0, screentest.Number0,
		}}, "[5] 0, x, 0, 0, …", "[5] 0, x, 0, 0, …", "", widget.RoleMuted},
	}
	p, e := Presenter{Now: screentest.ItemNow}, testEntity()
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.cell, func(t *testing.T) {
			cell := p.Cell(e, tt.path, models.Item{tt.path: tt.value})
			if cell.Text != tt.cell {
				t.Errorf("cell = %q, want %q", cell.Text, tt.cell)
			}
			got := p.Show(e, tt.path, tt.value)
			if diff := cmp.Diff(FormattedValue{tt.text, tt.note, tt.role}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if cell := p.Cell(nil, "x", models.Item{}); cell.Text != "–" {
		t.Errorf("the cell of a missing value is %q", cell.Text)
	}
}

func TestEveryValueFitsCell(t *testing.T) {
	e := testEntity()
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom(e.Attributes).Draw(rt, "attribute").Path
		v := screentest.HostileValue(3).Draw(rt, "value")
		c := Presenter{Now: screentest.ItemNow}.Cell(e, path, models.Item{path: v})
		if c.Text != models.Printable(c.Text) {
			rt.Errorf("%q is not printable", c.Text)
		}
		tuitest.RendersExactly(rt, widget.NewStyles(true, true).PaintCell(c.Role, widget.SurfacePlain, c.Text, 30, c.Align), 30, 1)
	})
}

// A user cannot compare seconds since 1970.
func TestDefectsShowTimesInReadableForm(t *testing.T) {
	stored, expected, ok := DefectValues(testEntity(), change.Defect{Attribute: "ttl", Stored: "1827561678", Expected: ""})
	if stored != "2027-11-30T08:01:18Z" || expected != NoValue || !ok {
		t.Errorf("got %s, %s and %t, want the time, no value and true", stored, expected, ok)
	}
}
