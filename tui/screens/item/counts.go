package item

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

const (
	// countDelay is how long the user must stay on an item before the screen counts anything. Users who page through
	// items do not need counts.
	countDelay = 300 * time.Millisecond
	// countUnits is the maximum number of RCU to spend on the counts of one item.
	countUnits = 64
	// countWidth is the width reserved for a count in cells.
	countWidth = 3
)

// itemCounts contains an item's counts by pattern and parameters. They stay visible during a new read until newer
// counts arrive.
type itemCounts struct {
	*itemData
	onStart  func() tea.Cmd // called when counting starts
	onChange func()         // called when a count changes

	counts     map[string]itemCount
	done       map[string]bool // counted, or skipped, since the last start
	task       *screen.Task    // count, or the pause before the first count
	paused     bool            // the screen is hidden
	spentUnits float64
}

// An itemCount is the count of one pattern.
type itemCount struct {
	count  reading.QuickCount
	reason string // reason why there is no count, or ""
}

func relationKey(r accesspatterns.Related) string {
	var b strings.Builder
	b.WriteString(r.Pattern.ID)
	for _, name := range slices.Sorted(maps.Keys(r.Args)) {
		b.WriteString("\x00" + name + "\x00" + r.Args[name])
	}
	return b.String()
}

func (c *itemCounts) start() (cmd tea.Cmd) {
	c.task.End()
	if c.paused || !c.isChecked() {
		return nil
	}
	c.done, c.spentUnits = map[string]bool{}, 0
	c.task, cmd = screen.After(countDelay, func() tea.Cmd {
		cmd := tea.Batch(c.onStart(), c.countNext())
		c.onChange()
		return cmd
	})
	return cmd
}

// markOutdated marks the counts as outdated, because the items may have changed.
func (c *itemCounts) markOutdated() {
	c.task.End()
	c.done = nil
}

func (c *itemCounts) countNext() tea.Cmd {
	if c.paused || !c.isChecked() {
		return nil
	}
	for _, r := range c.countOrder() {
		key := relationKey(r.Related)
		if c.done[key] {
			continue
		}
		request, err := c.countRequest(r)
		if err != nil {
			c.setCount(key, itemCount{reason: err.Error()})
			continue
		}
		return c.count(request, key)
	}
	return nil
}

func (c *itemCounts) countRequest(r present.Relation) (*accesspatterns.Request, error) {
	if c.spentUnits >= countUnits {
		return nil, errors.New("the limit of " + strconv.Itoa(countUnits) + " RCU for this item is reached")
	}
	request, err := c.env.Reading.Bind(r.Pattern, r.Args)
	if err != nil {
		return nil, err
	}
	return request, c.env.Reading.CanQuickCount(request)
}

func (c *itemCounts) count(r *accesspatterns.Request, key string) (cmd tea.Cmd) {
	c.task.End()
	w := c.env.Workspace
	c.task, cmd = screen.Run(c.env.Context, func(ctx context.Context) func() tea.Cmd {
		quickCount, err := w.Reading.QuickCount(ctx, r)
		return func() tea.Cmd {
			cmd := c.finishCount(key, quickCount, err)
			c.onChange()
			return cmd
		}
	})
	return cmd
}

// finishCount records a count. It continues after an error, because a role may be able to read only some indexes.
func (c *itemCounts) finishCount(key string, quickCount reading.QuickCount, err error) tea.Cmd {
	c.spentUnits += quickCount.Capacity
	n := itemCount{count: quickCount}
	if err != nil {
		n.reason = err.Error()
	}
	c.setCount(key, n)
	return c.countNext()
}

func (c *itemCounts) setCount(key string, n itemCount) {
	if c.counts == nil {
		c.counts = map[string]itemCount{}
	}
	c.counts[key], c.done[key] = n, true
}

func (c *itemCounts) countText(r present.Relation) string {
	n, ok := c.counts[relationKey(r.Related)]
	switch {
	case len(r.Missing) > 0 || ok && n.reason != "":
		return "–"
	case !ok:
		return "…"
	case n.count.More:
		return strconv.Itoa(n.count.Count) + "+"
	}
	return strconv.Itoa(n.count.Count)
}

// isHidden waits for all counts, so that the rows move only once.
func (c *itemCounts) isHidden(r present.Relation) bool {
	if !c.env.Plain() || c.countText(r) != "0" {
		return false
	}
	counts := models.MapSlice(c.countOrder(), c.countText)
	return !slices.Contains(counts, "…") && slices.ContainsFunc(counts, func(n string) bool { return strings.Trim(n, "0–") != "" })
}

func (c *itemCounts) countDescription(r present.Relation) string {
	n, ok := c.counts[relationKey(r.Related)]
	switch {
	case len(r.Missing) > 0:
		return ""
	case ok && n.reason != "":
		return "not counted: " + n.reason
	case !ok && c.isChecked():
		return "counting"
	case !ok:
		return "counted after the item is read"
	case n.count.More && n.count.Count == reading.QuickCountLimit:
		return "more than " + present.Plural(n.count.Count, "item")
	case n.count.More:
		return present.Plural(n.count.Count, "item") + " at least"
	case n.count.Count == 0:
		return "no items"
	}
	return present.Plural(n.count.Count, "item")
}

func (c *itemCounts) countOrder() []present.Relation {
	list := models.Filter(c.facts.relations, func(r present.Relation) bool { return len(r.Missing) == 0 })
	rank := func(r present.Relation) int {
		isSame, isChild := false, false
		for _, e := range r.Pattern.Returns {
			isSame = isSame || e == c.facts.entity
			isChild = isChild || c.facts.entity != nil && e.Parent == c.facts.entity.Name
		}
		for _, q := range r.Pattern.Params {
			if _, filled := r.Args[q.Name]; filled && (q.Type == accesspatterns.Day || q.Type == accesspatterns.Timestamp) {
				return 9
			}
		}
		switch {
		case isChild && !isSame:
			return 0
		case isChild || r.Pattern.Read.Operation == accesspatterns.Get:
			return 8
		}
		return min(len(r.Args), 7) // Patterns with fewer parameters come first.
	}
	slices.SortStableFunc(list, func(a, b present.Relation) int { return rank(a) - rank(b) })
	return list
}
