package listing

import (
	"bytes"
	"encoding/csv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// copyCells is the width of details that are copied.
const copyCells = 100

func (s *Screen[R]) cannotCopy() string {
	if s.missing() != nil {
		return ""
	}
	return s.noRow()
}

// copy copies the details of the chosen rows as they are shown, or the command that sets up what is missing.
func (s *Screen[R]) copy() tea.Cmd {
	if a := s.missing(); a != nil {
		return screen.Send(screen.CopyMsg{Text: a.Command, What: "the command"})
	}
	var parts []string
	rows := s.Chosen()
	for _, r := range rows {
		s.more.addTo(&r, s.spec.ID(r))
		var b strings.Builder
		for _, line := range s.rowLines(r, copyCells) {
			b.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
		}
		parts = append(parts, b.String())
	}
	what := "the " + s.spec.Noun
	if len(rows) > 1 {
		what = present.Plural(len(rows), s.spec.Noun)
	}
	return screen.Send(screen.CopyMsg{Text: strings.Join(parts, "\n"), What: what})
}

// put returns the rows to write: the marked ones, or all in view.
func (s *Screen[R]) put() []R {
	if len(s.rows.marks) > 0 {
		return s.Chosen()
	}
	return s.rows.list
}

// copyRows copies rows with a tab between their cells, as spreadsheets take them.
func (s *Screen[R]) copyRows() tea.Cmd {
	rows := s.put()
	var b strings.Builder
	for _, line := range s.rows.table(rows) {
		b.WriteString(strings.Join(line, "\t") + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: present.Plural(len(rows), s.spec.Noun)})
}

// export opens the dialog that writes rows to a file.
func (s *Screen[R]) export() tea.Cmd {
	rows := s.put()
	pieces := []output.Piece{{
		Label: "CSV", Note: "the columns", What: present.Plural(len(rows), s.spec.Noun), File: s.spec.Name + ".csv",
		Text: func() (string, error) {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			err := w.WriteAll(s.rows.table(rows))
			return b.String(), err
		},
	}}
	if s.spec.Export != nil {
		pieces = s.spec.Export(rows)
	}
	s.Box = output.NewExport(s.Env, output.Exporting{Title: "Export " + s.nouns(), Name: s.spec.Name, Texts: pieces})
	return nil
}

func printable(text string) string { return models.Printable(text) }

// plural returns a noun in the plural.
func plural(noun string) string { return strings.TrimPrefix(present.Plural(0, noun), "0 ") }

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
