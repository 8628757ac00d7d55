package cases

import (
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// span is the maximum shift of a time in days, about eleven years, so that ages stay plausible.
const span = 4000

// lastYear is the last year of real times. Later years of four digits mean "never".
const lastYear = 9900

func (m *pseudonymizer) time(value string, f models.Format) (text string, ok bool) {
	if !f.IsTime() {
		f = timeFormat(value)
	}
	if f == models.ISO8601Any {
		f = models.NoFormat
		for _, exact := range []models.Format{models.ISO8601, models.ISO8601Millis} {
			if reproduces(exact, value) {
				f = exact
			}
		}
	}
	if f == models.NoFormat {
		return "", false
	}
	t, ok := f.ReadTime(value)
	if !ok {
		return "", false
	}
	if t.Year() > lastYear {
		return value, true
	}
	return f.FormatTime(m.shifted(t))
}

func timeFormat(value string) models.Format {
	for _, f := range []models.Format{models.Date, models.ISO8601, models.ISO8601Millis} {
		if reproduces(f, value) {
			return f
		}
	}
	return models.NoFormat
}

func reproduces(f models.Format, value string) bool {
	t, ok := f.ReadTime(value)
	if !ok {
		return false
	}
	exact, ok := f.FormatTime(t)
	return ok && exact == value
}

func (m *pseudonymizer) shifted(t time.Time) time.Time {
	const day = 24 * 60 * 60
	seconds := t.Unix()
	days, rest := floor(seconds, day)
	block, at := floor(days, span)
	days = block*span + int64(m.displace(span, uint64(at), fmt.Sprint("days ", block)))
	if rest > 0 {
		rest = 1 + int64(m.displace(day-1, uint64(rest-1), "seconds"))
	}
	return time.Unix(days*day+rest, int64(t.Nanosecond())).UTC()
}

func floor(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}
