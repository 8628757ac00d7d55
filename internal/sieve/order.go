// This file orders rows by one attribute: numbers by value to the last digit,
// times by instant, states by their lifecycle.

package sieve

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Key is what a row is ordered by. Keys of different sorts of values do not
// mix: states stand before numbers, numbers before times, times before text.
type Key struct {
	rank rank
	num  float64 // of numbers the nearest, of times the second
	sub  int32   // of times the nanosecond
	text string  // of numbers the digits
}

type rank uint8

const (
	rankState rank = iota
	rankNumber
	rankTime
	rankText
	rankDocument
	rankMissing
)

// Missing reports whether there is no value. Such rows come last in every order.
func (k Key) Missing() bool { return k.rank == rankMissing }

// KeyOf is what a row is ordered by at a path.
func KeyOf(r Row, path string) Key {
	v, ok := r.At(path)
	if !ok {
		return Key{rank: rankMissing}
	}
	return ValueKey(r.Kind(), path, v)
}

// ValueKey is KeyOf for the value at a path of an e, nil for no entity.
func ValueKey(e *models.Entity, path string, v types.AttributeValue) Key {
	switch v := v.(type) {
	case nil, *types.AttributeValueMemberNULL:
		return Key{rank: rankMissing}
	case *types.AttributeValueMemberN:
		if at, ok := timeKey(e, path, v.Value); ok {
			return at
		}
		return numberKey(v.Value)
	case *types.AttributeValueMemberL:
		return Key{rank: rankDocument, num: float64(len(v.Value))}
	case *types.AttributeValueMemberM:
		return Key{rank: rankDocument, num: float64(len(v.Value))}
	}
	text, ok := models.ValueText(v)
	if !ok {
		return Key{rank: rankDocument, text: string(models.AppendValueJSON(nil, v))}
	}
	if e != nil {
		if l := e.Lifecycle(path); l != nil {
			if i := slices.IndexFunc(l.States, func(s *models.State) bool { return s.Name == text }); i >= 0 {
				return Key{rank: rankState, num: float64(i)}
			}
		}
	}
	if at, ok := timeKey(e, path, text); ok {
		return at
	}
	return TextKey(text)
}

// TextKey orders by text, whatever its case.
func TextKey(text string) Key { return Key{rank: rankText, text: strings.ToLower(text)} }

// ScoreKey orders by a number, the highest first in ascending order.
func ScoreKey(score int) Key { return Key{rank: rankState, num: -float64(score)} }

// JSONKey orders by a JSON value as jq made it: numbers by value, null as
// missing, the rest as text.
func JSONKey(text string) Key {
	switch {
	case text == "" || text == "null":
		return Key{rank: rankMissing}
	case models.CheckNumber(text) == nil:
		return numberKey(text)
	}
	return TextKey(strings.Trim(text, `"`))
}

// numberKey keeps the digits: where the nearest floats are the same, they decide.
func numberKey(digits string) Key {
	f, err := strconv.ParseFloat(digits, 64)
	if _, ok := readDecimal(digits); !ok || err != nil && f == 0 {
		return Key{rank: rankText, text: digits}
	}
	return Key{rank: rankNumber, num: f, text: digits}
}

func timeKey(e *models.Entity, path, text string) (Key, bool) {
	f := formatOf(e, path)
	if !f.IsTime() {
		return Key{}, false
	}
	t, ok := f.ReadTime(text)
	return Key{rank: rankTime, num: float64(t.Unix()), sub: int32(t.Nanosecond())}, ok
}

// Compare orders a before b when negative. In descending order the values turn
// round and what is missing stays last.
func Compare(a, b Key, descending bool) int {
	if descending && !a.Missing() && !b.Missing() {
		return b.compare(a)
	}
	return a.compare(b)
}

func (k Key) compare(o Key) int {
	if k.rank != o.rank {
		return cmp.Compare(k.rank, o.rank)
	}
	if c := cmp.Compare(k.num, o.num); c != 0 {
		return c
	}
	if c := cmp.Compare(k.sub, o.sub); c != 0 {
		return c
	}
	if k.rank == rankNumber && k.text != o.text {
		return models.CompareNumbers(k.text, o.text)
	}
	return strings.Compare(k.text, o.text)
}
