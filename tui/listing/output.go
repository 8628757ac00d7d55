package listing

import (
	"bytes"
	"encoding/csv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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

func (s *Screen[R]) copy() tea.Cmd {
	if a := s.missing(); a != nil {
		return screen.Send(screen.CopyMsg{Text: a.Command, What: "the command"})
	}
	var parts []string
	rows := s.rows.chosen()
	for _, x := range rows {
		var b strings.Builder
		for _, line := range s.rowLines(x, copyCells) {
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

func (s *Screen[R]) copyRows() tea.Cmd {
	rows := s.rows.put()
	var b strings.Builder
	for _, line := range s.rows.table(rows) {
		b.WriteString(strings.Join(line, "\t") + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: present.Plural(len(rows), s.spec.Noun)})
}

func (s *Screen[R]) export() tea.Cmd {
	rows := s.rows.put()
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
		pieces = s.spec.Export(plain(rows))
	}
	s.Box = output.NewExport(s.Env, output.Exporting{Title: "Export " + s.nouns(), Name: s.spec.Name, Texts: pieces})
	return nil
}
