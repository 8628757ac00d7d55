package drift

import (
	"strconv"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// driftMost is how many findings are kept: who has more has a cause to look
// for, not a list to read.
const driftMost = 20_000

// driftFeed hands findings over from the search, which waits for the database,
// to the screen, which must not.
type driftFeed struct {
	mu      sync.Mutex
	items   []drift.Result
	table   string // that is being read
	scanned int    // items read so far
}

func (f *driftFeed) tell(table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.table, f.scanned = table, scanned
}

func (f *driftFeed) told() (table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.table, f.scanned
}

func (f *driftFeed) put(d drift.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, d)
}

func (f *driftFeed) drain() []drift.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := f.items
	f.items = nil
	return items
}

// driftRow is an item with what is wrong with it.
type driftRow struct {
	drift.Result
	state string // what became of its repair, "" before one

	masker *models.Masker // what the words were made with
	key    string
	shown  []change.Defect
}

// driftRows is the source of the grid: all findings, or those of one kind.
type driftRows struct {
	env    *screen.Env
	list   []*driftRow
	byKind map[change.DefectKind][]*driftRow
	kind   change.DefectKind // "" for all
}

func newDriftRows(env *screen.Env) *driftRows {
	return &driftRows{env: env, byKind: map[change.DefectKind][]*driftRow{}}
}

func driftColumns() []widget.Column {
	return []widget.Column{
		{Title: "what", Min: 13, Max: 13, Frozen: true},
		{Title: "entity", Max: 16},
		{Title: "item", Min: 18, Max: 34},
		{Title: "attribute", Max: 20},
		{Title: "stored → expected", Weight: 1, Max: 120},
	}
}

func (r *driftRows) Add(d drift.Result) {
	row := &driftRow{Result: d}
	r.list = append(r.list, row)
	seen := map[change.DefectKind]bool{}
	for _, defect := range d.Defects {
		if !seen[defect.Kind] {
			seen[defect.Kind] = true
			r.byKind[defect.Kind] = append(r.byKind[defect.Kind], row)
		}
	}
}

// total is the number of items with a finding, of whatever kind.
func (r *driftRows) total() int { return len(r.list) }

func (r *driftRows) view() []*driftRow {
	if r.kind == "" {
		return r.list
	}
	return r.byKind[r.kind]
}

// Len is the number of rows of the kind.
func (r *driftRows) Len() int { return len(r.view()) }

func (r *driftRows) At(i int) *driftRow { return r.view()[i] }

// words makes what may be shown of a row.
func (r *driftRows) words(row *driftRow) *driftRow {
	if m := r.env.Session.Masker(); row.masker != m {
		row.masker = m
		row.key, row.shown = r.env.Drift.Shown(row.Result)
	}
	return row
}

// Cell presents a finding: the first defect of the kind that is looked at.
func (r *driftRows) Cell(i, col int) widget.Cell {
	row := r.words(r.At(i))
	d := row.First(r.kind)
	c := widget.Cell{}
	switch col {
	case 0:
		c = defectBadge(d.Kind)
		if row.state != "" {
			c.Text = row.state
		}
	case 1:
		c = results.KindCell(row.Entity)
	case 2:
		c.Text = row.key
	case 3:
		c = widget.Cell{Text: d.Attribute, Role: widget.RoleKey}
		if n := len(row.shown); n > 1 {
			c.Text = strings.TrimSpace(d.Attribute + " +" + strconv.Itoa(n-1))
		}
	case 4:
		c = widget.Cell{Text: driftChange(d), Role: widget.RoleMuted}
	}
	if row.state != "" {
		c.Role = widget.RoleFaint
	}
	return c
}

// first is the defect that the row is listed for.
func (row *driftRow) First(kind change.DefectKind) change.Defect {
	for _, d := range row.shown {
		if kind == "" || d.Kind == kind {
			return d
		}
	}
	return change.Defect{}
}

// driftChange spells what is stored and what should be; without either it says
// what is wrong.
func driftChange(d change.Defect) string {
	if d.Stored == "" && d.Expected == "" {
		return d.Text
	}
	stored, expected := d.Stored, d.Expected
	if stored == "" {
		stored = present.NoValue
	}
	if expected == "" {
		expected = present.NoValue
	}
	return stored + " → " + expected
}
