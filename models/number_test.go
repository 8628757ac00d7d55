package models_test

import (
	"bytes"
	stdcmp "cmp"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestCheckNumber(t *testing.T) {
	digits38 := strings.Repeat("9", 38)
	tests := []struct{ text, message string }{
		{"0", ""},
		{"-0", ""},
		{"0.000", ""},
		{"42", ""},
		{"-1.5", ""},
		{"+1", ""},
		{"1e5", ""},
		{"1E+5", ""},
		{".5", ""},
		{"5.", ""},
		{digits38, ""},
		{"-" + digits38, ""},
		{"0." + digits38, ""},
		{digits38 + "000", ""},
		{"000" + digits38, ""},
		{"0.000" + digits38, ""},
		{"1" + strings.Repeat("0", 125), ""},
		{"1E-130", ""},
		{"-1E-130", ""},
		{"9." + digits38[1:] + "E125", ""},
		{digits38 + "9", "39 significant digits"},
		{"1." + strings.Repeat("0", 37) + "1", "39 significant digits"},
		{"1E126", "outside DynamoDB's range"},
		{"-1E126", "outside DynamoDB's range"},
		{"9.9E-131", "outside DynamoDB's range"},
		{"1e-999999999999", "outside DynamoDB's range"},
		{"1e-2000000000", "outside DynamoDB's range"},
		{"1e2000000000", "outside DynamoDB's range"},
		{strings.Repeat("1", 257), "257 characters"},
		{"", "not a number"},
		{"-", "not a number"},
		{".", "not a number"},
		{"e5", "not a number"},
		{"1e", "not a number"},
		{"1-2", "not a number"},
		{"1.2.3", "not a number"},
		{"--1", "not a number"},
		{"1,5", "not a number"},
		{"1_000", "not a number"},
		{" 1", "not a number"},
		{"1 ", "not a number"},
		{"1\n", "not a number"},
		{"0x1F", "not a number"},
		{"0b1", "not a number"},
		{"1p4", "not a number"},
		{"Inf", "not a number"},
		{"NaN", "not a number"},
		{"1/2", "not a number"},
		{"١", "not a number"},
	}
	for _, tt := range tests {
		err := models.CheckNumber(tt.text)
		if (err == nil) != (tt.message == "") || err != nil && !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.message)
		}
	}
}

func TestCanonicalNumber(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "00": "0", "1.50": "1.5", "007": "7", "+5": "5", "1e2": "100", "1E+2": "100", ".5": "0.5", "5.": "5",
		"-1.0": "-1", "1e-3": "0.001", "-12.30e1": "-123", "12.345e1": "123.45", "1E-130": "0." + strings.Repeat("0", 129) + "1",
		"1E125": "1" + strings.Repeat("0", 125),
	} {
		if got, err := models.CanonicalNumber(text); err != nil || got != want {
			t.Errorf("CanonicalNumber(%q) = %q (%v), want %q", text, got, err, want)
		}
	}
	if _, err := models.CanonicalNumber("soon"); err == nil {
		t.Error("CanonicalNumber accepted text")
	}
	rapid.Check(t, func(t *rapid.T) {
		text, exact := drawNumber(t, "number")
		got, err := models.CanonicalNumber(text)
		if err != nil || models.CompareNumbers(text, got) != 0 {
			t.Fatalf("CanonicalNumber(%s) = %s (%v)", text, got, err)
		}
		if second, err := models.CanonicalNumber(exact.FloatString(95)); err != nil || second != got {
			t.Fatalf("another form of %s gives %s (%v), want %s", text, second, err, got)
		}
	})
}

// drawNumber generates a number of up to 38 digits from a mantissa and an exponent.
func drawNumber(t *rapid.T, name string) (text string, exact *big.Rat) {
	mantissa := rapid.StringMatching(`-?[0-9]{1,38}`).Draw(t, name)
	exp := rapid.IntRange(-90, 80).Draw(t, name+" exponent")
	text = fmt.Sprintf("%sE%d", mantissa, exp)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	whole, _ := new(big.Int).SetString(mantissa, 10)
	exact = new(big.Rat).SetInt(whole)
	if exp < 0 {
		return text, exact.Quo(exact, new(big.Rat).SetInt(scale))
	}
	return text, exact.Mul(exact, new(big.Rat).SetInt(scale))
}

// The test compares CompareNumbers with exact rational arithmetic.
func TestCompareNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := drawNumber(t, "a")
		b, y := drawNumber(t, "b")
		if rapid.Bool().Draw(t, "equal in another spelling") {
			b, y = x.FloatString(95), x
		}
		if got := models.CompareNumbers(a, b); got != x.Cmp(y) || got != -models.CompareNumbers(b, a) {
			t.Fatalf("CompareNumbers(%s, %s) = %d, want %d", a, b, got, x.Cmp(y))
		}
		if err := models.CheckNumber(a); err != nil {
			t.Fatalf("CheckNumber rejected a valid number: %v", err)
		}
	})
	ordered := []string{
		"", "NaN", "soon", "-1E125", "-2", "-0.1", "0", "1E-130", "9.9", "10", "12345678901234567890123456789012345677",
		"12345678901234567890123456789012345678",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := models.CompareNumbers(a, b); got != stdcmp.Compare(i, j) {
				t.Errorf("CompareNumbers(%q, %q) = %d, want %d", a, b, got, stdcmp.Compare(i, j))
			}
		}
	}
}

func TestScalarValue(t *testing.T) {
	tests := []struct {
		kind       models.Type
		text, want string
	}{
		{models.TypeS, "x", `{"S":"x"}`},
		{"", "x", `{"S":"x"}`},
		{models.TypeN, "007", `{"N":"7"}`},
		{models.TypeB, "AA==", `{"B":"AA=="}`},
		{models.TypeBOOL, "true", `{"BOOL":true}`},
		{models.TypeBOOL, "false", `{"BOOL":false}`},
	}
	for _, tt := range tests {
		a := attr("a")
		a.Type = tt.kind
		v, err := a.Value(tt.text)
		if got := string(models.AppendTypedJSON(nil, v)); err != nil || got != tt.want {
			t.Errorf("%s %q: got %s (%v)", tt.kind, tt.text, got, err)
		}
	}
	for kind, text := range map[models.Type]string{models.TypeN: "one", models.TypeBOOL: "maybe", models.TypeM: "{}", models.TypeB: "AA="} {
		if v, err := models.ScalarValue(kind, text); err == nil {
			t.Errorf("%s %q: got %v, want an error", kind, text, v)
		}
	}
}

// Equal numbers have equal keys, even in different spellings.
func TestNumberKeysSortAsNumbers(t *testing.T) {
	key := func(text string) []byte {
		k, ok := models.AppendNumberKey(nil, text)
		if !ok {
			t.Fatalf("%s is not a valid number", text)
		}
		return k
	}
	ordered := []string{"-1e125", "-12", "-11", "-1.1", "-1", "-1e-130", "0", "1e-130", "0.9", "1", "1.1", "9", "10", "1e2", "1e125"}
	for i := range len(ordered) - 1 {
		if bytes.Compare(key(ordered[i]), key(ordered[i+1])) >= 0 {
			t.Errorf("%s does not sort before %s", ordered[i], ordered[i+1])
		}
	}
	for _, same := range [][2]string{{"0", "-0.0"}, {"1", "1.0"}, {"100", "1e2"}, {"-0.5", "-.5"}} {
		if !bytes.Equal(key(same[0]), key(same[1])) {
			t.Errorf("the keys of %s and %s differ", same[0], same[1])
		}
	}
	if _, ok := models.AppendNumberKey(nil, "1x"); ok {
		t.Error("AppendNumberKey accepted text")
	}
	rapid.Check(t, func(t *rapid.T) {
		a, _ := drawNumber(t, "a")
		b, _ := drawNumber(t, "b")
		ka, _ := models.AppendNumberKey(nil, a)
		kb, _ := models.AppendNumberKey(nil, b)
		if bytes.Compare(ka, kb) != models.CompareNumbers(a, b) {
			t.Fatalf("%s and %s sort as %d by key, but as %d by value", a, b, bytes.Compare(ka, kb), models.CompareNumbers(a, b))
		}
	})
}

// People write DynamoDB JSON by hand, so ParseItem accepts numbers without quotes and Booleans in quotes.
func TestParseItemReadsEveryType(t *testing.T) {
	const text = `{
		"s": {"S": "x"}, "n": {"N": "1.50"}, "bare": {"N": 12345678901234567890}, "b": {"B": "AQI="}, "null": {"NULL": true},
		"yes": {"BOOL": true}, "no": {"BOOL": false}, "python": {"BOOL": "True"}, "not": {"BOOL": "false"}, "nothing": {"NULL": "true"},
		"m": {"M": {"in": {"S": "y"}}}, "l": {"L": [{"S": "z"}, {"N": "2"}]}, "empty": {"L": []},
		"ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", 2]}, "bs": {"BS": ["AQ=="]}
	}`
	boolean := func(v bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: v} }
	want := models.Item{
		"s": s("x"), "n": n("1.50"), "bare": n("12345678901234567890"), "b": &types.AttributeValueMemberB{Value: []byte{1, 2}}, "null": null(),
		"yes": boolean(true), "no": boolean(false), "python": boolean(true), "not": boolean(false), "nothing": null(),
		"m": m("in", s("y")), "l": l(s("z"), n("2")), "empty": l(),
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}}},
	}
	got, err := models.ParseItem([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range want {
		if !models.EqualValues(got[name], v) {
			t.Errorf("%s = %#v, want %#v", name, got[name], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d attributes, want %d", len(got), len(want))
	}
}

// The value may be personal data, so the error contains only the attribute's name and the problem.
func TestParseItemRejects(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "the text is not an item in DynamoDB JSON",
		`[]`:                         "the text is not an item in DynamoDB JSON",
		`{} {}`:                      "text follows the item",
		`{"a": "canary"}`:            `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {}}`:                  `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"S": "1", "N": 1}}`:  `attribute a: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"X": "canary"}}`:     `attribute a: unknown type "X"`,
		`{"a": {"S": 7}}`:            "attribute a: type S needs a string in quotes",
		`{"a": {"B": 7}}`:            "attribute a: type B needs a string in quotes",
		`{"a": {"B": "canary!"}}`:    "attribute a: type B needs base64",
		`{"a": {"M": "canary"}}`:     "attribute a: type M needs an object",
		`{"a": {"M": {"b": 1}}}`:     `attribute a: attribute b: needs exactly one type with its value, such as {"S": "text"}`,
		`{"a": {"L": "canary"}}`:     "attribute a: type L needs a list",
		`{"a": {"L": [{"S": 7}]}}`:   "attribute a: element 0: type S needs a string in quotes",
		`{"a": {"BOOL": "canary"}}`:  "attribute a: type BOOL needs true or false",
		`{"a": {"NULL": 1}}`:         "attribute a: type NULL needs true or false",
		`{"a": {"N": "canary"}}`:     "attribute a: type N needs a number",
		`{"a": {"NS": ["canary"]}}`:  "attribute a: element 0: type N needs a number",
		`{"a": {"SS": "canary"}}`:    "attribute a: type SS needs a list with at least one value",
		`{"a": {"SS": []}}`:          "attribute a: type SS needs a list with at least one value",
		`{"a": {"NS": ["1", "x"]}}`:  "attribute a: element 1: ",
		`{"a": {"BS": ["canary!"]}}`: "attribute a: element 0: type B needs base64",
	} {
		it, err := models.ParseItem([]byte(text))
		if err == nil || it != nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v, %v, want %q", text, it, err, want)
		}
	}
}

// anyValue generates values of every type, nested up to depth.
func anyValue(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\xff\xfe", "12345678901234567890123456789012345678"}))
		texts := rapid.SliceOfN(text, 0, 4)
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberN{Value: text.Draw(t, "n")}
		case 1:
			return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "b")}
		case 2:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 3:
			return &types.AttributeValueMemberNULL{Value: rapid.Bool().Draw(t, "null")}
		case 4:
			return &types.AttributeValueMemberSS{Value: texts.Draw(t, "ss")}
		case 5:
			return &types.AttributeValueMemberNS{Value: texts.Draw(t, "ns")}
		case 6:
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 3).Draw(t, "bs")}
		case 8:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(text, anyValue(depth-1), 0, 3).Draw(t, "m")}
		case 9:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "l")}
		default:
			return &types.AttributeValueMemberS{Value: text.Draw(t, "s")}
		}
	})
}

// pack returns an item as text.
func pack(p *models.Packer, it models.Item) (string, bool) {
	text, ok := p.AppendPacked(nil, it)
	return string(text), ok
}

func TestUnpackReturnsPackedItem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p models.Packer
		items := rapid.SliceOfN(rapid.MapOfN(rapid.String(), anyValue(3), 0, 6), 1, 5).Draw(t, "items")
		var packed []string
		var readers []models.Packer
		for _, it := range items {
			text, ok := pack(&p, it)
			if !ok {
				t.Fatal("Pack rejected an item")
			}
			packed, readers = append(packed, text), append(readers, p)
		}
		second := models.Unpacker{Packer: p}
		for i, it := range items {
			got := readers[i].Unpack(packed[i])
			want := string(models.Item(it).AppendDynamoDBJSON(nil))
			if diff := cmp.Diff(want, string(second.Unpack(packed[i]).AppendDynamoDBJSON(nil))); diff != "" {
				t.Fatalf("in reused memory (-packed +unpacked):\n%s", diff)
			}
			if diff := cmp.Diff(want, string(got.AppendDynamoDBJSON(nil))); diff != "" || !models.EqualItems(it, got) {
				t.Fatalf("(-packed +unpacked):\n%s", diff)
			}
		}
	})
}

// An Unpacker reuses its memory for the next item, but the values within an item must not overlap.
func TestUnpackerKeepsValuesApart(t *testing.T) {
	var p models.Packer
	it := models.Item{"a": s("1"), "b": s("2"), "c": n("3"), "d": n("4"), "e": l(s("5"), n("6"), s("7"))}
	text, ok := pack(&p, it)
	u := models.Unpacker{Packer: p}
	for range 2 {
		if got := u.Unpack(text); !ok || !models.EqualItems(it, got) {
			t.Errorf("%s became %s", it.AppendDynamoDBJSON(nil), got.AppendDynamoDBJSON(nil))
		}
	}
}

func TestPackRejectsUnknownTypes(t *testing.T) {
	var p models.Packer
	odd := &types.UnknownUnionMember{Tag: "X"}
	for _, it := range []models.Item{
		{"a": odd},
		{"a": nil},
		{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{odd}}},
		{"a": &types.AttributeValueMemberM{Value: models.Item{"b": odd}}},
	} {
		if _, ok := pack(&p, it); ok {
			t.Errorf("Pack accepted the unknown type in %v", it)
		}
	}
}

// Names that contain data must not fill the memory of a Packer, and it must not lose them.
func TestPackManyNames(t *testing.T) {
	var p models.Packer
	for i := range 20_000 {
		it := models.Item{fmt.Sprint("name", i): models.StringValue("v")}
		text, ok := pack(&p, it)
		if !ok || !models.EqualItems(it, p.Unpack(text)) {
			t.Fatalf("item %d was not restored", i)
		}
	}
}

// BenchmarkPack reports the memory of a packed item next to the size of its data.
func BenchmarkPack(b *testing.B) {
	items := make([]models.Item, 1000)
	read := 0
	for i := range items {
		items[i] = models.Item{}
		for _, name := range []string{
			"PK", "SK", "verificationId", "status", "clientId", "createdAt", "updatedAt", "documentType", "GSI1PK", "GSI1SK",
		} {
			items[i][name] = models.StringValue(fmt.Sprintf("%s-%08d", name, i))
		}
		read += items[i].Size()
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var p models.Packer
			packed := make([]string, len(items))
			for i, it := range items {
				packed[i], _ = pack(&p, it)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(items)), "bytes/item")
			b.ReportMetric(float64(read)/float64(len(items)), "held/item")
			runtime.KeepAlive(packed)
			runtime.KeepAlive(p)
		}
	})
	b.Run("pack", func(b *testing.B) {
		var p models.Packer
		for i := 0; b.Loop(); i++ {
			pack(&p, items[i%1000])
		}
	})
	b.Run("unpack", func(b *testing.B) {
		var p models.Packer
		text, _ := pack(&p, items[0])
		for b.Loop() {
			p.Unpack(text)
		}
	})
	b.Run("unpack again", func(b *testing.B) {
		var p models.Packer
		text, _ := pack(&p, items[0])
		u := models.Unpacker{Packer: p}
		for b.Loop() {
			u.Unpack(text)
		}
	})
}
