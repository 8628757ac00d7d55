package home

import (
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// reviewTitle is the title of the row of requested changes.
const reviewTitle = "Requests to review"

// requests reports whether a requests table is configured, as far as that is known.
func (n *numbers) requests() bool {
	return n.p.Requests != "" || n.b != nil && n.b.sum.Review.Table != ""
}

// review returns the row of the requested changes that other users made.
func (n *numbers) review() row {
	r := row{id: "requests", title: reviewTitle}
	r.open = n.opens(func(*screen.Env) screen.Target { return screen.Requests{} })
	r.draw = func(t *widget.Strip) {
		if n.b == nil {
			n.waiting(t, reviewTitle, nil, dashboard.Count{}, nil)
			return
		}
		got := n.b.sum.Review
		n.waiting(t, reviewTitle, &got.Progress, got.Count, got.Since)
	}
	return r
}

// waiting draws what needs a decision: its number, its oldest item, and the ages of its items. p is nil if nothing is known.
func (n *numbers) waiting(t *widget.Strip, title string, p *dashboard.Progress, count dashboard.Count, since []time.Time) {
	known := p != nil && p.Done && !p.Offered && p.Err == nil
	role := widget.RoleInfo
	if p != nil && p.Done && count.N == 0 {
		role = widget.RoleFaint
	}
	t.Put(role, "● ")
	t.Cell(widget.RoleText, models.PrintableCell(title, n.label-2), n.label-2, widget.AlignLeft)
	if !known {
		t.Put(widget.RoleFaint, "  "+n.unknown(p))
		return
	}
	t.Cell(widget.RoleStrong, count.String(), countWidth, widget.AlignRight)
	if len(since) > 0 {
		age := strings.TrimSuffix(present.Age(since[0], n.b.workspace.Session.Now()), " ago")
		t.Cell(widget.RoleMuted, "   oldest "+age, 19, widget.AlignLeft)
		t.Put(widget.RoleInfo, widget.Sparkline(histogram(since, sparkCells)))
	}
}

// histogram counts times in equal spans, from the first to the last. Times are in order.
func histogram(times []time.Time, spans int) []int {
	counts := make([]int, spans)
	if len(times) == 0 {
		return counts
	}
	all := times[len(times)-1].Sub(times[0])
	for _, t := range times {
		at := 0
		if all > 0 {
			at = min(int(t.Sub(times[0])*time.Duration(spans)/all), spans-1)
		}
		counts[at]++
	}
	return counts
}
