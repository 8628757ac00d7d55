package present_test

import (
	"testing"
	"time"
	_ "time/tzdata" // for machines without time zone files

	"github.com/ddbdesk/ddbdesk/tui/present"
)

func TestTimesUseScreensZone(t *testing.T) {
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	auckland, angeles, berlin := zone("Pacific/Auckland"), zone("America/Los_Angeles"), zone("Europe/Berlin")
	at := time.Date(2026, 11, 24, 8, 59, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		at, now time.Time
		want    string
		moment  string
	}{
		{"UTC", at, time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), "24 Nov 08:59 (UTC) · 3 d ago", "24 Nov"},
		{"east of the date line", time.Date(2026, 11, 24, 12, 30, 0, 0, time.UTC), time.Date(2026, 11, 24, 22, 0, 0, 0, time.UTC).In(auckland), "25 Nov 01:30 (UTC+13) · 9 h ago", "01:30"},
		{"west of UTC", time.Date(2026, 11, 24, 7, 30, 0, 0, time.UTC), at.In(angeles), "23 Nov 23:30 (UTC−8) · 1 h ago", "23 Nov"},
		{"another year", time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "31 Dec 2025 23:30 (UTC) · 30 min ago", "31 Dec"},
		{"another year in the local zone", time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).In(berlin), "1 Jan 00:30 (UTC+1) · 30 min ago", "00:30"},
		{"before daylight saving time ends", time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC).In(berlin), "25 Oct 02:30 (UTC+2) · 11 h ago", "02:30"},
		{"after daylight saving time ends", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC).In(berlin), "25 Oct 02:30 (UTC+1) · 10 h ago", "02:30"},
		{"half-hour offset", at, time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC).In(time.FixedZone("", -(3*3600 + 1800))), "24 Nov 05:29 (UTC−3:30) · 1 min ago", "05:29"},
	} {
		if got := present.When(c.at, c.now); got != c.want {
			t.Errorf("%s: When() = %q, want %q", c.name, got, c.want)
		}
		if got := (present.Presenter{Now: c.now}).Moment(c.at); got != c.moment {
			t.Errorf("%s: Moment() = %q, want %q", c.name, got, c.moment)
		}
	}
}
