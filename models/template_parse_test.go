package models_test

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// testAttribute returns an attribute by name: v and w are stored, only exists in keys alone, at is a time, and n is a
// number.
func testAttribute(name string) *models.Attribute {
	a := &models.Attribute{Name: name, Path: name, Type: models.TypeS}
	switch name {
	case "only":
		a.KeyOnly = true
	case "at":
		a.Format = models.ISO8601
	case "n":
		a.Type = models.TypeN
	case "state":
		a.Enum = []string{"open", "in#review"}
	}
	return a
}

func TestValuesWithSeparatorAreSplit(t *testing.T) {
	const now = "2026-01-14T10:00:00Z"
	for _, c := range []struct {
		template, key string
		known         map[string]string
		want          string // values in the order of the template
		ambiguous     bool
	}{
		{"APPEAR#{v}#{at}", "APPEAR#a#b#" + now, nil, "a#b " + now, false},
		{"{at:iso8601}:{v}", now + ":x", nil, now + " x", false},
		{"{v}#{n}", "a#b#7", nil, "a#b 7", false},
		{"{n}#{v}", "7#a#b", nil, "7 a#b", false},
		{"{v}#{w}", "a#b#c", nil, "a b#c", true},
		{"{v}#{w}", "a#b#c", map[string]string{"v": "a#b", "w": "c"}, "a#b c", false},
		{"{v}#{only}", "a#b#c", map[string]string{"v": "a#b"}, "a#b c", false},
		{"{v}#{w}", "a#b#c", map[string]string{"v": "x"}, "a b#c", true}, // a stale key
		{"{state}#{v}", "in#review#x", nil, "in#review x", true},
		{"{v:3}#{w}", "a#b#c", nil, "a#b c", false},
		{"{v}#{n:2}#{w}", "a#bc#x#y", nil, "a bc x#y", false},
		{"A#{v}#{n}", "A##x#7", nil, "#x 7", false}, // the value begins with the separator
		{"A#{v}[#{w}]", "A#a#b", map[string]string{"v": "a#b"}, "a#b", false},
		{"A#{v}[#{w}]", "A#a#b", map[string]string{"v": "a"}, "a b", false},
		{"{v:3}{w}", "abcd#", nil, "abc d#", false},
		{"{at}{v}", now + "x", nil, now + " x", false},
		{"{v}{at}", "x" + now, nil, "x " + now, false},
		{"{v}{w}", "abc", map[string]string{"v": "ab", "w": "c"}, "ab c", false},
		{"{v}[#{w}]", "a#b", map[string]string{"v": "a#b"}, "a#b", false},
		{"{v}[#{w}]", "a#b", nil, "a b", false},
		{"{v}[#{w}]", "a##", map[string]string{"v": "a##"}, "a##", false}, // An optional tail is complete or absent.
	} {
		tmpl := parse(t, c.template).Bind(testAttribute)
		var known models.Values
		if c.known != nil {
			known = models.MapValues(c.known)
		}
		m, err := tmpl.ParseItem(c.key, known)
		var got []string
		for _, name := range tmpl.Placeholders() {
			if v, ok := m.Values[name]; ok {
				got = append(got, v)
			}
		}
		if err != nil || strings.Join(got, " ") != c.want || m.Ambiguous != c.ambiguous {
			t.Errorf("%s of %s: %q, ambiguous %v, %v; want %q, %v", c.key, c.template, got, m.Ambiguous, err, c.want, c.ambiguous)
		}
	}
}

// The key has more possible splits than Parse tries, and none of them gives a number. The search must still end.
func TestSearchEndsForHostileKeys(t *testing.T) {
	key := strings.Repeat("x#", 1000) + "none"
	if m, err := parse(t, "{a}#{b}#{c}#{d}#{e}#{n:03d}").Parse(key); err == nil {
		t.Errorf("got values %v, want an error", m.Values)
	}
}

// A value may contain the separator if Parse can still split the key, or if the item stores the value.
func TestFormatAcceptsValuesThatItemDisambiguates(t *testing.T) {
	for _, c := range []struct{ template, refused string }{
		{"{v}#{w}", ""},
		{"{v}#{at}", ""},
		{"{only}#{at}", ""},
		{"{only}#{v}", ""},
		{"{v}#{only}", ""},
		{"{only}#{other}", "only"},
		{"{only:3}#{other}", ""},
	} {
		tmpl := parse(t, c.template).Bind(func(name string) *models.Attribute {
			if name == "other" {
				name = "only"
			}
			return testAttribute(name)
		})
		_, err := tmpl.Format(func(name string) (string, bool) {
			if name == "at" {
				return "2026-01-14T10:00:00Z", true
			}
			return "a#b", true
		})
		var v *models.ValueError
		if c.refused == "" && err != nil || c.refused != "" && (!errors.As(err, &v) || v.Name != c.refused) {
			t.Errorf("%s: got %v, want an error about %q", c.template, err, c.refused)
		}
	}
}

func TestWidthsRoundTrip(t *testing.T) {
	tmpl := parse(t, "{v:3}{w:2}#{only}").Bind(testAttribute)
	rapid.Check(t, func(t *rapid.T) {
		values := map[string]string{
			"v":    rapid.StringOfN(rapid.RuneFrom([]rune("ab#é")), 3, 3, -1).Draw(t, "v"),
			"w":    rapid.StringOfN(rapid.RuneFrom([]rune("ab#é")), 2, 2, -1).Draw(t, "w"),
			"only": rapid.StringMatching(`[ab#]{1,4}`).Draw(t, "only"),
		}
		key, err := tmpl.Format(models.MapValues(values))
		if err != nil {
			t.Fatal(err)
		}
		m, err := tmpl.Parse(key)
		if err != nil || m.Ambiguous {
			t.Fatalf("%q: got error %v, want one split", key, err)
		}
		for name, v := range values {
			if m.Values[name] != v {
				t.Fatalf("%q: %s = %q, want %q", key, name, m.Values[name], v)
			}
		}
	})
}

// The layout of a time determines where the time ends, even if it contains the separator. This includes new items.
func TestTimeMayContainSeparator(t *testing.T) {
	at := &models.Attribute{Name: "at", Path: "at", Type: models.TypeS, Format: models.ISO8601}
	tmpl := parse(t, "A:{at}:{id}").Bind(func(name string) *models.Attribute {
		if name == "at" {
			return at
		}
		return nil
	})
	values := models.MapValues(map[string]string{"at": "2026-01-14T10:00:05Z", "id": "x:1"})
	if err := tmpl.CheckDelimiters(values); err != nil {
		t.Error(err)
	}
	m, err := tmpl.Parse("A:2026-01-14T10:00:05Z:x:1")
	if err != nil || m.Ambiguous || m.Values["at"] != "2026-01-14T10:00:05Z" || m.Values["id"] != "x:1" {
		t.Errorf("got values %v, ambiguous %v: %v", m.Values, m.Ambiguous, err)
	}
}

func TestSplitsAreBounded(t *testing.T) {
	m, err := parse(t, "{a}#{b}#{c}#{d}#{e}").Parse(strings.Repeat("x#", 500) + "x")
	if err != nil || !m.Ambiguous {
		t.Errorf("got ambiguous %v, %v, want true", m.Ambiguous, err)
	}
}

func TestAmbiguousPair(t *testing.T) {
	for source, want := range map[string]string{
		"{only}{only}": "only only", "{only}{v}": "", "{v}{only}": "", "{only:3}{only}": "", "{only}{at}": "", "{only}{only:3}": "",
		"{only}{only:3}#{v}": "only only", "A#{only}#{only}": "",
	} {
		first, second := parse(t, source).Bind(testAttribute).AmbiguousPair()
		if got := strings.TrimSpace(first + " " + second); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// ddbdesk makes and compares one-way keys but never decodes them, so their values may contain any text.
func TestOneWayTemplates(t *testing.T) {
	tmpl := models.MustTemplate("N#{first}{last}#{mark}").WithDigest("sha1")
	if tmpl.String() != "sha1(N#{first}{last}#{mark})" || tmpl.LiteralPrefix() != "" {
		t.Errorf("%s has the literal prefix %q", tmpl, tmpl.LiteralPrefix())
	}
	rapid.Check(t, func(t *rapid.T) {
		values := map[string]string{}
		for _, name := range tmpl.Placeholders() {
			values[name] = rapid.StringMatching(`[a-c#]{1,4}`).Draw(t, name)
		}
		key, err := tmpl.Format(models.MapValues(values))
		want := sha1.Sum([]byte("N#" + values["first"] + values["last"] + "#" + values["mark"]))
		if err != nil || key != hex.EncodeToString(want[:]) {
			t.Fatalf("%q: got key %q: %v", values, key, err)
		}
		if prefix, complete, err := tmpl.Prefix(models.MapValues(values)); prefix != key || !complete || err != nil {
			t.Fatalf("got prefix %q, %t, %v", prefix, complete, err)
		}
		if m, err := tmpl.ParseItem(key, models.MapValues(values)); err != nil || len(m.Values) > 0 {
			t.Fatalf("parsing %q with its item: got %v, %v", key, m.Values, err)
		}
		if _, err := tmpl.Parse(key); err == nil || !strings.Contains(err.Error(), "a digest is one-way, so the key cannot be decoded") {
			t.Fatalf("parsing %q without its item: got %v, want an error", key, err)
		}
		values["mark"] += "x"
		if _, err := tmpl.ParseItem(key, models.MapValues(values)); err == nil || !strings.Contains(err.Error(), "does not match the attributes") {
			t.Fatalf("parsing %q with the item %q: got %v, want an error", key, values, err)
		}
		delete(values, "last")
		if prefix, complete, err := tmpl.Prefix(models.MapValues(values)); prefix != "" || complete || err != nil {
			t.Fatalf("got prefix %q of incomplete values, %t, %v", prefix, complete, err)
		}
	})
	if _, err := tmpl.Parse("N#ab"); err == nil || !strings.Contains(err.Error(), "not a sha1 digest of 40 hexadecimal digits") {
		t.Error(err)
	}
}
