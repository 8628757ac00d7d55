package workbench

import "github.com/ddbdesk/ddbdesk/tui/widget"

// wideFrom is the width from which the row under the cursor has a pane of its own.
const wideFrom = 160

func (l *layout) besideRows(w int, j *job) {
	if w < wideFrom || j == nil || !j.gridded() || j.rows.Items.Len() == 0 {
		return
	}
	l.side = l.work
	l.side.W = l.work.W / 3
	l.work.W -= l.side.W
	l.side.X += l.work.W
}

func (b *Workbench) viewSide() string {
	l, j := b.lay.side, b.job
	if l.W == 0 || j == nil {
		return ""
	}
	w, h := widget.PanelInner(l.W, l.H)
	title, content := j.rows.Beside(w, h)
	return widget.Panel{Title: title, Note: "enter opens"}.Render(b.env.Styles, content, l.W, l.H)
}
