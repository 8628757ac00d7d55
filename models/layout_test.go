package models_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestLayoutsSpellTimes(t *testing.T) {
	at := time.Date(2026, 1, 4, 9, 5, 7, 81_234_567, time.UTC)
	for _, c := range []struct {
		layout models.Format
		want   string
		sorts  bool
		number bool
		period string
	}{
		{"%Y-%m-%d %H:%M", "2026-01-04 09:05", true, false, ""},
		{"%Y%m%d%H%M%S", "20260104090507", true, true, ""},
		{"%Y-%m-%dT%H:%M:%S.%f+00:00", "2026-01-04T09:05:07.081234+00:00", true, false, ""},
		{"%Y-%m-%dT%H:%M:%S.%NZ", "2026-01-04T09:05:07.081234567Z", true, false, ""},
		{"%Y%m%d%H%M%S%L", "20260104090507081", true, true, ""},
		{"%d/%m/%Y", "04/01/2026", false, false, "day"},
		{"%d %b %Y", "04 Jan 2026", false, false, "day"},
		{"%Y-%b", "2026-Jan", false, false, "month"},
		{"%Y.%j", "2026.004", true, false, "day"},
		{"%GW%V", "2026W01", true, false, "week"},
		{"%Y/%m/%d/%H", "2026/01/04/09", true, false, "hour"},
		{"y%Y", "y2026", true, false, "year"},
	} {
		text, ok := c.layout.FormatTime(at)
		if !ok || text != c.want {
			t.Errorf("%s spells %q, want %q", c.layout, text, c.want)
		}
		if c.layout.Sorts() != c.sorts || c.layout.IsNumber() != c.number || c.layout.Period() != c.period {
			t.Errorf("%s: sorts %t, number %t, period %q", c.layout, c.layout.Sorts(), c.layout.IsNumber(), c.layout.Period())
		}
	}
}

// Fractions of a second are read to their last digit.
func TestLayoutsReadFractions(t *testing.T) {
	for text, c := range map[string]struct {
		layout models.Format
		nanos  int
	}{
		"2026-01-04 09:05:07.081":       {"%Y-%m-%d %H:%M:%S.%L", 81_000_000},
		"2026-01-04 09:05:07.081234":    {"%Y-%m-%d %H:%M:%S.%f", 81_234_000},
		"2026-01-04 09:05:07.081234567": {"%Y-%m-%d %H:%M:%S.%N", 81_234_567},
	} {
		want := time.Date(2026, 1, 4, 9, 5, 7, c.nanos, time.UTC)
		if got, ok := c.layout.ReadTime(text); !ok || !got.Equal(want) {
			t.Errorf("%s of %s: %v, %v", c.layout, text, got, ok)
		}
	}
}

func TestLayoutsThatAreNoTime(t *testing.T) {
	for layout, want := range map[models.Format]string{
		"%Q":               `"%Q" is not a directive; use %Y %m`,
		"%Y-%":             `"%" is not a directive`,
		"%H:%M":            "has %H without %d or %j",
		"%Y-%d":            "has %d without %m or %b",
		"%Y %Y":            "has %Y twice",
		"%Y-%m-%b":         "two directives for the same part",
		"%Y-%m-%d %j":      "two directives for the same part",
		"%Y-%m %j":         "the day of the year and a month",
		"%G":               "%G, the year of a week, without %V",
		"%Y-%m-%d\n":       "a character that is not ASCII",
		"%Y{%m}":           "a bracket",
		"plain":            "layout has no directive",
		"%Y-%m-%d %S":      "has %S without %M",
		"%Y-%m-%d %H %L":   "has %L without %S",
		"%Y%m%d%H%M%S%L%N": "two directives for the same part",
	} {
		if err := layout.CheckLayout(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", layout, err, want)
		}
		if layout.IsTime() {
			t.Errorf("%q counts as a time", layout)
		}
	}
}

// layouts draws valid layouts.
func layouts() *rapid.Generator[models.Format] {
	return rapid.Custom(func(t *rapid.T) models.Format {
		separator := rapid.SampledFrom([]string{"", "-", "/", " ", "T", "Jan", "02"})
		parts := rapid.SampledFrom([][]string{
			{"%Y", "%m", "%d", "%H", "%M", "%S", "%L"},
			{"%Y", "%b", "%d", "%H", "%M", "%S", "%f"},
			{"%Y", "%j", "%H", "%M", "%S", "%N"},
			{"%G", "%V"},
		}).Draw(t, "parts")
		n := len(parts)
		if parts[0] == "%Y" {
			n = rapid.IntRange(1, len(parts)).Draw(t, "count")
		}
		return models.Format(strings.Join(rapid.Permutation(parts[:n]).Draw(t, "order"), separator.Draw(t, "separator")))
	})
}

// Whatever a layout writes, it reads as a time that it writes in the same way, and texts of a layout that sorts are in the
// order of their times.
func TestLayoutsReadWhatTheyWrite(t *testing.T) {
	moments := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
	})
	rapid.Check(t, func(t *rapid.T) {
		f := layouts().Draw(t, "layout")
		a, b := moments.Draw(t, "a"), moments.Draw(t, "b")
		first, _ := f.FormatTime(a)
		second, _ := f.FormatTime(b)
		back, ok := f.ReadTime(first)
		if again, _ := f.FormatTime(back); !ok || again != first {
			t.Fatalf("%s writes %s as %q, read as %s and written as %q", f, a.UTC(), first, back, again)
		}
		if f.Sorts() && a.Before(b) && first > second {
			t.Fatalf("%s writes %s as %q after %s as %q", f, a.UTC(), first, b.UTC(), second)
		}
		for _, wrong := range []string{first + "0", first[1:], strings.Replace(first, first[:1], "x", 1)} {
			if _, ok := f.ReadTime(wrong); ok {
				t.Fatalf("%s reads %q", f, wrong)
			}
		}
	})
}

// A placeholder with a layout reads what it writes, in the spelling of its attribute.
func TestTemplatesWithLayouts(t *testing.T) {
	for _, c := range []struct{ template, attribute, value, key, read string }{
		{"LOG#{at:%Y%m%d%H%M%S}#{id}", "iso8601", "2026-01-14T10:00:05Z", "LOG#20260114100005#7", "2026-01-14T10:00:05Z"},
		{"LOG#{at:%Y%m%d%H%M%S}#{id}", "epoch-seconds", "1768384805", "LOG#20260114100005#7", "1768384805"},
		{"LOG#{at:%H:%M %d/%m/%Y}#{id}", "iso8601", "2026-01-14T10:00:05Z", "LOG#10:00 14/01/2026#7", "10:00 14/01/2026"},
		{"LOG#{at:date}#{id}", "%d/%m/%Y %H:%M", "14/01/2026 10:00", "LOG#2026-01-14#7", "2026-01-14"},
		{"LOG#{at}#{id}", "%d#%m#%Y", "14#01#2026", "LOG#14#01#2026#7", "14#01#2026"},
		{"LOG#{at}{id}", "%Y%m%d%H", "2026011410", "LOG#20260114107", "2026011410"},
	} {
		a := &models.Attribute{Name: "at", Path: "at", Type: models.TypeS, Format: models.Format(c.attribute), KeyOnly: true}
		tmpl := models.MustTemplate(c.template).Of(func(name string) *models.Attribute {
			if name == "at" {
				return a
			}
			return nil
		})
		values := models.MapValues(map[string]string{"at": c.value, "id": "7"})
		key, err := tmpl.Format(values)
		if err != nil || key != c.key {
			t.Errorf("%s of %s: %q (%v), want %q", c.template, c.value, key, err, c.key)
			continue
		}
		m, err := tmpl.Parse(key)
		if err != nil || m.Values["at"] != c.read || m.Values["id"] != "7" {
			t.Errorf("%s reads %q as %v (%v), want %s", c.template, key, m.Values, err, c.read)
		}
	}
	if _, err := models.ParseTemplate("{at:%Y-%Q}", nil); err == nil || !strings.Contains(err.Error(), "%Q") {
		t.Error(err)
	}
}
