package models

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// minMillis is the smallest epoch number read as milliseconds. In seconds it is
// the year 5138, in milliseconds 1973.
const minMillis = 100_000_000_000

// A Time is a point in time and its precision.
type Time struct {
	time.Time
	// Day is set when only a calendar day was given: as the upper bound of an
	// inclusive range, it stands for the whole day.
	Day bool
}

// End returns the last moment that t stands for. DynamoDB has no times, so the caller writes
// the moment in the format of the attribute, which may cut it to seconds.
func (t Time) End() time.Time {
	if t.Day {
		return t.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return t.Time
}

var relative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(now|today|yesterday|tomorrow)?\s*(?:([+-])\s*(\d{1,9})\s*(ms|s|m|h|d|w))?$`)
})

var timeLayouts = []struct {
	layout string
	day    bool
}{
	{time.RFC3339Nano, false},
	{"2006-01-02T15:04:05.999999999", false},
	{"2006-01-02 15:04:05.999999999Z07:00", false},
	{"2006-01-02 15:04:05.999999999", false},
	{"2006-01-02T15:04Z07:00", false},
	{"2006-01-02T15:04", false},
	{"2006-01-02 15:04", false},
	{"20060102T150405Z", false},
	{"2006-01-02", true},
	{"20060102", true},
}

// ParseTime reads a time: relative to now (now, now-7d, -24h, today,
// yesterday, today-1d; units ms s m h d w), ISO 8601 with or without fraction
// and zone, a date (2026-01-14, 20260114), compact ISO (20260114T100000Z), or
// epoch seconds or milliseconds. A time without a zone is in UTC. Epoch numbers below
// 100,000,000,000 are seconds, others milliseconds. The result is in UTC and in the years 1 to
// 9999. A day-based expression keeps Day while only days and weeks are added.
func ParseTime(s string, now time.Time) (Time, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return Time{}, errors.New("time is empty; use 2026-01-14, today, or now-7d")
	}
	if m := relative().FindStringSubmatch(strings.ToLower(text)); m != nil {
		return relativeTime(m, now)
	}
	return absoluteTime(text)
}

func absoluteTime(text string) (Time, error) {
	for _, l := range timeLayouts {
		if t, err := time.Parse(l.layout, text); err == nil {
			return Time{Time: t.UTC(), Day: l.day}, checkYear(text, t)
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		t := time.Unix(n, 0).UTC()
		if n >= minMillis {
			t = time.UnixMilli(n).UTC()
		}
		return Time{Time: t}, checkYear(text, t)
	}
	return Time{}, fmt.Errorf("%q is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, epoch seconds, today, or now-7d", Printable(text))
}

func checkYear(s string, t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("%q is outside the years 1 to 9999", Printable(s))
	}
	return nil
}

func relativeTime(m []string, now time.Time) (Time, error) {
	t := Time{Time: now.UTC()}
	switch m[1] {
	case "today", "yesterday", "tomorrow":
		y, mo, d := t.Date()
		t = Time{Time: time.Date(y, mo, d, 0, 0, 0, 0, time.UTC), Day: true}
	case "", "now":
	}
	switch m[1] {
	case "yesterday":
		t.Time = t.AddDate(0, 0, -1)
	case "tomorrow":
		t.Time = t.AddDate(0, 0, 1)
	}
	if m[2] == "" {
		return t, nil
	}
	n, err := strconv.ParseInt(m[2]+m[3], 10, 64)
	if err != nil {
		return Time{}, fmt.Errorf("relative time %s%s%s: %w", m[2], m[3], m[4], err)
	}
	units := map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
	unit := units[m[4]]
	if limit := 1 << 62 / int64(unit); n > limit || n < -limit {
		return Time{}, fmt.Errorf("relative time %s%s%s is out of range", m[2], m[3], m[4])
	}
	if m[4] != "d" && m[4] != "w" {
		t.Day = false
	}
	t.Time = t.Add(time.Duration(n) * unit)
	return t, checkYear(m[0], t.Time)
}

// FormatTime returns t as format f stores it; ok is false when f is not a time
// format. t may be in any zone; what is written is UTC. Parts that the format lacks are cut and
// not rounded.
func (f Format) FormatTime(t time.Time) (s string, ok bool) {
	switch f {
	case EpochSeconds:
		return strconv.FormatInt(t.Unix(), 10), true
	case EpochMillis:
		return strconv.FormatInt(t.UnixMilli(), 10), true
	default:
		l := f.layout()
		if l == nil {
			return "", false
		}
		return l.write(t.UTC()), true
	}
}

// Readable returns a stored value of format f as people read it: a number of seconds or milliseconds as a time in ISO 8601,
// other text as it is.
func (f Format) Readable(text string) string {
	as := map[Format]Format{EpochSeconds: ISO8601, EpochMillis: ISO8601Millis}[f]
	if t, ok := f.ReadTime(text); ok && as != NoFormat {
		text, _ = as.FormatTime(t)
	}
	return text
}

// ReadTime reads a stored value of format f. Unlike ParseTime, it accepts only
// what the format can write, in any precision, and does not guess units: seconds
// in an attribute of milliseconds are a time in 1970.
func (f Format) ReadTime(s string) (time.Time, bool) {
	switch f {
	case EpochSeconds, EpochMillis:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || !isDigits(s) {
			return time.Time{}, false
		}
		t := time.UnixMilli(n)
		if f == EpochSeconds {
			t = time.Unix(n, 0)
		}
		return t.UTC(), checkYear(s, t) == nil
	case ISO8601, ISO8601Millis, ISO8601Any:
		t, err := absoluteTime(s)
		return t.Time, err == nil && !t.Day && len(s) > len("2026-01-14") && s[4] == '-'
	default:
		l := f.layout()
		if l == nil {
			return time.Time{}, false
		}
		return l.read(s)
	}
}
