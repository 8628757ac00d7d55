// This file proves that keys as bytes are in the order of the keys.

package sieve_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/sieve"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestKeysAsBytes(t *testing.T) {
	_, card, _ := entities()
	digits := rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,38}`), rapid.StringMatching(`-?[0-9]{0,3}\.[0-9]{1,6}`), rapid.StringMatching(`-?[0-9](\.[0-9]{1,2})?[eE][+-]?[0-9]{1,2}`),
		rapid.SampledFrom([]string{"0", "-0", "0.0", "1e-130", "9.99e125", "-9.99e125", "1e100", "inf", "0x10", "", "1_0", "1e", "1e99999"}),
	)
	word := rapid.OneOf(rapid.StringMatching(`[a-cA-C#]{0,4}`), rapid.SampledFrom([]string{"pending", "approved", "2026-01-19T10:00:00Z", "2026-01-19T10:00:00.123456789Z", "1969-01-01T00:00:00Z"}))
	value := rapid.Custom(func(t *rapid.T) types.AttributeValue {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return number(digits.Draw(t, "digits"))
		case 1:
			return &types.AttributeValueMemberNULL{Value: true}
		case 2:
			return &types.AttributeValueMemberL{Value: make([]types.AttributeValue, rapid.IntRange(0, 3).Draw(t, "elements"))}
		case 3:
			return &types.AttributeValueMemberSS{Value: []string{word.Draw(t, "member")}}
		default:
			return models.StringValue(word.Draw(t, "text"))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom([]string{"amount", "status", "createdAt", "cardId"}).Draw(t, "path")
		a, b := sieve.ValueKey(card, path, value.Draw(t, "a")), sieve.ValueKey(card, path, value.Draw(t, "b"))
		want, got := sieve.Compare(a, b, false), bytes.Compare(a.Append(nil), b.Append(nil))
		if want != got {
			t.Fatalf("%v and %v compare as %d, their bytes as %d", a, b, want, got)
		}
		if missing := a.Append(nil)[0] == sieve.MissingByte; missing != a.Missing() {
			t.Fatalf("%v begins as one that is missing: %v", a, missing)
		}
	})
	low, high := sieve.ScoreKey(3), sieve.ScoreKey(1<<40)
	if bytes.Compare(high.Append(nil), low.Append(nil)) != sieve.Compare(high, low, false) {
		t.Error("the highest score is not the first")
	}
}

func BenchmarkKeyBytes(b *testing.B) {
	for _, v := range []types.AttributeValue{number("123456.78"), models.StringValue("ver_0123456789abcdef")} {
		k := sieve.ValueKey(nil, "", v)
		b.Run(fmt.Sprintf("%T", v), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = k.Append(buf[:0])
			}
		})
	}
}
