package models_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// now differs from every relative time in these tests.
var now = time.Date(2026, 3, 1, 12, 34, 56, 789_000_000, time.UTC)

func TestParseTime(t *testing.T) {
	const midday = "2026-01-14T10:00:00Z"
	tests := []struct{ text, want string }{
		{"2026-01-14T10:00:00Z", midday},
		{"2026-01-14T10:00:00", midday},
		{"2026-01-14 10:00:00", midday},
		{"2026-01-14 10:00:00Z", midday},
		{"2026-01-14T10:00Z", midday},
		{"2026-01-14T10:00", midday},
		{"2026-01-14 10:00", midday},
		{"20260114T100000Z", midday},
		{" 2026-01-14T10:00:00Z\n", midday},
		{"2026-01-14T12:00:00+02:00", midday},
		{"2026-01-14 05:00:00-05:00", midday},
		{"2026-01-14T12:00+02:00", midday},
		{"2026-01-14T10:00:00.000Z", midday},
		{"2026-01-14T10:00:00.25Z", "2026-01-14T10:00:00.25Z"},
		{"2026-01-14 10:00:00.123456789", "2026-01-14T10:00:00.123456789Z"},
		{"1768384800", midday},
		{"1768384800000", midday},
		{"1768384800123", "2026-01-14T10:00:00.123Z"},
		{"0", "1970-01-01T00:00:00Z"},
		{"99999999999", "5138-11-16T09:46:39Z"},
		{"100000000000", "1973-03-03T09:46:40Z"},
		{"2026-01-14", "day 2026-01-14T00:00:00Z"},
		{"20260114", "day 2026-01-14T00:00:00Z"},
		{"0001-01-01", "day 0001-01-01T00:00:00Z"},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
		{"now", "2026-03-01T12:34:56.789Z"},
		{"NOW", "2026-03-01T12:34:56.789Z"},
		{"now-7d", "2026-02-22T12:34:56.789Z"},
		{"-7d", "2026-02-22T12:34:56.789Z"},
		{"+1w", "2026-03-08T12:34:56.789Z"},
		{"now - 24h", "2026-02-28T12:34:56.789Z"},
		{"now-90m", "2026-03-01T11:04:56.789Z"},
		{"now+4s", "2026-03-01T12:35:00.789Z"},
		{"now-789ms", "2026-03-01T12:34:56Z"},
		{"today", "day 2026-03-01T00:00:00Z"},
		{"yesterday", "day 2026-02-28T00:00:00Z"},
		{"tomorrow", "day 2026-03-02T00:00:00Z"},
		{"Today-1d", "day 2026-02-28T00:00:00Z"},
		{"today+6h", "2026-03-01T06:00:00Z"},
	}
	for _, tt := range tests {
		got, err := models.ParseTime(tt.text, now)
		formatted := got.Format(time.RFC3339Nano)
		if got.Day {
			formatted = "day " + formatted
		}
		if err != nil || formatted != tt.want {
			t.Errorf("%q: got %s (%v), want %s", tt.text, formatted, err, tt.want)
		}
	}
}

// "today" means the UTC day, even for a user west of Greenwich.
func TestParseTimeInOtherZones(t *testing.T) {
	evening := time.Date(2026, 1, 14, 20, 0, 0, 0, time.FixedZone("west", -5*3600))
	got, err := models.ParseTime("today", evening)
	if err != nil || got.Format(time.RFC3339) != "2026-01-15T00:00:00Z" {
		t.Errorf("today = %s (%v), want 2026-01-15", got.Time, err)
	}
}

func TestParseTimeRejects(t *testing.T) {
	tests := []struct{ text, message string }{
		{"", "empty"},
		{" \t", "empty"},
		{"noon", "not a time"},
		{"7d", "not a time"},
		{"now7d", "not a time"},
		{"now-7y", "not a time"},
		{"now-7", "not a time"},
		{"2026-02-30", "not a time"},
		{"2026-1-4", "not a time"},
		{"2026-01-14T25:00:00Z", "not a time"},
		{"2026-01-14T10:00:00Z#req", "not a time"},
		{"-5", "not a time"},
		{"1.5", "not a time"},
		{"now-999999999w", "out of range"},
		{"now+999999999d", "out of range"},
		{"now-876600h", "outside the years"},
		{"0000-01-01", "outside the years"},
		{"0001-01-01T00:00:00+05:00", "outside the years"},
		{"253402300800000", "outside the years"},
		{"\x1b[2J", "not a time"},
	}
	for _, tt := range tests {
		got, err := models.ParseTime(tt.text, time.Date(100, 1, 1, 0, 0, 0, 0, time.UTC))
		if err == nil || !strings.Contains(err.Error(), tt.message) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: got %s, error %v", tt.text, got.Time, err)
		}
	}
}

func TestTimeEnd(t *testing.T) {
	tests := []struct{ text, want string }{
		{"2026-02-28", "2026-02-28T23:59:59.999999999Z"},
		{"today", "2026-03-01T23:59:59.999999999Z"},
		{"2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"},
		{"today+1h", "2026-03-01T01:00:00Z"},
	}
	for _, tt := range tests {
		at, err := models.ParseTime(tt.text, now)
		if got := at.End().Format(time.RFC3339Nano); err != nil || got != tt.want {
			t.Errorf("End of %s = %s (%v), want %s", tt.text, got, err, tt.want)
		}
	}
}

// A formatted time reads back with the precision of its format.
func TestFormatTimeReadsBack(t *testing.T) {
	precision := map[models.Format]time.Duration{
		models.ISO8601: time.Second, models.ISO8601Millis: time.Millisecond, models.ISO8601Any: time.Millisecond,
		models.EpochSeconds: time.Second, models.EpochMillis: time.Millisecond, models.Compact: time.Second,
		models.Date: 24 * time.Hour, models.Day: 24 * time.Hour, models.Hour: time.Hour,
		models.ISOLocal: time.Second, models.ISOLocalMilli: time.Millisecond,
	}
	start := func(f models.Format, at time.Time) time.Time {
		day := at.Truncate(24 * time.Hour)
		switch f {
		case models.Week:
			return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		case models.Month:
			return day.AddDate(0, 0, 1-day.Day())
		case models.Year:
			return day.AddDate(0, 0, 1-day.YearDay())
		default:
			return at.Truncate(precision[f])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		millis := rapid.Int64Range(0, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).UnixMilli()).Draw(t, "millis")
		at := time.UnixMilli(millis).In(time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600))
		for _, f := range models.Formats() {
			text, ok := f.FormatTime(at)
			parsed, read := f.ReadTime(text)
			if ok != f.IsTime() || read != f.IsTime() {
				t.Fatalf("%s: got %q, %v; read: %v", f, text, ok, read)
			}
			if want := start(f, at.UTC()); ok && !parsed.Equal(want) {
				t.Fatalf("%s: %s is formatted as %q and parsed as %s", f, want, text, parsed)
			}
		}
	})
}

func TestReadTimeIsStrict(t *testing.T) {
	tests := []struct {
		format models.Format
		yes    string
		no     string
	}{
		{
			models.ISO8601, "2026-01-14T10:00:00.123Z 2026-01-14T10:00:00+02:00",
			"2026-01-14 20260114T100000Z 1768384800 now today 2026-01-14T10:00:00Z~",
		},
		{models.ISO8601Millis, "2026-01-14T10:00:00Z", "20260114 -7d"},
		{models.EpochSeconds, "0 1768384800 20260114", "1768384800000000 -5 +5 2026-01-14 1e9 99999999999999999999"},
		{models.EpochMillis, "0 1768384800000 86400000", "-5 2026-01-14T10:00:00Z"},
		{models.Date, "2026-01-14", "20260114 2026-1-14 2026-01-14T10:00:00Z 2026-02-30 0000-01-01 today"},
		{models.Week, "2026-W01 2020-W53", "2026-W54 2026-W00 2026-W1 2026W01 2025-W53"},
		{models.Month, "2026-01", "2026-13 2026-1 2026-01-14"},
		{models.Year, "2026", "26 2026-01"},
		{models.Hour, "2026-01-14T10", "2026-01-14T24 2026-01-14T10:00"},
		{models.ISOLocal, "2026-01-14T10:00:00", "2026-01-14T10:00:00Z 2026-01-14T10:00:00.000"},
		{models.Day, "20260114", "2026-01-14 20260230 1768384800"},
		{models.Compact, "20260114T100000Z", "20260114T100000.5Z 0001768384800000 20260114"},
		{models.Text, "", "2026-01-14T10:00:00Z"},
	}
	for _, tt := range tests {
		for text := range strings.FieldsSeq(tt.yes) {
			if _, ok := tt.format.ReadTime(text); !ok {
				t.Errorf("%s: ReadTime rejected %s", tt.format, text)
			}
		}
		for _, text := range append(strings.Fields(tt.no), "", "x") {
			if at, ok := tt.format.ReadTime(text); ok {
				t.Errorf("%s: ReadTime(%q) = %s, want an error", tt.format, text, at)
			}
		}
	}
}

// A TTL in milliseconds is a mistake, so it must not look like a valid time.
func TestReadTimeDoesNotGuessUnits(t *testing.T) {
	if at, ok := models.EpochSeconds.ReadTime("1768384800000"); ok {
		t.Errorf("ReadTime of milliseconds as seconds = %s", at)
	}
	if at, _ := models.EpochMillis.ReadTime("1768384800"); at.Year() != 1970 {
		t.Errorf("ReadTime of seconds as milliseconds = %s", at)
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{
		"", "now-7d", "2026-01-14", "20260114T100000Z", "1768384800000", "today+999999999w", "\xff",
		"9999-12-31T23:59:59-12:00",
	} {
		f.Add(text, int64(1768384800))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		if seconds < -62135596800 || seconds > math.MaxInt32*100 {
			return // a clock outside the years 1 to 9999
		}
		got, err := models.ParseTime(text, time.Unix(seconds, 0))
		if err != nil {
			return
		}
		if y := got.Year(); y < 1 || y > 9999 || got.Location() != time.UTC {
			t.Fatalf("%q: got %s, want a UTC time from year 1 to 9999", text, got.Time)
		}
		second, err := models.ParseTime(got.Format(time.RFC3339Nano), time.Time{})
		if err != nil || !second.Equal(got.Time) {
			t.Fatalf("%q was parsed as %s, then as %s: %v", text, got.Time, second.Time, err)
		}
		if got.End().Before(got.Time) {
			t.Fatalf("%q ends before it starts", text)
		}
	})
}

// An item's title shows a date instead of an epoch number.
func TestReadableTextOfNumericTimes(t *testing.T) {
	for _, c := range []struct {
		format     models.Format
		text, want string
	}{
		{models.EpochSeconds, "1768384800", "2026-01-14T10:00:00Z"},
		{models.EpochMillis, "1768384800410", "2026-01-14T10:00:00.410Z"},
		{models.EpochMillis, "soon", "soon"},
		{models.ISO8601, "2026-01-14T10:00:00Z", "2026-01-14T10:00:00Z"},
		{models.NoFormat, "1768384800", "1768384800"},
		{"%Y%m%d%H", "2026011410", "2026011410"},
	} {
		if got := c.format.ReadableText(c.text); got != c.want {
			t.Errorf("%s as %q: got %s, want %s", c.text, c.format, got, c.want)
		}
	}
}
