package item

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// timelinePage is how many entries are read at once.
const timelinePage = 50

// timelineMsg brings entries of the timeline.
type timelineMsg struct {
	screen  *itemScreen
	req     uint64
	entries []timeline.Entry
	more    bool
	err     error
}

// timelineTickMsg moves the spinner of a reading of the timeline.
type timelineTickMsg struct {
	screen *itemScreen
	req    uint64
}

// timelineTab lists the audit entries of the item and the changes that its stream has. It is the source of its grid.
type timelineTab struct {
	base
	w, h    int
	line    *timeline.Timeline // nil before the tab was opened
	trails  []*change.Trail
	audit   []timeline.Entry // of the trails
	entries []timeline.Entry // with the changes of the stream
	stream  *itemStream
	shown   map[int]timeline.Entry // as they may be seen
	words   map[int][5]string      // what the list says of them
	said    entryDetail            // all about the entry under the cursor
	more    bool
	err     error
	stopped bool

	req     uint64
	loading bool
	abort   context.CancelFunc
	elapsed time.Duration
	watch   *reading.Progress
	grid    *widget.Grid
	wide    bool // there is room for exact times in the list
}

func newTimelineTab(s *itemScreen) *timelineTab {
	t := &timelineTab{base: base{s}, shown: map[int]timeline.Entry{}, words: map[int][5]string{}, grid: widget.NewGrid(s.env.Styles)}
	t.grid.SetSource(t)
	t.stream = &itemStream{t: t}
	return t
}

func (t *timelineTab) title() string {
	if t.s.facts.entity != nil && present.TrailsRefused(t.s.env, t.s.facts.entity) {
		return "Timeline ✗"
	}
	return "Timeline"
}

func (t *timelineTab) setStyles(st *widget.Styles) { t.grid.SetStyles(st) }

func (t *timelineTab) mouse() widget.Clickable { return t.grid }

func (t *timelineTab) enter() command {
	e, ok := t.selected()
	if !ok {
		return command{word: "open", why: "no entry to open"}
	}
	if e.Trail == nil {
		return command{word: "open", why: "no audit entry describes this change"}
	}
	return command{word: "open", run: func() tea.Cmd { return screen.Open(screen.Item{Table: e.Table, Item: e.Item}) }}
}

func (t *timelineTab) next() command {
	switch {
	case t.loading:
		return command{why: "already reading"}
	case !t.more && t.err == nil && !t.stopped:
		return command{why: "no older entries"}
	}
	return command{run: t.load}
}

func (t *timelineTab) reset() {
	t.cancel()
	t.stream.cancel()
	t.stream.of, t.stream.recent = nil, timeline.Recent{}
	t.line, t.audit, t.entries, t.more, t.err, t.stopped = nil, nil, nil, false, nil, false
	t.remake()
	t.grid.SetSource(t)
}

func (t *timelineTab) remake() {
	clear(t.shown)
	clear(t.words)
	t.said = entryDetail{}
}

func (t *timelineTab) actions() widget.Actions {
	return widget.Actions{
		widget.NewAction("stream", "+", "", "load changes from the stream, the newest first", nil, t.stream.read),
	}
}

func (t *timelineTab) opened() tea.Cmd {
	trails := t.openTrails()
	return tea.Batch(trails, t.stream.opened())
}

func (t *timelineTab) openTrails() tea.Cmd {
	e := t.s.facts.entity
	if t.line != nil || e == nil || t.s.read.state == readRunning {
		return nil // A row of a list may lack what the trails go by: the item itself comes first.
	}
	t.line = timeline.New(t.s.env.Session.Viewer, t.s.env.Reading, e, t.s.item)
	t.trails = t.line.Trails()
	t.setColumns()
	return t.load()
}

// glanceRequests is how many requests are sent for the last entries without being asked. A trail without an index has a
// request for each day of the item.
const glanceRequests = 40

// glance reads nothing if that takes many requests or the database is production.
func (t *timelineTab) glance() tea.Cmd {
	e := t.s.facts.entity
	if t.line != nil || !t.s.overview.summary().shown() || t.s.env.Session.Production() {
		return nil
	}
	if timeline.New(t.s.env.Session.Viewer, t.s.env.Reading, e, t.s.item).Requests() > glanceRequests {
		return nil
	}
	return t.openTrails()
}

// setColumns never cuts times.
func (t *timelineTab) setColumns() {
	when := widget.Column{Title: "when", Min: 18, Max: 34}
	if t.wide {
		when.Min = 30
	}
	cols := []widget.Column{when, {Title: "who", Max: 20}, {Title: "what", Max: 24}}
	if len(t.trails) != 1 {
		cols = append(cols, widget.Column{Title: "trail", Max: 20})
	}
	t.grid.SetColumns(append(
		cols, widget.Column{Title: "before → after", Max: 60, Weight: 2},
		widget.Column{Title: "reason", Max: 60, Weight: 1},
	)...)
}

func (t *timelineTab) load() tea.Cmd {
	if t.line == nil || t.loading || len(t.trails) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(t.s.env.Context)
	t.req++
	t.loading, t.abort, t.elapsed, t.stopped, t.err = true, cancel, 0, false, nil
	t.watch = &reading.Progress{}
	ctx = t.watch.Watch(ctx)
	line, s, req := t.line, t.s, t.req
	return tea.Batch(func() tea.Msg {
		entries, err := line.Next(ctx, timelinePage)
		return timelineMsg{s, req, entries, line.More(), err}
	}, t.nextTick(widget.BusyAfter))
}

func (t *timelineTab) nextTick(d time.Duration) tea.Cmd {
	msg := timelineTickMsg{t.s, t.req}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (t *timelineTab) tick(msg timelineTickMsg) tea.Cmd {
	if msg.screen != t.s || msg.req != t.req || !t.loading {
		return nil
	}
	t.elapsed = max(t.elapsed+widget.BusyFrame, widget.BusyAfter)
	return t.nextTick(widget.BusyFrame)
}

// cancel lets what was read before still arrive, so that the next page goes on from there.
func (t *timelineTab) cancel() bool {
	if t.stream.cancel() {
		return true
	}
	if !t.loading || t.stopped {
		return false
	}
	t.abort()
	t.stopped = true
	return true
}

func (t *timelineTab) arrived(msg timelineMsg) tea.Cmd {
	if msg.screen != t.s || msg.req != t.req || !t.loading {
		return nil
	}
	t.abort()
	t.loading, t.more = false, msg.more
	if t.line == nil {
		return t.s.tab().opened() // It was reset meanwhile.
	}
	t.audit = append(t.audit, msg.entries...)
	if !t.stopped {
		t.err = msg.err
	}
	t.merge()
	return nil
}

func (t *timelineTab) update(msg tea.Msg) (tea.Cmd, bool) {
	used := t.grid.Update(msg)
	if t.more && t.err == nil && !t.stopped && t.grid.AtEnd() && t.grid.Cursor() == len(t.entries)-1 {
		return t.load(), used
	}
	return nil, used
}

func (t *timelineTab) selected() (timeline.Entry, bool) {
	if i := t.grid.Cursor(); i >= 0 && i < len(t.entries) {
		return t.entries[i], true
	}
	return timeline.Entry{}, false
}

// Len is how many entries were read.
func (t *timelineTab) Len() int { return len(t.entries) }

func (t *timelineTab) entry(i int) timeline.Entry {
	e, ok := t.shown[i]
	if !ok {
		e = t.entries[i].Shown(t.s.masker)
		t.shown[i] = e
	}
	return e
}

func (t *timelineTab) shownEntries() []timeline.Entry {
	list := make([]timeline.Entry, len(t.entries))
	for i := range t.entries {
		list[i] = t.entry(i)
	}
	return list
}

// Cell presents a part of an entry.
func (t *timelineTab) Cell(row, col int) widget.Cell {
	if len(t.trails) == 1 && col > 2 {
		col++
	}
	text, role := "", widget.RoleText
	switch col {
	case 0:
		text = t.Moment(row)
	case 2:
		role = widget.RoleStrong
	case 3, 5:
		role = widget.RoleMuted
	}
	if col > 0 {
		text = t.entryWords(row)[col-1]
	}
	if text == "" {
		text, role = present.NoValue, widget.RoleFaint
	}
	return widget.Cell{Text: text, Role: role}
}

// moment says when an entry was made.
func (t *timelineTab) Moment(row int) string {
	e := t.entry(row)
	if e.When.IsZero() {
		return models.PrintableCell(e.WhenText, present.CellRunes)
	}
	now := t.s.env.Now()
	if t.wide {
		return present.Age(e.When, now) + " · " + e.When.UTC().Format("2006-01-02 15:04:05")
	}
	return present.Age(e.When, now) + " · " + present.Presenter{Now: now}.Moment(e.When)
}

// entryWords are kept, because a value can be 400 KB.
func (t *timelineTab) entryWords(row int) [5]string {
	words, ok := t.words[row]
	if !ok {
		e := t.entry(row)
		words = [5]string{e.Who, e.What, source(e), strings.Join(pastWords(t.s.facts.entity, e), ", "), e.Reason}
		for i, text := range words {
			words[i] = models.PrintableCell(text, present.CellRunes)
		}
		t.words[row] = words
	}
	return words
}

func pastWords(of *models.Entity, e timeline.Entry) []string {
	changes := e.Changes()
	slices.SortStableFunc(changes, func(a, b models.Change) int { return planner.ChangeRank(of, a) - planner.ChangeRank(of, b) })
	words := make([]string, len(changes))
	for i, ch := range changes {
		words[i] = strings.TrimSpace(models.PrintableCell(
			ch.Path, present.CellRunes,
		) + " " + pastWord(ch.Before) + " → " + pastWord(ch.After))
	}
	return words
}

// pastWord spells only the start of a value, which can be 400 KB.
func pastWord(v types.AttributeValue) string {
	if v == nil {
		return present.NoValue
	}
	text, ok := models.ValueText(v)
	if !ok {
		text = string(models.AppendValueJSON(nil, v))
	}
	return models.PrintableCell(text, present.CellRunes)
}

// exactTimes is the width from which the list has exact times.
const exactTimes = 110

func detailRows(h int) int {
	switch {
	case h < 9:
		return 0
	case h < 18:
		return h / 2
	}
	return min(h/2, 14)
}

func (t *timelineTab) setSize(w, h int) {
	t.w, t.h = w, h
	if wide := w >= exactTimes; wide != t.wide {
		t.wide = wide
		if t.line != nil {
			t.setColumns()
		}
	}
	t.grid.SetSize(w, max(h-detailRows(h)-1, 0))
}

func (t *timelineTab) view() string {
	w, h, st := t.w, t.h, t.s.env.Styles
	if why := t.nothing(); why != "" {
		lines := append([]string{""}, widget.Wrap(st, widget.RoleMuted, why, max(w-4, 1))...)
		if note := t.stream.note(); note != "" {
			text := "Changes of the last 24 hours: " + models.Printable(note) + "."
			lines = append(append(lines, ""), widget.Wrap(st, widget.RoleFaint, text, max(w-4, 1))...)
		}
		for i := range lines {
			lines[i] = "  " + lines[i]
		}
		return widget.Place(strings.Join(lines, "\n"), w, h)
	}
	rows := h - detailRows(h) - 1
	list := widget.Place("", w, rows)
	switch {
	case len(t.entries) > 0:
		list = t.grid.View()
	case t.err != nil && !t.loading: // There is room for all that it says.
		list = widget.Place("\n"+strings.Join(present.ErrorLines(st, t.err, max(w-4, 1), "n retries"), "\n"), w, rows)
	}
	view := widget.Rows(list, widget.Place(t.stateLine(st, w), w, 1))
	if d := detailRows(h); d > 0 {
		view = widget.Rows(view, t.detail(w, d))
	}
	return widget.Place(view, w, h)
}

func (t *timelineTab) nothing() string {
	e := t.s.facts.entity
	switch {
	case e == nil:
		return "No entity matches the item, so its history cannot be found."
	case len(t.entries) > 0:
		return ""
	case len(t.s.env.Session.Profile().TrailsOf(e)) == 0 || t.line != nil && len(t.trails) == 0:
		return "The schema keeps no history of " + present.EntityName(e) + ": no audit log or trail contains such items. " +
			"Changes made with this console are in its journal."
	case t.line == nil || t.loading || t.err != nil || t.stopped || t.more:
		return ""
	}
	var names []string
	for _, tr := range t.trails {
		names = append(names, tr.Title)
	}
	text := "No entry in " + strings.Join(names, " or ") + " names this item."
	for _, tr := range t.trails {
		if !tr.Documented {
			return text + " The document does not define the entries of " + tr.Title + "; ddbdesk looked for entries in its own format."
		}
	}
	return text
}

func (t *timelineTab) stateLine(st *widget.Styles, w int) string {
	line := t.trailLine(st, w)
	if note := t.stream.note(); note != "" && !t.loading {
		line += st.Paint(widget.RoleFaint, " · "+models.Printable(note))
	}
	return line
}

func (t *timelineTab) trailLine(st *widget.Styles, w int) string {
	switch {
	case t.loading && !t.stopped:
		busy := widget.Busy{What: "reading the timeline", Cancel: "esc stops", Elapsed: t.elapsed, Fraction: -1}
		if n, units := t.watch.Requests(); n > 0 {
			busy.Detail = present.Spent(n, "request", units)
		}
		if retry := t.watch.Retrying(); retry != "" {
			busy.Detail = retry
		}
		return " " + busy.Render(st, max(w-1, 0))
	case t.err != nil && len(t.entries) == 0:
		return st.Paint(widget.RoleFaint, " No entries read")
	case t.err != nil:
		return st.PaintCell(widget.RoleBad, widget.SurfacePlain, " ✗ "+t.err.Error()+" · n retries", w, widget.AlignLeft)
	case t.stopped:
		return st.Paint(widget.RoleWarn, " Stopped; n continues")
	case t.line == nil:
		return st.Paint(widget.RoleFaint, " Waiting for the item")
	case t.more:
		return st.Paint(widget.RoleFaint, " "+present.Plural(len(t.entries), "entry")+"; n reads older entries")
	}
	return st.Paint(widget.RoleFaint, " "+present.Plural(len(t.entries), "entry")+", complete")
}

// entryDetail is what was said about an entry, for a width and a moment.
type entryDetail struct {
	at, w int
	when  string
	st    *widget.Styles
	lines []string
}

func (t *timelineTab) detail(w, h int) string {
	st := t.s.env.Styles
	i := t.grid.Cursor()
	if i < 0 || i >= len(t.entries) {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	e := t.entry(i)
	when := present.Age(e.When, t.s.env.Now())
	if d := &t.said; d.at != i || d.w != w || d.when != when || d.st != st || d.lines == nil {
		*d = entryDetail{i, w, when, st, t.entryLines(st, e, w)}
	}
	return widget.Place(strings.Join(t.said.lines, "\n"), w, h)
}

func (t *timelineTab) entryLines(st *widget.Styles, e timeline.Entry, w int) []string {
	from := models.PrintableCell(source(e), 40)
	if e.Trail != nil {
		from += " · enter opens"
	}
	lines := []string{widget.Rule(st, models.PrintableCell(e.What, 40), from, w)}
	lines = append(lines, t.detailLines(st, e, max(w-4, 1))...)
	for n := 1; n < len(lines); n++ {
		lines[n] = "  " + lines[n]
	}
	return lines
}

func numeric(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.") == ""
}

func (t *timelineTab) detailLines(st *widget.Styles, e timeline.Entry, w int) []string {
	when := e.WhenText
	if !e.When.IsZero() {
		if numeric(when) {
			when += " (" + e.When.UTC().Format("2006-01-02T15:04:05Z") + ")"
		}
		when += " · " + present.Age(e.When, t.s.env.Now())
	}
	who := e.Who
	if who == "" {
		who = "unknown user"
	}
	lines := []string{st.Paint(
		widget.RoleMuted, models.PrintableCell(when, w/2)+" · by ",
	) + st.Paint(widget.RoleText, models.PrintableCell(who, w/3))}
	if e.Reason != "" {
		lines = append(lines, present.Hanging(st, widget.RoleText, "because ", models.PrintableCell(e.Reason, 4*planner.ValueCells), w)...)
	}
	if e.Trail != nil && !e.Trail.Documented {
		lines = append(lines, st.Paint(widget.RoleFaint, models.PrintableCell("the format of this entry is not documented", w)))
	}
	return append(lines, planner.ChangeRows(t.s.env, t.s.facts.entity, e.Changes(), w)...)
}
