package home

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An about is the part of home about the selected profile: the numbers of its database, and the text of its document. On
// a wide terminal, a preview beside it shows the items behind a number, or the text.
type about struct {
	h *Home

	lines   *widget.Lines
	preview *widget.Pager
	live    map[string]*tables.Comparison // of the live tables, by profile
	rows    []row
	shown   *profiles.Profile // whose rows these are
	width   int               // that they were made for; 0 to make them again
	beside  string            // the row that the preview shows
}

// A row is one line of the numbers or of the text.
type row struct {
	id   string                // identifies a row with a cursor, "" for one that the cursor passes over
	text string                // styled, if draw is nil
	draw func(t *widget.Strip) // draws the line after the mark of the cursor
	open func() tea.Cmd        // what enter does, nil for nothing
	// items describes the items behind the row in lines of w cells, for the preview; nil for none.
	items func(w int) []string
	title string // of the preview
}

// Len implements widget.LineSource.
func (a *about) Len() int { return len(a.rows) }

// Skip implements widget.LineSource: the cursor passes over headings.
func (a *about) Skip(i int) bool { return a.rows[i].id == "" }

// Line implements widget.LineSource.
func (a *about) Line(i int, on widget.Surface, w int) string {
	r := a.rows[i]
	if r.draw == nil {
		mark := " "
		if on != widget.SurfacePlain {
			mark = a.h.styles.Paint(widget.RoleAccent, "▌")
		}
		return widget.Place(mark+r.text, w, 1)
	}
	t := widget.NewStrip(a.h.styles, on, w)
	mark := " "
	if on != widget.SurfacePlain {
		mark = "▌"
	}
	t.Put(widget.RoleAccent, mark)
	r.draw(t)
	return t.String()
}

// describeAgain makes the rows again, because what they show has changed.
func (a *about) describeAgain() {
	a.width = 0
	a.refresh()
}

// refresh makes the rows of the selected profile, if it is another one.
func (a *about) refresh() {
	lay := a.h.frame.layout()
	width := max(lay.about.Inner().W-2, 10)
	p := a.h.Selected()
	if p != a.shown || width != a.width || a.h.err != nil {
		before := a.row()
		a.rows = a.make(p, width)
		a.lines.SetSource(a)
		at := slices.IndexFunc(a.rows, func(r row) bool { return before != nil && p == a.shown && r.id == before.id })
		a.lines.Go(max(at, 0))
		a.shown, a.width, a.beside = p, width, ""
		if a.h.err != nil {
			a.width = 0
		}
	}
	a.showBeside()
}

// make makes the rows of a profile: an error, its numbers, and its text unless the preview shows it.
func (a *about) make(p *profiles.Profile, w int) []row {
	var rows []row
	if a.h.err != nil {
		rows = textRows(a.errorLines(w))
	}
	rows = append(rows, textRows(a.faultLines(w))...)
	if p == nil {
		return rows
	}
	head := []string{a.h.styles.Paint(widget.RoleTitle, models.Truncate(models.Printable(p.Title), w))}
	rows = append(rows, textRows(append(append(head, liveLines(a.h.styles, a.live[p.Name], w)...), ""))...)
	rows = append(rows, (&numbers{h: a.h, p: p, w: w, b: a.h.counter.of(p)}).rows()...)
	if !a.h.frame.layout().wide() {
		for i, line := range append([]string{""}, describe(a.h.styles, p, w)...) {
			r := row{text: line}
			if i > 0 && line != "" {
				r.id = fmt.Sprintf("text %d", i) // The cursor scrolls through the text.
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// textRows returns rows without a cursor.
func textRows(lines []string) []row {
	rows := make([]row, len(lines))
	for i, line := range lines {
		rows[i] = row{text: line}
	}
	return rows
}

// row returns the row under the cursor, nil without one.
func (a *about) row() *row {
	if i, ok := a.lines.At(); ok && i < len(a.rows) {
		return &a.rows[i]
	}
	return nil
}

// open opens what is behind the row under the cursor; false if there is nothing.
func (a *about) open() (tea.Cmd, bool) {
	r := a.row()
	if r == nil || r.open == nil {
		return nil, false
	}
	return r.open(), true
}

// showBeside fills the preview: the items behind the row under the cursor, otherwise the text of the profile.
func (a *about) showBeside() {
	lay := a.h.frame.layout()
	if !lay.wide() || a.shown == nil {
		return
	}
	w := max(lay.preview.Inner().W-2, 10)
	r := a.row()
	id := "text"
	if a.h.has == paneAbout && r != nil && r.items != nil {
		id = r.id
	}
	if a.beside == id {
		return
	}
	a.beside = id
	a.preview.ScrollTo(0)
	if id == "text" {
		a.preview.SetLines(describe(a.h.styles, a.shown, w))
		return
	}
	a.preview.SetLines(r.items(w))
}

// besideTitle is the title of the preview.
func (a *about) besideTitle() string {
	if r := a.row(); r != nil && a.beside == r.id && r.title != "" {
		return r.title
	}
	return "Schema"
}

// errorLines says what failed, and how to try again.
func (a *about) errorLines(w int) []string {
	what := "Cannot load the profiles"
	if a.h.failed != "" {
		what = models.Printable(a.h.failed) + " cannot be opened"
	}
	lines := []string{a.h.styles.Paint(widget.RoleBad, "✗ "+what)}
	lines = append(lines, widget.Wrap(a.h.styles, widget.RoleText, a.h.err.Error(), w)...)
	lines = append(lines, widget.Wrap(a.h.styles, widget.RoleMuted, "Press enter to retry, or r to reload the profiles.", w)...)
	return append(lines, "")
}

// faultLines says which profiles cannot be used as their files are now.
func (a *about) faultLines(w int) []string {
	if a.h.faults == nil {
		return nil
	}
	lines := []string{a.h.styles.Paint(widget.RoleBad, "✗ Profiles with errors")}
	for line := range strings.Lines(a.h.faults.Error()) {
		lines = append(lines, widget.Wrap(a.h.styles, widget.RoleText, strings.TrimSpace(line), w)...)
	}
	return append(lines, a.h.styles.Paint(widget.RoleMuted, "r reloads the profiles"), "")
}
