package cases

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// tickedMsg moves the figures.
type tickedMsg struct{ dialog *Dialog }

// exploredMsg has the tree.
type exploredMsg struct {
	dialog *Dialog
	ended  chan struct{}
	tree   *casefile.Tree
	err    error
}

// savedMsg says what was written.
type savedMsg struct {
	dialog *Dialog
	path   string
	report []string
	err    error
}

func (d *Dialog) tick() tea.Cmd {
	return tea.Tick(widget.BusyFrame, func(time.Time) tea.Msg { return tickedMsg{d} })
}

// begin starts work that esc stops.
func (d *Dialog) begin(p phase) (ctx context.Context, ended chan struct{}) {
	ctx, d.stop = context.WithCancel(d.env.Context)
	d.err, d.ended, d.progress = nil, make(chan struct{}), &reading.Progress{}
	d.enter(p)
	return d.progress.Watch(ctx), d.ended
}

// explore reads what is related to the item.
func (d *Dialog) explore() tea.Cmd {
	ctx, ended := d.begin(explores)
	w, start, limits := d.env.Workspace, d.start, d.limits
	return tea.Batch(d.tick(), func() tea.Msg {
		defer close(ended)
		tree, err := w.Cases.Explore(ctx, start, limits, func(*casefile.Tree) {})
		if items := 0; err == nil {
			if items, _, _ = tree.Total(); items == 0 {
				err = errors.New("the item no longer exists")
			}
		}
		return exploredMsg{d, ended, tree, err}
	})
}

// explored shows the tree.
func (d *Dialog) explored(msg exploredMsg) {
	d.stop()
	d.err, d.cursor, d.top, d.tree = msg.err, 0, 0, msg.tree
	if msg.err != nil {
		d.tree = nil
	}
	d.enter(chooses)
}

// save takes the items and writes the file.
func (d *Dialog) save() tea.Cmd {
	values := d.form.Values()
	purpose := casefile.Purpose{Reason: values[fieldReason], Ticket: values[fieldTicket]}
	ctx, ended := d.begin(saves)
	w, tree, name := d.env.Workspace, d.tree, values[fieldFile]
	return tea.Batch(d.tick(), func() tea.Msg {
		defer close(ended)
		msg := savedMsg{dialog: d}
		msg.path, msg.report, msg.err = saveAt(ctx, w, tree, purpose, name)
		return msg
	})
}

// saveAt writes the items of a tree to a new file.
func saveAt(ctx context.Context, w *workspace.Workspace, tree *casefile.Tree, o casefile.Purpose, name string) (string, []string, error) {
	path, err := exporter.Path(name)
	if err != nil {
		return "", nil, err
	}
	c, report, err := w.Cases.Take(ctx, tree, o)
	if err != nil {
		return "", nil, err
	}
	text, err := c.Encode()
	if err == nil {
		err = exporter.SaveText(path, string(text), false)
	}
	return path, report.Lines(), err
}

// saved shows what was written. After an error the form is there again.
func (d *Dialog) saved(msg savedMsg) {
	d.stop()
	if d.err = msg.err; d.err != nil {
		d.enter(names)
		return
	}
	d.path, d.report = msg.path, msg.report
	d.enter(saved)
}

// Cancel stops what is under way; closed says that the dialog may be closed.
func (d *Dialog) Cancel() (closed bool) {
	d.stop()
	return d.phase != saves
}

// Close gives up what is under way.
func (d *Dialog) Close() { d.stop() }

// Wait returns once nothing of a file that is being written is left.
func (d *Dialog) Wait() {
	if d.phase == saves {
		d.stop()
		<-d.ended
	}
}
