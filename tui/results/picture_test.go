package results

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// nextStep handles the answer of a step and returns the next step.
func nextStep(step tea.Cmd) tea.Cmd { return step().(tea.BatchMsg)[0]().(screen.Answer)() }

// A picture counts a limited number of rows in each step, so that the console still reacts to keys.
func TestPictureCountsLimitedRowsPerStep(t *testing.T) {
	const n = 3*pictureStep + 17
	table := newTable(t, n)
	box, cmd := table.NewPictureBox()
	steps := 0
	for cmd != nil {
		cmd = nextStep(cmd)
		if at := box.(*pictureBox).work.examined; at > (steps+1)*pictureStep {
			t.Fatalf("step %d counted rows up to %d", steps, at)
		}
		steps++
		view := ansi.Strip(box.Over(table.env.Styles, strings.Repeat(strings.Repeat(" ", 120)+"\n", 40), 120, 40))
		if done := cmd == nil; strings.Contains(view, "counted") == done {
			t.Fatalf("after step %d:\n%s", steps, view)
		}
	}
	if steps != 4 || box.(*pictureBox).work.tallies[0].Rows != n {
		t.Errorf("counted %d rows in %d steps", box.(*pictureBox).work.tallies[0].Rows, steps)
	}
}

// After the user chooses another column, results of the earlier count are ignored.
func TestPictureDropsPreviousChoice(t *testing.T) {
	table := newTable(t, 3)
	box, stale := table.NewPictureBox()
	old := box.(*pictureBox).selected
	cmd, _ := box.Update(screentest.Pressed("right"))
	if now := box.(*pictureBox).selected; now == old {
		t.Errorf("the selected column is still %d", now)
	}
	if nextStep(stale) != nil || box.(*pictureBox).work.examined != 0 {
		t.Error("the box used the count of another column")
	}
	if nextStep(cmd) != nil || box.(*pictureBox).work.examined != 3 {
		t.Error("the box ignored the count")
	}
	if _, done := box.Update(screentest.Pressed("esc")); !done {
		t.Error("esc did not close the box")
	}
}

// A picture counts masked values as masked, and shows none of them.
func TestPictureCountsMaskedValues(t *testing.T) {
	table := newTable(t, 5)
	box, _ := table.NewPictureBox()
	b := box.(*pictureBox)
	b.columns, b.selected = []string{"customerMetadata"}, 0
	for cmd := b.count(); cmd != nil; {
		cmd = nextStep(cmd)
	}
	view := ansi.Strip(box.Over(table.env.Styles, strings.Repeat(strings.Repeat(" ", 120)+"\n", 40), 120, 40))
	for i := range 5 {
		email, _ := table.Items.At(i).Text("customerMetadata")
		if email == "" || strings.Contains(view, email) {
			t.Fatalf("the box shows the masked value %q:\n%s", email, view)
		}
	}
}
