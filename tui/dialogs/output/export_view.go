package output

import (
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// exportWidth is how wide the dialog's text is at most.
const exportWidth = 74

// Over draws the dialog over a screen of w by h cells.
func (x *ExportDialog) Over(s *widget.Styles, background string, w, h int) string {
	wide := max(min(w-8, exportWidth), 1)
	shown := overlay.Box{Dialog: x.Dialog} // without the form
	switch x.phase {
	case exportAsks:
		x.Dialog.Note, x.Dialog.Buttons = x.hides(), x.buttons()
		return x.Draw(s, background, w, h, wide, nil, x.remarks(s, wide))
	case exportRuns:
		x.Dialog.Note, x.Dialog.Buttons = "esc stops and keeps nothing", nil
	case exportDone:
		x.Dialog.Note, x.Dialog.Buttons = "enter closes · y copies the path", nil
	}
	if x.phase == exportDone {
		return shown.Draw(s, background, w, h, wide, x.result(s, wide), nil)
	}
	return shown.Draw(s, background, w, h, wide, x.running(s, wide, x.Form.Height(wide)+len(x.remarks(s, wide))), nil)
}

func (x *ExportDialog) hides() string {
	if x.env.Workspace == nil {
		return "as it is shown"
	}
	if overlay.Revealing(x.env) {
		return "personal data is REVEALED and goes to the journal"
	}
	return "masked values stay masked"
}

func (x *ExportDialog) remarks(s *widget.Styles, w int) []string {
	lines := []string{""}
	switch {
	case x.err != nil:
		return append(lines, widget.Wrap(s, widget.RoleBad, "✗ "+x.err.Error(), w)...)
	case len(x.warnings) > 0:
		for _, text := range x.warnings {
			lines = append(lines, widget.Wrap(s, widget.RoleWarn, "⚠ "+text, w)...)
		}
		return lines
	}
	note := ""
	if c := x.choice(); len(x.of.Rows) > 0 {
		note = c.Note
	}
	return append(lines, s.Paint(widget.RoleMuted, note))
}

func (x *ExportDialog) running(s *widget.Styles, w, height int) []string {
	now := x.progress.get()
	what := "writing " + present.Plural(now.Items, "item")
	if x.stopping {
		what = "stopping after " + present.Plural(now.Items, "item")
	}
	share := -1.0
	reading := x.progress.calls.Figures()
	if reading.Share > 0 {
		share = reading.Share
	}
	lines := []string{
		s.Paint(widget.RoleText, what), "", widget.ProgressBar(s, share, min(w, 40), x.elapsed), "",
		s.Paint(widget.RoleMuted, models.Truncate(present.Join(x.progress.calls.Retrying(), x.figures(now), " · "), w)),
	}
	if reading.Pages > 0 {
		lines = append(lines, s.Paint(widget.RoleMuted, models.Truncate(present.ReadFigures(reading), w)))
	}
	for len(lines) < height+exportButtons {
		lines = append(lines, "")
	}
	return lines
}

// exportButtons is how many lines the buttons take: the dialog does not shrink
// while it runs.
const exportButtons = 2

func (x *ExportDialog) figures(now items.Exported) string {
	parts := []string{reading.ByteSize(now.Bytes)}
	if f := x.progress.calls.Figures(); f.Requests > 0 && x.phase == exportDone {
		parts = append(parts, present.Spent(f.Requests, "request", f.Capacity))
	}
	if x.elapsed >= time.Second {
		parts = append(parts, present.Thousands(int(float64(now.Items)/x.elapsed.Seconds()))+" items/s", present.Short(x.elapsed))
	}
	return strings.Join(parts, " · ")
}

func (x *ExportDialog) result(s *widget.Styles, w int) []string {
	d := x.done
	lines := []string{
		s.Paint(widget.RoleGood, "✓ ") + s.Paint(widget.RoleText, present.Plural(d.Items, "item")+" as "+x.format().Title),
		s.Paint(widget.RoleMuted, "  "+x.figures(d)), "",
	}
	lines = append(lines, widget.Wrap(s, widget.RoleStrong, d.Path, w)...)
	if len(d.LeftOut) > 0 {
		lines = append(lines, "")
		lines = append(lines, widget.Wrap(s, widget.RoleWarn, "⚠ no column for "+present.ShortList(d.LeftOut, 8)+
			", which came after the first rows: JSON lines leaves nothing out", w)...)
	}
	return append(lines, "")
}
