package workbench

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (dr *drawing) viewPreview() string {
	l := dr.b.lay.preview
	if l.H <= 0 || !dr.b.job.gridded() {
		return ""
	}
	raw, shown, ok := dr.b.job.selected()
	if !ok {
		return widget.Place("", l.W, l.H)
	}
	if dr.preview.Row != shown || dr.preview.Size != l {
		dr.preview = results.Preview{Row: shown, Size: l, Lines: dr.previewLines(shown, raw, l.W, l.H)}
	}
	return dr.preview.Lines
}

func (dr *drawing) previewLines(r *results.Row, raw models.Item, w, h int) string {
	env, t, columns := dr.b.env, dr.b.job.pattern.Table, dr.b.job.rows.Paths
	related := env.Reading.Related(t, raw)
	s := env.Styles
	lines := []string{widget.Rule(s, results.ItemTitle(r), "enter opens", w)}
	var about []string
	if strip := results.LifecycleOf(s, r); strip != "" {
		about = append(about, " "+strip)
	}
	about = append(about, results.KeyLine(s, t, r), " "+results.RelatedLine(s, related))
	if line := results.DueLine(s, t, raw, env.Session.Now()); line != "" {
		about[0] += s.Paint(widget.RoleFaint, "   ") + line
	}
	if len(about) < h-1 {
		about = append(about, "")
		copy(about[1:], about)
		about[0] = " " + results.FiguresOf(env, r, columns, w)
	}
	return widget.Place(strings.Join(append(lines, about...), "\n"), w, h)
}
