package item

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// exactTimes is the width from which the list has exact times.
const exactTimes = 110

func detailRows(h int) int {
	switch {
	case h < 9:
		return 0
	case h < 18:
		return h / 2
	}
	return min(h/2, 14)
}

func (t *timelineTab) setSize(w, h int) {
	t.w, t.h = w, h
	if wide := w >= exactTimes; wide != t.wide {
		t.wide = wide
		if t.line != nil {
			t.setColumns()
		}
	}
	t.grid.SetSize(w, max(h-detailRows(h)-1, 0))
}

func (t *timelineTab) view() string {
	w, h, st := t.w, t.h, t.s.env.Styles
	if why := t.nothing(); why != "" {
		lines := append([]string{""}, widget.Wrap(st, widget.RoleMuted, why, max(w-4, 1))...)
		if note := t.stream.note(); note != "" {
			text := "Changes of the last 24 hours: " + models.Printable(note) + "."
			lines = append(append(lines, ""), widget.Wrap(st, widget.RoleFaint, text, max(w-4, 1))...)
		}
		for i := range lines {
			lines[i] = "  " + lines[i]
		}
		return widget.Place(strings.Join(lines, "\n"), w, h)
	}
	rows := h - detailRows(h) - 1
	list := widget.Place("", w, rows)
	switch {
	case len(t.entries) > 0:
		list = t.grid.View()
	case t.err != nil && !t.loading: // There is room for all that it says.
		list = widget.Place("\n"+strings.Join(present.ErrorLines(st, t.err, max(w-4, 1), "n retries"), "\n"), w, rows)
	}
	view := widget.Rows(list, widget.Place(t.stateLine(st, w), w, 1))
	if d := detailRows(h); d > 0 {
		view = widget.Rows(view, t.detail(w, d))
	}
	return widget.Place(view, w, h)
}

func (t *timelineTab) nothing() string {
	e := t.s.facts.entity
	switch {
	case e == nil:
		return "No entity matches the item, so its history cannot be found."
	case len(t.entries) > 0:
		return ""
	case len(t.s.env.Session.Profile().TrailsOf(e)) == 0 || t.line != nil && len(t.trails) == 0:
		return "The schema keeps no history of " + present.EntityName(e) + ": no audit log or trail contains such items. " +
			"Changes made with this console are in its journal."
	case t.line == nil || t.loading || t.err != nil || t.stopped || t.more:
		return ""
	}
	var names []string
	for _, tr := range t.trails {
		names = append(names, tr.Title)
	}
	text := "No entry in " + strings.Join(names, " or ") + " names this item."
	for _, tr := range t.trails {
		if !tr.Documented {
			return text + " The document does not define the entries of " + tr.Title + "; ddbdesk looked for entries in its own format."
		}
	}
	return text
}

func (t *timelineTab) stateLine(st *widget.Styles, w int) string {
	line := t.trailLine(st, w)
	if note := t.stream.note(); note != "" && !t.loading {
		line += st.Paint(widget.RoleFaint, " · "+models.Printable(note))
	}
	return line
}

func (t *timelineTab) trailLine(st *widget.Styles, w int) string {
	switch {
	case t.loading && !t.stopped:
		busy := widget.Busy{What: "reading the timeline", Cancel: "esc stops", Elapsed: t.elapsed, Fraction: -1}
		if n, units := t.watch.Requests(); n > 0 {
			busy.Detail = present.Spent(n, "request", units)
		}
		if retry := t.watch.Retrying(); retry != "" {
			busy.Detail = retry
		}
		return " " + busy.Render(st, max(w-1, 0))
	case t.err != nil && len(t.entries) == 0:
		return st.Paint(widget.RoleFaint, " No entries read")
	case t.err != nil:
		return st.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+t.err.Error()+" · n retries", w, widget.AlignLeft)
	case t.stopped:
		return st.Paint(widget.RoleWarn, " Stopped; n continues")
	case t.line == nil:
		return st.Paint(widget.RoleFaint, " Waiting for the item")
	case t.more:
		return st.Paint(widget.RoleFaint, " "+present.Plural(len(t.entries), "entry")+"; n reads older entries")
	}
	return st.Paint(widget.RoleFaint, " "+present.Plural(len(t.entries), "entry")+", complete")
}

// entryDetail is what was said about an entry, for a width and a moment.
type entryDetail struct {
	at, w int
	when  string
	st    *widget.Styles
	lines []string
}

func (t *timelineTab) detail(w, h int) string {
	st := t.s.env.Styles
	i := t.grid.Cursor()
	if i < 0 || i >= len(t.entries) {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	e := t.entry(i)
	when := present.Age(e.When, t.s.env.Now())
	if d := &t.said; d.at != i || d.w != w || d.when != when || d.st != st || d.lines == nil {
		*d = entryDetail{i, w, when, st, t.entryLines(st, e, w)}
	}
	return widget.Place(strings.Join(t.said.lines, "\n"), w, h)
}

func (t *timelineTab) entryLines(st *widget.Styles, e timeline.Entry, w int) []string {
	from := models.PrintableCell(source(e), 40)
	if e.Trail != nil {
		from += " · enter opens"
	}
	lines := []string{widget.Rule(st, models.PrintableCell(e.What, 40), from, w)}
	lines = append(lines, t.detailLines(st, e, max(w-4, 1))...)
	for n := 1; n < len(lines); n++ {
		lines[n] = "  " + lines[n]
	}
	return lines
}

func numeric(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.") == ""
}

func (t *timelineTab) detailLines(st *widget.Styles, e timeline.Entry, w int) []string {
	when := e.WhenText
	if !e.When.IsZero() {
		if numeric(when) {
			when += " (" + e.When.UTC().Format("2006-01-02T15:04:05Z") + ")"
		}
		when += " · " + present.Age(e.When, t.s.env.Now())
	}
	who := e.Who
	if who == "" {
		who = "unknown user"
	}
	lines := []string{st.Paint(
		widget.RoleMuted, models.PrintableCell(when, w/2)+" · by ",
	) + st.Paint(widget.RoleText, models.PrintableCell(who, w/3))}
	if e.Reason != "" {
		lines = append(lines, present.Hanging(st, widget.RoleText, "because ", models.PrintableCell(e.Reason, 4*planner.ValueCells), w)...)
	}
	if e.Trail != nil && !e.Trail.Documented {
		lines = append(lines, st.Paint(widget.RoleFaint, models.PrintableCell("the format of this entry is not documented", w)))
	}
	return append(lines, planner.ChangeRows(t.s.env, t.s.facts.entity, e.Changes(), w)...)
}
