package workbench

import "github.com/ddbdesk/ddbdesk/tui/widget"

// wideFrom is the width from which the row under the cursor has a pane of its own.
const wideFrom = 160

// besideRows divides the work of a wide screen between the rows and the row under the cursor. While there are no rows, the
// width is for what is being read.
func (l *layout) besideRows(w int, j *job) {
	if w < wideFrom || j == nil || !j.gridded() || j.rows.Items.Len() == 0 {
		return
	}
	l.side = l.work
	l.side.W = l.work.W / 3
	l.work.W -= l.side.W
	l.side.X += l.work.W
}

// viewSide draws the row under the cursor, "" on a screen without that pane.
func (b *Workbench) viewSide() string {
	l, j := b.lay.side, b.job
	if l.W == 0 || j == nil {
		return ""
	}
	w, h := widget.PanelInner(l.W, l.H)
	title, content := j.rows.Beside(w, h)
	return widget.Panel{Title: title, Note: "enter opens"}.Render(b.env.Styles, content, l.W, l.H)
}
