// This file reads whole tables to find the items that something is wrong with,
// and plans their repair.

package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/tables"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// DriftOptions say what is searched for defects.
type DriftOptions struct {
	Entity    string // its items alone, "" for every table of the profile
	AllowScan bool   // consent to read whole tables; needed on production alone
	// Progress is told after each request of the table that is being read, and of
	// all that was found so far. It may be nil.
	Progress func(t *models.Table, sofar DriftSummary)
}

// A DriftItem is an item with what is wrong with it. The item and its defects
// are as stored; show them through ShownDrift.
type DriftItem struct {
	Table      *models.Table
	Entity     *models.Entity // nil when none fits
	Item       models.Item
	Defects    []accesspatterns.Defect
	Repairable bool
	Why        string // why it cannot be repaired, "" when it can
}

// A DriftSummary says what a search found so far.
type DriftSummary struct {
	Kinds    map[accesspatterns.DefectKind]int // defects, not items
	Items    int                               // items with a defect
	Scanned  int                               // items read
	Capacity float64                           // read units consumed
}

// Drift reads the tables page by page and calls each for every item that
// something is wrong with, in the order of the tables. It ends with the first
// error, of each or of a read; the summary holds what was found before.
func (s *Session) Drift(ctx context.Context, o DriftOptions, each func(DriftItem) error) (DriftSummary, error) {
	sum := DriftSummary{Kinds: map[accesspatterns.DefectKind]int{}}
	tables, entity, err := s.driftTables(o)
	if err != nil {
		return sum, err
	}
	if err := s.RefuseDrift(ctx, o); err != nil {
		return sum, err
	}
	for _, t := range tables {
		page := func() {
			if o.Progress != nil {
				sofar := sum
				sofar.Kinds = maps.Clone(sum.Kinds)
				o.Progress(t, sofar)
			}
		}
		if err := s.driftTable(ctx, t, entity, &sum, page, each); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// CheckDrift returns what is wrong with the options, before anything is asked.
func (s *Session) CheckDrift(o DriftOptions) error {
	_, _, err := s.driftTables(o)
	return err
}

// CanRepair returns why this session may not repair items, nil when it may. The
// refusal goes to the journal.
func (s *Session) CanRepair(ctx context.Context, reason string) error {
	repair := &accesspatterns.Action{ID: "repair", Profile: s.Profile().Name}
	why := s.CanChange(repair)
	if why == nil {
		return nil
	}
	return s.Session.Refuse(ctx, repair.FullID(), map[string]string{"reason": strings.TrimSpace(reason)}, why)
}

// driftTables returns what is read, and the entity that is asked for or nil.
func (s *Session) driftTables(o DriftOptions) ([]*models.Table, *models.Entity, error) {
	if o.Entity == "" {
		return s.Profile().Tables, nil, nil
	}
	if e := s.Profile().Entity(o.Entity); e != nil {
		return []*models.Table{e.Table}, e, nil
	}
	var names []string
	for _, e := range s.Profile().Entities {
		names = append(names, e.Name)
	}
	hint := models.DidYouMean(o.Entity, names)
	if hint == "" {
		hint = "; it has " + strings.Join(names, ", ")
	}
	return nil, nil, core.InputErrorf("%s has no entity %q%s", s.Profile().Name, models.Printable(o.Entity), hint)
}

func (s *Session) driftTable(ctx context.Context, t *models.Table, entity *models.Entity, sum *DriftSummary, progress func(), each func(DriftItem) error) error {
	d, err := s.drift(ctx, t)
	if err != nil {
		return err
	}
	run := s.WholeTable(t)
	return run.All(ctx, func(page Page) error {
		sum.Scanned += page.Scanned
		sum.Capacity += page.Capacity
		for _, it := range page.Items {
			r, defects := d.Defects(t, it)
			if len(defects) == 0 || entity != nil && r.Entity != entity {
				continue
			}
			sum.Items++
			for _, defect := range defects {
				sum.Kinds[defect.Kind]++
			}
			found := DriftItem{Table: t, Entity: r.Entity, Item: it, Defects: defects, Why: s.whyNoRepair(d, r.Entity, it, defects)}
			found.Repairable = found.Why == ""
			if err := each(found); err != nil {
				return err
			}
		}
		progress()
		return nil
	})
}

// drift returns what finds the defects of a table's items. A table that may not
// be described is taken as declared.
func (s *Session) drift(ctx context.Context, t *models.Table) (accesspatterns.Drift, error) {
	info, err := s.Describe(ctx, t.Name)
	if err != nil && store.ClassOf(err) != store.AccessDenied {
		return accesspatterns.Drift{}, err
	}
	return s.driftOf(info, err == nil), nil
}

// driftOf is drift of a table that was described, when known.
func (s *Session) driftOf(info store.TableInfo, known bool) accesspatterns.Drift {
	return accesspatterns.Drift{
		Entities: s.Profile().Entities, Now: s.Now().UTC(),
		HasIndex: func(_ *models.Table, x *models.Index) bool {
			_, there := info.Index(x.Name)
			return known && there
		},
		KeyName: func(t *models.Table, name string) string { return tables.KeyName(t, info, name) },
	}
}

// Defects returns what is wrong with one item; none of a good one.
func (s *Session) Defects(ctx context.Context, t *models.Table, it models.Item) ([]accesspatterns.Defect, error) {
	d, err := s.drift(ctx, t)
	if err != nil {
		return nil, err
	}
	_, defects := d.Defects(t, it)
	return defects, nil
}

// ShownDrift returns the item's key in words and its defects, as they may be
// shown.
func (s *Session) ShownDrift(d DriftItem) (key string, defects []accesspatterns.Defect) {
	m := s.Masker()
	for _, defect := range d.Defects {
		defects = append(defects, defect.Shown(m, d.Entity))
	}
	return d.Table.KeyText(m.Item(d.Table, d.Item)), defects
}

// whyNoRepair says why a repair cannot make the item right, "" when it can.
func (s *Session) whyNoRepair(d accesspatterns.Drift, e *models.Entity, it models.Item, defects []accesspatterns.Defect) string {
	if e == nil {
		return "nothing says what the item should be: no entity fits it"
	}
	if e.Owner != "" {
		return fmt.Sprintf("%s is written by another service (%s)", e.Title, e.Owner)
	}
	if s.Profile().RepairOf(e) == nil {
		return "the profile gives no way to repair " + e.Title
	}
	switch {
	case slices.ContainsFunc(defects, func(d accesspatterns.Defect) bool { return d.Kind == accesspatterns.Ghost }):
		return "required attributes are missing, and nothing says what they were: a repair would only hide that"
	case !d.Derives(e, it):
		return "what is wrong does not follow from other attributes"
	}
	return ""
}

// PlanRepair plans to set right what follows from the item's other attributes:
// index keys, and times that repeat another. It is a plan like any other.
func (s *Session) PlanRepair(ctx context.Context, t *models.Table, it models.Item, reason string) (*accesspatterns.Plan, error) {
	d, err := s.drift(ctx, t)
	if err != nil {
		return nil, err
	}
	r, defects := d.Defects(t, it)
	if len(defects) == 0 {
		return nil, &accesspatterns.Conflict{What: fmt.Sprintf("%s: nothing is wrong with it", r.Entity.Title)}
	}
	if why := s.whyNoRepair(d, r.Entity, it, defects); why != "" {
		return nil, &core.Refusal{Why: "this item cannot be repaired: " + why}
	}
	a := s.Profile().RepairOf(r.Entity)
	if strings.TrimSpace(reason) == "" && a.Reason != accesspatterns.ReasonRequired && entryNeedsReason(a) {
		reason = repairReason
	}
	p, err := s.Plan(ctx, a, ActionArgs(a, r.Entity, it), reason)
	if err != nil {
		return nil, err
	}
	if key, _ := t.PrimaryKey(it); !models.EqualItems(key, p.Writes[0].Key) {
		return nil, &core.Refusal{Why: "this item cannot be repaired: its attributes name another one"}
	}
	return p, nil
}

// repairReason is the reason of a repair for which nobody gave one, where the
// entry in the trail has to have one: what is wrong is the reason.
const repairReason = "index keys or repeated times did not follow from the attributes"

// entryNeedsReason reports whether an entry about the change must have a reason.
func entryNeedsReason(a *accesspatterns.Action) bool {
	for _, e := range a.Audits {
		for _, v := range e.Set {
			attribute := e.Trail.Entity.Attribute(v.Name)
			if attribute != nil && attribute.Required && slices.ContainsFunc(v.Formula.References(), func(r accesspatterns.Reference) bool {
				return r.Name == "reason" && !r.HasDefault
			}) {
				return true
			}
		}
	}
	return false
}

// DriftCost says what the search would read, as of the last count; "" when no
// table can be described.
func (s *Session) DriftCost(ctx context.Context, o DriftOptions) string {
	tables, _, err := s.driftTables(o)
	if err != nil {
		return ""
	}
	var sum Estimate
	described := false
	for _, t := range tables {
		if e, err := s.Estimate(ctx, t, nil); err == nil {
			sum, described = sum.Plus(e), true
		}
	}
	if !described {
		return ""
	}
	return sum.String()
}

// RefuseDrift is the refusal of a search on production that nobody agreed to,
// with what it would cost; nil elsewhere: there the search itself is the
// consent.
func (s *Session) RefuseDrift(ctx context.Context, o DriftOptions) error {
	if o.AllowScan || !s.Production() {
		return nil
	}
	tables, _, err := s.driftTables(o)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the whole table %s", tables[0].Name)
	if len(tables) > 1 {
		what = fmt.Sprintf("%d whole tables", len(tables))
	}
	if cost := s.DriftCost(ctx, o); cost != "" {
		what += " (" + cost + ")"
	}
	return &core.Refusal{Why: "looking for drift on production reads " + what, Next: "add --allow-scan to agree to what that costs"}
}
