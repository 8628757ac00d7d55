// Package drift finds the items of whole tables that do not match their schema, and determines which of them ddbdesk
// can repair. Package changes plans and applies repairs.
package drift

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Finder looks for defects in the items of a session's tables. It is safe for concurrent use.
type Finder struct {
	s      *session.Viewer
	tables *tables.Catalog
	rd     *reading.Reader
}

// New returns the finder of the session. It sends no requests.
func New(s *session.Viewer, t *tables.Catalog, rd *reading.Reader) *Finder {
	return &Finder{s: s, tables: t, rd: rd}
}

// Options selects the items to check.
type Options struct {
	Entity    string // name of the only entity to report, "" for all entities
	AllowScan bool   // consent to scan whole tables, required only on production
	// Find calls Progress after each request with the current table and the summary so far. Progress may be nil.
	Progress func(t *models.Table, progress Summary)
}

// A Result is an item with its defects. Its values are not masked; show the defects through Shown.
type Result struct {
	Table      *models.Table
	Entity     *models.Entity // nil if no entity matches
	Item       models.Item
	Defects    []change.Defect
	Repairable bool
	Obstacle   string // why ddbdesk cannot repair the item, "" if it can
}

// A Summary counts the results of a search so far.
type Summary struct {
	Kinds    map[change.DefectKind]int // number of defects of each kind
	Items    int                       // number of items with a defect
	Scanned  int                       // number of items read
	Checked  int                       // number of items read that the search may report
	Capacity float64                   // RCU consumed
	// Undeclared maps attributes that no entity declares, as Entity.attribute, to the number of items with them.
	Undeclared map[string]int
}

// maxUndeclared limits the number of attribute names in memory, because names may be data.
const maxUndeclared = 1000

// Find scans the tables and calls each for every item with defects, in the order of the tables. It stops at the first
// error of each or of a read; the summary then contains the counts before the error.
func (f *Finder) Find(ctx context.Context, o Options, each func(Result) error) (Summary, error) {
	sum := Summary{Kinds: map[change.DefectKind]int{}, Undeclared: map[string]int{}}
	tables, entity, err := f.TablesOf(o)
	if err != nil {
		return sum, err
	}
	if err := f.CheckConsent(ctx, o); err != nil {
		return sum, err
	}
	for _, t := range tables {
		report := func() {
			if o.Progress != nil {
				progress := sum
				progress.Kinds, progress.Undeclared = maps.Clone(sum.Kinds), nil
				o.Progress(t, progress)
			}
		}
		if err := f.table(ctx, t, entity, &sum, report, each); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// TablesOf returns the tables to scan, and the selected entity or nil. It sends no requests.
func (f *Finder) TablesOf(o Options) ([]*models.Table, *models.Entity, error) {
	if o.Entity == "" {
		return f.s.Profile().Tables, nil, nil
	}
	e, err := f.rd.Entity(o.Entity)
	if err != nil {
		return nil, nil, err
	}
	return []*models.Table{e.Table}, e, nil
}

func (f *Finder) table(
	ctx context.Context, t *models.Table, entity *models.Entity, sum *Summary, progress func(), each func(Result) error,
) error {
	d, err := f.detector(ctx, t)
	if err != nil {
		return err
	}
	run := f.rd.WholeTable(t)
	return run.All(ctx, func(page reading.Page) error {
		sum.Scanned += page.Scanned
		sum.Capacity += page.Capacity
		for _, it := range page.Items {
			r, defects := d.Defects(t, it)
			if entity == nil || r.Entity == entity {
				sum.Checked++
				f.countUndeclared(sum, t, it)
			}
			if len(defects) == 0 || entity != nil && r.Entity != entity {
				continue
			}
			sum.Items++
			for _, defect := range defects {
				sum.Kinds[defect.Kind]++
			}
			found := Result{Table: t, Entity: r.Entity, Item: it, Defects: defects, Obstacle: f.repairObstacle(d, r.Entity, it, defects)}
			found.Repairable = found.Obstacle == ""
			if err := each(found); err != nil {
				return err
			}
		}
		progress()
		return nil
	})
}

func (f *Finder) countUndeclared(sum *Summary, t *models.Table, it models.Item) {
	names := f.s.FullMasker().Undeclared(t, it)
	for _, name := range names {
		place := f.s.FullMasker().Entity(t, it).Name + "." + name
		if sum.Undeclared[place]++; len(sum.Undeclared) > maxUndeclared {
			delete(sum.Undeclared, place)
		}
	}
}

// detector returns the drift detection for a table. If it may not describe the live table, it uses the declared one.
func (f *Finder) detector(ctx context.Context, t *models.Table) (change.Drift, error) {
	info, err := f.tables.Describe(ctx, t.Name)
	if err != nil && store.ClassOf(err) != store.AccessDenied {
		return change.Drift{}, err
	}
	return f.newDetector(t, info, err == nil), nil
}

func (f *Finder) newDetector(t *models.Table, info store.TableInfo, known bool) change.Drift {
	live := tables.Live(t, info, known)
	return change.Drift{
		Entities: f.s.Profile().Entities, Now: f.s.Now().UTC(), Live: func(*models.Table) *models.Table { return live },
	}
}

// Shown returns the item's key as text and its defects, masked for the screen.
func (f *Finder) Shown(d Result) (key string, defects []change.Defect) {
	m := f.s.Masker()
	for _, defect := range d.Defects {
		defects = append(defects, defect.Shown(m, d.Entity))
	}
	return d.Table.KeyText(m.Item(d.Table, d.Item)), defects
}

// DefectsShown returns an item's defects, masked by m. It uses only known table properties and sends no requests.
func (f *Finder) DefectsShown(m *models.Masker, t *models.Table, it models.Item) []change.Defect {
	info, known := f.tables.Cached(t.Name)
	r, defects := f.newDetector(t, info, known).Defects(t, it)
	for i, d := range defects {
		defects[i] = d.Shown(m, r.Entity)
	}
	return defects
}

// CheckRepairable returns an error if a repair of the item is impossible or unnecessary. It uses only known properties
// of the live table and sends no requests.
func (f *Finder) CheckRepairable(e *models.Entity, it models.Item) error {
	info, known := f.tables.Cached(e.Table.Name)
	d := f.newDetector(e.Table, info, known)
	_, defects := d.Defects(e.Table, it)
	if len(defects) == 0 {
		return &change.Conflict{Message: "no problems found"}
	}
	if reason := f.repairObstacle(d, e, it, defects); reason != "" {
		return &change.Conflict{Message: reason}
	}
	return nil
}

// RepairableEntity returns the entity of an item that ddbdesk can repair. The error is a *change.Conflict if the item
// has no defects, and a *session.Refusal if a repair is impossible.
func (f *Finder) RepairableEntity(ctx context.Context, t *models.Table, it models.Item) (*models.Entity, error) {
	d, err := f.detector(ctx, t)
	if err != nil {
		return nil, err
	}
	r, defects := d.Defects(t, it)
	if len(defects) == 0 {
		return nil, &change.Conflict{Message: fmt.Sprintf("%s: no problems found", r.Entity.Title)}
	}
	if reason := f.repairObstacle(d, r.Entity, it, defects); reason != "" {
		return nil, &session.Refusal{Reason: "this item cannot be repaired: " + reason}
	}
	return r.Entity, nil
}

func (f *Finder) repairObstacle(d change.Drift, e *models.Entity, it models.Item, defects []change.Defect) string {
	if e == nil {
		return "no entity of the schema matches it"
	}
	if e.Owner != "" {
		return fmt.Sprintf("%s is managed by another service (%s)", e.Title, e.Owner)
	}
	if f.s.Profile().RepairOf(e) == nil {
		return "the schema has no repair for " + e.Title
	}
	switch {
	case slices.ContainsFunc(defects, func(d change.Defect) bool { return d.Kind == change.Ghost }):
		return "required attributes are missing and their values are unknown"
	case !d.WouldRepair(e, it):
		return "the correct values cannot be derived from other attributes"
	}
	return ""
}

// Cost returns the estimated cost of the search as text, or "" if ddbdesk cannot describe any table.
func (f *Finder) Cost(ctx context.Context, o Options) string {
	tables, _, err := f.TablesOf(o)
	if err != nil {
		return ""
	}
	return f.rd.CostOf(ctx, tables)
}

// CheckConsent returns a refusal, with the cost, if a search on production lacks consent. It returns nil outside of
// production, where starting the search implies consent.
func (f *Finder) CheckConsent(ctx context.Context, o Options) error {
	if o.AllowScan {
		return nil
	}
	tables, _, err := f.TablesOf(o)
	if err != nil {
		return err
	}
	return f.rd.CheckWholeTables(ctx, "drift detection", tables)
}

// MissingAttributes returns the missing required attributes that a person must enter, because no repair can compute
// them. It omits index keys, which follow from other attributes.
func (r Result) MissingAttributes() []string {
	if r.Entity == nil {
		return nil
	}
	return slices.DeleteFunc(r.Entity.MissingAttributes(r.Item), func(path string) bool {
		_, key := r.Entity.Keys[path]
		a := r.Entity.Attribute(path)
		return key || a == nil || a.KeyOnly || a.Equals != "" || path == r.Entity.Version || path == r.Entity.Updated
	})
}
