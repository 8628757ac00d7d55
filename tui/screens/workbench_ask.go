// This file asks before the workbench does something: reads a whole table,
// shows personal data.

package screens

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// tableSizedMsg is what DynamoDB says about the size of the table that a
// question is about.
type tableSizedMsg struct {
	text    string
	missing bool // there is no such table
}

// askScan asks before a whole table is read.
func (b *Workbench) askScan(args map[string]string) tea.Cmd {
	j, p := b.job, b.job.pattern
	b.box = newQuestion("Read the whole table?", "SCAN", "Read it", func() tea.Cmd {
		if b.job != j {
			return nil
		}
		j.consented = true
		return b.start(args)
	}, "There is no index for this question: every item of "+p.Table.Name+" is read, and what does not fit is thrown away after it was paid for.",
		"asking how large it is …",
		"It is read page by page; esc stops it, and n goes on.")
	return askSize(b.ctx, b.env.Session, p.Table.Name)
}

// askSize asks DynamoDB how large a table is; a tableSizedMsg answers.
func askSize(ctx context.Context, s *session.Session, table string) tea.Cmd {
	return func() tea.Msg {
		info, err := s.Table(ctx, table)
		if err != nil {
			if session.TableMissing(err) {
				return tableSizedMsg{text: err.Error(), missing: true}
			}
			return tableSizedMsg{text: "how large it is could not be asked: " + err.Error()}
		}
		return tableSizedMsg{text: sizeText(info.ApproximateItems, info.ApproximateBytes)}
	}
}

// sizeText says how large a table is and what reading it costs: half a read
// capacity unit for each 4 KB, read eventually consistent.
// Source: Amazon DynamoDB Developer Guide, "Read/write capacity mode".
func sizeText(items, bytes int64) string {
	units := max((bytes+8191)/8192, 0)
	return fmt.Sprintf("about %s and %s as of the last count, which DynamoDB makes every six hours: about %s read capacity units",
		plural(int(items), "item"), byteSize(bytes), thousands(int(units)))
}

func byteSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// toggleReveal asks for the reason to show personal data, or hides it again.
func (b *Workbench) toggleReveal() tea.Cmd {
	b.preview.forget()
	if revealing(b.env) {
		b.env.Session.Hide()
		return Send(NoticeMsg{Text: "personal data is hidden again"})
	}
	b.box = newReveal(b.env, b.job.pattern.FullID())
	return nil
}
