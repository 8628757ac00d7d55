package compare

import (
	"context"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
)

// A side reads one database.
type side struct {
	w      *workspace.Workspace
	tables []*models.Table // a single table for a pattern or an entity
	runs   []*reading.Run  // one run for each table
	entity *models.Entity  // the only entity to compare, nil for all
	masker *models.Masker  // masks the values before they are compared, nil if masked values are compared
}

func sideOf(ctx context.Context, w *workspace.Workspace, o Options) (*side, error) {
	s := &side{w: w, tables: w.Session.Profile().Tables}
	if o.Pattern != "" {
		return s, s.start(ctx, o)
	}
	if o.Entity != "" {
		var err error
		if s.entity, err = w.Reading.Entity(o.Entity); err != nil {
			return nil, err
		}
		s.tables = []*models.Table{s.entity.Table}
	}
	if !o.AllowScan {
		if err := w.Reading.CheckWholeTables(ctx, "a comparison", s.tables); err != nil {
			return nil, err
		}
	}
	for _, t := range s.tables {
		s.runs = append(s.runs, w.Reading.WholeTable(t))
	}
	return s, nil
}

func (s *side) compares(t *models.Table, it models.Item) bool {
	return s.entity == nil || s.w.Session.Masker().Entity(t, it) == s.entity
}

func (s *side) comparedValues(t *models.Table, it models.Item) models.Item {
	if s.masker == nil {
		return it
	}
	return s.masker.Item(t, it)
}

func (s *side) start(ctx context.Context, o Options) error {
	p, err := s.w.Reading.Pattern(o.Pattern)
	if err != nil {
		return err
	}
	run, err := s.w.Reading.Start(p, o.Args, reading.RunOptions{AllowScan: o.AllowScan, All: true})
	if err != nil {
		return err
	}
	if run.Request().IsCount() {
		return session.InputErrorf("%s returns a number; compare a pattern that returns items", p.Term())
	}
	if run.Request().IsScan() && !o.AllowScan {
		if err := s.w.Reading.ScanRefusal(ctx, p); err != nil {
			return err
		}
	}
	s.tables, s.runs = []*models.Table{p.Table}, []*reading.Run{run}
	return nil
}

// Shown returns the item's key and its changes from the left to the right database. Values are masked as in ReadBoth.
// Without a second read of the item there are no changes.
func (c *Comparison) Shown(d Difference) (key models.Item, changes []models.Change) {
	left, right := c.maskers()
	masker := left
	if d.Kind == OnlyRight {
		masker = right
	}
	if key, _ = d.Table.PrimaryKey(masker.Item(d.Table, d.Key)); d.Entity != nil {
		key = masker.KeyOf(d.Entity, d.Key)
	}
	if d.Left == nil || d.Right == nil {
		return key, nil
	}
	if c.IgnoresMasked() {
		return key, models.Diff(left.Item(d.Table, d.Left), right.Item(d.rightTable, d.Right))
	}
	return key, left.DiffWith(d.Table, d.Left, right, d.rightTable, d.Right)
}

// IgnoresMasked reports whether the comparison ignores masked values, because a role that cannot reveal them must not
// learn whether they are equal.
func (c *Comparison) IgnoresMasked() bool {
	return c.left.Session.CanReveal() != nil || c.right.Session.CanReveal() != nil
}

// maskers returns the maskers of the left and the right items. If the comparison ignores masked values, both hide the
// values that role support cannot see: otherwise, a value that only one role sees would differ from its mask.
func (c *Comparison) maskers() (left, right *models.Masker) {
	if c.IgnoresMasked() {
		return c.left.Session.FullMasker(), c.right.Session.FullMasker()
	}
	return c.left.Session.Masker(), c.right.Session.Masker()
}
