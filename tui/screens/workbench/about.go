package workbench

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	aboutLabel    = 12 // label width in cells
	aboutMaxWidth = 96 // longer lines are hard to read
	knownRuns     = 5
	knownValues   = 3
)

// aboutLines describes a pattern where its rows would be: before the first run, and always for a write pattern.
func aboutLines(j *job, w int) []string {
	p, s := j.pattern, j.b.env.Styles
	f := &present.Facts{Styles: s, Label: aboutLabel, Width: w, Lines: []string{""}}
	if o := j.obstacle(); o != nil {
		f.Lines = append(append(f.Lines, present.ObstacleLines(s, o, w)...), "")
	}
	if p.DocumentedWrite != nil {
		f.Lines = append(f.Lines, present.WriteLines(s, p, w)...)
	}
	if j.b.env.Plain() {
		f.Text("returns", widget.RoleKey, strings.Join(models.MapSlice(p.Returns, present.EntityName), ", "))
		f.Text("order", widget.RoleText, p.OrderNote)
	} else {
		f.Text("behavior", widget.RoleText, p.Safe)
		f.Text("returns", widget.RoleKey, present.EntityNames(p.Returns))
		if p.IsRead() {
			f.Request(p)
		} else {
			f.Text("order", widget.RoleText, p.OrderNote)
		}
		if p.Table != nil {
			f.Text("table", widget.RoleText, p.Table.Name)
		}
	}
	if p.StopAfter > 0 {
		f.Text("ends", widget.RoleText, "after "+present.Plural(p.StopAfter, "match"))
	}
	if p.IsRead() {
		aboutParams(f, j.b.env, p)
		aboutRuns(f, j.b.env, p)
	}
	if !p.IsRead() {
		f.Lines = append(f.Lines, findingBlocks(s, p, w)...)
	}
	return f.Lines
}

func aboutParams(f *present.Facts, env *screen.Env, p *accesspatterns.Pattern) {
	for _, q := range p.Params {
		sources := present.SourcesOf(env, p, q)
		var suggestions []string
		if len(sources) > 0 || q.Required && len(q.Enum) == 0 {
			suggestions = env.History.Suggest(p, q)
		}
		suggestions = suggestions[:min(len(suggestions), knownValues)]
		if len(sources)+len(suggestions) == 0 {
			continue
		}
		f.Blank()
		f.Lines = append(f.Lines, present.Heading(f.Styles, "Values for "+present.ParamLabel(env.Plain(), q), f.Width))
		f.Text("known", widget.RoleText, strings.Join(suggestions, ", "))
		f.Text("returned by", widget.RoleText, present.ShortList(sources, 4))
	}
}

func aboutRuns(f *present.Facts, env *screen.Env, p *accesspatterns.Pattern) {
	runs := slices.DeleteFunc(env.History.Queries(), func(q local.Query) bool { return q.Pattern != p || len(q.Args) == 0 })
	if len(runs) == 0 {
		return
	}
	f.Blank()
	f.Lines = append(f.Lines, present.Heading(f.Styles, "Last runs", f.Width))
	for _, q := range runs[:min(len(runs), knownRuns)] {
		args := present.MaskedArgs(env, env.Session.Masker(), accesspatterns.Related{Pattern: p, Args: q.Args}, nil)
		f.Text(present.Age(q.At, env.Now()), widget.RoleText, args)
	}
}

// Committed shows changed items in the rows of all patterns.
func (b *Workbench) Committed(list []screen.CommittedChange) tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range b.jobs {
		tableChanges := slices.DeleteFunc(slices.Clone(list), func(c screen.CommittedChange) bool { return c.Table != j.pattern.Table })
		if len(tableChanges) > 0 {
			cmds = append(cmds, j.applyCommitted(tableChanges))
		}
	}
	return tea.Batch(cmds...)
}

// applyCommitted restarts the read of a first page, which may contain the items before the change. In later pages,
// showPage replaces the older state.
func (j *job) applyCommitted(list []screen.CommittedChange) tea.Cmd {
	switch {
	case j.task.Running() && j.run == nil && !j.task.Stopped:
		j.task.End()
		return j.load(j.readsAll)
	case j.task.Running():
		j.concurrentChanges = append(j.concurrentChanges, list...)
	}
	const maximum = 20_000 // Searching more rows would block the screen.
	if j.rows.Items.Len() <= maximum {
		return j.rows.ReplaceItems(results.FindCommitted(j.rows.Items, 0, j.pattern.Table, list))
	}
	store, table, packer := j.rows.Items, j.pattern.Table, j.rows.Items.Packer()
	return func() tea.Msg {
		items := results.FindCommitted(store, 0, table, list)
		return screen.Answer(func() tea.Cmd {
			if packer != j.rows.Items.Packer() { // A new request has replaced the rows.
				return nil
			}
			return j.rows.ReplaceItems(items)
		})
	}
}

func (j *job) replaceOutdated(from int) tea.Cmd {
	if len(j.concurrentChanges) == 0 {
		return nil
	}
	outdated := map[int]models.Item{}
	for at, it := range results.FindCommitted(j.rows.Items, from, j.pattern.Table, j.concurrentChanges) {
		if j.isOutdated(j.rows.Items.At(at)) {
			outdated[at] = it
		}
	}
	return j.rows.ReplaceItems(outdated)
}

// isOutdated compares only the row's attributes, because an index may project a subset.
func (j *job) isOutdated(it models.Item) bool {
	key := results.Key(j.pattern.Table, it)
	return slices.ContainsFunc(j.concurrentChanges, func(c screen.CommittedChange) bool {
		if results.Key(c.Table, c.Key) != key {
			return false
		}
		for name, v := range it {
			if old, ok := c.Before[name]; !ok || !models.EqualValues(old, v) {
				return false
			}
		}
		return true
	})
}

func (j *job) planRow(o changes.Offer, row results.Targets) tea.Cmd {
	if o.Reason != "" {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + o.MenuReason(), Bad: true})
	}
	if reason := row.Problem(j.selectedItem); reason != "" || j.b.job != j {
		return screen.Send(screen.NoticeMsg{Text: o.Action.Title + ": " + reason, Bad: true})
	}
	raw := row.Items.Items()[0]
	j.b.Box = planner.NewChange(j.b.env, planner.ChangeRequest{
		Action: o.Action, Title: o.Action.Title + " · " + j.rows.Name(raw), About: o.Action.Description, Item: raw, Args: o.Args,
		Done: func(*changes.Commitment) tea.Cmd { return j.refresh() },
	})
	return nil
}

func (j *job) selectedItem(key string) (models.Item, bool) {
	raw, _, ok := j.rows.Selected()
	return raw, ok && results.Key(j.pattern.Table, raw) == key
}

// guardActions binds the actions to the selected item, because rows that arrive behind the palette can move it.
func (b *Workbench) guardActions(as widget.Actions) {
	if b.noRow() != "" {
		return
	}
	j := b.job
	row := j.rows.Current()
	for i, a := range as {
		if a.Name != "mark" && a.Name != "copy" && a.Name != "compare" {
			continue
		}
		as[i].Run = func() tea.Cmd {
			if reason := row.Problem(j.selectedItem); reason != "" {
				return screen.Send(screen.NoticeMsg{Text: a.Desc + ": " + reason, Bad: true})
			}
			return a.Run()
		}
	}
}
