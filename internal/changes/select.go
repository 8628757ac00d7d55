package changes

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Selection is a set of the items that a pattern returns and a filter matches.
type Selection struct {
	Set
	Pattern   *accesspatterns.Pattern
	Args      map[string]string // arguments of the pattern
	Where     string            // a filter as in the console, "" for every item
	AllowScan bool              // consent to scan a whole table
}

// Assign distributes name=value arguments among the selection's pattern and action. If both have a parameter with a
// name, the pattern gets the argument; inputs always go to the action. The error wraps session.ErrInput. Assign does
// not modify its arguments.
func (s *Selection) Assign(args, inputs map[string]string) error {
	s.Args, s.Inputs = map[string]string{}, map[string]string{}
	inputNames := s.userInputs()
	for name, text := range inputs {
		if !inputNames[name] {
			return session.InputErrorf("%s has no input %q; the items provide all other inputs", s.Action.ID, models.Printable(name))
		}
		s.Inputs[name] = text
	}
	for name, text := range args {
		switch {
		case s.Pattern.Param(name) != nil:
			s.Args[name] = text
		case inputNames[name]:
			s.Inputs[name] = text
		case s.Action.Input(name) != nil:
			return session.InputErrorf("parameter %s: each item provides its value; omit it", name)
		default:
			return session.InputErrorf("neither %s nor %s has a parameter %q", s.Pattern.ID, s.Action.ID, models.Printable(name))
		}
	}
	return nil
}

func (s *Selection) userInputs() map[string]bool {
	names := map[string]bool{}
	for _, in := range s.Action.Inputs {
		names[in.Name] = true
	}
	for _, name := range s.Action.Entity.KeyPlaceholders() {
		delete(names, name)
	}
	return names
}

// Check returns an error if the selection cannot be a sweep. It does not need a database. The error wraps
// session.ErrInput, or is a refusal or an *accesspatterns.ParamError.
func (pl *Planner) Check(s Selection) error {
	if err := checkSweepable(s.Action); err != nil {
		return err
	}
	if !s.Pattern.IsRead() {
		return session.InputErrorf("%s is a write pattern; a sweep needs a pattern that returns items", s.Pattern.Term())
	}
	request, err := pl.rd.Bind(s.Pattern, s.Args)
	if err != nil {
		return err
	}
	if request.IsCount() {
		return session.InputErrorf("%s counts items; a sweep needs a pattern that returns them", s.Pattern.Term())
	}
	for _, e := range s.Pattern.Returns {
		if e != s.Action.Entity {
			return session.InputErrorf("%s can return %s items, and %s changes %s items only%s", s.Pattern.Term(),
				models.Term{ID: e.Name, Title: e.Title}, s.Action.Short(),
				models.Term{ID: s.Action.Entity.Name, Title: s.Action.Entity.Title}, suggestPatterns(pl.s.Profile(), s.Action.Entity))
		}
	}
	for _, in := range s.Action.Inputs {
		text, isSet := s.Inputs[in.Name]
		_, computed := s.Action.Defaults[in.Name]
		switch {
		case !s.userInputs()[in.Name]:
		case isSet:
			if _, err := s.Action.ReadInput(in, text, pl.s.Now().UTC()); err != nil {
				return err
			}
		case in.Required && !computed && in.Default == "":
			return accesspatterns.ParamErrorf(in.Name, "missing; %s requires it", s.Action.Short())
		}
	}
	_, err = pl.filter(s)
	return err
}

func suggestPatterns(in *profiles.Profile, e *models.Entity) string {
	var ids []string
	for _, p := range in.Patterns {
		if p.IsRead() && p.Read.Operation != accesspatterns.Count && len(p.Returns) == 1 && p.Returns[0] == e {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "; use " + english.OxfordWordSeries(ids, "or")
}

func (pl *Planner) filter(s Selection) (*rows.Filter, error) {
	f, err := rows.Parse(s.Where, rows.NewFields(s.Pattern.Table, []*models.Entity{s.Action.Entity}), pl.s.Now())
	if err != nil {
		return nil, session.InputErrorf("filter: %v", err)
	}
	return f, nil
}

// selectItems passes items to visit while it continues to read. The error is a *change.Conflict if no item is selected.
func (pl *Planner) selectItems(ctx context.Context, out *Preview, visit func(Item) error) error {
	s := out.Selection
	f, err := pl.filter(s)
	if err != nil {
		return err
	}
	if f != nil {
		out.Notes = append(out.Notes, f.Notes()...)
	}
	whole := *s.Pattern // The filter and the comparison with the current item need every attribute.
	whole.Read.Projection, whole.Variants = nil, slices.Clone(whole.Variants)
	for i := range whole.Variants {
		whole.Variants[i].Read.Projection = nil
	}
	run, err := pl.rd.Start(&whole, s.Args, reading.RunOptions{All: true, AllowScan: s.AllowScan})
	if err != nil {
		return err
	}
	table := s.Pattern.Table
	isDuplicate := duplicateFilter(table, run.Request())
	err = run.All(ctx, func(p reading.Page) error {
		for _, it := range p.Items {
			if isDuplicate(it) {
				continue
			}
			out.Read++
			if !pl.matchesFilter(f, table, it) {
				continue
			}
			out.Selected++
			if err := visit(Item{Table: table, Item: it}); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case out.Read == 0:
		return change.Conflictf("%s returns no items; there is nothing to change", s.Pattern.Term())
	case out.Selected == 0:
		return change.Conflictf("the filter %q matches none of %s that %s returns; there is nothing to change",
			models.Printable(strings.TrimSpace(s.Where)), english.Plural(out.Read, "item", ""), s.Pattern.Term())
	}
	return nil
}

// duplicateFilter stores a hash of each key. Without a fan-out, it stores nothing, because no item can repeat.
func duplicateFilter(t *models.Table, request *accesspatterns.Request) func(models.Item) bool {
	if len(request.Legs) < 2 {
		return func(models.Item) bool { return false }
	}
	seen := map[[sha256.Size224]byte]struct{}{}
	return func(it models.Item) bool {
		key, _ := t.PrimaryKey(it)
		id := sha256.Sum224(key.AppendDynamoDBJSON(nil))
		_, seenBefore := seen[id]
		seen[id] = struct{}{}
		return seenBefore
	}
}

// matchesFilter reports whether the filter matches the item as masked for the session.
func (pl *Planner) matchesFilter(f *rows.Filter, t *models.Table, it models.Item) bool {
	if f == nil {
		return true
	}
	_, keep := f.Match(rows.Masked(pl.s.Masker(), t, it))
	return keep
}
