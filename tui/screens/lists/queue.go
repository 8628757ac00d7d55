package lists

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/dashboard"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Queue shows one of the schema's queues at a time.
var Queue = screen.Registration{
	Scope: func() screen.Scope {
		return screen.Scope{
			Name: "queue", Title: "Queues",
			Does:    "Lists items that need a decision. Actions have the same letters in a queue and on an item.",
			Actions: (&queue{}).withKeys(listing.Keys(&queueKeys)), Pieces: screen.TabbedKeys(),
		}
	},
	Open: screen.OpenFunc(newQueue),
}

// A queuedItem is an item that needs a decision. It is immutable; a new one replaces it.
type queuedItem struct {
	id    string // primary key of the item, from results.Key
	item  models.Item
	isNew bool // the item arrived with a refresh, and the user has not opened it or refreshed since
}

// A queue is the screen for the schema's queues.
type queue struct {
	*listing.Screen[*queuedItem]
	env           *screen.Env
	w, h          int
	current       *change.Queue
	params        map[string]string // values of its parameters
	args          map[string]string // arguments of its pattern
	hasAllParams  bool              // every parameter has a value
	isScan        bool              // the pattern reads a whole table
	sizeRequested bool              // the screen has looked up the size, to decide whether the scan needs consent
	consented     bool              // the user agreed to the scan, or it needs no consent
	letters       map[*change.Action]string
	table         *results.Table // columns and masking, without rows
	known         *[]requests.Entry
	requested     map[string][]requests.Entry // pending requests by row, from known
	drawn         drawnItem
	loads         int // number of lists that the screen reported to home
}

// A drawnItem caches the last drawn item, because the grid requests its cells one by one.
type drawnItem struct {
	item   *queuedItem
	masker *models.Masker
	minute time.Time
	row    *results.Row
}

func newQueue(env *screen.Env, to screen.Queue) screen.Screen {
	list := env.Session.Profile().Queues
	selected := list[max(slices.IndexFunc(list, func(q *change.Queue) bool { return q.ID == to.ID }), 0)]
	q := &queue{env: env, current: selected, table: results.NewTable(env, selected.Pattern)}
	q.table.HideKeys = true // The item's screen shows them.
	q.letters = queueLetters(selected, present.ActionKeys(env.Keys, env.Session.Profile()))
	q.setParameters(to.Given)
	return q
}

// setParameters builds the list for parameter values, which determine whether the queue scans a table.
func (q *queue) setParameters(args map[string]string) {
	q.params, q.sizeRequested, q.consented, q.loads, q.drawn = args, false, false, 0, drawnItem{}
	q.args, q.hasAllParams = q.current.Bind(args)
	request, err := q.env.Reading.Bind(q.current.Pattern, q.args)
	q.isScan = err == nil && request.IsScan()
	spec := queueKeys
	spec.Title = q.current.Title
	spec.ID = func(r *queuedItem) string { return r.id }
	spec.Sign = func(r *queuedItem) string {
		switch {
		case q.requestOf(r) != "":
			return "▸"
		case q.isExpired(r):
			return "!"
		case r.isNew:
			return "+"
		}
		return ""
	}
	spec.Label = func(_ *screen.Env, r *queuedItem) string { return q.table.Name(r.item) }
	spec.Columns, spec.Load, spec.Missing = q.columns(), q.load, q.missing
	spec.Committed = func(_ *listing.Screen[*queuedItem], list []screen.CommittedChange) tea.Cmd {
		return q.applyCommitted(list)
	}
	spec.Facts = func(e *screen.Env, r *queuedItem) []listing.Fact {
		details := func(w int) []string { return q.table.Details(r.item, q.presentRow(e, r), w) }
		return []listing.Fact{{Text: q.requestOf(r), Role: widget.RoleWarn}, {Lines: details}}
	}
	if q.isScan {
		spec.Costly, spec.Every = true, 0
	}
	q.Screen = listing.New(q.env, &spec)
	q.Around = q
}

// queueKeys contains the parts that all queues share.
var queueKeys = listing.Spec[*queuedItem]{
	Name: "queue", Noun: "item", Inner: true, Pages: true, Every: 15 * time.Second,
	Guide: screen.Guide{
		Purpose: "Items that need a decision, oldest first. The queue refreshes automatically and marks new items.",
		First:   "press enter to open an item, or o for the actions of the item. Press space to mark a row and go to the next.",
		Signs: screen.Signs([]screen.Sign{
			{Glyph: "▸", Meaning: "a change of the item is requested; the details name it"},
			{Glyph: "+", Meaning: "new since the last refresh"},
			{Glyph: "!", Meaning: "expired: DynamoDB deletes the item within days"},
		}, screen.GridSigns, screen.StateSigns, screen.MaskSigns),
	},
	Empty: listing.None("No items need a decision", "Press r to read the queue again."),
}

func queueLetters(q *change.Queue, all map[*change.Action]string) map[*change.Action]string {
	letters, taken, digit := map[*change.Action]string{}, map[string]bool{}, 0
	for _, a := range q.Actions {
		letter := all[a]
		if letter == "" || taken[letter] {
			digit++
			letter = strconv.Itoa(digit)
		}
		letters[a], taken[letter] = letter, true
	}
	return letters
}

// These are the maximum widths, in cells, of columns without a state, a time or a number, so that more columns fit.
const (
	queueIDCells    = 18 // start and end of an ID
	queueEndsCells  = 10 // five characters after the prefix of an ID, and four at its end
	queueTitleCells = 28
)

// columns moves the attribute that orders the queue, and then the time of expiry, after the state, because they show
// why an item needs a decision now.
func (q *queue) columns() []listing.Column[*queuedItem] {
	p, shown, columns, ranks := q.current.Pattern, q.table.Layout.Shown, q.table.Columns(), map[string]int{}
	for _, e := range p.Returns {
		if ranks[p.Table.TTL] = 2; e.Attribute(p.Table.TTL) != nil {
			ranks[e.Attribute(p.Table.TTL).Equals] = 2
		}
	}
	for _, param := range p.Params {
		if param.Attribute != nil && q.current.Args[param.Name] == "now" {
			ranks[param.Attribute.Path] = 1
		}
	}
	indexes := make([]int, len(columns))
	for i, c := range columns {
		if indexes[i] = i; c.Sorted != widget.Unsorted {
			ranks[shown[i].Key] = 1
		} else if i > 1 && ranks[shown[i].Key] == 0 {
			ranks[shown[i].Key] = 3
		}
	}
	ranks[shown[0].Key] = 0
	slices.SortStableFunc(indexes, func(a, b int) int { return ranks[shown[a].Key] - ranks[shown[b].Key] })
	return models.MapSlice(indexes, func(i int) listing.Column[*queuedItem] {
		c := columns[i]
		c.Weight = 0 // Blank space after the last column is easier to read across than gaps between all of them.
		switch {
		case c.Width != 0 || len(columns) == 1:
		case c.Middle:
			c.Min, c.Max = 0, queueIDCells
			for _, e := range p.Returns {
				if a := e.Attribute(shown[i].Key); a != nil && a.Prefix != "" {
					c.Max = max(len(a.Prefix)+queueEndsCells, models.Width(c.Title))
				}
			}
		case i == 0:
			c.Max = queueTitleCells
		}
		return listing.Column[*queuedItem]{
			Column: c,
			Cell: func(e *screen.Env, r *queuedItem) widget.Cell {
				cell := q.presentRow(e, r).Cells()[i]
				if ranks[shown[i].Key] == 2 && !e.Session.Masker().HidesName(p.Table, shown[i].Key) {
					cell.Role = q.expiryRole(r, shown[i].Key, cell.Role)
				}
				return cell
			},
			By:    func(a, b *queuedItem) int { return q.table.Compare(i, a.item, b.item) },
			Clock: q.table.HasTimes(),
		}
	})
}

func (q *queue) expiryRole(r *queuedItem, path string, other widget.Role) widget.Role {
	text, _ := r.item.Text(path)
	at, ok := q.current.Pattern.Returns[0].FormatOf(path).ReadTime(text)
	switch left := at.Sub(q.env.Session.Now()); {
	case ok && left <= 0:
		return widget.RoleBad
	case ok && left < time.Hour:
		return widget.RoleWarn
	}
	return other
}

// isExpired reports whether DynamoDB may delete the item at any time.
func (q *queue) isExpired(r *queuedItem) bool {
	at, ok := q.current.Pattern.Table.Expires(r.item)
	return ok && !at.After(q.env.Session.Now())
}

func (q *queue) requestOf(r *queuedItem) string {
	known, table := q.env.Requests.Known(), q.current.Pattern.Table
	if known == nil {
		return ""
	}
	if known != q.known {
		q.known, q.requested = known, map[string][]requests.Entry{}
	}
	list, ok := q.requested[r.id]
	if key, hasKey := table.PrimaryKey(r.item); !ok && hasKey {
		list = q.env.Requests.PendingOf(table, key)
		q.requested[r.id] = list
	}
	if len(list) == 0 {
		return ""
	}
	return present.RequestTitle(q.env, list[0])
}

func (q *queue) presentRow(e *screen.Env, r *queuedItem) *results.Row {
	current := drawnItem{r, e.Session.Masker(), e.Session.Now().Truncate(time.Minute), q.drawn.row}
	if current != q.drawn {
		current.row = q.table.Present(r.item)
		q.drawn = current
	}
	return q.drawn.row
}

// queuePage is the number of items in the first read, and in each further read with the key n.
const queuePage = 200

func (q *queue) load(ctx context.Context, e *screen.Env, r *listing.Reading[*queuedItem]) (rows listing.Rows[*queuedItem], err error) {
	start, limit, p := time.Now(), queuePage*(r.ExtraPages+1), q.current.Pattern
	run, err := e.Reading.Start(p, q.args, reading.RunOptions{Limit: limit, AllowScan: q.isScan, Stored: true})
	var items []models.Item
	capacity := 0.0
	for more := true; err == nil && more && len(items) < limit; more = rows.More {
		var page reading.Page
		page, err = run.Next(ctx)
		items, rows.More = append(items, page.Items...), page.More
		capacity += page.Capacity
		r.Found(listing.Rows[*queuedItem]{Status: present.Join(present.Plural(len(items), "item"), spentUnits(e, capacity), " · ")})
	}
	e.History.RecordItems(p.Table, items)
	rows.List = newQueued(results.Keys(p.Table, items), items, limit, r)
	if err != nil && r.Before == nil && len(items) > 0 {
		r.Found(listing.Rows[*queuedItem]{List: rows.List})
	}
	newCount := 0
	for _, row := range rows.List {
		if row.isNew {
			newCount++
		}
	}
	if _, unregistered := e.Requests.Register(); unregistered == nil && e.Requests.Known() == nil {
		if _, _, requestsErr := e.Requests.List(ctx); requestsErr != nil {
			rows.Problems = append(rows.Problems, "cannot read change requests: "+requestsErr.Error())
		}
	}
	rows.Status = dashboard.Count{N: len(rows.List), More: rows.More}.String() + " waiting"
	if newCount > 0 {
		rows.Status += fmt.Sprintf(" · %d new", newCount)
	}
	if !e.Plain() {
		rows.Status = present.Join(rows.Status, spentUnits(e, capacity), " · ") + " · " + present.ShortDuration(time.Since(start))
	}
	return rows, err
}

func spentUnits(e *screen.Env, units float64) string {
	if units == 0 || e.Plain() {
		return ""
	}
	return fmt.Sprintf("%g RCU", units)
}

// newQueued marks a row as new unless it was listed before or belongs to a page that the user requested.
func newQueued(keys []string, items []models.Item, limit int, r *listing.Reading[*queuedItem]) []*queuedItem {
	oldRows := map[string]*queuedItem{}
	for _, row := range r.Before {
		oldRows[row.id] = row
	}
	newLimit := limit
	if r.ExtraPages > 0 && len(r.Before) <= limit-queuePage {
		newLimit = limit - queuePage
	}
	list, seen := make([]*queuedItem, 0, len(items)), map[string]bool{}
	for i, id := range keys {
		if seen[id] {
			continue // The item moved during the reads.
		}
		seen[id] = true
		row := &queuedItem{id: id, item: items[i]}
		if old := oldRows[id]; old != nil {
			row.isNew = old.isNew && !r.ByUser
		} else {
			row.isNew = r.Before != nil && i < newLimit
		}
		list = append(list, row)
	}
	return list
}

func (q *queue) needsConsent() bool { return q.isScan && !q.consented }

func (q *queue) missing(e *screen.Env) *listing.Advice {
	switch {
	case !q.hasAllParams:
		names := models.MapSlice(q.current.Params, func(p *accesspatterns.Param) string { return present.ParamLabel(e.Plain(), p) })
		return &listing.Advice{
			Title: "This queue needs " + english.WordSeries(names, "and"),
			Text:  "Press enter to fill in the parameters, or open the queue from the Related tab of an item.",
		}
	case q.needsConsent():
		return &listing.Advice{
			Title: "This queue reads the whole table " + q.current.Pattern.Table.Name,
			Text:  "Press enter to see the cost. ddbdesk asks before it reads.",
		}
	}
	return nil
}

func (q *queue) stateCounts() string {
	for _, entity := range q.current.Pattern.Returns {
		if len(entity.Lifecycles) == 0 || q.env.Session.Masker().HidesName(entity.Table, entity.Lifecycles[0].Attribute) {
			continue
		}
		l, counts := entity.Lifecycles[0], map[string]int{}
		for _, r := range q.All() {
			if state, ok := r.item.Text(l.Attribute); ok {
				counts[state]++
			}
		}
		var list []string
		for _, state := range l.States {
			if n := counts[state.Name]; n > 0 {
				list = append(list, present.StateBadge(q.env.Plain(), l, state.Name).Text+" "+dashboard.Count{N: n, More: q.Last().More}.String())
			}
		}
		return strings.Join(list, "  ")
	}
	return ""
}

func (q *queue) expiredText() string {
	n := len(q.All())
	if expired := n - len(slices.DeleteFunc(q.All(), q.isExpired)); expired > 0 { // All returns a copy.
		return fmt.Sprintf("! %d of %d expired", expired, n)
	}
	return ""
}

func (q *queue) applyCommitted(list []screen.CommittedChange) tea.Cmd {
	if !slices.ContainsFunc(list, func(c screen.CommittedChange) bool { return c.Table == q.current.Pattern.Table }) {
		return nil
	}
	committed := map[string]screen.CommittedChange{}
	for _, c := range list {
		if c.Table == q.current.Pattern.Table {
			committed[results.Key(c.Table, c.Key)] = c
		}
	}
	isCommitted := func(r *queuedItem) bool { _, ok := committed[r.id]; return ok }
	q.UnmarkIf(isCommitted) // Marks on items that the user changed are not lost.
	q.Change(func(r *queuedItem) (*queuedItem, bool) {
		if c, ok := committed[r.id]; ok {
			return &queuedItem{id: r.id, item: c.Item, isNew: r.isNew}, c.Item != nil
		}
		return r, true
	})
	return q.RestartRead()
}

func (q *queue) targets() results.Targets {
	if _, removed, _ := q.Selected(); removed && !q.Marked() {
		return q.table.Targets(nil, false)
	}
	return q.table.Targets(itemsOf(q.Chosen()), q.Marked())
}

func (q *queue) marked() []models.Item {
	if !q.Marked() {
		return nil
	}
	return itemsOf(q.Chosen())
}

func itemsOf(list []*queuedItem) []models.Item {
	return models.MapSlice(list, func(r *queuedItem) models.Item { return r.item })
}

func (q *queue) comparisonItems() []models.Item {
	marked, inView := q.marked(), itemsOf(q.Filtered())
	return append(marked[:min(len(marked), results.MaxComparedRows)], inView[:min(len(inView), results.MaxComparedRows)]...)
}
