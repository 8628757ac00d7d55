package cases

import (
	"strconv"
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
	if f != models.ISO8601Any {
		return f.FormatTime(m.shifted(t))
	}
	const layout = "2006-01-02T15:04:05"
	seconds := value[:min(len(layout), len(value))]
	if t, err := time.Parse(layout, seconds); err == nil {
		return m.shifted(t).Format(layout) + value[len(layout):], true // The fraction and the zone stay.
	}
	return "", false
}

func timeFormat(value string) models.Format {
	for _, f := range []models.Format{models.Date, models.ISO8601, models.ISO8601Millis} {
		if f.Reproduces(value) {
			return f
		}
	}
	return models.NoFormat
}

// shifted gives all times of a day the same other day.
func (m *pseudonymizer) shifted(t time.Time) time.Time {
	const day = 24 * 60 * 60
	midnight := t.Truncate(day * time.Second).Unix()
	from, first := midnight/day, midnight/day-span/2
	if from >= 0 {
		first = max(first, 0) // An epoch number cannot be negative.
	}
	to := m.shift("days", from, func() int64 { return first + m.Int64N(span) })
	seconds := t.Unix() - midnight
	if seconds > 0 {
		seconds = m.shift("seconds", seconds, func() int64 { return 1 + m.Int64N(day-1) })
	}
	return time.Unix(to*day+seconds, int64(t.Nanosecond())).UTC()
}

// shift returns the pseudonym of a number, which is another number.
func (m *pseudonymizer) shift(kind string, n int64, random func() int64) int64 {
	text := m.unique(kind, strconv.FormatInt(n, 10), func() string {
		for {
			if other := random(); other != n {
				return strconv.FormatInt(other, 10)
			}
		}
	})
	other, _ := strconv.ParseInt(text, 10, 64) // Only this function writes it.
	return other
}
