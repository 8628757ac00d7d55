package asof

import (
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// ParseTime reads the time of a look: a time of the day in UTC, such as 14:05 or 14:05:30, the last one that has passed, or
// what models.ParseTime reads, such as now-2h.
func ParseTime(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{"15:04", "15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			y, m, d := now.UTC().Date()
			t = t.AddDate(y, int(m)-1, d-1)
			if t.After(now) {
				t = t.AddDate(0, 0, -1)
			}
			return t, nil
		}
	}
	t, err := models.ParseTime(text, now)
	return t.Time, err
}
