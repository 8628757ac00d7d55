package workbench

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// approvalCommit returns the commit of an approval.
func approvalCommit(b *Workbench, before models.Item) []screen.CommittedChange {
	after := before.Clone()
	after["status"] = models.StringValue("approved")
	key, _ := b.job.pattern.Table.PrimaryKey(before)
	return []screen.CommittedChange{{Table: b.job.pattern.Table, Key: key, Item: after, Before: before}}
}

// statusOf returns the status in the row of a case.
func statusOf(b *Workbench, id string) string {
	for at := range b.job.rows.Items.Len() {
		it := b.job.rows.Items.At(at)
		if text, _ := it.Text("verificationId"); text == id {
			status, _ := it.Text("status")
			return status
		}
	}
	return "none"
}

// applyCommit sends a commit to a workbench and runs everything that follows.
func applyCommit(b *Workbench, list []screen.CommittedChange) {
	if cmd := b.Committed(list); cmd != nil {
		if msg, ok := cmd().(screen.Answer); ok {
			settle(b, b.Update(msg))
		}
	}
}

// Rows show the new state of their items after a commit, in small and large results, with a filter and without.
func TestRowsShowCommittedChanges(t *testing.T) {
	for _, n := range []int{30, 20_030} {
		b := newCaseWorkbench(t, screentest.Cases(0, n))
		b.SetSize(120, 40)
		applyCommit(b, approvalCommit(b, screentest.Cases(3, 4)[0]))
		if got := statusOf(b, "ver_00003"); got != "approved" {
			t.Errorf("%d rows: the approved row has status %s", n, got)
		}
		if got := statusOf(b, "ver_00006"); got != "created" {
			t.Errorf("%d rows: another row has status %s", n, got)
		}
		deletion := approvalCommit(b, screentest.Cases(6, 7)[0])
		deletion[0].Item = nil
		applyCommit(b, deletion)
		if got := statusOf(b, "ver_00006"); got != "none" {
			t.Errorf("%d rows: the deleted row has status %s", n, got)
		}
		moved := approvalCommit(b, screentest.Cases(9, 10)[0])
		moved[0].Item, moved[0].Moved = nil, moved[0].Item
		moved[0].Moved["verificationId"] = models.StringValue("ver_moved")
		applyCommit(b, moved)
		if got := statusOf(b, "ver_00009") + " " + statusOf(b, "ver_moved"); got != "none approved" {
			t.Errorf("%d rows: the moved row has status %s", n, got)
		}
	}
	b := newCaseWorkbench(t, screentest.Cases(0, 30))
	b.SetSize(120, 40)
	filterBy(t, b, "status:approved")
	before := b.job.rows.Len()
	settle(b, b.Committed(approvalCommit(b, screentest.Cases(3, 4)[0])))
	if got := b.job.rows.Len(); got != before+1 {
		t.Errorf("the filter keeps %d rows, want %d", got, before+1)
	}
}

// A page that was requested before a commit contains the old state. The first page is read again. A later page is
// corrected instead, because its token continues the earlier ones, unless its state is newer.
func TestCommitCorrectsPagesInProgress(t *testing.T) {
	items := screentest.Cases(0, 30)
	b := newCaseWorkbench(t, items[:20])
	b.SetSize(120, 40)
	j := b.job
	for _, c := range []struct{ is, want string }{{"created", "approved"}, {"rejected", "rejected"}} {
		at := 21
		before := items[at].Clone()
		before["status"] = models.StringValue("created")
		j.task, _, _ = screen.StartTask(b.ctx)
		j.run, j.concurrentChanges = &reading.Run{}, nil
		b.Committed(approvalCommit(b, before))
		if !j.task.Running() {
			t.Fatal("the commit discarded the earlier pages")
		}
		laterItem := before.Clone()
		laterItem["status"] = models.StringValue(c.is)
		j.rows.Clear()
		j.task.End()
		settle(b, j.showPage(page{last: true, rows: j.rows.Items.Packer().Pack([]models.Item{laterItem})}))
		id, _ := before.Text("verificationId")
		if got := statusOf(b, id); got != c.want {
			t.Errorf("a row that arrives as %s is shown as %s, want %s", c.is, got, c.want)
		}
	}
	j.run = nil
	task, _, _ := screen.StartTask(b.ctx)
	j.task = task
	b.Committed(approvalCommit(b, items[3]))
	if task.Running() || !j.task.Running() || j.task == task {
		t.Error("the screen waits for a page that was requested before the commit")
	}
}

// A change applies to the row for which it was offered, or to none.
func TestOfferIsBoundToItsRow(t *testing.T) {
	b := newCaseWorkbench(t, screentest.Cases(0, 9))
	b.SetSize(120, 40)
	b.job.rows.Grid.SetCursor(1)
	row, action := b.job.rows.Current(), b.Offers()[0].Action
	noticeText := func(cmd tea.Cmd) string {
		if cmd == nil {
			return ""
		}
		msg, _ := cmd().(screen.NoticeMsg)
		return msg.Text
	}
	b.job.rows.Clear()
	b.job.rows.Add(screentest.Cases(2, 9))
	if text := noticeText(b.job.planRow(changes.Offer{Action: action}, row)); !strings.Contains(text, "nothing was done; no longer here: Verification case · ver_00001") || b.Box != nil {
		t.Errorf("the offer of another row was planned: %q", text)
	}
	for _, a := range b.Actions() {
		if a.Name == "value" {
			b.job.rows.Clear()
			b.job.rows.Add(screentest.Cases(4, 9))
			if text := noticeText(a.Run()); !strings.Contains(text, "nothing was done") || b.Box != nil {
				t.Errorf("%s acted on another row: %q", a.Name, text)
			}
		}
	}
}
