package workbench

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (o *outputs) openPicture() tea.Cmd {
	box, cmd := o.j.rows.NewPictureBox(o.j.capacityLines)
	o.j.b.Box = box
	return cmd
}

// sizedItems is the number of items whose size is measured. The others are taken to be as large.
const sizedItems = 1_000

// capacityLines counts a read unit as 4 KB read strongly or 8 KB read eventually consistent:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
func (j *job) capacityLines(w int) []string {
	if j.sent == nil {
		return nil
	}
	st, n := j.b.env.Styles, j.rows.Items.Len()
	measured := min(n, sizedItems)
	size := 0
	for i := range measured {
		size += j.rows.Items.At(i).Size()
	}
	var parts []string
	if measured > 0 {
		each := uint64(size / measured)
		parts = append(parts, fmt.Sprintf("%s × %s = %s", present.Plural(n, "item"), humanize.Bytes(each), humanize.Bytes(each*uint64(n))))
	}
	consistency := "eventually consistent: 1 RCU reads 8 KB"
	if consistent(j.sent) {
		consistency = "strongly consistent: 1 RCU reads 4 KB"
	}
	parts = append(parts, fmt.Sprintf("%g RCU, %s", j.sums.capacity, consistency))
	from := "table " + j.pattern.Table.Name
	if x := j.sent.Read.Index; x != nil {
		from = "index " + x.Name
	}
	if legs := len(j.sent.Legs); legs > 1 {
		from += ", " + present.Plural(legs, "partition")
	}
	parts = append(parts, from, present.Plural(j.sums.requests, "request"))
	lines := widget.Wrap(st, widget.RoleText, strings.Join(parts, " · "), w)
	if dropped := j.sums.scanned - n; dropped > 0 {
		lines = append(lines, widget.Wrap(st, widget.RoleText, fmt.Sprintf("The filter discarded %s of %s that were read and charged",
			present.Thousands(dropped), present.Plural(j.sums.scanned, "item")), w)...)
	}
	return lines
}

func consistent(r *accesspatterns.Request) bool {
	if len(r.Legs) == 0 {
		return false
	}
	var set *bool
	switch leg := r.Legs[0]; {
	case leg.Batch != nil:
		return true
	case leg.Get != nil:
		set = leg.Get.ConsistentRead
	case leg.Query != nil:
		set = leg.Query.ConsistentRead
	case leg.Scan != nil:
		set = leg.Scan.ConsistentRead
	}
	return set != nil && *set
}
