// Encoded keys and numbers sort exactly like their values.

package attribute

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// anyNumber generates numbers of the whole range, many of them close to each other.
func anyNumber() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		digits := rapid.StringMatching(`[0-9]{1,38}`).Draw(t, "digits")
		exp := rapid.OneOf(rapid.IntRange(-3, 3), rapid.IntRange(-130, 88)).Draw(t, "exp")
		return sign + digits + "E" + big.NewInt(int64(exp)).String()
	})
}

func rat(t testing.TB, s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is not a valid number", s)
	}
	return r
}

func TestKeyOrderIsNumericOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := anyNumber().Draw(rt, "a"), anyNumber().Draw(rt, "b")
		na, errA := NormalNumber(a)
		nb, errB := NormalNumber(b)
		if errA != nil || errB != nil {
			rt.Skip("out of range")
		}
		want := rat(t, a).Cmp(rat(t, b))
		ka, kb := AppendKeyPart(nil, Value{Kind: N, Str: na}), AppendKeyPart(nil, Value{Kind: N, Str: nb})
		if got := bytes.Compare(ka, kb); got != want {
			rt.Fatalf("%s and %s compare as %d by key, but as %d by value", a, b, got, want)
		}
		if got := compareNumbers(na, nb); got != want {
			rt.Fatalf("compareNumbers(%s, %s) = %d, want %d", na, nb, got, want)
		}
		if want != 0 && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
			rt.Fatalf("the key of %s is a prefix of the key of %s, or the reverse", a, b)
		}
	})
}

func TestKeyOrderIsTextOrder(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 0x7f, 0xfe, 0xff}), 0, 5).Draw(t, "bytes"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "a"), text.Draw(rt, "b")
		ka, kb := AppendKeyPart(nil, Value{Kind: B, Str: a}), AppendKeyPart(nil, Value{Kind: B, Str: b})
		if got, want := bytes.Compare(ka, kb), strings.Compare(a, b); got != want {
			rt.Fatalf("%q and %q compare as %d by key, but as %d by bytes", a, b, got, want)
		}
		if a != b && bytes.HasPrefix(ka, kb) {
			rt.Fatalf("the key of %q starts with the key of %q", a, b)
		}
		if got, want := bytes.HasPrefix(ka, AppendKeyPrefix(nil, b)), strings.HasPrefix(a, b); got && !want {
			rt.Fatalf("%q does not start with %q, but its key does", a, b)
		} else if want && !got {
			rt.Fatalf("%q starts with %q, but its key does not", a, b)
		}
	})
}

func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := anyNumber().Draw(rt, "a"), anyNumber().Draw(rt, "b")
		da, errA := parseDecimal(a)
		db, errB := parseDecimal(b)
		if errA != nil || errB != nil {
			rt.Skip("out of range")
		}
		if got, want := rat(t, da.plus(db).String()), new(big.Rat).Add(rat(t, a), rat(t, b)); got.Cmp(want) != 0 {
			rt.Fatalf("%s + %s = %s", a, b, got)
		}
		db.negative = !db.negative
		if got, want := rat(t, da.plus(db).String()), new(big.Rat).Sub(rat(t, a), rat(t, b)); got.Cmp(want) != 0 {
			rt.Fatalf("%s - %s = %s", a, b, got)
		}
	})
}

func TestNumbersOutOfRangeAreRejected(t *testing.T) {
	const (
		over  = "Number overflow. Attempting to store a number with magnitude larger than supported range"
		under = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
		long  = "Attempting to store more than 38 significant digits in a Number"
	)
	for in, want := range map[string]string{
		"9.9999999999999999999999999999999999999E+125": "", "1E-130": "", "-1E-130": "", "1E126": over, "-1E126": over, "1E-131": under,
		"1E99999999999999999999": over, "1E-99999999999999999999": under, "0E125": "", "0E99999999999": over, "0E-131": under,
		"123456789012345678901234567890123456789": long, "1.00000000000000000000000000000000000000000": "",
		"": "The parameter cannot be converted to a numeric value", "abc": "The parameter cannot be converted to a numeric value: abc",
		" 5": "The parameter cannot be converted to a numeric value:  5", "1e": "The parameter cannot be converted to a numeric value: 1e",
		".": "The parameter cannot be converted to a numeric value: .", "NaN": "The parameter cannot be converted to a numeric value: NaN",
		"0x10": "The parameter cannot be converted to a numeric value: 0x10",
		"--1":  "The parameter cannot be converted to a numeric value: --1",
	} {
		got := ""
		if _, err := NormalNumber(in); err != nil {
			got = err.Message
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestNumberSizeCountsDigitPairs(t *testing.T) {
	for in, want := range map[string]int{
		"0": 1, "1": 2, "12": 2, "123": 3, "100": 2, "-1": 2, "-15": 2, "0.5": 2, "0.005": 2, "1.5": 2, "1.05": 3, "3.14159": 4,
		"100.5": 3, "123456": 4, "12345678901234567890123456789012345678": 20,
	} {
		if got := numberSize(in); got != want {
			t.Errorf("numberSize(%s) = %d, want %d", in, got, want)
		}
	}
}

// anyValue generates values of every kind, nested a few levels.
func anyValue(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		kinds := []Kind{S, N, B, BOOL, NULL, SS, NS, BS}
		if depth > 0 {
			kinds = append(kinds, L, M)
		}
		v := Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		number := rapid.Custom(func(t *rapid.T) string {
			n, err := NormalNumber(anyNumber().Draw(t, "number"))
			if err != nil {
				return "0"
			}
			return n
		})
		switch v.Kind {
		case S, B:
			v.Str = rapid.String().Draw(t, "text")
		case N:
			v.Str = number.Draw(t, "number")
		case BOOL:
			v.Truth = rapid.Bool().Draw(t, "truth")
		case SS, BS:
			v.Set = rapid.SliceOfNDistinct(rapid.String(), 1, 4, rapid.ID).Draw(t, "set")
		case NS:
			v.Set = rapid.SliceOfNDistinct(number, 1, 4, rapid.ID).Draw(t, "set")
		case L:
			v.List = rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "list")
		case M:
			v.Fields = rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 3).Draw(t, "fields")
		default: // NULL contains nothing.
		}
		return v
	})
}

func TestStoredItemsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := Item(rapid.MapOfN(rapid.String(), anyValue(3), 0, 5).Draw(rt, "item"))
		data := EncodeItem(it)
		decoded, err := DecodeItem(data)
		if err != nil || !it.Equal(decoded) {
			rt.Fatalf("got %v, %v, want %v", decoded, err, it)
		}
		for _, name := range append(slices.Collect(maps.Keys(it)), "of no attribute, or of a nested one") {
			if v, err := Lookup(data, name); err != nil || !v.Equal(it[name]) {
				rt.Fatalf("Lookup(%q) = %v, %v, want %v", name, v, err, it[name])
			}
		}
		written, size, err := AppendRow(nil, data)
		if err != nil || size != it.Size() {
			rt.Fatalf("AppendRow returned size %d, %v, want %d", size, err, it.Size())
		}
		if diff := cmp.Diff(parsed(rt, AppendItem(nil, it)), parsed(rt, written)); diff != "" {
			rt.Fatal(diff)
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(rt, "cut")
		if _, err := DecodeItem(data[:cut]); err == nil {
			rt.Fatalf("DecodeItem accepted %d of %d bytes", cut, len(data))
		}
		if _, err := Lookup(data[:cut], "of no attribute, or of a nested one"); err == nil {
			rt.Fatalf("Lookup accepted %d of %d bytes", cut, len(data))
		}
		if _, _, err := AppendRow(nil, data[:cut]); err == nil {
			rt.Fatalf("AppendRow accepted %d of %d bytes", cut, len(data))
		}
	})
}

func parsed(t rapid.TB, document []byte) (out any) {
	t.Helper()
	if err := json.Unmarshal(document, &out); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return out
}

func FuzzDecodeItem(f *testing.F) {
	f.Add(EncodeItem(Item{"a": {Kind: L, List: []Value{String("x")}}, "b": {Kind: NS, Set: []string{"1"}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Damaged rows must cause errors, never a panic or a huge allocation.
		_, err := DecodeItem(data)
		if _, lookupErr := Lookup(data, "a"); err == nil && lookupErr != nil {
			t.Errorf("Lookup rejected a row that DecodeItem accepts: %v", lookupErr)
		}
		if _, _, jsonErr := AppendRow(nil, data); (err == nil) != (jsonErr == nil) {
			t.Errorf("DecodeItem returned %v, but AppendRow %v", err, jsonErr)
		}
	})
}

func TestKeyPartSizeExcludesFollowingBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := anyValue(0).Filter(func(v Value) bool { return v.Kind <= B }).Draw(rt, "value")
		key := AppendKeyPart(nil, v)
		tail := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 0xff}), 0, 5).Draw(rt, "tail")
		if got := KeyPartSize(v.Kind, append(slices.Clone(key), tail...)); got != len(key) {
			rt.Fatalf("KeyPartSize of %v must be %d, got %d", v, len(key), got)
		}
		if got := KeyPartSize(v.Kind, key[:rapid.IntRange(0, len(key)-1).Draw(rt, "cut")]); got != -1 {
			rt.Fatalf("KeyPartSize of a truncated key of %v = %d, want -1", v, got)
		}
	})
}

// sdkValue converts a value to the SDK's type.
func sdkValue(v Value) types.AttributeValue {
	switch v.Kind {
	case N:
		return &types.AttributeValueMemberN{Value: v.Str}
	case B:
		return &types.AttributeValueMemberB{Value: []byte(v.Str)}
	case BOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Truth}
	case NULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case SS:
		return &types.AttributeValueMemberSS{Value: v.Set}
	case NS:
		return &types.AttributeValueMemberNS{Value: v.Set}
	case BS:
		var set [][]byte
		for _, s := range v.Set {
			set = append(set, []byte(s))
		}
		return &types.AttributeValueMemberBS{Value: set}
	case L:
		list := make([]types.AttributeValue, len(v.List))
		for i, element := range v.List {
			list[i] = sdkValue(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	case M:
		return &types.AttributeValueMemberM{Value: sdkItem(v.Fields)}
	default:
		return models.StringValue(v.Str)
	}
}

func sdkItem(it Item) models.Item {
	out := make(models.Item, len(it))
	for name, v := range it {
		out[name] = sdkValue(v)
	}
	return out
}

func TestItemSizeEqualsSizeOfModels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := Item(rapid.MapOfN(rapid.String(), anyValue(3), 0, 5).Draw(rt, "item"))
		if got, want := sdkItem(it).Size(), it.Size(); got != want {
			rt.Fatalf("models counts %d bytes, the store %d: %v", got, want, it)
		}
	})
}

func TestNumberSizeDoesNotDependOnSpelling(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spelled := anyNumber().Draw(rt, "number")
		normal, err := NormalNumber(spelled)
		if err != nil {
			rt.Skip("out of range")
		}
		it := models.Item{"": &types.AttributeValueMemberN{Value: spelled}}
		if got, want := it.Size(), numberSize(normal); got != want {
			rt.Fatalf("%s has %d bytes, but %s has %d", spelled, got, normal, want)
		}
	})
}
