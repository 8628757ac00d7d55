package present

import (
	"fmt"
	"strconv"
	"time"
)

// The functions below show times in the time zone of their argument now, which is the screens' zone.

// Moment returns a short time for a cell: the time of day on this day, the date within 24 hours and within this year,
// otherwise the month and the year.
func (p Presenter) Moment(t time.Time) string {
	t = t.In(p.Now.Location())
	switch {
	case t.Format(time.DateOnly) == p.Now.Format(time.DateOnly):
		return t.Format("15:04")
	case t.Year() == p.Now.Year() || p.Now.Sub(t).Abs() < 24*time.Hour:
		return t.Format("02 Jan")
	default:
		return t.Format("Jan 2006")
	}
}

// At returns a time to the minute: 24 Nov 10:59. It contains the year only if it differs from the year of now.
func At(t, now time.Time) string {
	if t = t.In(now.Location()); t.Year() != now.Year() {
		return t.Format("2 Jan 2006 15:04")
	}
	return t.Format("2 Jan 15:04")
}

// Offset returns the UTC offset of the screens' zone at time t: UTC, UTC+2, UTC-3:30. Daylight saving time changes it.
func Offset(t, now time.Time) string {
	_, seconds := t.In(now.Location()).Zone()
	if seconds == 0 {
		return "UTC"
	}
	sign, minutes := "+", seconds/60
	if minutes < 0 {
		sign, minutes = "−", -minutes
	}
	text := "UTC" + sign + strconv.Itoa(minutes/60)
	if minutes%60 != 0 {
		text += fmt.Sprintf(":%02d", minutes%60)
	}
	return text
}

// Zone names the screens' zone in the frame of a list of times.
func Zone(now time.Time) string { return "times in " + Offset(now, now) }

// Stamp returns a time to the minute with its UTC offset: 24 Nov 10:59 (UTC+2).
func Stamp(t, now time.Time) string { return At(t, now) + " (" + Offset(t, now) + ")" }

// Clock returns the time of day with its UTC offset: 10:59:07 UTC+2.
func Clock(t, now time.Time) string {
	return t.In(now.Location()).Format(time.TimeOnly) + " " + Offset(t, now)
}

// Exact returns a time to the second with its UTC offset: 2026-11-24 10:59:07 UTC+2.
func Exact(t, now time.Time) string {
	return t.In(now.Location()).Format(time.DateOnly) + " " + Clock(t, now)
}

// When returns a time with its UTC offset and its age: 24 Nov 10:59 (UTC+2) · 3 d ago.
func When(t, now time.Time) string { return Stamp(t, now) + " · " + Age(t, now) }

// Age returns the time between t and now in its largest unit: 2 h ago, in 27 d.
func Age(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d.Abs() < 10*time.Second:
		return "just now"
	case d < 0:
		return "in " + RoundDuration(-d)
	}
	return RoundDuration(d) + " ago"
}

// RoundDuration returns a duration in its largest unit: 3 s, 44 min, 2 h, 27 d, 5 mo. It treats negative durations as
// zero.
func RoundDuration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%d d", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d mo", d/(30*day))
	default:
		return fmt.Sprintf("%d y", d/(365*day))
	}
}
