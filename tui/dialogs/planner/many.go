package planner

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// manyItems contains the items of a dialog for several items: whether each item allows the change, and its outcome. It
// does not keep the plans, to save memory.
type manyItems struct {
	env       *screen.Env
	items     []changes.Item
	ready     []changes.Item // items that allow the action, as far as is known
	waiting   []changes.Item // items that allow the action only after first
	first     *change.Action
	reasons   []string // for each item, the reason why it is not ready, or ""
	isWaiting []bool   // for each item, whether it is in waiting
	excluded  int      // number of items that are neither ready nor waiting
	total     int      // number of items to change
	list      []outcome
	counts    map[changes.Status]int
	undoable  undoableChanges
	units     float64 // write units
	notice    string  // last notice on the outcome page

	grid       *widget.Grid
	builtWidth int // width for which the grid's columns were built
	stopping   bool
	err        error // reason why no change was attempted
}

// An outcome describes an item's outcome in words.
type outcome struct {
	changes.Outcome
	name   string
	word   string
	queues []changes.QueueOffer
}

func (m *manyItems) Len() int { return len(m.list) }

func (m *manyItems) Cell(row, col int) widget.Cell {
	o := m.list[row]
	switch col {
	case 0:
		return widget.Cell{Text: badge(o.Status).Text + o.word, Role: badge(o.Status).Role}
	case 1:
		return widget.Cell{Text: o.name}
	}
	return widget.Cell{Text: o.Reason, Role: widget.RoleMuted}
}

func badge(status changes.Status) widget.Cell {
	return cmp.Or(badges[status], widget.Cell{Text: "✗ ", Role: widget.RoleBad})
}

// badges contains the symbols of statuses. Statuses without an entry are failures.
var badges = map[changes.Status]widget.Cell{
	changes.Committed: {Text: "✓ ", Role: widget.RoleGood}, changes.Earlier: {Text: "✓ ", Role: widget.RoleGood},
	changes.Conflict: {Text: "≠ ", Role: widget.RoleWarn}, changes.Refused: {Text: "⊘ ", Role: widget.RoleWarn},
	changes.Skipped: {Text: "· ", Role: widget.RoleMuted}, changes.Unknown: {Text: "? ", Role: widget.RoleBad},
}

// statusWords maps each status to the word that the dialog shows.
var statusWords = map[changes.Status]string{
	changes.Committed: "done", changes.Earlier: "done before", changes.Conflict: "changed by others", changes.Refused: "refused",
	changes.Failed: "failed", changes.Unknown: "unknown", changes.Skipped: "skipped",
}

func (c *Change) beginMany() tea.Cmd {
	m := &manyItems{env: c.Env, items: c.req.Items, counts: map[changes.Status]int{}, grid: widget.NewGrid(c.Env.Styles)}
	m.grid.SetSource(m)
	m.grid.SetEmpty("", "")
	c.many = m
	a := c.req.Action
	if c.req.Verb == "" {
		c.req.Verb = "Repair"
		if a != nil {
			c.req.Verb = models.PrintableCell(a.Title, 28)
		}
	}
	m.classify(a)
	if m.total = len(m.ready); c.undoesMany() {
		m.total = c.req.toUndo.n
	}
	fields := changeFields(c.Env, c.req)
	if c.Env.Session.Production() {
		fields = append(fields, widget.FormField{
			Name: numberField, Label: "PRODUCTION: type the number of items",
			Required: true, Width: 6,
		})
	}
	c.form = widget.NewForm(c.Env.Styles, fields...)
	c.ShowInputs()
	c.dialog.Focus("cancel")
	c.dialog.Danger = c.Env.Session.Production()
	return c.startGrace()
}

func (c *Change) undoesMany() bool { return len(c.req.toUndo.sets) > 0 }

// classify divides the items into ready, waiting and impossible ones. first is the action that waiting items need.
func (m *manyItems) classify(a *change.Action) {
	for _, it := range m.items {
		reason := ""
		if r, ok := m.env.Session.Recognize(it.Table, it.Item); ok && a != nil {
			reason = obstacle(m.env, a, r.Entity, it.Item)
		}
		var required *change.Action
		if reason != "" {
			required = prerequisite(m.env, a, it.Item)
			m.first = cmp.Or(m.first, required)
		}
		isWaiting := required != nil && required == m.first
		m.reasons, m.isWaiting = append(m.reasons, reason), append(m.isWaiting, isWaiting)
		switch {
		case reason == "":
			m.ready = append(m.ready, it)
		case isWaiting:
			m.waiting = append(m.waiting, it)
		default:
			m.excluded++
		}
	}
}

func (c *Change) actionVerb(a *change.Action) string {
	verb := present.ActionVerb(a, c.Env.Session.Profile().ActionsOf(a.Entity))
	return strings.ToUpper(verb[:1]) + verb[1:]
}

func (c *Change) manyButtons() []widget.Button {
	m := c.many
	danger := c.Env.Session.Production()
	groupButton := func(group, label string, n int) widget.Button {
		b := button(group, label, func() tea.Cmd { return c.startMany(group) })
		b.Danger, b.Disabled = danger, func() string { return c.manyNotReadyReason(n) }
		return b
	}
	verb := c.req.Verb
	if c.req.Action != nil && !c.undoesMany() {
		verb = c.actionVerb(c.req.Action)
	}
	if c.refusal() != nil {
		return nil
	}
	n := len(m.ready)
	if c.undoesMany() {
		n = c.req.toUndo.itemCount()
	}
	b := groupButton("many", fmt.Sprintf("%s %d", verb, n), n)
	if n == 0 {
		b.Disabled = func() string { return fmt.Sprintf("none of %d can be changed now", len(m.items)) }
	}
	list := []widget.Button{b}
	if k := len(m.waiting); k > 0 {
		first := c.actionVerb(m.first)
		if n == 0 {
			list = append(list, groupButton("first", fmt.Sprintf("%s %d", first, k), k))
		}
		list = append(list, groupButton("both", fmt.Sprintf("%s %d, then %s %d", first, k, present.LowerFirst(verb), n+k), n+k))
	}
	return list
}

func (c *Change) manyNotReadyReason(n int) string {
	switch typed, wasPrompted := c.form.Values()[numberField]; {
	case wasPrompted && typed != strconv.Itoa(n):
		return fmt.Sprintf("this is production: type %d, the number of items", n)
	case !c.form.Valid():
		return "a required field is empty"
	}
	return ""
}

const (
	namedItems = 5 // maximum number of items that the question lists
	manyFrame  = 6 // number of lines around the outcomes
)

func (m *manyItems) confirmLines(s *widget.Styles, w int) []string {
	lines := []string{""}
	width := 0
	shown := m.items[:min(namedItems, len(m.items))]
	states := make([]widget.Cell, len(shown))
	kinds := map[*models.Entity]bool{}
	for i, it := range shown {
		r, _ := m.env.Session.Recognize(it.Table, it.Item)
		if kinds[r.Entity] = true; r.Entity == nil || len(r.Entity.Lifecycles) == 0 {
			continue
		}
		l := r.Entity.Lifecycles[0]
		if now, ok := m.env.Session.Masker().Item(it.Table, it.Item).Text(l.Attribute); ok {
			states[i] = present.StateBadge(m.env.Plain(), l, now)
			_, states[i].Text, _ = strings.Cut(states[i].Text, " ") // The line already starts with a mark.
			width = max(width, min(len([]rune(states[i].Text))+2, w/3))
		}
	}
	for i, it := range shown {
		mark, role := "✓ ", widget.RoleText
		switch {
		case m.isWaiting[i]:
			mark, role = "○ ", widget.RoleMuted
		case m.reasons[i] != "":
			mark, role = "⊘ ", widget.RoleWarn
		}
		state := s.PaintCell(states[i].Role, widget.SurfacePlain, states[i].Text, width, widget.AlignLeft)
		name, note := m.name(it, len(kinds) > 1), present.Join(" ", expiredText(m.env, it.Table, it.Item), " ! ")
		line := s.Paint(role, mark) + state + s.Paint(role, widget.Shorten(name, max(w-2-width-len(note), 1)))
		lines = append(lines, line+s.Paint(widget.RoleBad, note))
	}
	if more := len(m.items) - len(shown); more > 0 {
		lines = append(lines, s.Paint(widget.RoleFaint, fmt.Sprintf("  … and %d more", more)))
	}
	if len(m.items) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, m.groupLines(s, w)...)
	expired, requested := 0, 0
	for _, it := range m.items {
		if expiredText(m.env, it.Table, it.Item) != "" {
			expired++
		}
		if key, ok := it.Table.PrimaryKey(it.Item); ok && len(m.env.Requests.PendingOf(it.Table, key)) > 0 {
			requested++
		}
	}
	if expired > 0 {
		text := fmt.Sprintf("%d of %d expired. DynamoDB deletes expired items within days.", expired, len(m.items))
		lines = append(lines, present.HangingIndent(s, widget.RoleBad, "! ", text, w)...)
	}
	if requested > 0 {
		text := fmt.Sprintf("%d of %d with open change requests, which stay open.", requested, len(m.items))
		lines = append(lines, present.HangingIndent(s, widget.RoleWarn, "▸ ", text, w)...)
	}
	return lines
}

func (m *manyItems) groupLines(s *widget.Styles, w int) []string {
	if len(m.waiting)+m.excluded == 0 {
		return widget.Wrap(s, widget.RoleMuted, "Each item is one transaction. Press esc to stop between items.", w)
	}
	lines := []string{s.Paint(widget.RoleGood, fmt.Sprintf("✓ %d possible now", len(m.ready)))}
	if n := len(m.waiting); n > 0 {
		lines = append(lines, present.HangingIndent(s, widget.RoleText, "○ ", fmt.Sprintf("%d after %s", n, actionTitle(m.first)), w)...)
	}
	if m.excluded == 0 {
		return lines
	}
	var reasons []string
	for i, reason := range m.reasons {
		if reason != "" && !m.isWaiting[i] && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	text := fmt.Sprintf("%d excluded: %s", m.excluded, strings.TrimPrefix(reasons[0], "it is "))
	if len(reasons) > 1 {
		text += ", and for " + present.Plural(len(reasons)-1, "other reason")
	}
	return append(lines, present.HangingIndent(s, widget.RoleWarn, "⊘ ", text, w)...)
}

func (m *manyItems) name(it changes.Item, withEntity bool) string {
	masker := m.env.Session.Masker()
	r, ok := m.env.Session.Recognize(it.Table, it.Item)
	key := models.Printable(it.Table.KeyText(masker.Item(it.Table, it.Item)))
	if !ok {
		return key
	}
	name := cmp.Or(models.Printable(present.ItemTitle(r.Entity, masker, r, it.Item).Text), key)
	if withEntity { // A repair can change items of several entities.
		return present.EntityName(r.Entity) + " " + name
	}
	return name
}

func (m *manyItems) view(s *widget.Styles, w, h int, ended bool, elapsed time.Duration) string {
	if m.err != nil {
		return strings.Join(present.ErrorLines(s, m.err, w, "nothing was written"), "\n")
	}
	if w != m.builtWidth {
		m.builtWidth = w
		m.grid.SetColumns(widget.Column{Title: "outcome", Min: 11, Max: 28, Frozen: true},
			widget.Column{Title: "item", Min: 16, Max: min(max(w/2, 20), 60), Middle: true},
			widget.Column{Title: "why", Weight: 1, Max: 120})
	}
	reason := m.reasonLines(s, w, ended)
	reason = reason[:min(len(reason), max(h-manyFrame+1, 2))] // The title of the outcomes and one row stay visible.
	m.grid.SetSize(w, max(h-3-len(reason), 0))
	line := widget.ProgressBar(s, float64(m.Len())/float64(max(m.total, 1)), min(40, w/3), elapsed) +
		s.Paint(widget.RoleText, fmt.Sprintf("  %d of %d", m.Len(), m.total)) +
		s.Paint(widget.RoleMuted, "   "+m.progressText(ended, elapsed))
	var counts []string
	for _, status := range changes.Statuses() {
		if n := m.counts[status]; n > 0 {
			counts = append(counts, s.Paint(badge(status).Role, fmt.Sprintf("%d %s", n, statusWords[status])))
		}
	}
	return widget.Rows(widget.Place(line, w, 1), widget.Place(strings.Join(counts, s.Paint(widget.RoleFaint, " · ")), w, 1), m.grid.View(),
		widget.BlankLine(w), widget.Place(strings.Join(reason, "\n"), w, len(reason)))
}

// reasonLines returns the reason for the outcome of the selected item, in at least two lines.
func (m *manyItems) reasonLines(s *widget.Styles, w int, ended bool) []string {
	var lines []string
	if i := m.grid.Cursor(); ended && i >= 0 && i < m.Len() {
		lines = widget.Wrap(s, widget.RoleText, m.list[i].Reason, w)
	}
	for len(lines) < 2 {
		lines = append(lines, "")
	}
	return lines
}

func (m *manyItems) progressText(ended bool, elapsed time.Duration) string {
	switch {
	case ended && m.stopping:
		return "stopped; the remaining items are unchanged"
	case ended:
		return "done"
	case m.stopping:
		return "stopping"
	case m.Len() == 0 || elapsed < time.Second: // too early for an estimate
		return "under way"
	}
	rate := float64(m.Len()) / elapsed.Seconds()
	text := fmt.Sprintf("%.1f items/s", rate)
	if rate < 1 {
		text = fmt.Sprintf("%.1f items/min", rate*60)
	}
	if rest := m.total - m.Len(); rest > 0 {
		text += " · about " + present.RoundDuration(time.Duration(float64(rest)/rate*float64(time.Second))) + " left"
	}
	if m.units > 0 {
		text += fmt.Sprintf(" · %.4g WCU", m.units)
	}
	return text
}

func (m *manyItems) selectedQueue() *changes.QueueOffer {
	i := m.grid.Cursor()
	if i < 0 || i >= m.Len() || len(m.list[i].queues) == 0 {
		return nil
	}
	return &m.list[i].queues[0]
}

func (c *Change) endButtons() []widget.Button {
	m := c.many
	list := []widget.Button{{Name: "close", Label: "Close"}}
	if slices.ContainsFunc(m.list, func(o outcome) bool { return len(o.queues) > 0 }) {
		list = append(list, widget.Button{Name: "queue", Label: "Open the queue", Disabled: func() string {
			if m.selectedQueue() == nil {
				return "the selected item is not in any queue now"
			}
			return ""
		}, Run: func() (tea.Cmd, bool) {
			offer := m.selectedQueue()
			return tea.Sequence(c.leave(), screen.Open(screen.Queue{ID: offer.Queue.ID, Given: offer.Given})), true
		}})
	}
	if m.undoable.canUndo() {
		list = append(list, button("undo", undoVerb, c.undoMany))
	}
	return append(list, button("export", "Export CSV", c.export), button("csv", "Copy CSV", c.copyCSV))
}

func (c *Change) undoMany() tea.Cmd {
	r := c.many.undoable.request(c.Env)
	r.Done, r.Ended = c.req.Done, c.req.Ended
	c.req = r
	return c.beginMany()
}

func (c *Change) manyEndKey(press tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	if ch := c.dialog.Update(press); ch.Used {
		return c.handleChoice(ch)
	}
	c.many.grid.Update(press)
	return nil, false
}

func (c *Change) copyCSV() tea.Cmd {
	text, err := c.many.csv()
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	return screen.Send(screen.CopyMsg{Text: text, What: present.Plural(c.many.Len(), "outcome") + " as CSV"})
}

func (m *manyItems) csv() (string, error) {
	var out bytes.Buffer
	err := changes.WriteCSV(&out, models.MapSlice(m.list, func(o outcome) changes.Outcome { return o.Outcome }))
	return out.String(), err
}

func (c *Change) export() tea.Cmd {
	id := present.LowerFirst(c.req.Verb)
	if a := c.req.Action; a != nil {
		id = strings.TrimPrefix(id+"-"+a.ID, a.ID+"-")
		if !c.undoesMany() {
			id = a.ID
		}
	}
	name := fmt.Sprintf("ddbdesk-%s-%s.csv", id, c.Env.Session.Now().UTC().Format("20060102-150405"))
	text, csvErr := c.many.csv()
	w, ctx := c.Env.Workspace, c.Env.Context
	return func() tea.Msg {
		path, err := filepath.Abs(name)
		if err == nil {
			_, err = w.Exporter.SaveText(ctx, "outcomes of "+id, path, false, func() (string, error) { return text, csvErr })
		}
		if err != nil {
			return screen.NoticeMsg{Text: "not exported: " + err.Error(), Bad: true}
		}
		return screen.Answer(func() tea.Cmd {
			c.many.notice = "✓ " + path
			return screen.Send(screen.NoticeMsg{Text: "exported to " + path})
		})
	}
}

// undoableChanges records a dialog's changes so that the user can undo all of them. Its zero value is empty.
type undoableChanges struct {
	n      int // number of changes that can still be undone
	single *changes.Commitment
	sets   []string        // IDs of the sets, newest first
	items  map[string]bool // keys of the changed items; an item can have several changes
	keys   []string        // the same keys with personal data masked, newest first
}

func (u *undoableChanges) add(done *changes.Commitment) {
	if done.Plan.Undoes != nil {
		u.n--
		return
	}
	if u.items == nil {
		u.items = map[string]bool{}
	}
	if id := done.Past.Intent.Detail.Table + string(done.Plan.Writes[0].Key.AppendDynamoDBJSON(nil)); !u.items[id] {
		u.items[id], u.keys = true, slices.Insert(u.keys, 0, done.Past.Intent.Detail.Key)
	}
	u.n++
	u.single = done
	if id := done.Past.Intent.Detail.Sweep; id != "" && !slices.Contains(u.sets, id) {
		u.sets = slices.Insert(u.sets, 0, id)
	}
}

func (u *undoableChanges) itemCount() int {
	if len(u.items) == 0 { // A set of the journal changes each item once.
		return u.n
	}
	return min(len(u.items), u.n)
}

func (u *undoableChanges) canUndo() bool {
	return u.n > 0 && u.single.Unrecorded == nil && u.single.Plan.Action.NoUndo == ""
}

func (u *undoableChanges) request(env *screen.Env) ChangeRequest {
	a := u.single.Plan.Action
	name := a.Title
	if a.Kind == change.KindRepair {
		a, name = nil, "Repair"
	}
	items, subject := present.Plural(u.itemCount(), "item"), "these changes"
	if u.n > u.itemCount() {
		subject = present.Plural(u.n, "change") + " of " + items
	}
	about := "Undoes " + subject + ", newest first. Items changed since then are skipped. Each undo adds an audit entry."
	if a != nil && len(u.items) == 0 { // A set before it may have claimed the items.
		about += " Only " + a.Title + " is undone; earlier changes to the items stay."
	}
	about += "\n"
	for _, key := range u.keys[:min(namedItems, len(u.keys))] {
		if a != nil && a.Entity != nil {
			if id, ok := strings.CutPrefix(present.KeyTitle(env, a.Entity, key), present.EntityName(a.Entity)+" "); ok {
				key = id
			}
		}
		about += "\n• " + models.PrintableCell(key, 60)
	}
	if more := len(u.keys) - namedItems; more > 0 {
		about += fmt.Sprintf("\n… and %d more", more)
	}
	return ChangeRequest{Action: a, Title: "Undo " + name + " · " + items, Verb: undoVerb, toUndo: *u, About: about}
}
