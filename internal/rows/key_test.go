package rows_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// sorted sorts values of an attribute and returns them as JSON.
func sorted(e *models.Entity, path string, values ...types.AttributeValue) []string {
	key := func(v types.AttributeValue) []byte { return rows.ValueKey(e, path, v).Append(nil) }
	slices.SortStableFunc(values, func(a, b types.AttributeValue) int { return bytes.Compare(key(a), key(b)) })
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(models.AppendValueJSON(nil, v))
	}
	return out
}

func TestOrderSortsValuesByType(t *testing.T) {
	_, card, client := entities()
	text := models.StringValue
	null := &types.AttributeValueMemberNULL{Value: true}
	list := func(n int) types.AttributeValue {
		return &types.AttributeValueMemberL{Value: slices.Repeat([]types.AttributeValue{number("1")}, n)}
	}
	for _, c := range []struct {
		name   string
		path   string
		values []types.AttributeValue
		want   []string
	}{
		{
			"numbers by value", "amount",
			[]types.AttributeValue{number("10"), number("9"), null, number("-1"), number("1e1"), number("0.0"), number("-10")},
			[]string{"-10", "-1", "0.0", "9", "10", "1e1", "null"},
		},
		{
			"the last digit decides", "amount",
			[]types.AttributeValue{number("12345678901234567890123456789012345679"), number("12345678901234567890123456789012345678")},
			[]string{"12345678901234567890123456789012345678", "12345678901234567890123456789012345679"},
		},
		{
			"states by lifecycle, unknown ones after them", "status",
			[]types.AttributeValue{text("zombie"), text("approved"), text("pending")},
			[]string{`"pending"`, `"approved"`, `"zombie"`},
		},
		{
			"times by instant", "createdAt",
			[]types.AttributeValue{
				text("2026-01-19T10:00:00Z"), text("2026-01-19T10:00:00.5Z"), text("2026-01-19T11:00:00+02:00"),
				text("1969-01-01T00:00:00Z"), text("2026-01-19T10:00:00.000000001Z"), text("1970-01-01T00:00:00Z"),
			},
			[]string{
				`"1969-01-01T00:00:00Z"`, `"1970-01-01T00:00:00Z"`, `"2026-01-19T11:00:00+02:00"`, `"2026-01-19T10:00:00Z"`,
				`"2026-01-19T10:00:00.000000001Z"`, `"2026-01-19T10:00:00.5Z"`,
			},
		},
		{"text ignoring case", "cardId", []types.AttributeValue{text("b"), text("A"), text("C")}, []string{`"A"`, `"b"`, `"C"`}},
		{
			"kinds do not mix", "cardId",
			[]types.AttributeValue{null, list(2), list(1), text("a"), number("5")},
			[]string{"5", `"a"`, "[1]", "[1,1]", "null"},
		},
	} {
		if diff := cmp.Diff(c.want, sorted(card, c.path, c.values...)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
	iso := rows.ValueKey(card, "createdAt", text("2026-01-19T10:00:00Z"))
	epoch := rows.ValueKey(client, "createdAt", number("1768816800"))
	if !bytes.Equal(iso.Append(nil), epoch.Append(nil)) {
		t.Error("two forms of one time have different keys")
	}
	low, high := rows.ScoreKey(3), rows.ScoreKey(1<<40)
	if bytes.Compare(high.Append(nil), low.Append(nil)) >= 0 {
		t.Error("the highest score does not sort first")
	}
}

// Only the key of a missing value starts with 0xff.
func TestMissingKeyIsDistinct(t *testing.T) {
	for value, want := range map[types.AttributeValue]bool{
		&types.AttributeValueMemberNULL{Value: true}: true, number("-9.99e125"): false, models.StringValue("\xff"): false,
		models.StringValue(""): false,
	} {
		if key := rows.ValueKey(nil, "", value).Append(nil); (key[0] == 0xff) != want {
			t.Errorf("%v: unexpected key %x", value, key)
		}
	}
}

// Numbers are sorted as exact decimals.
func TestNumberOrderIsExact(t *testing.T) {
	digits := rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,38}`), rapid.StringMatching(`-?[0-9]{0,3}\.[0-9]{1,6}`),
		rapid.StringMatching(`-?[0-9](\.[0-9]{1,2})?[eE][+-]?[0-9]{1,2}`),
		rapid.SampledFrom([]string{"0", "-0", "0.0", "1e-130", "9.99e125", "-9.99e125", "1e100"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		a, b := digits.Draw(t, "a"), digits.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a[:len(a)-1] + rapid.StringMatching(`[0-9]`).Draw(t, "last")
		}
		x, okx := new(big.Rat).SetString(a)
		y, oky := new(big.Rat).SetString(b)
		if !okx || !oky {
			t.Skip("the generated digits are not a number")
		}
		ka, kb := rows.ValueKey(nil, "n", number(a)), rows.ValueKey(nil, "n", number(b))
		if got := bytes.Compare(ka.Append(nil), kb.Append(nil)); got != x.Cmp(y) {
			t.Errorf("%s and %s compare as %d by key", a, b, got)
		}
	})
}

func BenchmarkSortKey(b *testing.B) {
	for _, v := range []types.AttributeValue{number("123456.78"), models.StringValue("ver_0123456789abcdef")} {
		k := rows.ValueKey(nil, "", v)
		b.Run(fmt.Sprintf("%T", v), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = k.Append(buf[:0])
			}
		})
	}
}

// Any text is a filter or an error.
func TestParseAcceptsAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"status", "amount", "createdAt", ":", "=", ">", "!=", "?", "-", `"`, " ", ",", ".", "|", "7d", "today", "日本",
			"\x1b", "is", "1e999", "select(",
		})).Draw(t, "parts")
		text := strings.Join(parts, "") + rapid.String().Draw(t, "more")
		f, err := rows.Parse(text, fields(), now)
		if err == nil && f != nil {
			for _, r := range table() {
				f.Match(r)
			}
		}
		rows.Complete(text, fields(), 3)
	})
}
