package item

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These are the fields of the dialog that saves a case.
const (
	fileField   = "file"
	reasonField = "reason"
	ticketField = "ticket"
)

// caseUnits is the number of RCU after which the console stops following relations, because the user has not
// consented to more.
const caseUnits = 100

func (s *itemScreen) caseDialog() overlay.Overlay {
	q := overlay.NewHarmlessQuestion("Save the case file", "", "Save", nil,
		"Saves the item and its directly related items. ddbdesk replaces personal data with pseudonyms, and omits secrets and "+
			"unknown attributes. To see the relations first or omit some, run ddbdesk case save.")
	const stored = "stored in the file and in the journal"
	q.PromptAll(s.env.Styles,
		widget.FormField{Name: fileField, Required: true, Width: 56, Help: "~ is your home folder; only you can read the file"},
		widget.FormField{Name: reasonField, Width: 56, Required: s.env.Session.Production(), Help: stored},
		widget.FormField{Name: ticketField, Width: 56, Help: stored},
	)
	q.Form.SetValues(map[string]string{
		fileField: present.FileName(cases.Extension[1:], s.fileName(), s.env.Now().UTC().Format("20060102-150405")),
	})
	key, _ := s.table.PrimaryKey(s.item)
	from, start, ctx := s.env.Workspace, link.Place{Entity: s.facts.entity, Key: key}, s.env.Context
	q.Yes = func() tea.Cmd {
		args := q.Form.Values()
		return tea.Batch(screen.Send(screen.NoticeMsg{Text: "saving the case file"}), func() tea.Msg {
			purpose := cases.Purpose{Reason: args[reasonField], Ticket: args[ticketField]}
			path, report, err := writeCase(ctx, from, start, purpose, args[fileField])
			return screen.Answer(func() tea.Cmd { return s.caseSaved(path, report, err) })
		})
	}
	return q
}

func writeCase(
	ctx context.Context, w *workspace.Workspace, start link.Place, purpose cases.Purpose, name string,
) (path string, report []string, err error) {
	if path, err = items.NewFilePath(name); err != nil {
		return "", nil, err
	}
	limits := cases.DefaultLimits()
	limits.Units = caseUnits
	tree, err := w.Cases.Explore(ctx, start, limits)
	if err != nil {
		return "", nil, err
	}
	if len(tree.Items()) == 0 {
		return "", nil, errors.New("the item no longer exists")
	}
	c, done, err := w.Cases.Collect(ctx, tree, purpose)
	if err != nil {
		return "", nil, err
	}
	return path, append([]string{tree.Summary(), ""}, done.Lines()...), c.Save(path)
}

func (s *itemScreen) caseSaved(path string, report []string, err error) tea.Cmd {
	switch {
	case err != nil:
		return screen.Send(screen.NoticeMsg{Text: "cannot save the case file: " + err.Error(), Bad: true})
	case s.Box != nil:
		return screen.Send(screen.NoticeMsg{Text: "saved " + models.Printable(path)})
	}
	sheet := overlay.NewSheet(s.env.Styles, "Saved the case file", func(st *widget.Styles, w int) []string {
		lines := widget.Wrap(st, widget.RoleGood, "✓ "+models.Printable(path), w)
		lines = append(append(lines, widget.Wrap(st, widget.RoleMuted, "Open it with ddbdesk open FILE.", w)...), "")
		for _, line := range report {
			lines = append(lines, widget.Wrap(st, widget.RoleText, models.Printable(line), w)...)
		}
		return lines
	})
	sheet.Key, sheet.Copy, sheet.What = "s", path, "the path"
	s.Box = sheet
	return nil
}
