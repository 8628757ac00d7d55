package explore

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// watchFormats contains the formats that support endless output.
var watchFormats = []string{items.Text.Name, items.JSONL.Name}

// An ItemEvent is a masked item that was added to, changed in or removed from the results of a query.
type ItemEvent struct {
	Time     string          `json:"time"`
	Event    reading.RowKind `json:"event"`
	Capacity float64         `json:"consumedCapacity"` // total of the watch so far, in RCU
	Item     json.RawMessage `json:"item"`
	Before   json.RawMessage `json:"before,omitempty"` // the item before a change

	line string // text of the row
}

func watched(
	ctx context.Context, c *op.Call, w *workspace.Workspace, r *reading.Run, o reading.WatchOptions, tick <-chan time.Time,
) op.Stream {
	watching := reading.NewWatch(w.Reading, r.Request(), o)
	return op.Stream{
		Line: func(_ op.Output, row any) string { return row.(ItemEvent).line },
		Rows: func(yield func(any, error) bool) {
			for first := true; ; first = false {
				round, err := watching.Next(ctx)
				if errors.Is(err, reading.ErrBudgetSpent) {
					c.Note("the watch stopped, because its budget is used up; to set a larger one, use --units N")
					return
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if first && round.More {
					c.Notef("the watch reports changes only of the first %s; to cover more, use --limit N", english.Plural(round.Count, "item", ""))
				}
				if first {
					c.Notef("%s, %s; press ctrl+c to stop", english.Plural(round.Count, "item", ""), round.Budget())
				}
				for _, change := range round.Changes {
					if !yield(newItemEvent(w, r, change, round), nil) {
						return
					}
				}
				select {
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				case <-tick:
				}
			}
		},
	}
}

func newItemEvent(w *workspace.Workspace, r *reading.Run, c reading.RowChange, round reading.WatchRound) ItemEvent {
	request, now := r.Request(), w.Session.Now().UTC()
	table, masker := request.Pattern.Table, w.Session.Masker().WithGivenKeys(request.GivenKeys(nil))
	shown := masker.Item(table, c.Item)
	encoder := masker.Encoder(table, false)
	s := ItemEvent{
		Time: now.Format(time.RFC3339), Event: c.Kind, Capacity: round.Spent, Item: encoder.Append(nil, c.Item),
	}
	sign := map[reading.RowKind]string{reading.Added: "+", reading.Changed: "~", reading.Removed: "-"}[c.Kind]
	parts := []string{now.Format("15:04:05"), sign, table.KeyText(shown)}
	if c.Before != nil {
		s.Before = encoder.Append(nil, c.Before)
		list := models.Diff(masker.Item(table, c.Before), shown)
		if found, ok := w.Session.Recognize(table, c.Item); ok && w.Session.Plain() {
			list = models.PlainChanges(found.Entity, list)
			for i, d := range list {
				list[i].Path, _ = found.Entity.PlainName(d.Path)
			}
		}
		for _, d := range list {
			parts = append(parts, d.Path+" "+change.ValueWords(d.Before)+" → "+change.ValueWords(d.After))
		}
	}
	s.line = models.Printable(strings.Join(parts, "  "))
	return s
}
