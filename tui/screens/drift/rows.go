package drift

import (
	"cmp"
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

// maxFindings is the maximum number of findings to keep. More of them have a common
// cause, and nobody reads the list.
const maxFindings = 20_000

// A feed passes findings from the search, which waits for the database, to Update,
// which must not wait.
type feed struct {
	mu      sync.Mutex
	items   []drift.Result
	table   string // that is being read
	scanned int    // items read so far
}

// report sets the progress.
func (f *feed) report(table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.table, f.scanned = table, scanned
}

// put adds a finding.
func (f *feed) put(d drift.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, d)
}

// drain returns the progress, and the findings since the last call.
func (f *feed) drain() (items []drift.Result, table string, scanned int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	items, f.items = f.items, nil
	return items, f.table, f.scanned
}

// driftRow is an item with its defects.
type driftRow struct {
	drift.Result
	state string // the outcome of its repair, "" before one

	masker *models.Masker // of key and shown
	key    string
	shown  []change.Defect // masked
}

// driftRows is the source of the grid: all findings, or those with one kind of defect.
type driftRows struct {
	env    *screen.Env
	list   []*driftRow
	byKind map[change.DefectKind][]*driftRow
	kind   change.DefectKind // "" for all
}

// columns of the findings. The last one takes the remaining width.
var columns = []widget.Column{
	{Title: "defect", Min: 13, Max: 13, Frozen: true},
	{Title: "entity", Max: 16},
	{Title: "item", Min: 18, Max: 34},
	{Title: "attribute", Max: 20},
	{Title: "stored → expected", Weight: 1, Max: 120},
}

// add adds a finding, once for each of its kinds.
func (r *driftRows) add(d drift.Result) {
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

// view returns the rows of the kind.
func (r *driftRows) view() []*driftRow {
	if r.kind == "" {
		return r.list
	}
	return r.byKind[r.kind]
}

// Len returns the number of rows of the kind.
func (r *driftRows) Len() int { return len(r.view()) }

// at returns a row of the kind.
func (r *driftRows) at(i int) *driftRow { return r.view()[i] }

// masked fills in the parts of a row that may be shown, again after personal data was
// revealed or masked.
func (r *driftRows) masked(row *driftRow) *driftRow {
	if m := r.env.Session.Masker(); row.masker != m {
		row.masker = m
		row.key, row.shown = r.env.Drift.Shown(row.Result)
	}
	return row
}

// Cell presents the first defect of the kind.
func (r *driftRows) Cell(i, col int) widget.Cell {
	row := r.masked(r.at(i))
	d := row.first(r.kind)
	c := widget.Cell{}
	switch col {
	case 0:
		c = defectBadge(d.Kind)
		c.Text = cmp.Or(row.state, c.Text)
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
		c = widget.Cell{Text: d.Text, Role: widget.RoleMuted}
		if stored, expected, ok := values(d); ok {
			c.Text = stored + " → " + expected
		}
	}
	if row.state != "" {
		c.Role = widget.RoleFaint
	}
	return c
}

// first returns the first defect of a kind, "" for any.
func (row *driftRow) first(kind change.DefectKind) change.Defect {
	for _, d := range row.shown {
		if kind == "" || d.Kind == kind {
			return d
		}
	}
	return change.Defect{}
}

// values returns the stored and the expected value of a defect; ok is false when it
// has neither.
func values(d change.Defect) (stored, expected string, ok bool) {
	return cmp.Or(d.Stored, present.NoValue), cmp.Or(d.Expected, present.NoValue), d.Stored != "" || d.Expected != ""
}
