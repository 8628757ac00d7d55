package listing

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// writes is the state of an action's pending write. Only one can run at a time.
type writes struct {
	writing  *screen.Writing // nil if no write is pending
	activity string          // "rejecting request 1"
}

func (s *Screen[R]) promptText(a Action[R], x *row[R]) tea.Cmd {
	prompt, verb := a.Prompt, strings.ToUpper(a.Desc[:1])+a.Desc[1:]
	q := overlay.NewHarmlessQuestion(verb+" · "+s.name(x), "", verb, nil, prompt.About(s.Env, x.value)...)
	field := widget.FormField{
		Name: "text", Label: prompt.Label, Width: 48, Required: prompt.Required, Placeholder: prompt.Hint, Validate: prompt.Check,
	}
	q.Prompt(s.Env.Styles, field, func(text string) string {
		if prompt.Required && text == "" {
			return prompt.Label + ": missing"
		}
		if prompt.Check != nil {
			if err := prompt.Check(text); err != nil {
				return err.Error()
			}
		}
		return ""
	})
	if !prompt.Required {
		q.FocusForm(false) // Otherwise the action's key followed by enter would confirm it.
	}
	q.Yes = func() tea.Cmd { return s.startWrite(a, x, q.Value()) }
	s.Box = q
	return nil
}

// startWrite starts a write that cannot be stopped.
func (s *Screen[R]) startWrite(a Action[R], x *row[R], text string) tea.Cmd {
	w, id, r := screen.NewWriting(), x.id, x.value
	s.writes = writes{w, a.Doing + " " + s.name(x)}
	env, ctx := s.Env, context.WithoutCancel(s.ctx)
	return func() (msg tea.Msg) {
		w.Do(func() {
			result, err := a.Do(ctx, env, r, text)
			if err != nil {
				result = ActionResult{Message: a.Desc + ": " + err.Error(), Bad: true}
			}
			msg = screen.Answer(func() tea.Cmd { return s.finishWrite(id, result) })
		})
		return msg
	}
}

func (s *Screen[R]) finishWrite(id string, result ActionResult) tea.Cmd {
	s.writes.writing = nil
	for _, x := range s.rows.all {
		if x.id == id {
			x.result = result
		}
	}
	s.drawn.version++
	return tea.Batch(s.read(false), screen.Send(screen.NoticeMsg{Text: models.Printable(result.Message), Bad: result.Bad}))
}

func (s *Screen[R]) name(x *row[R]) string { return s.spec.Noun + " " + s.rows.name(x) }

// ConfirmTarget calls do for the marked rows or the selected row. It asks the user first if marked rows have
// disappeared.
func (s *Screen[R]) ConfirmTarget(title string, do func() tea.Cmd) tea.Cmd {
	x := s.rows.selected()
	if x == nil || len(s.rows.lostNames) == 0 || s.Marked() {
		return do()
	}
	s.Box = overlay.NewHarmlessQuestion(strings.ToUpper(title[:1])+title[1:]+" another "+s.spec.Noun+"?", "", "Use this one",
		func() tea.Cmd {
			s.rows.lostNames = nil
			return do()
		}, "These marked rows are gone: "+results.ListNames(s.rows.lostNames)+".", "The cursor is on "+s.rows.name(x)+".")
	return nil
}

// Holds describes the pending write, or returns "" if there is none.
func (s *Screen[R]) Holds() string {
	if s.writes.writing != nil {
		return s.writes.activity
	}
	return s.Host.Holds()
}

// Wait blocks until the pending write has an outcome.
func (s *Screen[R]) Wait() {
	if s.writes.writing != nil {
		s.writes.writing.Wait()
	}
	s.Host.Wait()
}

// copyCells is the width of copied details in cells.
const copyCells = 100

func (s *Screen[R]) copy() tea.Cmd {
	if a := s.advice(); a != nil {
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
	text := "the " + s.spec.Noun
	if len(rows) > 1 {
		text = present.Plural(len(rows), s.spec.Noun)
	}
	return screen.Send(screen.CopyMsg{Text: strings.Join(parts, "\n"), What: text})
}

func (s *Screen[R]) copyRows() tea.Cmd {
	rows := s.rows.markedOrAll()
	var b strings.Builder
	for _, line := range s.rows.table(rows) {
		b.WriteString(strings.Join(line, "\t") + "\n")
	}
	return screen.Send(screen.CopyMsg{Text: b.String(), What: present.Plural(len(rows), s.spec.Noun)})
}

func (s *Screen[R]) export() tea.Cmd {
	rows := s.rows.markedOrAll()
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
		pieces = s.spec.Export(rowValues(rows))
	}
	s.Box = output.NewExport(s.Env, output.ExportContent{Title: "Export " + s.nouns(), Name: s.spec.Name, Texts: pieces})
	return nil
}
