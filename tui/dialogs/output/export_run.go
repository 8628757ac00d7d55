package output

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// An exportCheck describes the consequences of continuing with the export.
type exportCheck struct {
	answers string
	path    string
	exists  bool
	size    string // size of the table that the export would read, "" if it does not read one
	split   bool   // the table is large, so the export would read it from the beginning, in segments
	err     error
}

// exportEndedMsg reports that the check or the write ended.
type exportEndedMsg struct {
	task *screen.Task
	done items.ExportProgress
	err  error
}

func (x *ExportDialog) check() tea.Cmd {
	if x.checking || x.Form.Validate() != nil {
		return nil
	}
	x.checking = true
	check := exportCheck{answers: x.answers()}
	name, s, c := x.Form.Values()[exportFile], x.env.Workspace, x.choice()
	var cmd tea.Cmd
	x.task, cmd = screen.Run(x.env.Context, func(ctx context.Context) func() tea.Cmd {
		check.path, check.err = items.NewFilePath(name)
		if errors.Is(check.err, items.ErrExists) {
			check.exists, check.err = true, nil
		}
		if c.Scan != nil && check.err == nil {
			check.size, check.split = tableSize(ctx, s, c.Scan)
			check.split = check.split && c.FromStart != nil
		}
		return func() tea.Cmd { return x.handleCheck(check) }
	})
	return cmd
}

func tableSize(ctx context.Context, s *workspace.Workspace, p *accesspatterns.Pattern) (size string, split bool) {
	e, err := s.Reading.EstimateScan(ctx, p.Table, p.Read)
	if err != nil {
		return "size unknown: " + err.Error(), false
	}
	return e.String(), e.Segments > 1
}

func (x *ExportDialog) handleCheck(check exportCheck) tea.Cmd {
	x.checking = false
	if check.answers != x.answers() {
		return nil
	}
	x.err, x.warnings = check.err, nil
	if check.err != nil {
		return nil
	}
	verb := ""
	if check.exists {
		verb = "Replace it"
		x.warnings = append(x.warnings, "The file exists. Press enter again to replace it.")
	}
	if check.size != "" {
		verb = "Read it all"
		action := "continues to read"
		if check.split {
			action = "starts again and reads"
		}
		x.warnings = append(
			x.warnings,
			"The export "+action+" the whole table "+x.content.What.Table.Name+": "+check.size+". Press enter again to accept the cost.",
		)
	}
	if len(x.warnings) > 0 && x.warnedAnswers != check.answers {
		x.warnedAnswers, x.verb = check.answers, verb
		return nil
	}
	x.warnings = nil
	return x.write(check.path, check.exists, check.split)
}

func (x *ExportDialog) write(path string, replace, fromStart bool) tea.Cmd {
	task, ctx, tick := screen.StartTask(x.env.Context)
	x.phase, x.task = exportRunning, task
	x.ended, x.progress = make(chan struct{}), &atomic.Pointer[items.ExportProgress]{}
	x.progress.Store(&items.ExportProgress{})
	s, e, c, p, ended, progress := x.env.Workspace, x.content.What, x.choice(), x.text(), x.ended, x.progress
	e.Format, e.Path, e.Replace = x.format(), path, replace
	return tea.Batch(tick, func() tea.Msg {
		defer close(ended)
		if p != nil {
			done, err := savePiece(ctx, s, *p, path, replace)
			return exportEndedMsg{task, done, err}
		}
		rest := c.Rest
		if fromStart {
			rest = c.FromStart
		} else {
			e.Items, e.Pages, e.Count = c.Items.Parts()
		}
		if rest != nil {
			var err error
			if e.Rest, err = rest(); err != nil {
				return exportEndedMsg{task: task, err: err}
			}
		}
		done, err := s.Exporter.Export(ctx, e, func(done items.ExportProgress) { progress.Store(&done) })
		return exportEndedMsg{task, done, err}
	})
}

func savePiece(ctx context.Context, s *workspace.Workspace, p Piece, path string, replace bool) (items.ExportProgress, error) {
	text := func() (string, error) {
		text, err := p.Text()
		if err == nil && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text, err
	}
	size, err := saveText(ctx, s, p.What, path, replace, text)
	return items.ExportProgress{Path: path, Bytes: size}, err
}

func saveText(
	ctx context.Context, s *workspace.Workspace, subject, path string, replace bool, text func() (string, error),
) (size int64, err error) {
	if s != nil {
		return s.Exporter.SaveText(ctx, subject, path, replace, text)
	}
	content, err := text()
	if err != nil {
		return 0, err
	}
	return int64(len(content)), items.Save(path, []byte(content), replace)
}

func (x *ExportDialog) handleEnd(msg exportEndedMsg) (cmd tea.Cmd, done bool) {
	if msg.task != x.task {
		return nil, false
	}
	x.task.End()
	switch {
	case msg.err != nil && x.task.Stopped:
		note := "no file was saved"
		if msg.done.Part != "" {
			note = "saved in " + models.Printable(msg.done.Part)
		}
		return screen.Send(screen.NoticeMsg{Text: fmt.Sprintf("stopped after %s: %s", present.Plural(msg.done.Items, "item"), note)}), true
	case msg.err != nil:
		x.phase, x.err = exportInputs, msg.err
		x.warnedAnswers, x.verb = "", ""
		x.focusForm()
		return nil, false
	case x.text() != nil:
		return screen.Send(screen.NoticeMsg{Text: fmt.Sprintf("wrote %s to %s", x.text().What, models.Printable(msg.done.Path))}), true
	}
	x.phase, x.done = exportDone, msg.done
	return nil, false
}

// Cancel stops the write. closed reports whether the host may close the box.
func (x *ExportDialog) Cancel() (closed bool) {
	if x.phase != exportRunning {
		x.task.End()
		return true
	}
	x.task.Stop()
	return false
}

// Close abandons the export.
func (x *ExportDialog) Close() { x.task.Stop() }

// Wait stops a running write and blocks until it ends.
func (x *ExportDialog) Wait() {
	if x.phase == exportRunning {
		x.task.Stop()
		<-x.ended
	}
}
