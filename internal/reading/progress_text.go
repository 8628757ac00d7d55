package reading

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// String describes the progress of a read. The most important part comes first, because a narrow terminal cuts the
// line.
func (f Figures) String() string { return f.Text(false) }

// Text returns the text of String, or, if plain is set, its wording for role support.
func (f Figures) Text(plain bool) string {
	var parts []string
	if f.Share > 0 {
		parts = append(parts, fmt.Sprintf("%d%%", int(f.Share*100)))
	}
	rows := humanize.Comma(int64(f.Rows)) + " items"
	if f.Rows != f.Scanned {
		rows += " of " + humanize.Comma(int64(f.Scanned)) + " scanned"
	}
	parts = append(parts, rows)
	if f.Remaining > 0 {
		parts = append(parts, "about "+f.Remaining.Round(time.Second).String()+" left")
	}
	if f.Segments > 1 && !plain {
		parts = append(parts, fmt.Sprintf("%d of %d segments", f.SegmentsDone, f.Segments))
	}
	parts = append(parts, english.Plural(f.Pages, "page", ""))
	if f.Capacity > 0 && !plain { // Some servers do not report capacity.
		capacity := fmt.Sprintf("%s RCU, %s/s", decimal(f.Capacity), decimal(f.Rate))
		if f.Budget > 0 {
			capacity += " of " + decimal(f.Budget)
		}
		parts = append(parts, capacity)
	}
	if f.Waiting {
		parts = append(parts, "waiting for the budget")
	}
	if f.Throttled > 0 {
		parts = append(parts, "throttled "+english.Plural(f.Throttled, "time", ""))
	}
	return strings.Join(parts, " · ")
}

func decimal(f float64) string {
	return strings.TrimSuffix(humanize.CommafWithDigits(math.Round(f*10)/10, 1), ".0")
}

// Round removes the rounding error of a sum of capacity units. It keeps three decimals; the smallest unit that DynamoDB
// reports is 0.5.
func Round(units float64) float64 { return math.Round(units*1000) / 1000 }
