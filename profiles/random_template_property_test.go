package profiles_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// drawTemplate draws a template of any form, with the names of its
// placeholders.
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

// TestAnyTemplateReadsBackWhatItWrites is about templates of profiles that are
// not built in: tails, widths, cases and maps, with any delimiter.
func TestAnyTemplateReadsBackWhatItWrites(t *testing.T) {
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
			var v *models.ValueError
			if !errors.As(err, &v) {
				t.Fatalf("%v is no *ValueError", err)
			}
			return
		}
		m, err := tmpl.Parse(key)
		if err != nil {
			t.Fatalf("%s makes %q of %q and cannot read it: %v", tmpl, key, values, err)
		}
		again, err := tmpl.Format(models.MapValues(m.Values))
		if err != nil || again != key {
			t.Fatalf("%s reads %q as %q, which makes %q: %v", tmpl, key, m.Values, again, err)
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
				t.Fatalf("%s: %q holds %s = %q, read as %q", tmpl, key, s.Name, want, got)
			}
		}
	})
}
