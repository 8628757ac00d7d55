package planner

import (
	"bytes"
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// exportedMsg says where the summary was written.
type exportedMsg struct {
	box  *SweepDialog
	path string
	err  error
}

func (x *SweepDialog) pressSummary(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch msg.String() {
	case "esc", "q", "enter":
		if x.ready && x.Closed != nil {
			return x.Closed(), true
		}
		return nil, x.ready
	case "u":
		if list := x.undoable(); x.ready && len(list) > 0 {
			x.begin(sweepUndo(x.sweep.Action, list))
			return x.Start(), false
		}
	case "o":
		if x.ready {
			return x.follow()
		}
	case "e":
		return x.export(), false
	case "y":
		text, err := x.spelled()
		if err != nil {
			return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true}), false
		}
		return screen.Send(screen.CopyMsg{Text: text, What: present.Plural(x.run.outcomes.Len(), "outcome") + " as CSV"}), false
	default:
		x.grid.Update(msg)
	}
	return nil, false
}

func (x *SweepDialog) spelled() (string, error) {
	var out bytes.Buffer
	err := changes.WriteCSV(&out, x.run.outcomes.list)
	return out.String(), err
}

func (x *SweepDialog) export() tea.Cmd {
	name := fmt.Sprintf("ddbdesk-%s-%s.csv", x.id(), x.env.Session.Now().UTC().Format("20060102-150405"))
	text, wrong := x.spelled()
	on, ctx := x.env.Workspace, x.env.Context
	return func() tea.Msg {
		path, err := filepath.Abs(name)
		if err != nil {
			return exportedMsg{x, name, err}
		}
		_, err = on.Exporter.SaveText(ctx, "what became of "+x.id(), path, false, func() (string, error) { return text, wrong })
		return exportedMsg{x, path, err}
	}
}

func (x *SweepDialog) id() string {
	id := "repair"
	if x.sweep.Action != nil {
		id = x.sweep.Action.ID
	}
	if x.undoes() {
		id = "undo-" + id
	}
	return id
}

func (x *SweepDialog) exported(msg exportedMsg) tea.Cmd {
	if msg.box != x {
		return nil
	}
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: "not exported: " + msg.err.Error(), Bad: true})
	}
	x.said = "✓ " + msg.path
	return screen.Send(screen.NoticeMsg{Text: "exported to " + msg.path})
}
