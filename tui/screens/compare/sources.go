package compare

import (
	"context"
	"errors"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// compareSource is a state or an item that the left side can be compared with.
type compareSource struct {
	id                   string // of the choice, the same after a change
	section, title, note string
	load                 func(ctx context.Context) (compareSide, error)
}

func compareSources(env *screen.Env, with screen.Compare) []compareSource {
	var list []compareSource
	left := compareSide{table: with.Table, item: with.Item}
	if with.Row != nil {
		list = append(list, fixedSource("This item", "as listed", "before the refresh", left.table, with.Row))
	}
	list = append(list, planSources(env, left)...)
	own := left.table.KeyText(left.item)
	seen := map[string]bool{left.table.Name + own: true}
	for _, it := range with.Rows[:min(len(with.Rows), results.CompareRows)] {
		key := left.table.Name + left.table.KeyText(it)
		if seen[key] {
			continue
		}
		seen[key] = true
		side := compareSide{table: left.table, item: it}
		side.remask(env, env.Session.Masker())
		src := readSource(env, side.name(env), left.table, it)
		src.section, src.note = "Rows of the same list", side.state()
		list = append(list, src)
	}
	for _, v := range env.History.Visits() {
		key := v.Table.Name + v.Table.KeyText(v.Key)
		if seen[key] {
			continue
		}
		seen[key] = true
		_, title := present.VisitTitle(env, v)
		src := readSource(env, title, v.Table, v.Key)
		src.section, src.note = "Recently opened", present.Age(v.At, env.Now())
		list = append(list, src)
	}
	return list
}

func fixedSource(section, title, note string, table *models.Table, it models.Item) compareSource {
	return compareSource{id: title, section: section, title: title, note: note, load: func(context.Context) (compareSide, error) {
		return compareSide{title: title, table: table, item: it, origin: fromEarly}, nil
	}}
}

func readSource(env *screen.Env, title string, table *models.Table, it models.Item) compareSource {
	from := env.Workspace
	key, whole := table.PrimaryKey(it)
	return compareSource{id: table.Name + table.KeyText(it), title: title, load: func(ctx context.Context) (compareSide, error) {
		if !whole {
			return compareSide{title: title, table: table, item: it}, nil
		}
		now, err := from.Reading.Get(ctx, table, key)
		switch {
		case err != nil:
			return compareSide{}, err
		case now == nil:
			return compareSide{}, errors.New("item " + title + " no longer exists")
		}
		return compareSide{title: title, table: table, item: now}, nil
	}}
}

func sourceItems(sources []compareSource) []widget.ListItem {
	items := make([]widget.ListItem, len(sources))
	for i, c := range sources {
		items[i] = widget.ListItem{ID: c.id, Section: c.section, Title: c.title, Badge: c.note, BadgeRole: widget.RoleFaint}
	}
	return items
}

// planSources plans the changes that the item allows, and applies none.
func planSources(env *screen.Env, left compareSide) []compareSource {
	r, ok := env.Session.Recognize(left.table, left.item)
	if !ok {
		return nil
	}
	var list []compareSource
	add := func(a *change.Action, to string, args map[string]string) {
		if env.Session.CanPlan(a) != nil || a.Obstacle(left.item, env.Session.Now(), env.Session.Actor()) != nil {
			return
		}
		inputs, made := planInputs(env, a, args)
		title, note := "after "+a.Title+to, ""
		if len(made) > 0 {
			note = "with ‹" + strings.Join(made, "›, ‹") + "› as placeholder"
		}
		list = append(
			list,
			compareSource{
				id: title, section: "This item after a planned change", title: title, note: note,
				load: planSide(env, title, left, a, inputs),
			},
		)
	}
	for _, o := range env.Planner.Offers(r.Entity, left.item) {
		repair := o.Action.Kind == change.Repairs && !drifted(r.Entity, left.item)
		if o.Action.Kind != change.Creates && o.Action.Target == "" && !repair {
			add(o.Action, "", o.Args)
		}
	}
	for _, m := range env.Planner.Moves(r.Entity, left.item) {
		if m.Action != nil && m.Action.Target != "" {
			add(m.Action, ": "+m.Transition.To, m.Args)
		}
	}
	return list
}

func drifted(e *models.Entity, it models.Item) bool {
	for _, k := range e.KeyStates(it) {
		if k.Problem != "" {
			return true
		}
	}
	return false
}

func planInputs(env *screen.Env, a *change.Action, args map[string]string) (inputs map[string]string, made []string) {
	inputs = maps.Clone(args)
	if inputs == nil {
		inputs = map[string]string{}
	}
	for _, q := range a.Inputs {
		if _, given := inputs[q.Name]; given || !q.Required || q.Default != "" || len(q.Enum) > 0 {
			continue
		}
		if _, computed := a.Defaults[q.Name]; computed {
			continue
		}
		text := "‹" + q.Name + "›"
		if _, err := q.Read(text, env.Session.Now()); err == nil {
			inputs[q.Name] = text
			made = append(made, q.Name)
		}
	}
	return inputs, made
}

// planReason is the reason in a plan that is only compared with.
const planReason = "‹reason›"

func planSide(
	env *screen.Env, title string, left compareSide, a *change.Action, inputs map[string]string,
) func(context.Context) (compareSide, error) {
	from := env.Workspace
	return func(ctx context.Context) (compareSide, error) {
		plan, err := from.Planner.Plan(ctx, a, inputs, planReason)
		if err != nil {
			return compareSide{}, planFault(a, title, inputs, err)
		}
		own := left.table.KeyText(left.item)
		for _, w := range plan.Writes {
			if w.Table == left.table && left.table.KeyText(w.Key) == own {
				if w.After == nil {
					return compareSide{}, errors.New(a.Title + " deletes the item, so there is nothing to compare with")
				}
				return compareSide{title: title, table: left.table, item: w.After, origin: fromPlan}, nil
			}
		}
		return compareSide{}, errors.New(a.Title + " does not change this item; press o on the item to plan it")
	}
}

// planAsks is the error of a plan without a required input.
type planAsks struct {
	action *change.Action
	title  string // of the right side
	param  *accesspatterns.Param
	inputs map[string]string // the other inputs
	err    error
}

func (e *planAsks) Error() string { return e.action.Title + ": " + e.err.Error() }

func (e *planAsks) Unwrap() error { return e.err }

// planFault returns a planAsks if the user can enter the input that a plan lacks.
func planFault(a *change.Action, title string, inputs map[string]string, err error) error {
	var p *accesspatterns.ParamError
	if errors.As(err, &p) && a.Input(p.Param) != nil {
		return &planAsks{a, title, a.Input(p.Param), inputs, err}
	}
	var refusal *session.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Why)
	}
	return err
}

func (s *compareScreen) askInput(asks *planAsks) {
	a, q := asks.action, asks.param
	field := present.Form{Table: a.Entity.Table, Action: a, Item: s.left.item}.Fields(s.env, q)[0]
	box := overlay.NewCalmQuestion(
		a.Title, "only planned", "Compare", nil, "Enter "+q.Name+". The change is only planned; nothing is written.",
	)
	box.Ask(s.env.Styles, field, func(value string) string {
		if value == "" {
			return q.Name + " is required"
		}
		if err := present.Problem(q, value, s.env.Session.Now()); err != nil {
			return err.Error()
		}
		return ""
	})
	box.Yes = func() tea.Cmd {
		inputs := maps.Clone(asks.inputs)
		inputs[q.Name] = box.Value()
		return s.start(asks.title, planSide(s.env, asks.title, s.left, a, inputs))
	}
	s.Box = box
}

func (s *compareScreen) comparePasted(text string) tea.Cmd {
	p := s.env.Session.Profile()
	key, sort, item, err := accesspatterns.SplitPasted(lookup.Clean(lookup.Schema{Patterns: p.Patterns, Entities: p.Entities}, text))
	if err != nil {
		s.choice.load.err = err
		return nil
	}
	table := s.left.table
	if item != nil {
		item = table.TypeKeys(item)
		own, whole := table.PrimaryKey(item)
		if !whole || len(item) > len(own) {
			side := compareSide{title: "as pasted", table: table, item: item, origin: fromUser}
			return s.start("the pasted item", func(context.Context) (compareSide, error) { return side, nil })
		}
		return s.startKey(table, own)
	}
	if table, own, ok := keyOf(s.env, table, key, sort); ok {
		return s.startKey(table, own)
	}
	s.choice.load.err = errors.New("the text names no item; paste a complete key (PK / SK), an ID, or an item as JSON")
	return nil
}

func (s *compareScreen) startKey(table *models.Table, key models.Item) tea.Cmd {
	env := s.env
	title := table.KeyText(env.Session.Masker().Item(table, key))
	return s.start("reading "+title, func(ctx context.Context) (compareSide, error) {
		it, err := env.Reading.Get(ctx, table, key)
		switch {
		case err != nil:
			return compareSide{}, err
		case it == nil:
			return compareSide{}, errors.New("item " + title + " does not exist")
		}
		side := compareSide{table: table, item: it}
		side.remask(env, env.Session.Masker())
		side.title = side.name(env)
		return side, nil
	})
}

func keyOf(env *screen.Env, table *models.Table, key, sort string) (*models.Table, models.Item, bool) {
	p := env.Session.Profile()
	found := accesspatterns.Decode(p.Patterns, p.Entities, key, sort).Candidates
	if sort == "" {
		found = append(found, accesspatterns.DecodeID(p.Patterns, p.Entities, key)...)
	}
	formed := func(here bool) (*models.Table, models.Item, bool) {
		for _, c := range found {
			if own, ok := formedKey(c.Entity, c.Values); ok && (c.Entity.Table == table) == here {
				return c.Entity.Table, own, true
			}
		}
		return nil, nil, false
	}
	if t, own, ok := formed(true); ok {
		return t, own, true
	}
	if own, ok := plainKey(table, key, sort); ok && sort != "" {
		return table, own, true
	}
	if t, own, ok := formed(false); ok {
		return t, own, true
	}
	own, ok := plainKey(table, key, sort)
	return table, own, ok
}

func plainKey(t *models.Table, key, sort string) (models.Item, bool) {
	if (sort == "") != (t.SortKey.Name == "") || key == "" {
		return nil, false
	}
	own := models.Item{}
	for _, part := range []struct {
		key  models.Key
		text string
	}{{t.PartitionKey, key}, {t.SortKey, sort}} {
		if part.key.Name == "" {
			continue
		}
		v, err := models.ScalarValue(part.key.Type, part.text)
		if err != nil {
			return nil, false
		}
		own[part.key.Name] = v
	}
	return own, true
}

func formedKey(e *models.Entity, values map[string]string) (models.Item, bool) {
	var texts [2]string
	for i, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		if k.Name == "" {
			continue
		}
		t, ok := e.KeyTemplate(k.Name)
		if !ok {
			return nil, false
		}
		text, err := t.Format(models.MapValues(values))
		if err != nil {
			return nil, false
		}
		texts[i] = text
	}
	return plainKey(e.Table, texts[0], texts[1])
}
