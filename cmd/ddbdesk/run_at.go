package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/asof"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/documents"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// checkAt reports why a pattern or an output format has no past.
func checkAt(r *accesspatterns.Request, o runOptions) error {
	switch {
	case o.at == "":
		return nil
	case r.Read.Operation != accesspatterns.Get || len(r.Legs) != 1:
		return cli.UsageErrorf("--at: %s does not read one item by its key; use a pattern of the operation GetItem", r.Pattern.ID)
	case o.output != "json" && o.output != "table":
		return cli.UsageErrorf("--at: -o %s is not supported; use json or table", o.output)
	}
	return nil
}

// printAsOf prints the item of a request as it was at a time.
func (a *app) printAsOf(ctx context.Context, w *workspace.Workspace, r *accesspatterns.Request, o runOptions) error {
	at, err := asof.ParseTime(o.at, w.Session.Now())
	if err != nil {
		return cli.UsageErrorf("--at: %v", err)
	}
	h := timeline.Historian{Viewer: w.Session.Viewer, Reading: w.Reading, Journal: w.Journal}
	p, err := h.AsOf(ctx, r.Pattern.Table, r.Legs[0].Get.Key, at, timeline.StreamLimits)
	var unknown *asof.Unknown
	if err != nil && !errors.As(err, &unknown) {
		return err
	}
	m := w.Session.Masker()
	if err := a.Print(o.output, documents.OfPast(&p, err, m), func(out io.Writer) error {
		if p.Item == nil {
			return nil
		}
		return cli.WriteLines(out, asOfLines(&p, m)...)
	}); err != nil {
		return err
	}
	switch {
	case unknown != nil:
		a.Note(unknown.Error())
	case p.Item == nil:
		a.Note("the item did not exist")
	}
	if p.Note != "" {
		a.Note(p.Note)
	}
	if p.Item == nil {
		return cli.ExitWith(cli.ExitNotFound)
	}
	return nil
}

// asOfLines returns the attributes of an item, with those that are different now.
func asOfLines(p *timeline.Past, m *models.Masker) []string {
	source := string(p.Source)
	if p.Partial {
		source += ", known attributes only"
	}
	lines := []string{fmt.Sprintf("as of %s, from %s to %s (%s)", p.At.UTC().Format(time.RFC3339), p.From.UTC().Format(time.RFC3339),
		p.Until.UTC().Format(time.RFC3339), source)}
	shown := m.Item(p.Table, p.Item)
	for _, name := range shown.Names() {
		lines = append(lines, fmt.Sprintf("  %-24s %s", name, change.ValueWords(shown[name])))
	}
	for i, c := range p.Differences(m) {
		if i == 0 {
			lines = append(lines, "changed since then")
		}
		lines = append(lines, fmt.Sprintf("  %-24s %s → %s", c.Path, change.ValueWords(c.Before), change.ValueWords(c.After)))
	}
	return lines
}
