package cases

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

var pseudonyms = seededPseudonymizer(7, []string{"ver_", "ver_x_", "", "usr-"})

// formatGenerators generates values of every format. Pseudonyms keep the format.
func formatGenerators() map[string]*rapid.Generator[string] {
	uuid := rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	return map[string]*rapid.Generator[string]{
		"email": rapid.StringMatching(`[a-z]{1,12}(\.[a-z]{1,9})?@[a-z]{2,12}\.(com|bw|co\.za)`), "e164": rapid.StringMatching(`\+[1-9][0-9]{6,14}`),
		"uuid": uuid, "uuid7": rapid.Map(uuid, func(s string) string { return s[:14] + "7" + s[15:] }),
		"ulid":   rapid.StringMatching(`[0-7][0-9A-HJKMNP-TV-Z]{24}[A-H]`),
		"sha256": rapid.StringMatching(`[0-9a-f]{63}a`),
		"ip":     rapid.StringMatching(`(10|203|9)\.[1-9][0-9]?\.1[0-9]{2}\.[1-9]`),
		"url":    rapid.StringMatching(`https://[a-z]{2,9}\.com/[a-z]{0,20}(\?token=[a-z]{9})?`),
		"domain": rapid.StringMatching(`[a-z]{2,20}\.(com|org)`), "cents": rapid.StringMatching(`[1-9][0-9]{0,12}`),
		"date":          rapid.StringMatching(`(19[0-9]{2}|20[0-2][0-9])-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])`),
		"iso8601":       rapid.StringMatching(`20[0-2][0-9]-(0[1-9]|1[0-2])-(0[1-9]|2[0-8])T(0[0-9]|1[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z`),
		"iso8601-ms":    rapid.StringMatching(`20[0-2][0-9]-(0[1-9]|1[0-2])-(0[1-9]|2[0-8])T(0[0-9]|1[0-9]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z`),
		"epoch-seconds": rapid.StringMatching("1[0-9]{9}"), "epoch-millis": rapid.StringMatching("1[0-9]{12}"),
	}
}

// A pseudonym is valid in the format of its value, is stable, and is not shared by two values of a format.
func TestPseudonymsKeepFormatAndEquality(t *testing.T) {
	for name, values := range formatGenerators() {
		f := models.Format(name)
		rapid.Check(t, func(t *rapid.T) {
			a, b := values.Draw(t, "a"), values.Draw(t, "b")
			if err := f.Check(a); err != nil {
				t.Fatalf("the test value is invalid: %v", err)
			}
			pa, pb := pseudonyms.text(a, f), pseudonyms.text(b, f)
			if err := f.Check(pa); err != nil {
				t.Fatalf("the %s pseudonym of %q is invalid: %v", f, a, err)
			}
			if second := pseudonyms.text(a, f); second != pa || (a == b) != (pa == pb) {
				t.Fatalf("%q and %q become %q and %q, then %q", a, b, pa, pb, second)
			}
			if len(a) > 8 && strings.Contains(pa, a) {
				t.Fatalf("%q is part of its pseudonym %q", a, pa)
			}
			// The value reveals its format, so an attribute without a declared format has the same pseudonym.
			if free := pseudonyms.text(a, models.NoFormat); !f.IsTime() && f != models.Domain && free != pa {
				t.Fatalf("%q becomes %q with its format and %q without", a, pa, free)
			}
		})
	}
}

// Pseudonyms keep the case of letters, replace digits by digits, and do not change other characters.
func TestWordPseudonymsKeepTheirShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Za-z][A-Za-z0-9_:/+-]{0,40}`).Draw(t, "value")
		got := pseudonyms.text(value, models.NoFormat)
		if len(got) != len(value) {
			t.Fatalf("%q does not have the length of %q", got, value)
		}
		for i, r := range value {
			p := rune(got[i])
			if unicode.IsUpper(r) != unicode.IsUpper(p) || unicode.IsLower(r) != unicode.IsLower(p) || unicode.IsDigit(r) != unicode.IsDigit(p) ||
				!unicode.IsLetter(r) && !unicode.IsDigit(r) && p != r {
				t.Fatalf("%q becomes %q", value, got)
			}
		}
		if low := pseudonyms.text(strings.ToLower(value), models.NoFormat); low != strings.ToLower(got) {
			t.Fatalf("%q becomes %q, but lowercase %q", value, got, low)
		}
	})
}

// No two short values share a pseudonym, so two items never get the same key.
func TestShortValuesDoNotSharePseudonyms(t *testing.T) {
	for _, all := range [][]string{
		func() (list []string) {
			for i := 100; i < 1000; i++ {
				list = append(list, fmt.Sprint(i))
			}
			return list
		}(),
		func() (list []string) {
			for i := range 26 * 26 {
				list = append(list, string([]byte{'a' + byte(i/26), 'a' + byte(i%26)}))
			}
			return list
		}(),
		{"1990-01-01", "1990-01-02", "1990-01-03"},
	} {
		previous := map[string]string{}
		for _, v := range all {
			p := pseudonyms.text(v, models.NoFormat)
			if other, taken := previous[p]; taken {
				t.Errorf("%q and %q both become %q", v, other, p)
			}
			previous[p] = v
		}
	}
}

func TestNumberPseudonymsAreNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{0,6}[1-9])?`).Filter(func(s string) bool { return s != "-0" }).Draw(t, "value")
		got := pseudonyms.number(value, models.NoFormat)
		exact, err := models.CanonicalNumber(got)
		if err != nil || exact != got || len(got) != len(value) {
			t.Fatalf("%s becomes %s (%s, %v), want a number of equal length", value, got, exact, err)
		}
		if text := pseudonyms.text(value, models.NoFormat); text != got {
			t.Fatalf("%s becomes %s as a number and %s as text", value, got, text)
		}
	})
}

func TestPseudonymsKeepPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"ver_", "ver_x_", "usr-"}).Draw(t, "prefix")
		rest := rapid.StringMatching(`[a-z]{5,12}`).Draw(t, "rest")
		if got := pseudonyms.text(prefix+rest, models.NoFormat); got != prefix+pseudonyms.text(rest, models.NoFormat) || got == prefix+rest {
			t.Fatalf("%s%s becomes %s, want the prefix and another suffix", prefix, rest, got)
		}
	})
}

// A pseudonym of prose only keeps the class of its length.
func TestProsePseudonymsKeepLengthClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Z][a-zé]{3,9}( [A-Za-z0-9]{1,12}){1,30}`).Draw(t, "value")
		got := pseudonyms.text(value, models.NoFormat)
		if len(got) < len(value)/2 || len(got) > 2*len(value)+8 {
			t.Fatalf("%d bytes become %d", len(value), len(got))
		}
		for word := range strings.FieldsSeq(value) {
			if len(word) > 8 && strings.Contains(strings.ToLower(got), strings.ToLower(word)) {
				t.Fatalf("the word %q is part of %q", word, got)
			}
		}
	})
	if got := pseudonyms.text(`{"name":"Kabo","age":3}`, models.NoFormat); !strings.HasPrefix(got, `{"pseudonym":"`) || strings.Contains(got, "Kabo") {
		t.Errorf("a document becomes %s", got)
	}
	if got := pseudonyms.text(`["Kabo"]`, models.NoFormat); !strings.HasPrefix(got, `["`) || strings.Contains(got, "Kabo") {
		t.Errorf("a list becomes %s", got)
	}
}

// Another case has other pseudonyms.
func TestPseudonymsAreRandom(t *testing.T) {
	other := seededPseudonymizer(8, nil)
	for name, values := range formatGenerators() {
		if v := values.Example(1); pseudonyms.text(v, models.Format(name)) == other.text(v, models.Format(name)) {
			t.Errorf("two cases have the same pseudonym of %q", v)
		}
	}
	if bytes.Equal(pseudonyms.bytes([]byte("Kabo")), other.bytes([]byte("Kabo"))) || pseudonyms.opaque("ver_s3cret") == other.opaque("ver_s3cret") {
		t.Error("two cases have the same pseudonym of bytes or an opaque value")
	}
	if got := pseudonyms.opaque("ver_s3cret"); !strings.HasPrefix(got, "ver_") || strings.Contains(got, "s3c") {
		t.Errorf("a secret becomes %s", got)
	}
}

func TestFewValuesDoNotSharePseudonyms(t *testing.T) {
	colors := []string{"red", "green", "blue", "black"}
	previous := map[string]bool{}
	for _, v := range colors {
		previous[pseudonyms.choice(v, colors)] = true
	}
	for _, v := range colors {
		if !previous[v] {
			t.Errorf("no value became %s: %v", v, previous)
		}
	}
	if got := pseudonyms.choice("mauve", colors); len(got) != 5 || got == "mauve" {
		t.Errorf("an unlisted value becomes %q, want another 5 letters", got)
	}
}

func TestExtremeTimesRoundTrip(t *testing.T) {
	if got := pseudonyms.text("9999-12-31", models.Date); got != "9999-12-31" {
		t.Errorf("9999-12-31 becomes %s", got)
	}
	if got := pseudonyms.text("", models.Email); got != "" {
		t.Errorf("the empty text becomes %q", got)
	}
}

// Every day of a span becomes a different day, and no two days become the same day.
func TestDayPseudonymDiffers(t *testing.T) {
	previous := map[string]bool{}
	for day := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
		text := day.Format(time.DateOnly)
		moved := pseudonyms.text(text, models.Date)
		if moved == text || previous[moved] {
			t.Fatalf("%s becomes %s, which occurred before: %v", text, moved, previous[moved])
		}
		previous[moved] = true
	}
}

func TestPseudonymsKeepRareFormats(t *testing.T) {
	for value, f := range map[string]models.Format{
		"2001:4860:4860::8888": models.IP, "shop.example.com:8443": models.Domain,
		"2026-01-14T10:00:00Z": models.ISO8601Any, "2026-01-14T10:00:00.250Z": models.ISO8601Any,
		"2026-01-14T10:00:00.123456Z": models.ISO8601Any, "2026-01-14T10:00:00.5+01:00": models.ISO8601Any,
	} {
		if got := pseudonyms.text(value, f); got == value || f.Check(got) != nil || f == models.ISO8601Any && len(got) != len(value) {
			t.Errorf("%s becomes %s", value, got)
		}
	}
}
