package item

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (o *overviewTab) isFiltered() bool { return o.isTyping() || o.filter.Text() != "" }

func (o *overviewTab) isTyping() bool { return o.filter.Typing() }

func (o *overviewTab) stopTyping() {
	o.filter.Stop()
	o.origin = ""
}

func (o *overviewTab) cancel() bool {
	filtered := o.isFiltered()
	if filtered {
		o.unfilter()
	}
	return filtered
}

// unfilter removes the filter and keeps the parents of the selected row expanded.
func (o *overviewTab) unfilter() {
	path := o.origin
	if r := o.selectedRow(); r != nil && path == "" {
		path = r.path
		for _, above := range o.makeRows(true) {
			if above.hasChildren && strings.HasPrefix(path, above.path) && path != above.path {
				o.expanded[above.path] = true
			}
		}
	}
	o.filter.Clear()
	o.fillRows()
	o.selectPath(path)
}

func (o *overviewTab) updateFilter(msg tea.Msg) tea.Cmd {
	press, _ := msg.(tea.KeyPressMsg)
	switch press.String() {
	case "esc":
		o.unfilter()
		return nil
	case "enter":
		o.stopTyping()
		return nil
	case "up", "down", "pgup", "pgdown":
		o.fields.Update(msg)
		o.origin = ""
		return nil
	}
	cmd, changed := o.filter.Update(msg)
	if changed {
		o.fillRows()
		o.fields.Select(0)
		o.selectPath(o.origin)
	}
	return cmd
}

func (o *overviewTab) matches(show present.Presenter, r *attributeRow) bool {
	texts := []string{r.label}
	if !o.s.plain {
		texts = append(texts, r.path)
	}
	if stored, ok := models.ValueText(r.value); ok {
		texts = append(texts, stored)
		if r.depth < present.MaxIndent {
			texts = append(texts, o.shown(show, r).Text)
		}
	}
	return strings.Contains(widget.Fold(strings.Join(texts, "\x00")), o.needle)
}

func filterHints() widget.Actions {
	return widget.Actions{widget.Hint("enter", "keep"), widget.Hint("↑↓", "choose", "down", "up"), widget.Hint("esc", "list all")}
}

func (o *overviewTab) frame(w int) (title, note string, cursor int) {
	text, at := o.filter.Shown(max(w-42, 12))
	if o.filter.Text() == "" {
		return "/ filter by name or value", "esc list all", 2
	}
	return "/ " + text, fmt.Sprintf("%d of %s · esc list all", len(o.rows), present.Thousands(o.total)), 2 + at
}

func (o *overviewTab) cursor(w, y int) *tea.Cursor {
	title, _, cursor := o.frame(w)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), y)
}
