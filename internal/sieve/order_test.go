// This file tests in which order rows come.

package sieve_test

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/sieve"
	"github.com/ddbdesk/ddbdesk/models"
)

// sorted puts values of an attribute of e in order and spells them.
func sorted(e *models.Entity, path string, descending bool, values ...types.AttributeValue) []string {
	slices.SortStableFunc(values, func(a, b types.AttributeValue) int {
		return sieve.Compare(sieve.ValueKey(e, path, a), sieve.ValueKey(e, path, b), descending)
	})
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(models.AppendValueJSON(nil, v))
	}
	return out
}

func TestOrder(t *testing.T) {
	_, card, client := entities()
	text := models.StringValue
	null := &types.AttributeValueMemberNULL{Value: true}
	for _, c := range []struct {
		name   string
		path   string
		down   bool
		values []types.AttributeValue
		want   []string
	}{
		{"numbers by value", "amount", false, []types.AttributeValue{number("10"), number("9"), null, number("-1"), number("1e1")}, []string{"-1", "9", "10", "1e1", "null"}},
		{"the last digit decides", "amount", true, []types.AttributeValue{number("12345678901234567890123456789012345678"), null, number("12345678901234567890123456789012345679")}, []string{"12345678901234567890123456789012345679", "12345678901234567890123456789012345678", "null"}},
		{"states by lifecycle, unknown ones after them", "status", false, []types.AttributeValue{text("zombie"), text("approved"), text("pending")}, []string{`"pending"`, `"approved"`, `"zombie"`}},
		{"times by instant", "createdAt", false, []types.AttributeValue{text("2026-01-19T10:00:00Z"), text("2026-01-19T10:00:00.5Z"), text("2026-01-19T11:00:00+02:00")}, []string{`"2026-01-19T11:00:00+02:00"`, `"2026-01-19T10:00:00Z"`, `"2026-01-19T10:00:00.5Z"`}},
		{"text whatever its case", "cardId", false, []types.AttributeValue{text("b"), text("A"), text("C")}, []string{`"A"`, `"b"`, `"C"`}},
	} {
		if diff := cmp.Diff(c.want, sorted(card, c.path, c.down, c.values...)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
	iso := sieve.ValueKey(card, "createdAt", text("2026-01-19T10:00:00Z"))
	epoch := sieve.ValueKey(client, "createdAt", number("1768816800"))
	if sieve.Compare(iso, epoch, false) != 0 {
		t.Error("the same moment in two spellings is not the same")
	}
}

// Sorting numbers is sorting them as exact decimals, both ways.
func TestOrderOfNumbersIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.StringMatching(`-?[1-9][0-9]{0,36}(\.[0-9]{1,3})?`)
		a, b := one.Draw(t, "a"), one.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a[:len(a)-1] + rapid.StringMatching(`[0-9]`).Draw(t, "last")
		}
		x, okx := new(big.Rat).SetString(a)
		y, oky := new(big.Rat).SetString(b)
		if !okx || !oky {
			t.Skip("no numbers")
		}
		ka, kb := sieve.ValueKey(nil, "n", number(a)), sieve.ValueKey(nil, "n", number(b))
		if got := sieve.Compare(ka, kb, false); got != x.Cmp(y) {
			t.Errorf("%s and %s compare as %d", a, b, got)
		}
		if got := sieve.Compare(ka, kb, true); got != y.Cmp(x) {
			t.Errorf("%s and %s compare as %d in descending order", a, b, got)
		}
	})
}

// Whatever is typed, the filter answers or explains, and never breaks.
func TestAnyFilterIsAnswered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"status", "amount", "createdAt", ":", "=", ">", "!=", "?", "-", `"`, " ", ",", ".", "|", "7d", "today", "日本", "\x1b", "is", "1e999", "select(",
		})).Draw(t, "parts")
		text := strings.Join(parts, "") + rapid.String().Draw(t, "more")
		f, err := sieve.Parse(text, schema(), now)
		if err == nil && f != nil {
			for _, r := range table() {
				if _, err := f.Match(context.Background(), r); err != nil && !strings.HasPrefix(err.Error(), "jq: ") {
					t.Errorf("%q: %v", text, err)
				}
			}
		}
		sieve.Complete(text, schema(), 3)
	})
}
