package requests

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The tabs.
const (
	created  = iota // requests of the user that can still be applied
	toReview        // those of others
	history         // those that ended
)

var tabTitles = []string{"Created", "To review", "History"}

// tabOf returns the tab of a request.
func tabOf(e requests.Entry) int {
	switch {
	case !e.State.Pending():
		return history
	case e.Mine:
		return created
	}
	return toReview
}

// A list reads the requests and is the source of the grid.
type list struct {
	s *requestsScreen

	tabs    widget.Tabs
	entries []requests.Entry // all, newest first
	rows    []requests.Entry // of the tab
	// left is the ID of a row that a refresh moved to another tab while the cursor was on it. It stays until the cursor
	// leaves it, so that no key acts on the request that would take its place. "" for none.
	left string

	task   *screen.Task
	loaded bool
	more   bool // there are more requests
	err    error
	at     time.Time
	loads  int  // number of lists that arrived
	hidden bool // another screen is in view
	beat   int  // number of the timer that runs
}

var columns = []widget.Column{
	{Title: "state", Min: 11, Max: 11, Frozen: true},
	{Title: "action", Max: 24},
	{Title: "item", Min: 20, Max: 64, Middle: true},
	{Title: "requester", Max: 20, Middle: true},
	{Title: "made", Min: 8, Max: 12},
	{Title: "expires", Min: 7, Max: 12},
	{Title: "reason", Weight: 1, Max: 60},
}

// listedMsg is the list as it was read.
type listedMsg struct {
	task    *screen.Task
	entries []requests.Entry
	more    bool
	err     error
}

// load reads the requests. A read that is under way is abandoned, because it may be older than a decision.
func (l *list) load() tea.Cmd {
	if l.s.unconfigured() != nil {
		return nil
	}
	l.task.End()
	task, ctx, tick := screen.StartTask(l.s.ctx)
	l.task = task
	inbox := l.s.env.Requests
	return tea.Batch(tick, func() tea.Msg {
		entries, more, err := inbox.List(ctx)
		return listedMsg{task, entries, more, err}
	})
}

// arrived shows the requests. After an error the list stays as it was.
func (l *list) arrived(msg listedMsg) tea.Cmd {
	if msg.task != l.task || !l.task.Running() {
		return nil
	}
	if l.task.End(); l.task.Stopped {
		return nil
	}
	again := l.err != nil
	if l.err = msg.err; msg.err != nil {
		if again { // an automatic refresh does not offer it again
			return nil
		}
		return connection.OfferSignIn(msg.err)
	}
	first := !l.loaded
	l.entries, l.more, l.loaded, l.at = msg.entries, msg.more, true, l.s.env.Session.Now()
	l.loads++
	if other := toReview - l.tabs.Active; first && l.tabs.Active != history && l.count(l.tabs.Active) == 0 && l.count(other) > 0 {
		l.tabs.Active = other
	}
	l.fill(true)
	l.titleTabs()
	return nil
}

// fill lists the rows of the tab, of the pending ones the oldest first. The cursor stays on its request. With keep, a
// request that left the tab stays in its row.
func (l *list) fill(keep bool) {
	at, was := l.s.grid.Cursor(), l.selected()
	var rows []requests.Entry
	for _, e := range l.entries {
		if tabOf(e) == l.tabs.Active {
			rows = append(rows, e)
		}
	}
	slices.SortStableFunc(rows, func(a, b requests.Entry) int {
		if l.tabs.Active == history {
			a, b = b, a
		}
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	l.left = ""
	if has := func(e requests.Entry) bool { return was != nil && e.ID == was.ID }; keep && was != nil && !slices.ContainsFunc(rows, has) {
		moved := *was
		if i := slices.IndexFunc(l.entries, has); i >= 0 {
			moved = l.entries[i]
		}
		l.left, rows = was.ID, slices.Insert(rows, min(at, len(rows)), moved)
	}
	l.rows = rows
	l.s.grid.SetSource(l)
	if was != nil {
		l.s.grid.SetCursor(max(slices.IndexFunc(rows, func(e requests.Entry) bool { return e.ID == was.ID }), 0))
	}
}

// moved drops the row that left the tab once the cursor is elsewhere.
func (l *list) moved() {
	if e := l.selected(); l.left != "" && (e == nil || e.ID != l.left) {
		l.fill(false)
	}
}

// show goes to a tab.
func (l *list) show(tab int) {
	l.tabs.Active = tab
	l.rows, l.left = nil, "" // the cursor of another tab says nothing here
	l.fill(false)
	l.s.grid.SetCursor(0)
	l.titleTabs()
	l.s.FocusDetails(false)
}

// turn goes to the next tab, or the previous one.
func (l *list) turn(by int) tea.Cmd {
	l.show((l.tabs.Active + by + len(tabTitles)) % len(tabTitles))
	return nil
}

// count returns the number of requests of a tab.
func (l *list) count(tab int) int {
	n := 0
	for _, e := range l.entries {
		if tabOf(e) == tab {
			n++
		}
	}
	return n
}

// titleTabs puts the number of requests on each tab, once they are known.
func (l *list) titleTabs() {
	l.tabs.Titles = slices.Clone(tabTitles)
	for i := range l.tabs.Titles {
		if l.loaded {
			l.tabs.Titles[i] += " " + strconv.Itoa(l.count(i))
		}
	}
}

// selected returns the request under the cursor, nil if there is none.
func (l *list) selected() *requests.Entry {
	i := l.s.grid.Cursor()
	if i < 0 || i >= len(l.rows) {
		return nil
	}
	return &l.rows[i]
}

// Len returns the number of rows.
func (l *list) Len() int { return len(l.rows) }

// Cell returns a value of a request. A request that left the tab is gray.
func (l *list) Cell(i, col int) widget.Cell {
	e, now := l.rows[i], l.s.env.Now()
	var c widget.Cell
	switch col {
	case 0:
		return stateCell(e.Request)
	case 1:
		c = widget.Cell{Text: l.s.actionTitle(e.Request), Role: widget.RoleKey}
	case 2:
		c = widget.Cell{Text: cmp.Or(l.s.env.Requests.KeyOf(e.Request), present.NoValue)}
	case 3:
		if c = (widget.Cell{Text: cmp.Or(e.Requester, present.NoValue), Role: widget.RoleMuted}); e.Mine {
			c.Text += " (you)"
		}
	case 4:
		c = widget.Cell{Text: moment(e.Created, now), Role: widget.RoleMuted}
	case 5:
		c = widget.Cell{Text: moment(e.Expires, now), Role: widget.RoleMuted}
		switch {
		case e.State.Ended():
			c.Text = present.NoValue
		case e.State.Pending() && e.Expires.Sub(now) < 24*time.Hour:
			c.Role = widget.RoleWarn
		}
	default:
		c = widget.Cell{Text: cmp.Or(e.Reason, present.NoValue)}
	}
	if e.ID == l.left {
		c.Role = widget.RoleFaint
	}
	return c
}

// stateCell returns the state of a request as a sign and a word.
func stateCell(q requests.Request) widget.Cell {
	if q.Fault != nil && !q.State.Ended() {
		return widget.Cell{Text: "✗ damaged", Role: widget.RoleBad}
	}
	sign, role := "■ ", widget.RoleMuted
	switch q.State {
	case requests.Open:
		sign, role = "◐ ", widget.RoleInfo
	case requests.Approved:
		sign, role = "◐ ", widget.RoleGood
	case requests.Applied:
		sign, role = "✓ ", widget.RoleGood
	case requests.Rejected:
		sign, role = "✗ ", widget.RoleWarn
	default:
	}
	return widget.Cell{Text: sign + models.PrintableCell(string(q.State), 12), Role: role}
}

// moment returns how long ago a time is, or how far ahead; a missing time has no value.
func moment(t, now time.Time) string {
	if t.IsZero() {
		return present.NoValue
	}
	return present.Age(t, now)
}

// actionTitle returns the title of the requested action, or its ID if the schema does not have it.
func (s *requestsScreen) actionTitle(q requests.Request) string {
	if a := s.env.Session.Profile().Action(q.Action); a != nil {
		return a.Title
	}
	return cmp.Or(models.Printable(q.Action), present.NoValue)
}
