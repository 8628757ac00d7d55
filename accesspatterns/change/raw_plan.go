package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

func (a *Action) planRaw(b *Basis) (*Plan, error) {
	key, err := a.rawKey(b.Inputs)
	if err != nil {
		return nil, err
	}
	before := b.Items[Subject]
	if err := a.checkRaw(before, key); err != nil {
		return nil, err
	}
	act, err := a.rawAction(b)
	if err != nil {
		return nil, err
	}
	pl := rawPlanner{planner{newScope(act, b.withNewItem(act))}, &Plan{Action: act, Basis: b}}
	var after models.Item
	switch a.Kind {
	case KindPut:
		after, _ = models.ParseItem([]byte(b.Inputs[RawItem])) // rawKey read it.
		pl.derive(nil, after)
	case KindDelete:
	default:
		if after, err = pl.applyEdits(before); err != nil {
			return nil, err
		}
	}
	if e := pl.entityOf(after); e != nil && slices.ContainsFunc(e.Attributes, func(at *models.Attribute) bool {
		return at.Strictest() == models.Secret && after[at.Name] != nil
	}) {
		act.secretInputs(b)
	}
	if guardErr := pl.guardAll(before, after); guardErr != nil {
		if !b.Override {
			return nil, guardErr
		}
		act.FourEyes = true
	}
	for _, name := range after.Names() {
		if fault := models.ValueFault(after[name]); fault != "" {
			return nil, accesspatterns.ParamErrorf(models.Printable(name), "the value %s", fault)
		}
	}
	if err := pl.write(before, after); err != nil {
		return nil, err
	}
	pl.note(before, after)
	return pl.p, pl.finish(pl.p, nil)
}

// CheckUnchanged returns a *Conflict if the item of a raw change differs from the item that the user saw, because the
// change could overwrite later changes.
func (p *Plan) CheckUnchanged(seen models.Item) error {
	if d := models.Diff(seen, p.Basis.Items[Subject]); len(d) > 0 {
		return &Conflict{Message: "the item has changed since it was shown", Differences: d}
	}
	return nil
}

// A rawPlanner makes the plan of a raw change.
type rawPlanner struct {
	planner

	p *Plan
}

// checkPath rejects a path through a value without that part, which the write would replace.
func checkPath(it models.Item, path []string) error {
	for i := 1; i < len(path); i++ {
		v, ok := it.AtNames(path[:i])
		l, isList := v.(*types.AttributeValueMemberL)
		_, isMap := v.(*types.AttributeValueMemberM)
		at, element := models.ElementIndex(path[i])
		reason := ""
		switch {
		case element && !isList:
			reason = "is not a list; set it whole, as JSON"
		case element && at > len(l.Value):
			reason = fmt.Sprintf("has %d elements; [%[1]d] adds one", len(l.Value))
		case !element && isList:
			reason = "is a list; name an element of it, as in [0]"
		case ok && !element && !isMap:
			reason = "is not a map; set it whole, as JSON"
		case !ok:
			return nil
		default:
			continue
		}
		return accesspatterns.ParamErrorf(models.Printable(models.PathText(path)), "%s %s",
			models.Printable(models.PathText(path[:i])), reason)
	}
	return nil
}

// overlap returns a path that equals another or lies inside it, or nil. With such paths, the result would be arbitrary.
func overlap(paths [][]string) []string {
	for i, path := range paths {
		for j, other := range paths {
			if i != j && len(other) <= len(path) && slices.Equal(path[:len(other)], other) {
				return path
			}
		}
	}
	return nil
}

// compareLastFirst orders paths so that removing one does not move another.
func compareLastFirst(a, b []string) int {
	for i := range min(len(a), len(b)) {
		x, elements := models.ElementIndex(a[i])
		y, both := models.ElementIndex(b[i])
		switch {
		case elements && both && x != y:
			return y - x
		case a[i] != b[i]:
			return strings.Compare(a[i], b[i])
		}
	}
	return len(b) - len(a)
}

func (pl rawPlanner) applyEdits(before models.Item) (models.Item, error) {
	a, after := pl.action, before.Clone()
	sets, removes, err := a.edits(pl.basis.Inputs)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	whole, err := a.editItem(pl.basis.Inputs)
	if err != nil {
		return nil, err
	}
	for name, v := range whole {
		after[name], set[name] = v, true
	}
	for _, s := range sets {
		v, err := pl.parseValue(s, before)
		if err == nil {
			err = checkAmbiguousPath(before, s.Path)
		}
		if err == nil {
			err = checkPath(after, s.Path)
		}
		if err != nil {
			return nil, err
		}
		after.SetNames(s.Path, v)
		set[s.Dotted()] = true
	}
	if at := overlap(a.RawPaths(pl.basis.Inputs)); at != nil {
		return nil, accesspatterns.ParamErrorf(models.Printable(models.PathText(at)),
			"set or removed twice, by itself or as a part of another")
	}
	slices.SortFunc(removes, compareLastFirst)
	for _, path := range removes {
		if err := checkAmbiguousPath(before, path); err != nil {
			return nil, err
		}
		after.RemoveNames(path)
		set[models.PathText(path)] = true
	}
	pl.rekey(before, after, set)
	if models.EqualItems(before, after) {
		return nil, Conflictf("%s: nothing would change", a.Entity.Title)
	}
	if err := pl.advanceVersionAndTime(a.Entity, before, after, set); err != nil {
		return nil, err
	}
	pl.derive(before, after)
	return after, checkKeyAttributes(a.Entity.Table, after)
}

// rekey computes the primary key again if the user changed an attribute that it depends on, but not the key.
func (pl rawPlanner) rekey(before, after models.Item, set map[string]bool) {
	e := pl.action.Entity
	differs, values := differsBetween(before, after), ownValues(e, after)
	for _, k := range e.Table.PrimaryKeys() {
		t, declared := e.Keys[k.Name]
		if !declared || set[k.Name] || t.String() == "{"+k.Name+"}" || !slices.ContainsFunc(t.Placeholders(), differs) {
			continue
		}
		if v, err := k.Value(t, values); err == nil && v != nil {
			after[k.Name] = v
		}
	}
}

func (pl rawPlanner) derive(before, after models.Item) {
	e, differs := pl.action.Entity, differsBetween(before, after)
	pl.deriver().setEqualTimes(e, after, differs, map[string]bool{})
	for _, f := range pl.deriver().computeKeys(e, before, after, differs, map[string]bool{}) {
		pl.p.Notes = append(pl.p.Notes, fmt.Sprintf("the index key %s cannot be computed and stays as it is", f.name))
	}
}

// parseValue prefers the written type, then the type of the key, the schema, the stored attribute or the text's form.
func (pl rawPlanner) parseValue(s raw.Assignment, before models.Item) (types.AttributeValue, error) {
	kind, e := s.Type, pl.action.Entity
	keys := e.Table.KeyAttributes()
	i := models.KeyPosition(keys, s.Path[0])
	now, exists := before.AtNames(s.Path)
	at := e.AttributeAt(s.Path)
	switch {
	case kind != "":
	case i >= 0 && len(s.Path) == 1:
		kind = keys[i].Type
	case at != nil && !at.KeyOnly:
		kind = at.Type
	case exists && models.ValueType(now) != models.TypeNULL:
		kind = models.ValueType(now)
	case strings.HasPrefix(s.Value, "{"):
		kind = models.TypeM
	case strings.HasPrefix(s.Value, "["):
		kind = models.TypeL
	}
	v, err := models.ValueOf(kind, s.Value)
	if err != nil && e.Stricter(models.NotSensitive, s.Path) != models.NotSensitive {
		err = fmt.Errorf("the value does not have the type %s", kind)
	}
	if err != nil {
		return nil, accesspatterns.ParamErrorf(s.WithoutType(), "%v", err)
	}
	if models.ValueType(now) == models.ValueType(v) {
		v = models.TypedLike(v, now)
	}
	return v, nil
}

// guardAll treats a new key or entity also as a delete and a create, so that such a change cannot bypass a guard.
func (pl rawPlanner) guardAll(before, after models.Item) *GuardError {
	t, oldEntity, newEntity := pl.action.Entity.Table, pl.entityOf(before), pl.entityOf(after)
	if before == nil || after == nil {
		return pl.guard(pl.action.Entity, pl.action.Kind, before, after)
	}
	oldKey, _ := t.PrimaryKey(before)
	newKey, _ := t.PrimaryKey(after)
	moved := !models.EqualItems(oldKey, newKey)
	if oldEntity == newEntity {
		if g := pl.guard(pl.action.Entity, KindUpdate, before, after); g != nil || !moved {
			return g
		}
	}
	if oldEntity != nil && (moved || oldEntity != newEntity) {
		if g := pl.guard(oldEntity, KindDelete, before, nil); g != nil {
			return g
		}
	}
	if newEntity != nil && oldEntity != newEntity {
		return pl.guard(newEntity, KindPut, nil, after)
	}
	return nil
}

// guard finds changes of a lifecycle's state, or of attributes that an action with a second person writes.
func (pl rawPlanner) guard(e *models.Entity, kind ActionKind, before, after models.Item) *GuardError {
	all := pl.action.raw.Actions
	if g := guardStates(all, e, before, after); g != nil {
		return g
	}
	for _, a := range all {
		if !a.FourEyes {
			continue
		}
		if a.Entity == e && a.Kind == kind && a.Kind != KindUpdate {
			return &GuardError{e.Title, a}
		}
		writtenSettings := slices.Clone(a.Set)
		for _, settings := range a.OnEnter {
			writtenSettings = append(writtenSettings, settings...)
		}
		names := append(namesOf(writtenSettings), a.Remove...)
		if a.Entity != e {
			names = nil
		}
		for _, c := range a.Companions {
			if c.Entity == e {
				names = slices.Concat(names, namesOf(c.Set), c.Remove)
			}
		}
		for _, name := range names {
			x, _ := before.At(name)
			y, _ := after.At(name)
			isWritten := before != nil || kind == KindPut && e.Lifecycle(name) == nil
			if after != nil && isWritten && !models.EqualValues(x, y) && name != e.Updated && name != e.Version {
				return &GuardError{name, a}
			}
		}
	}
	return nil
}

// guardStates allows a new item to begin in an initial state, or in one that no transition leads to.
func guardStates(all []*Action, e *models.Entity, before, after models.Item) *GuardError {
	for _, l := range e.Lifecycles {
		oldState, _ := before.Text(l.Attribute)
		newState, _ := after.Text(l.Attribute)
		s := l.State(newState)
		isInitial := before == nil && (newState == "" || s != nil && s.Initial ||
			!slices.ContainsFunc(l.Transitions, func(t *models.Transition) bool { return t.To == newState }))
		if after != nil && oldState != newState && !isInitial {
			return &GuardError{l.Attribute, actionTo(all, l, newState)}
		}
	}
	return nil
}

// actionTo prefers an action for this state only, then one for many states, then any other action of the lifecycle.
func actionTo(all []*Action, l *models.Lifecycle, state string) (best *Action) {
	maximum := 0
	for _, a := range all {
		rank := 1
		switch reachesState := slices.ContainsFunc(a.Transitions, func(t *models.Transition) bool { return t.To == state }); {
		case a.Lifecycle != l || a.Disabled != "":
			continue
		case reachesState && a.Target == "":
			rank = 3
		case reachesState:
			rank = 2
		}
		if rank > maximum {
			best, maximum = a, rank
		}
	}
	return best
}

func namesOf(settings []Setting) []string {
	return models.MapSlice(settings, func(s Setting) string { return s.Name })
}

// write adds a put and a delete if the item's primary key changes.
func (pl rawPlanner) write(before, after models.Item) error {
	e, t := pl.action.Entity, pl.action.Entity.Table
	oldKey, _ := t.PrimaryKey(before)
	newKey, _ := t.PrimaryKey(after)
	moved := before != nil && after != nil && !models.EqualItems(oldKey, newKey)
	if before == nil || moved {
		w := Write{Operation: Put, Table: t, Entity: e, Key: newKey, After: after, Changes: models.Diff(nil, after)}
		if r, ok := models.Recognize(pl.action.raw.Entities, t, after); ok {
			w.Entity = r.Entity
		}
		w.Condition = []accesspatterns.Condition{w.existenceCondition(accesspatterns.NotExists)}
		pl.p.Writes = append(pl.p.Writes, w)
	}
	if before == nil {
		return nil
	}
	w := Write{Operation: Delete, Table: t, Entity: e, Key: oldKey, Before: before}
	if after != nil && !moved {
		derived := map[string]bool{}
		for _, k := range derivedKeys(e) {
			derived[pl.basis.Live.keyName(t, k.Name)] = true
		}
		w.Operation, w.After = Update, after
		w.Changes = changesOf(w, before, derived)
	}
	w.setCondition(wholeItemConditions(w), nil)
	pl.p.Writes = append(pl.p.Writes, w)
	return w.checkExpressions()
}

// undeclaredName omits names that may themselves be data.
func undeclaredName(e *models.Entity, path string) string {
	name := models.Printable(path)
	if e.Undocumented || strings.ContainsFunc(name, func(r rune) bool { return r > 'z' || strings.ContainsRune("@+/ ", r) }) {
		return "one of the attributes"
	}
	return name
}

func (pl rawPlanner) note(before, after models.Item) {
	if after == nil || len(pl.action.raw.Entities) == 0 {
		return
	}
	notef := func(format string, args ...any) { pl.p.Notes = append(pl.p.Notes, fmt.Sprintf(format, args...)) }
	t := pl.action.Entity.Table
	r, ok := models.Recognize(pl.action.raw.Entities, t, after)
	if !ok {
		notef("no key template of the schema makes this key: the item matches no entity")
		return
	}
	e := r.Entity
	if old, known := models.Recognize(pl.action.raw.Entities, t, before); before != nil && (!known || old.Entity != e) {
		notef("the item becomes one of entity %s", e.Title)
	}
	for _, l := range e.Lifecycles {
		if state, _ := after.Text(l.Attribute); state != "" && l.State(state) == nil {
			notef("%s: the value is not a state of the lifecycle", l.Attribute)
		}
	}
	for _, s := range e.KeyStates(after) {
		if s.Problem != "" {
			notef("key %s: %s", s.Name, strings.SplitN(s.Problem, ":", 2)[0])
		}
	}
	if missing := e.MissingAttributes(after); len(missing) > 0 {
		notef("the item lacks %s, which the schema requires", strings.Join(missing, ", "))
	}
	names := models.MapSlice(e.Attributes, func(a *models.Attribute) string { return a.Path })
	for _, c := range models.Diff(before, after) {
		a := e.Attribute(c.Path)
		text, scalar := models.ValueText(c.After)
		switch {
		case c.After == nil || e.ByName != nil:
		case a == nil && e.Keys[c.Path].IsZero() && e.Attribute(strings.SplitN(c.Path, ".", 2)[0]) == nil:
			notef("%s does not declare %s%s", e.Title, undeclaredName(e, c.Path), models.DidYouMean(c.Path, names))
		case a != nil && a.Type != "" && models.ValueType(c.After) != a.Type:
			notef("%s: the schema declares type %s", c.Path, a.Type)
		case a != nil && scalar:
			if reason := a.Differs(text); reason != "" {
				notef("%s: the value %s", c.Path, reason)
			}
		}
	}
}
