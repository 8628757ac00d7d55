package profiles_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// everyTemplate runs f for every key template of every built-in schema.
func everyTemplate(t *testing.T, f func(t *testing.T, e *models.Entity, tmpl models.Template)) {
	t.Helper()
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		for _, e := range p.Entities {
			for _, name := range e.KeyNames() {
				tmpl, _ := e.KeyTemplate(name)
				t.Run(e.Name+"."+name, func(t *testing.T) { f(t, e, tmpl) })
			}
		}
	})
}

// momentGen generates times in whole seconds.
var momentGen = rapid.Custom(func(t *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(0, 4_102_444_800).Draw(t, "second"), 0).UTC()
})

// placeholderGen generates a value of the placeholder's attribute. Text may contain anything, including delimiters.
func placeholderGen(a *models.Attribute, s models.Segment, maps []string) *rapid.Generator[string] {
	timed := a.Format.IsTime() || s.Format.IsTime()
	return rapid.Custom(func(t *rapid.T) string {
		switch {
		case timed:
			f := a.Format
			if !f.IsTime() {
				f = models.ISO8601
			}
			text, _ := f.FormatTime(momentGen.Draw(t, "moment"))
			return text
		case len(maps) > 0:
			return rapid.SampledFrom(maps).Draw(t, "mapped")
		default:
			return rapid.OneOf(
				rapid.StringMatching(`[a-zA-Z0-9#_. é\-]{1,20}`),
				rapid.SampledFrom([]string{"#", "a#", "#a", "CASE#1", "é", "ver_1", "##"}),
				rapid.StringN(1, 12, 40),
			).Draw(t, "text")
		}
	})
}

// mappedValues returns the attribute's values if the placeholder maps them to other text, or nil.
func mappedValues(a *models.Attribute, s models.Segment) []string {
	if s.Format == models.NoFormat || s.Format.IsTime() || slices.Contains(models.KeyFormats(), string(s.Format)) {
		return nil
	}
	return a.Enum
}

func TestTemplatesRoundTripValues(t *testing.T) {
	everyTemplate(t, func(t *testing.T, e *models.Entity, tmpl models.Template) {
		rapid.Check(t, func(t *rapid.T) {
			values := map[string]string{}
			for _, s := range tmpl.Segments() {
				if _, have := values[s.Name]; s.Name != "" && !have {
					a := e.Attribute(s.Name)
					values[s.Name] = placeholderGen(a, s, mappedValues(a, s)).Draw(t, s.Name)
				}
			}
			key, err := tmpl.Format(models.MapValues(values))
			if err != nil {
				if _, ok := errors.AsType[*models.ValueError](err); !ok {
					t.Fatalf("got %v, want a *ValueError", err)
				}
				if !isRefusable(tmpl, values) {
					t.Fatalf("Format rejected %q: %v", values, err)
				}
				return
			}
			m, err := tmpl.ParseItem(key, storedValues(e, values))
			if err != nil {
				t.Fatalf("%q from %q cannot be parsed: %v", key, values, err)
			}
			for i, s := range tmpl.Segments() {
				if s.Name == "" {
					continue
				}
				if err := samePart(tmpl, i, values[s.Name], m.Values[s.Name]); err != nil {
					t.Fatalf("key %q: %v", key, err)
				}
			}
			second, err := tmpl.Format(models.MapValues(values))
			if err != nil || second != key {
				t.Fatalf("formatted %q, then %q: %v", key, second, err)
			}
		})
	})
}

// storedValues returns the values that items store as attributes.
func storedValues(e *models.Entity, values map[string]string) models.Values {
	return func(name string) (string, bool) {
		if a := e.Attribute(name); a == nil || a.KeyOnly {
			return "", false
		}
		v, ok := values[name]
		return v, ok
	}
}

// isRefusable reports whether a template may reject a value because it is empty or makes the following text ambiguous.
func isRefusable(tmpl models.Template, values map[string]string) bool {
	for i, s := range tmpl.Segments() {
		v := values[s.Name]
		if s.Name == "" {
			continue
		}
		after := strings.Join(tmpl.After(i), "")
		if v == "" || after != "" && strings.Contains(v+after, after) && strings.Index(v+after, after) < len(v) {
			return true
		}
	}
	return false
}

// samePart compares a placeholder's value with the value from the key. If the key contains only a part of a time, such
// as a day, samePart compares that part.
func samePart(tmpl models.Template, i int, want, got string) error {
	s := tmpl.Segments()[i]
	if want == got {
		return nil
	}
	if !s.Format.IsTime() {
		return fmt.Errorf("%s was %q and reads %q", s.Name, want, got)
	}
	x, err := models.ParseTime(want, time.Time{})
	if err != nil {
		return err
	}
	y, err := models.ParseTime(got, time.Time{})
	if err != nil {
		return err
	}
	a, _ := s.Format.FormatTime(x.Time)
	b, _ := s.Format.FormatTime(y.Time)
	if a != b {
		return fmt.Errorf("%s was %q (%s) and reads %q (%s)", s.Name, want, a, got, b)
	}
	return nil
}

func TestDelimitersInValuesDoNotMoveKeyParts(t *testing.T) {
	everyTemplate(t, func(t *testing.T, e *models.Entity, tmpl models.Template) {
		segs := tmpl.Segments()
		for i, s := range segs {
			after := strings.Join(tmpl.After(i), "")
			a := e.Attribute(s.Name)
			if s.Name == "" || after == "" || s.Format != models.NoFormat || a.Format.IsTime() {
				continue
			}
			for _, evil := range []string{after, "x" + after, after + "x", "x" + after + "y"} {
				values := func(name string) (string, bool) {
					if name == s.Name {
						return evil, true
					}
					if b := e.Attribute(name); b.Format.IsTime() {
						text, _ := b.Format.FormatTime(schemas.Now)
						return text, true
					}
					return "v", name != ""
				}
				key, err := tmpl.Format(values)
				var v *models.ValueError
				if err != nil {
					if !errors.As(err, &v) || v.Name != s.Name {
						t.Errorf("%s = %q: got error %v", s.Name, evil, err)
					}
					continue
				}
				// The item determines where the value ends. The key alone determines it as well, or is ambiguous.
				stored := func(name string) (string, bool) {
					if b := e.Attribute(name); b.KeyOnly {
						return "", false
					}
					return values(name)
				}
				if m, err := tmpl.ParseItem(key, stored); err != nil || m.Values[s.Name] != evil {
					t.Errorf("%s = %q of the item was parsed as %q from %q, %v", s.Name, evil, m.Values[s.Name], key, err)
				}
				if m, err := tmpl.Parse(key); err != nil || m.Values[s.Name] != evil && !m.Ambiguous {
					t.Errorf("%s = %q was parsed as %q from %q, %v", s.Name, evil, m.Values[s.Name], key, err)
				}
			}
		}
	})
}

// TestParsedKeysCanBeFormatted parses keys that are almost valid. If a key is not ambiguous, its values must produce
// the same key, byte for byte.
func TestParsedKeysCanBeFormatted(t *testing.T) {
	everyTemplate(t, func(t *testing.T, e *models.Entity, tmpl models.Template) {
		read := 0
		rapid.Check(t, func(t *rapid.T) {
			var b strings.Builder
			for _, s := range tmpl.Segments() {
				switch {
				case s.Name == "" && rapid.IntRange(0, 9).Draw(t, "spoil") == 0:
					b.WriteString(rapid.StringMatching(`[A-Z#]{0,3}`).Draw(t, "literal"))
				case s.Name == "":
					b.WriteString(s.Literal)
				case s.Format.IsTime():
					text, _ := s.Format.FormatTime(momentGen.Draw(t, "moment"))
					b.WriteString(text)
				default:
					b.WriteString(placeholderGen(e.Attribute(s.Name), s, nil).Draw(t, s.Name))
				}
			}
			m, err := tmpl.Parse(b.String())
			if err != nil {
				return
			}
			read++
			second, err := tmpl.Format(models.MapValues(m.Values))
			if err != nil && utf8.ValidString(b.String()) && !m.Ambiguous {
				t.Fatalf("%q is parsed as %q, which cannot be formatted: %v", b.String(), m.Values, err)
			}
			if err == nil && second != b.String() {
				t.Fatalf("%q is parsed as %q, which gives %q", b.String(), m.Values, second)
			}
			end := 0
			for _, span := range m.Spans {
				if span.Start != end {
					t.Fatalf("%q: the spans leave a gap at %d", b.String(), end)
				}
				end = span.End
			}
			if end != b.Len() {
				t.Fatalf("%q: the spans end at %d", b.String(), end)
			}
		})
		if _, literal := tmpl.Literal(); read == 0 && !literal && !mapped(e, tmpl) {
			t.Error("no key was parsed")
		}
	})
}

func mapped(e *models.Entity, tmpl models.Template) bool {
	for _, s := range tmpl.Segments() {
		if s.Name != "" && mappedValues(e.Attribute(s.Name), s) != nil {
			return true
		}
	}
	return false
}

// drawTemplate generates a template and the names of its placeholders.
func drawTemplate(t *rapid.T) (models.Template, []string) {
	names := []string{"a", "b.c", "d"}
	literal := rapid.SampledFrom([]string{"#", "##", "X#", "#Y", "-", "#A#", "é"})
	var b strings.Builder
	if rapid.Bool().Draw(t, "starts with text") {
		b.WriteString(literal.Draw(t, "start"))
	}
	n := rapid.IntRange(1, 3).Draw(t, "placeholders")
	tail := n > 1 && rapid.Bool().Draw(t, "has a tail")
	for i := range n {
		last := i == n-1
		if i > 0 {
			if last && tail {
				b.WriteString("[")
			}
			b.WriteString(literal.Draw(t, "between"))
		}
		b.WriteString("{" + names[i] + rapid.SampledFrom([]string{"", "", ":03d", ":upper", ":m"}).Draw(t, "format") + "}")
	}
	if rapid.Bool().Draw(t, "ends with text") {
		b.WriteString(literal.Draw(t, "end"))
	}
	if tail {
		b.WriteString("]")
	}
	tmpl, err := models.ParseTemplate(b.String(), map[string]models.ValueMap{"m": {"on": "ON", "off": "OFF#"}})
	if err != nil {
		t.Fatalf("%s: %v", b.String(), err)
	}
	return tmpl, names[:n]
}

// TestTemplatesRoundTripAnyText covers templates beyond the built-in schemas: tails, widths, cases and maps, with any
// delimiter.
func TestTemplatesRoundTripAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tmpl, names := drawTemplate(t)
		values := map[string]string{}
		for _, n := range names {
			if rapid.IntRange(0, 5).Draw(t, "missing") > 0 {
				values[n] = rapid.OneOf(
					rapid.SampledFrom([]string{"on", "off", "7", "42", "007", "1000", "", "#", "A", "X#Y", "é"}),
					rapid.StringMatching(`[AXY#é0-9\-]{1,5}`),
				).Draw(t, n)
			}
		}
		key, err := tmpl.Format(models.MapValues(values))
		if err != nil {
			if _, ok := errors.AsType[*models.ValueError](err); !ok {
				t.Fatalf("got %v, want a *ValueError", err)
			}
			return
		}
		m, err := tmpl.Parse(key)
		if err != nil {
			t.Fatalf("%s formats %q as %q and cannot parse it: %v", tmpl, values, key, err)
		}
		second, err := tmpl.Format(models.MapValues(m.Values))
		if err != nil || second != key {
			t.Fatalf("%s parses %q as %q, which gives %q: %v", tmpl, key, m.Values, second, err)
		}
		for _, s := range tmpl.Segments() {
			got, read := m.Values[s.Name]
			want := values[s.Name]
			switch s.Format {
			case "upper":
				want = strings.ToUpper(want)
			case "03d":
				if want = strings.TrimLeft(want, "0"); want == "" {
					want = "0"
				}
			default: // as it is
			}
			if s.Name != "" && read && got != want {
				t.Fatalf("%s: %q contains %s = %q, but was parsed as %q", tmpl, key, s.Name, want, got)
			}
		}
	})
}
