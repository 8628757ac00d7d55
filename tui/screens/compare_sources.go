// This file lists what an item can be compared with, and gets it.

package screens

import (
	"context"
	"errors"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// compareSource is something that the left side can be compared with.
type compareSource struct {
	section, title, note string
	load                 func(ctx context.Context) (compareSide, error)
}

// compareRows is how many rows of a list are offered.
const compareRows = 200

// compareSources lists the other states of the item first, then other items.
func compareSources(env *Env, left compareSide, with compareWith) []compareSource {
	var list []compareSource
	if with.row != nil {
		list = append(list, fixedSource("This item", "as the list showed it", "before it was read again", left.table, with.row))
	}
	list = append(list, planSources(env, left)...)
	own := left.table.KeyText(left.item)
	seen := map[string]bool{left.table.Name + own: true}
	for _, it := range with.rows[:min(len(with.rows), compareRows)] {
		key := left.table.Name + left.table.KeyText(it)
		if seen[key] {
			continue
		}
		seen[key] = true
		side := compareSide{table: left.table, item: it}
		side.remask(env, env.Session.Masker())
		src := readSource(env, side.name(env), left.table, it)
		src.section, src.note = "Rows that it was opened from", side.state()
		list = append(list, src)
	}
	for _, v := range env.Session.Visited() {
		key := v.Table.Name + v.Table.KeyText(v.Key)
		if seen[key] {
			continue
		}
		seen[key] = true
		_, title := visitTitle(env, v)
		src := readSource(env, title, v.Table, v.Key)
		src.section, src.note = "Opened lately", age(v.At, env.Now())
		list = append(list, src)
	}
	return list
}

// fixedSource is an item that is known already.
func fixedSource(section, title, note string, table *models.Table, it models.Item) compareSource {
	return compareSource{section: section, title: title, note: note, load: func(context.Context) (compareSide, error) {
		return compareSide{title: title, table: table, item: it}, nil
	}}
}

// readSource is another item, which is read when it is chosen.
func readSource(env *Env, title string, table *models.Table, it models.Item) compareSource {
	from := env.Session
	key, whole := table.PrimaryKey(it)
	return compareSource{title: title, load: func(ctx context.Context) (compareSide, error) {
		if !whole {
			return compareSide{title: title, table: table, item: it}, nil
		}
		now, err := from.Get(ctx, table, key)
		switch {
		case err != nil:
			return compareSide{}, err
		case now == nil:
			return compareSide{}, errors.New("there is no such item any more: " + title)
		}
		return compareSide{title: title, table: table, item: now}, nil
	}}
}

// planSources are the states after each change that the item allows. A plan is
// only made, never carried out.
func planSources(env *Env, left compareSide) []compareSource {
	r, ok := env.Session.Recognise(left.table, left.item)
	if !ok {
		return nil
	}
	var list []compareSource
	add := func(a *accesspatterns.Action, to string, args map[string]string) {
		if env.Session.CanPlan(a) != nil || a.Obstacle(left.item, env.Session.Now(), env.Session.Actor()) != nil {
			return
		}
		inputs, made := planInputs(env, a, args)
		title, note := "after "+a.Title+to, ""
		if len(made) > 0 {
			note = "‹" + strings.Join(made, "›, ‹") + "› stands for what it asks"
		}
		list = append(list, compareSource{section: "This item after a change, only planned", title: title, note: note, load: planSide(env, title, left, a, inputs)})
	}
	for _, o := range env.Session.Offers(r.Entity, left.item) {
		repair := o.Action.Kind == accesspatterns.Repairs && !drifted(r.Entity, left.item)
		if o.Action.Kind != accesspatterns.Creates && o.Action.Target == "" && !repair {
			add(o.Action, "", o.Args)
		}
	}
	for _, m := range env.Session.Moves(r.Entity, left.item) {
		if m.Action != nil && m.Action.Target != "" {
			add(m.Action, ": "+m.Transition.To, m.Args)
		}
	}
	return list
}

// drifted reports whether a key of the item disagrees with its attributes.
func drifted(e *models.Entity, it models.Item) bool {
	for _, k := range e.KeyStates(it) {
		if k.Problem != "" {
			return true
		}
	}
	return false
}

// planInputs fills what the action asks a person for: a free text by its name,
// so that it can be seen where it goes. made names what was filled in.
func planInputs(env *Env, a *accesspatterns.Action, args map[string]string) (inputs map[string]string, made []string) {
	inputs = map[string]string{}
	for name, v := range args {
		inputs[name] = v
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

// planReason stands in the plan for the reason that nobody has given yet.
const planReason = "‹reason›"

func planSide(env *Env, title string, left compareSide, a *accesspatterns.Action, inputs map[string]string) func(context.Context) (compareSide, error) {
	from := env.Session
	return func(ctx context.Context) (compareSide, error) {
		plan, err := from.Plan(ctx, a, inputs, planReason)
		if err != nil {
			return compareSide{}, planFault(a, err)
		}
		own := left.table.KeyText(left.item)
		for _, w := range plan.Writes {
			if w.Table == left.table && left.table.KeyText(w.Key) == own {
				if w.After == nil {
					return compareSide{}, errors.New(a.Title + " deletes the item: nothing is left to compare with")
				}
				return compareSide{title: title, table: left.table, item: w.After}, nil
			}
		}
		return compareSide{}, errors.New(a.Title + " does not write this item: plan it with a on the item")
	}
}

// planFault says which input has to be given first.
func planFault(a *accesspatterns.Action, err error) error {
	var p *accesspatterns.ParamError
	if errors.As(err, &p) {
		return errors.New(a.Title + " asks for " + p.Param + " first: plan it with a on the item")
	}
	var refusal *session.Refusal
	if errors.As(err, &refusal) {
		return errors.New(refusal.Why)
	}
	return err
}

// sourceItems are the entries of the list.
func sourceItems(sources []compareSource) []widget.ListItem {
	items := make([]widget.ListItem, len(sources))
	for i, c := range sources {
		items[i] = widget.ListItem{ID: itoa(i), Section: c.section, Title: c.title, Badge: c.note, BadgeRole: widget.RoleFaint}
	}
	return items
}
