package results

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
)

// A picture counts a few rows in each step, so that the console answers in between, and ends with all of them.
func TestPictureCountsInSteps(t *testing.T) {
	const n = 3*pictureStep + 17
	table := newTable(t, n)
	box, cmd := table.NewPictureBox()
	steps := 0
	for cmd != nil {
		msg := cmd()
		if before := msg.(PictureMsg).work.examined; before > (steps+1)*pictureStep {
			t.Fatalf("step %d counted up to row %d", steps, before)
		}
		cmd, _ = box.Update(msg)
		steps++
		view := ansi.Strip(box.Over(table.env.Styles, strings.Repeat(strings.Repeat(" ", 120)+"\n", 40), 120, 40))
		if done := cmd == nil; strings.Contains(view, "counted") == done {
			t.Fatalf("after step %d:\n%s", steps, view)
		}
	}
	if steps != 4 || box.(*pictureBox).work.tallies[0].Rows != n {
		t.Errorf("%d rows in %d steps", box.(*pictureBox).work.tallies[0].Rows, steps)
	}
}

// Choosing another column counts again, and what an earlier count still sends is dropped.
func TestPictureDropsWhatWasChosenBefore(t *testing.T) {
	table := newTable(t, 3)
	box, stale := table.NewPictureBox()
	was := box.(*pictureBox).at
	cmd, _ := box.Update(screentest.Pressed("right"))
	if now := box.(*pictureBox).at; now == was {
		t.Errorf("the column is still %d", now)
	}
	if more, _ := box.Update(stale()); more != nil || box.(*pictureBox).work.examined != 0 {
		t.Error("the count of another column was taken")
	}
	if more, _ := box.Update(cmd()); more != nil || box.(*pictureBox).work.examined != 3 {
		t.Error("the count was not taken")
	}
	if _, done := box.Update(screentest.Pressed("esc")); !done {
		t.Error("esc leaves the box open")
	}
}

// Only what the rows show is counted.
func TestPictureCountsMaskedValues(t *testing.T) {
	table := newTable(t, 5)
	box, _ := table.NewPictureBox()
	b := box.(*pictureBox)
	b.columns, b.at = []string{"customerMetadata"}, 0
	for cmd := b.count(); cmd != nil; {
		cmd, _ = b.Update(cmd())
	}
	view := ansi.Strip(box.Over(table.env.Styles, strings.Repeat(strings.Repeat(" ", 120)+"\n", 40), 120, 40))
	for i := range 5 {
		email, _ := table.Items.At(i).Text("customerMetadata")
		if email == "" || strings.Contains(view, email) {
			t.Fatalf("%q is shown:\n%s", email, view)
		}
	}
}
