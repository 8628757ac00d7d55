package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/watch"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// watchFormats are the formats that can go on for ever.
var watchFormats = []string{export.Text.Name, export.JSONL.Name}

// A queryWatch prints what changes in a query.
type queryWatch struct {
	app   *app
	s     *workspace.Workspace
	run   *reading.Run
	jsonl bool
}

// watchRun reads a query at each tick until its budget is spent, and prints the changes.
func (w queryWatch) watchRun(ctx context.Context, o watch.Options, tick <-chan time.Time) error {
	watching := watch.New(w.s.Reading, w.run.Request(), o)
	for first := true; ; first = false {
		round, err := watching.Next(ctx)
		if errors.Is(err, watch.ErrSpent) {
			w.app.Note("watch stopped: the budget is spent; set a larger one with --units")
			return nil
		}
		if err != nil {
			return err
		}
		if first {
			w.app.Notef("%d items, %s; ctrl+c ends the watch", round.Count, round.Budget())
		}
		for _, c := range round.Changes {
			if _, err := fmt.Fprintln(w.app.Stdout, w.line(c, round)); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
}

// line spells a change, masked.
func (w queryWatch) line(c watch.Change, r watch.Round) string {
	request, now := w.run.Request(), w.s.Session.Now().UTC()
	table, masker := request.Pattern.Table, w.s.Session.Masker().Knowing(request.GivenKeys(nil))
	shown := masker.Item(table, c.Item)
	if w.jsonl {
		text := fmt.Sprintf(`{"time":%q,"event":%q,"consumedCapacity":%g,"item":%s`,
			now.Format(time.RFC3339), c.Kind, r.Spent, masker.Encoder(table, false).Append(nil, c.Item))
		if c.Before != nil {
			text += fmt.Sprintf(`,"before":%s`, masker.Encoder(table, false).Append(nil, c.Before))
		}
		return text + "}"
	}
	sign := map[watch.Kind]string{watch.Came: "+", watch.Changed: "~", watch.Left: "-"}[c.Kind]
	parts := []string{now.Format("15:04:05"), sign, models.Printable(table.KeyText(shown))}
	if c.Before != nil {
		for _, d := range models.Diff(masker.Item(table, c.Before), shown) {
			parts = append(parts, models.Printable(d.Path)+" "+models.Printable(change.ValueWords(d.Before))+" → "+
				models.Printable(change.ValueWords(d.After)))
		}
	}
	return strings.Join(parts, "  ")
}
