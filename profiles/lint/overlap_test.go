package lint

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// testShape returns the shape of a template. Placeholders contain unknown text, except {t}, a time, and {e}, which is
// open or paid.
func testShape(template string) shape {
	l := &linter{Profile: &profiles.Profile{}}
	e := &models.Entity{Attributes: []*models.Attribute{
		{Name: "t", Path: "t", Type: models.TypeS, Format: models.ISO8601},
		{Name: "e", Path: "e", Type: models.TypeS, Enum: []string{"open", "paid"}},
	}}
	return l.entityShape(e, models.MustTemplate(template))
}

func TestOverlapFindsTemplatesWithCommonKeys(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		prefix bool
		want   bool
	}{
		{"META", "META", false, true},
		{"META", "METADATA", false, false},
		{"META", "METADATA", true, true},
		{"METADATA", "META", true, false},
		{"USER#{a}", "USER#{b}", false, true},
		{"USER#{a}", "ORDER#{b}", false, false},
		{"USER#{a}", "USER#", false, false}, // a placeholder is never empty
		{"USER#", "USER#{a}", true, true},
		{"{a}#{b}", "META", false, false},
		{"{a}#{b}", "A#B#C", false, true},
		{"{a}#{b}", "A#{c}", false, true},
		{"{a}#", "A#B#", false, true}, // the end of the key determines that the value is A#B
		{"{a}#x", "A#B#x", false, true},
		{"{a}", "A#B", false, true},
		{"{t}#{a}", "DOC#{b}", false, false}, // a time starts with a digit
		{"{t}#{a}", "2026#{b}", false, true},
		{"{e}", "open", false, true},
		{"{e}", "closed", false, false},
		{"{e}#", "{e}#{a}", true, true},
		{"A[#{b}]", "A", false, true},
		{"A[#{b}]", "A#B", false, true},
		{"A[#{b}]", "AB", false, false},
		{"{a}1{b}", "{c}2{d}", false, true},
	} {
		t.Run(fmt.Sprintf("%s and %s, prefix %v", c.a, c.b, c.prefix), func(t *testing.T) {
			a, b := testShape(c.a), testShape(c.b)
			if got := a.overlaps(b, c.prefix); got != c.want {
				t.Errorf("overlaps() = %v, want %v", got, c.want)
			}
			if !c.prefix && b.overlaps(a, false) != c.want {
				t.Error("overlaps() is not symmetric")
			}
		})
	}
}

// A key that both templates parse proves that they overlap.
func TestSharedKeysOverlap(t *testing.T) {
	part := rapid.SampledFrom([]string{"A", "B", "#", "AB", "{x}", "{y}"})
	template := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "parts"), "") })
	key := rapid.StringOfN(rapid.SampledFrom([]rune("AB#")), 1, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, errA := models.ParseTemplate(template.Draw(t, "a"), nil)
		b, errB := models.ParseTemplate(template.Draw(t, "b"), nil)
		if errA != nil || errB != nil {
			t.Skip("not a valid template")
		}
		k := key.Draw(t, "key")
		matchA, errA := a.Parse(k)
		matchB, errB := b.Parse(k)
		for _, m := range []models.Match{matchA, matchB} {
			for _, v := range m.Values {
				if v == "" {
					t.Skip("lint rejects an empty value, with which nearly all keys would overlap")
				}
			}
		}
		if errA == nil && errB == nil && !testShape(a.String()).overlaps(testShape(b.String()), false) {
			t.Fatalf("%s matches %s and %s, but overlaps() is false", k, a, b)
		}
	})
}
