package models_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestCheckNumber(t *testing.T) {
	digits38 := strings.Repeat("9", 38)
	tests := []struct{ text, says string }{
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
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.says)
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
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	if _, err := models.CanonicalNumber("soon"); err == nil {
		t.Error("text is a number")
	}
	rapid.Check(t, func(t *rapid.T) {
		text, exact := drawNumber(t, "number")
		got, err := models.CanonicalNumber(text)
		if err != nil || models.CompareNumbers(text, got) != 0 {
			t.Fatalf("%s is %s (%v)", text, got, err)
		}
		if again, err := models.CanonicalNumber(exact.FloatString(95)); err != nil || again != got {
			t.Fatalf("another spelling of %s is %s (%v), want %s", text, again, err, got)
		}
	})
}

// drawNumber draws a number of up to 38 digits as mantissa and exponent.
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

// TestCompareNumbers against arithmetic on whole numbers.
func TestCompareNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := drawNumber(t, "a")
		b, y := drawNumber(t, "b")
		if rapid.Bool().Draw(t, "equal in another spelling") {
			b, y = x.FloatString(95), x
		}
		if got := models.CompareNumbers(a, b); got != x.Cmp(y) || got != -models.CompareNumbers(b, a) {
			t.Fatalf("%s against %s is %d, want %d", a, b, got, x.Cmp(y))
		}
		if err := models.CheckNumber(a); err != nil {
			t.Fatalf("a number in range is refused: %v", err)
		}
	})
	ordered := []string{
		"", "NaN", "soon", "-1E125", "-2", "-0.1", "0", "1E-130", "9.9", "10", "12345678901234567890123456789012345677",
		"12345678901234567890123456789012345678",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := models.CompareNumbers(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%q against %q is %d", a, b, got)
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
			t.Errorf("%s %q is %s (%v)", tt.kind, tt.text, got, err)
		}
	}
	for kind, text := range map[models.Type]string{models.TypeN: "one", models.TypeBOOL: "True", models.TypeM: "{}", models.TypeB: "AA="} {
		if v, err := models.ScalarValue(kind, text); err == nil {
			t.Errorf("%s %q is %v", kind, text, v)
		}
	}
}

// Number keys sort as the numbers do, and equal numbers have equal keys.
func TestNumberKeysSortAsNumbers(t *testing.T) {
	key := func(text string) []byte {
		k, ok := models.AppendNumberKey(nil, text)
		if !ok {
			t.Fatalf("%s is not a number", text)
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
		t.Error("text has a number key")
	}
	rapid.Check(t, func(t *rapid.T) {
		a, _ := drawNumber(t, "a")
		b, _ := drawNumber(t, "b")
		ka, _ := models.AppendNumberKey(nil, a)
		kb, _ := models.AppendNumberKey(nil, b)
		if bytes.Compare(ka, kb) != models.CompareNumbers(a, b) {
			t.Fatalf("the keys of %s and %s sort as %d, the numbers as %d", a, b, bytes.Compare(ka, kb), models.CompareNumbers(a, b))
		}
	})
}
