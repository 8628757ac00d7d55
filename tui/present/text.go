package present

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Join joins two texts with a separator. If one text is empty, it returns the other one.
func Join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

// CostText describes the cost of a read: "3 requests · 6.5 RCU". It omits 0 units, because some servers do not report
// them. units are RCU, which it prints with as many digits as needed.
func CostText(n int, noun string, units float64) string {
	text := Plural(n, noun)
	if units > 0 {
		text += fmt.Sprintf(" · %g RCU", units)
	}
	return text
}

// ShortList lists the first n texts, with an ellipsis if there are more texts.
func ShortList(list []string, n int) string {
	out := ""
	for i, s := range list {
		if i == n {
			return out + " …"
		}
		out = Join(out, s, ", ")
	}
	return out
}

// ValidateParam returns the error in a parameter's text, or nil if the text is valid.
func ValidateParam(env *screen.Env, q *accesspatterns.Param, text string) error {
	_, err := q.Read(text, env.Session.Now())
	return ReadableParamError(env, q, err)
}

// ReadableParamError returns an error without the word "parameter", and for role support with the titles of the schema.
func ReadableParamError(env *screen.Env, q *accesspatterns.Param, err error) error {
	var p *accesspatterns.ParamError
	switch {
	case !errors.As(err, &p):
		return err
	case env.Plain():
		return errors.New(ParamLabel(env.Plain(), q) + strings.TrimPrefix(p.Plain(), "parameter "+p.Param))
	}
	return errors.New(p.Param + ": " + p.Reason)
}

// Plural returns a number with a noun: "1 page", "3,000 pages".
func Plural(n int, one string) string { return Thousands(n) + " " + english.PluralWord(n, one, "") }

// Thousands returns a number with grouped digits: 12,345.
func Thousands(n int) string { return humanize.Comma(int64(n)) }

// ShortDuration returns a duration rounded to milliseconds or tenths of a second. A duration below 1 ms, including a
// negative one, is "<1 ms".
func ShortDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// NarrowBelow is the width in cells below which screens stack their panes.
const NarrowBelow = 100

// ErrorLines describes an error in lines of w cells: the problem, its advice, and next. Unless the error is a
// *session.Refusal, ErrorLines splits it at its first semicolon or colon, because ddbdesk's errors put the advice after
// it.
func ErrorLines(s *widget.Styles, err error, w int, next string) []string {
	message, advice := err.Error(), ""
	if refused, ok := errors.AsType[*session.Refusal](err); ok {
		message, advice = refused.Reason, refused.Advice
	} else if head, tail, ok := strings.Cut(message, "; "); ok {
		message, advice = head, tail
	} else if head, tail, ok := strings.Cut(message, ": "); ok {
		message, advice = head, tail
	}
	lines := prependLead(s.Paint(widget.RoleBad, " ✗ "), widget.Wrap(s, widget.RoleBad, message, max(w-4, 1)))
	if advice != "" {
		lines = append(lines, prependLead(s.Paint(widget.RoleKey, " → "), widget.Wrap(s, widget.RoleText, advice, max(w-4, 1)))...)
	}
	return append(lines, s.Paint(widget.RoleFaint, "   "+next))
}

// Spread puts two styled texts at the edges of a line of w cells. It cuts the left one if they do not fit.
func Spread(left, right string, w int) string {
	rw := ansi.StringWidth(right)
	if rw >= w {
		return widget.Place(right, w, 1)
	}
	return widget.Place(left, w-rw, 1) + right
}

// CutCells splits a text so that first has at most the given number of cells in printable form. first contains at least
// one character, even if that is wider.
func CutCells(text string, cells int) (first, rest string) {
	used := 0
	for i, r := range text {
		w := 1
		if r < ' ' || r > '~' {
			w = max(ansi.StringWidth(models.Printable(string(r))), 1)
		}
		if used+w > cells && i > 0 {
			return text[:i], text[i:]
		}
		used += w
	}
	return text, ""
}

// HangingIndent wraps a text beside a lead, in lines of w cells.
func HangingIndent(st *widget.Styles, r widget.Role, lead, text string, w int) []string {
	return prependLead(st.Paint(r, lead), widget.Wrap(st, r, text, max(w-ansi.StringWidth(lead), 8)))
}

func prependLead(lead string, lines []string) []string {
	for i := range lines {
		lines[i] = lead + lines[i]
		if i == 0 {
			lead = widget.BlankLine(ansi.StringWidth(lead))
		}
	}
	return lines
}

// JSONLines colors lines of indented JSON and wraps long ones at w cells.
func JSONLines(s *widget.Styles, lines []string, w int) []string {
	var out []string
	for _, line := range lines {
		name, value, hasName := strings.Cut(line, `": `)
		if hasName && models.Width(line) <= w {
			out = append(out, s.Paint(widget.RoleKey, name+`"`)+s.Paint(widget.RoleFaint, ": ")+s.Paint(widget.RoleText, value))
			continue
		}
		for rest := line; ; {
			var part string
			part, rest = CutCells(rest, max(w, 16))
			if out = append(out, s.Paint(widget.RoleText, part)); rest == "" {
				break
			}
		}
	}
	return out
}

// ReadFigures summarizes the progress of a read, except the rows, with the most important figure first.
func ReadFigures(f reading.Figures) string {
	var parts []string
	if f.Scanned > f.Rows {
		parts = append(parts, Plural(f.Scanned, "item")+" read")
	}
	if f.Remaining > 0 {
		parts = append(parts, "about "+ShortDuration(f.Remaining.Round(time.Second))+" left")
	}
	if f.Segments > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d segments", f.SegmentsDone, f.Segments))
	}
	parts = append(parts, Plural(f.Pages, "page"))
	if f.Capacity > 0 {
		parts = append(parts, fmt.Sprintf("%g RCU", f.Capacity))
	}
	switch {
	case f.Budget > 0 && f.Waiting:
		parts = append(parts, fmt.Sprintf("%.0f RCU/s, limited to %g", f.Rate, f.Budget))
	case f.Rate > 0 && f.Elapsed >= time.Second:
		parts = append(parts, fmt.Sprintf("%.0f RCU/s", f.Rate))
	}
	if f.Throttled > 0 {
		parts = append(parts, fmt.Sprintf("throttled %d×", f.Throttled))
	}
	return strings.Join(parts, " · ")
}

// ResolvedText returns the exact UTC time for a relative or incomplete time, or "" if the text is complete. Relative
// times refer to now.
func ResolvedText(q *accesspatterns.Param, text string, now time.Time) string {
	if q.Type != accesspatterns.Timestamp && q.Type != accesspatterns.Day {
		return ""
	}
	v, err := q.Read(text, now)
	if err != nil || !v.IsTime {
		return ""
	}
	layout := "2006-01-02 15:04:05"
	if q.Type == accesspatterns.Day {
		layout = time.DateOnly
	}
	utc := v.Time.UTC().Format(layout)
	if strings.HasPrefix(text, utc) || strings.HasPrefix(utc, text) {
		return ""
	}
	return "= " + utc + " UTC · " + Age(v.Time.Time, now)
}
