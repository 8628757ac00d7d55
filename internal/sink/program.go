package sink

import (
	"context"
	"iter"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/notify"
)

// A Program reads entries as JSON lines from its standard input. It took them if it exits with
// 0. Its copies cannot be read back, so a journal cannot be compared with them. The command is
// no shell command: its arguments are passed as they are.
type Program struct{ Command []string }

// Name implements journal.Sink.
func (p Program) Name() string { return "program " + strings.Join(p.Command, " ") }

// Send implements journal.Sink.
func (p Program) Send(ctx context.Context, entries []journal.Kept) error {
	text, err := lines(entries)
	if err != nil {
		return err
	}
	return notify.Run(ctx, p.Command, text)
}

// Copies implements journal.Sink.
func (p Program) Copies(context.Context, journal.Part) iter.Seq2[journal.Kept, error] {
	return func(yield func(journal.Kept, error) bool) { yield(journal.Kept{}, journal.ErrNoCopies) }
}
