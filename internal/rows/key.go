package rows

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A SortKey determines the order of a row: numbers by exact value, times by instant, and states by their place in the
// lifecycle. States come before numbers, numbers before times, and times before text. The zero value is not a key; see
// KeyOf. Keys have no meaning outside of this process.
type SortKey struct {
	kind keyKind
	num  float64 // rank of a state, length of a document, seconds of a time
	nano uint32  // nanoseconds of a time
	text string  // text, or the digits of a number
}

type keyKind byte

const (
	keyState keyKind = iota + 1
	keyNumber
	keyTime
	keyText
	keyDocument
	keyMissing keyKind = missingByte
)

// missingByte is the first byte of the key of a row without a value. No other key begins with it.
const missingByte = 0xff

// KeyOf returns the sort key of a row at a path.
func KeyOf(r Row, path string) SortKey {
	v, ok := r.At(path)
	if !ok {
		return SortKey{kind: keyMissing}
	}
	return ValueKey(r.Kind(), path, v)
}

// ValueKey returns the sort key of the value at a path in an item of entity e, which may be nil.
func ValueKey(e *models.Entity, path string, v types.AttributeValue) SortKey {
	switch v := v.(type) {
	case nil, *types.AttributeValueMemberNULL:
		return SortKey{kind: keyMissing}
	case *types.AttributeValueMemberN:
		if at, ok := timeKey(e, path, v.Value); ok {
			return at
		}
		return numberKey(v.Value)
	case *types.AttributeValueMemberL:
		return SortKey{kind: keyDocument, num: float64(len(v.Value))}
	case *types.AttributeValueMemberM:
		return SortKey{kind: keyDocument, num: float64(len(v.Value))}
	}
	text, ok := models.ValueText(v)
	if !ok {
		return SortKey{kind: keyDocument, text: string(models.AppendValueJSON(nil, v))}
	}
	if e != nil {
		if l := e.Lifecycle(path); l != nil {
			if i := slices.IndexFunc(l.States, func(s *models.State) bool { return s.Name == text }); i >= 0 {
				return SortKey{kind: keyState, num: float64(i)}
			}
		}
	}
	if at, ok := timeKey(e, path, text); ok {
		return at
	}
	return TextKey(text)
}

// TextKey returns a key that sorts by text and ignores case.
func TextKey(text string) SortKey { return SortKey{kind: keyText, text: strings.ToLower(text)} }

// ScoreKey returns a key that sorts by score, with the highest score first in ascending order.
func ScoreKey(score int) SortKey { return SortKey{kind: keyState, num: -float64(score)} }

func numberKey(digits string) SortKey {
	if _, ok := models.AppendNumberKey(nil, digits); !ok {
		return SortKey{kind: keyText, text: digits}
	}
	return SortKey{kind: keyNumber, text: digits}
}

func timeKey(e *models.Entity, path, text string) (SortKey, bool) {
	f := formatOf(e, path)
	if !f.IsTime() {
		return SortKey{}, false
	}
	t, ok := f.ReadTime(text)
	return SortKey{kind: keyTime, num: float64(t.Unix()), nano: uint32(t.Nanosecond())}, ok
}

// Append appends the key as bytes, which bytes.Compare orders like the keys. A million keys in this form need little
// memory and compare fast. The caller uses missingByte to put rows without a value last in both directions.
func (k SortKey) Append(b []byte) []byte {
	b = append(b, byte(k.kind))
	switch k.kind {
	case keyMissing:
		return b
	case keyNumber:
		b, _ = models.AppendNumberKey(b, k.text)
		return b
	case keyTime:
		b = appendSeconds(b, int64(k.num))
		return trimZeros(binary.BigEndian.AppendUint32(b, k.nano))
	case keyState:
		return trimZeros(binary.BigEndian.AppendUint64(b, floatBits(k.num)))
	case keyDocument:
		b = binary.BigEndian.AppendUint64(b, floatBits(k.num))
	case keyText:
	}
	return append(b, k.text...)
}

// appendSeconds appends six bytes, which fit the head of a ranked row. Times outside four million years sort at an end.
func appendSeconds(b []byte, seconds int64) []byte {
	const maximum = 1<<47 - 1
	n := uint64(min(max(seconds, -maximum), maximum) + maximum)
	return append(b, byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// trimZeros shortens a key without changing its order: a prefix of a key comes first, like the same key with zeros.
func trimZeros(b []byte) []byte { return bytes.TrimRight(b, "\x00") }

func floatBits(f float64) uint64 {
	bits := math.Float64bits(f + 0) // adding 0 turns negative zero into zero
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}
