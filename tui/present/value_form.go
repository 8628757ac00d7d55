package present

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (p Presenter) time(f models.Format, text string, short bool) Shown {
	t, ok := f.ReadTime(text)
	switch {
	case !ok && short:
		return Shown{Text: text, Role: widget.RoleWarn}
	case !ok:
		return Shown{Text: text, Note: "not a time as " + string(f), Role: widget.RoleWarn}
	}
	t = t.UTC()
	switch {
	case f.IsDay() && short:
		return Shown{Text: t.Format(time.DateOnly)}
	case f.IsPeriod() && short:
		return Shown{Text: text}
	case f.IsPeriod():
		return Shown{Text: text, Note: Age(t, p.Now)}
	case short:
		return Shown{Text: p.Moment(t) + " · " + Age(t, p.Now)}
	case f == models.EpochSeconds || f == models.EpochMillis:
		return Shown{Text: text, Note: t.Format("2006-01-02T15:04:05Z") + " · " + Age(t, p.Now)}
	}
	return Shown{Text: text, Note: Age(t, p.Now)}
}

// Moment returns a short time: without the date today, without the time in this year,
// only month and year otherwise.
func (p Presenter) Moment(t time.Time) string {
	now := p.Now.UTC()
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Year() == now.Year():
		return t.Format("02 Jan")
	default:
		return t.Format("Jan 2006")
	}
}

// Age returns the distance of t from now in its largest unit: 2 h ago, in 27 d.
func Age(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d.Abs() < 10*time.Second:
		return "just now"
	case d < 0:
		return "in " + Span(-d)
	}
	return Span(d) + " ago"
}

// ExactMoment returns a time in at most 17 cells: without the date today, with the time otherwise, and without the year in
// this one.
func ExactMoment(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("02 Jan 15:04")
	}
	return t.Format("02 Jan 2006 15:04")
}

// SinceWords says for how long something has been so: "for 44 min, since 09:04", "just now".
func SinceWords(t, now time.Time) string {
	d := now.Sub(t)
	if d < 10*time.Second {
		return "just now"
	}
	when := ExactMoment(t, now)
	if d < 24*time.Hour {
		when = t.UTC().Format("15:04")
	}
	return "for " + Span(d) + ", since " + when
}

// Span returns a duration, at least zero, in its largest unit: 3 s, 44 min, 2 h, 27 d, 5 mo.
func Span(d time.Duration) string {
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

// money formats cents exactly, with any number of digits.
func money(cents string) Shown {
	digits, negative := strings.CutPrefix(cents, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return Shown{Text: cents, Note: "not whole cents", Role: widget.RoleWarn}
	}
	for len(digits) < 3 {
		digits = "0" + digits
	}
	whole, _ := new(big.Int).SetString(digits[:len(digits)-2], 10) // Only digits: always valid.
	text := humanize.BigComma(whole) + "." + digits[len(digits)-2:]
	if negative {
		text = "-" + text
	}
	return Shown{Text: text, Note: cents + " cents"}
}

func size(text string) Shown {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return Shown{Text: text, Role: widget.RoleText}
	}
	if n < 1024 {
		return Shown{Text: Plural(int(n), "byte")}
	}
	return Shown{Text: humanize.IBytes(n), Note: text + " bytes"}
}

func seconds(text string) Shown {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<33 {
		return Shown{Text: text}
	}
	if n < 60 {
		return Shown{Text: text + "s"}
	}
	units := []struct {
		name string
		size int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	var parts []string
	rest := n
	for _, u := range units {
		if rest >= u.size {
			parts = append(parts, strconv.FormatInt(rest/u.size, 10)+u.name)
			rest %= u.size
		}
	}
	return Shown{Text: strings.Join(parts, " "), Note: text + " seconds"}
}
