package lists

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/output"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Top returns the counts by state and the parameters, and the description if all of it fits.
func (q *queue) Top(w int) []string {
	params := present.MaskedArgs(q.env, q.env.Session.Masker(), accesspatterns.Related{Pattern: q.current.Pattern, Args: q.params}, nil)
	text := present.Join(present.Join(q.stateCounts(), q.expiredText(), "  "), params, " · ")
	fullText := present.Join(text, strings.Join(strings.Fields(q.current.Description), " "), " · ")
	if text == "" || ansi.StringWidth(fullText) <= w-2 {
		text = fullText
	}
	return []string{" " + q.env.Styles.Paint(widget.RoleMuted, text)}
}

func (q *queue) Init() tea.Cmd { return tea.Batch(q.Reload(), q.scanIfSmall()) }

func (q *queue) SetSize(w, h int) {
	q.w, q.h = w, h
	q.Screen.SetSize(w, h)
}

func (q *queue) Update(msg tea.Msg) tea.Cmd {
	return tea.Batch(q.Screen.Update(msg), q.reportCount())
}

func (q *queue) reportCount() tea.Cmd {
	if q.loads == q.Loads() {
		return nil
	}
	if q.loads = q.Loads(); len(q.current.Params) > 0 {
		return nil
	}
	return screen.Send(screen.QueueCountMsg{
		Profile: q.env.Session.Profile().Name, Queue: q.current.ID, N: len(q.All()), More: q.Last().More, At: q.env.Session.Now(),
	})
}

func (q *queue) scanIfSmall() tea.Cmd {
	if !q.hasAllParams || !q.needsConsent() || q.sizeRequested {
		return nil
	}
	q.sizeRequested = true
	return q.ScanSmall(q.env.Context, q.env, q.current.Pattern.Table, q.current.Pattern.Read, q.consent)
}

func (q *queue) consent() tea.Cmd {
	q.consented = true
	return q.Reload()
}

func (q *queue) confirmScan() tea.Cmd {
	p := q.current.Pattern
	return q.ConfirmScan(q.env.Context, q.env, p.Read, overlay.NewQuestion("Read the whole table?", "SCAN", "Read it",
		q.consent,
		"This queue scans "+p.Table.Name+" because no index covers it. You pay for every item, even if it needs no decision.",
		"Estimating the size …",
		"ddbdesk rereads it only when you press r. Press esc to stop."), p.Table)
}

func (q *queue) promptParameters() tea.Cmd {
	prefilled := map[string]bool{}
	for name, text := range q.params {
		prefilled[name] = text != ""
	}
	hidden := q.env.Session.HiddenParams(q.current.Pattern, prefilled)
	fields := present.Form{Table: q.current.Pattern.Table, Hidden: hidden}.Fields(q.env, q.current.Params...)
	for i := range fields {
		fields[i].Required = true
	}
	box := overlay.NewHarmlessQuestion(q.current.Title, "", "Open queue", nil, q.current.Description)
	box.PromptAll(q.env.Styles, fields...)
	box.Form.SetValues(q.params)
	box.Yes = func() tea.Cmd {
		q.Watch(false)
		q.Close()
		q.setParameters(box.Form.Values())
		q.Screen.SetSize(q.w, q.h)
		return q.Init()
	}
	q.Box = box
	return nil
}

func (q *queue) reload() tea.Cmd {
	switch {
	case !q.hasAllParams:
		return q.promptParameters()
	case q.needsConsent():
		return q.confirmScan()
	}
	return q.Reload()
}

func (q *queue) enter() tea.Cmd {
	if q.missing(q.env) != nil {
		return q.reload()
	}
	r, _, _ := q.Selected()
	q.Change(func(x *queuedItem) (*queuedItem, bool) {
		if x == r {
			x = &queuedItem{id: r.id, item: r.item}
		}
		return x, true
	})
	return screen.Open(q.target(r))
}

func (q *queue) target(r *queuedItem) screen.Item {
	rank := screen.Rank{Queue: q.current, Of: len(q.All()), At: 1 + q.indexOf(r.id)}
	if rank.At == 0 || q.Last().More || q.isScan { // A scan has no order.
		rank = screen.Rank{}
	}
	return screen.Item{Table: q.current.Pattern.Table, Item: r.item, CompareWith: q.comparisonItems(), Rank: rank}
}

func (q *queue) indexOf(id string) int {
	return slices.IndexFunc(q.All(), func(r *queuedItem) bool { return r.id == id })
}

func (q *queue) change(a *change.Action, targets results.Targets) tea.Cmd {
	if reason := q.cannotChange(a, targets); reason != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + reason})
	}
	if reason := targets.Problem(func(id string) (models.Item, bool) {
		i := q.indexOf(id)
		if i < 0 {
			return nil, false
		}
		return q.All()[i].item, true
	}); reason != "" {
		return screen.Send(screen.NoticeMsg{Text: a.Title + ": " + reason, Bad: true})
	}
	return q.ConfirmTarget(a.Title, func() tea.Cmd {
		if targets.Marked && q.env.Session.CanChange(a) == nil {
			list := models.MapSlice(targets.Items.Items(), func(it models.Item) changes.Item {
				return changes.Item{Table: q.current.Pattern.Table, Item: it, Pattern: q.current.Pattern}
			})
			var cmd tea.Cmd
			q.Box, cmd = planner.NewManyItems(q.env, planner.ChangeRequest{
				Action: a, Title: a.Title + " · " + present.Plural(len(list), "item"), About: a.Description, Items: list,
				Ended: q.ReadAgain, // Some outcomes may be unknown.
			})
			return cmd
		}
		return q.changeOne(a, targets.Items.Items()[0])
	})
}

func (q *queue) changeOne(a *change.Action, it models.Item) tea.Cmd {
	q.Box = planner.NewChange(q.env, planner.ChangeRequest{
		Action: a, Title: a.Title + " · " + q.table.Name(it), About: a.Description, Item: it,
		Args: changes.ActionArgs(a, a.Entity, it), Done: func(*changes.Commitment) tea.Cmd { return q.ReadAgain() },
	})
	return nil
}

func (q *queue) copyRows() tea.Cmd {
	items, text := q.marked(), "marked row"
	if len(items) == 0 {
		items, text = itemsOf(q.Filtered()), "row"
	}
	rowTable := results.NewTable(q.env, q.current.Pattern)
	var pieces []output.Piece
	if r, _, ok := q.Selected(); ok {
		rowTable.Add([]models.Item{r.item})
		rowTable.Grid.SetCursor(0)
		pieces = slices.Insert(output.RowPieces(q.env, rowTable), 1, output.SummaryPiece(q.env.Summary(q.env, q.target(r))))
	}
	rowPieces := output.ManyPieces(q.env, q.table.Rows, rows.Select(items), present.Plural(len(items), text))
	output.OpenCopyMenu(&q.Host, q.env, append(pieces, rowPieces...))
	return nil
}

func (q *queue) export() tea.Cmd {
	p, all, inView := q.current.Pattern, rows.Select(itemsOf(q.All())), rows.Select(itemsOf(q.Filtered()))
	note := "all items that need a decision"
	if q.Last().More {
		note = "the items read so far; there are more"
	}
	choices := output.MarkedChoice(rows.Select(q.marked()))
	if inView.Len() != all.Len() {
		choices = append(choices, output.RowChoice{
			Label: "listed · " + present.Thousands(inView.Len()), Note: "the items that match the filter", Items: inView,
		})
	}
	q.Box = output.NewExport(q.env, output.ExportContent{
		Title: "Export queue", Name: p.Profile + "-" + q.current.ID,
		Rows: append(choices, output.RowChoice{Label: fmt.Sprintf("waiting · %s", present.Thousands(all.Len())), Note: note, Items: all}),
		What: items.Export{Subject: p.FullID(), Table: p.Table, Entities: p.Returns},
	})
	return nil
}

func (q *queue) Stage() screen.Stage {
	at := screen.Stage{Place: "queue", ShowsQueue: len(q.All()) > 0, Covered: q.Box != nil}
	if c, ok := q.Box.(*planner.Change); ok {
		return c.Stage(at)
	}
	return at
}
