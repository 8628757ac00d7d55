package change

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

// The IDs of the actions that nobody declared begin with these words; the name of the table follows.
const (
	RawEdit   = "table.edit."
	RawPut    = "table.put."
	RawDelete = "table.delete."
)

// The inputs of an action that nobody declared. Key, set and remove are JSON lists of what a user wrote, such as NAME=VALUE, and
// item is an item in DynamoDB JSON.
const (
	RawKey    = "key"
	RawSet    = "set"
	RawRemove = "remove"
	RawItem   = "item"
)

// RawEntity is the name of an item that is of no entity. No schema can have an entity of this name.
const RawEntity = "-"

// A Source is a schema as far as an action that nobody declared has to know it.
type Source struct {
	Profile  string // its name
	Tables   []*models.Table
	Entities []*models.Entity
	Actions  []*Action
	Repair   func(e *models.Entity) *Action // whose audit entries are those of every change; nil for an entity with an owner
}

// Raw returns the action that edits, puts or deletes an item of a table, nil for any other ID. It keeps to what the schema
// says: derived keys, versions and audit entries follow from the entity of the item.
func (s Source) Raw(id string) *Action {
	kinds := []struct {
		prefix, title string
		kind          ActionKind
	}{{RawEdit, "Edit", Changes}, {RawPut, "Put", Creates}, {RawDelete, "Delete", Deletes}}
	for _, k := range kinds {
		name, ok := strings.CutPrefix(id, k.prefix)
		i := slices.IndexFunc(s.Tables, func(t *models.Table) bool { return t.Name == name })
		if !ok || i < 0 {
			continue
		}
		a := &Action{ID: id, Profile: s.Profile, Title: k.title, Kind: k.kind, Reason: ReasonRequired, raw: &s}
		a.Entity = &models.Entity{Name: RawEntity, Title: "Item", Table: s.Tables[i], Undocumented: true}
		a.bare = a.Entity
		for _, n := range []string{RawKey, RawSet, RawRemove, RawItem} {
			a.Inputs = append(a.Inputs, &accesspatterns.Param{Name: n, Type: accesspatterns.String})
		}
		return a
	}
	return nil
}

// IsRaw reports whether nobody declared the action.
func (a *Action) IsRaw() bool { return a.raw != nil }

// Bare returns the entity of items of no entity in the table of a raw action.
func (a *Action) Bare() *models.Entity { return a.bare }

// Of returns the raw action for an item of an entity, with the audit entries that every change of it has; nil is an item of none.
func (a *Action) Of(e *models.Entity) *Action {
	act := *a
	if e == nil {
		return &act
	}
	act.Entity = e
	if repair := a.raw.Repair(e); repair != nil {
		act.Audits = repair.Audits
	}
	return &act
}

// A Guarded is the error of a raw change of what an action of the schema has to change.
type Guarded struct {
	Attribute string
	Action    *Action // nil if there is none
}

func (e *Guarded) Error() string {
	if e.Action == nil {
		return e.Attribute + " follows the lifecycle of the schema, which has no action for this change"
	}
	return fmt.Sprintf("%s is changed by the action %s (%s)", e.Attribute, e.Action.Title, e.Action.ID)
}

// RawPaths returns the paths that an edit sets or removes.
func (a *Action) RawPaths(inputs map[string]string) (paths [][]string) {
	sets, removes, _ := a.edits(inputs) // Gather checked them.
	for _, s := range sets {
		paths = append(paths, s.Path)
	}
	return append(paths, removes...)
}

func list(inputs map[string]string, name string) (texts []string, err error) {
	if text := inputs[name]; text != "" {
		if err = json.Unmarshal([]byte(text), &texts); err != nil {
			err = paramErrorf(name, "not a JSON list of texts")
		}
	}
	return texts, err
}

func (a *Action) edits(inputs map[string]string) (sets []raw.Assignment, removes [][]string, err error) {
	texts, err := list(inputs, RawSet)
	for _, text := range texts {
		s, err := raw.ParseAssignment(text)
		if err != nil {
			return nil, nil, err
		}
		if models.HoldsMask(s.Value) {
			return nil, nil, paramErrorf(s.Shown(), "the value is a masked one; write it as it is stored")
		}
		sets = append(sets, s)
	}
	if err != nil {
		return nil, nil, err
	}
	texts, err = list(inputs, RawRemove)
	for _, text := range texts {
		n, err := raw.ParseName(text)
		if err != nil {
			return nil, nil, err
		}
		removes = append(removes, n.Path)
	}
	return sets, removes, err
}

// twice refuses a path that plans and the journal, which write it with dots, could take for another one of the item.
func twice(it models.Item, path []string) error {
	dotted := strings.Join(path, ".")
	first, _, nested := strings.Cut(dotted, ".")
	_, isMap := it[first].(*types.AttributeValueMemberM)
	inside := slices.ContainsFunc(path[1:], func(name string) bool { return strings.Contains(name, ".") })
	if nested && (len(path) == 1 && isMap || len(path) > 1 && it[dotted] != nil || inside) {
		return conflictf("%s could be a part of a map or an attribute with a dot in its name; put the item again", models.Printable(dotted))
	}
	return nil
}

// rawKey returns the primary key of the subject.
func (a *Action) rawKey(inputs map[string]string) (models.Item, error) {
	t := a.Entity.Table
	if a.Kind == Creates {
		it, err := models.ParseItem([]byte(inputs[RawItem]))
		if err != nil {
			return nil, paramErrorf(RawItem, "%v", err)
		}
		if err := rawFault(t, it); err != nil {
			return nil, err
		}
		key, _ := t.PrimaryKey(it)
		return key, nil
	}
	texts, err := list(inputs, RawKey)
	if err != nil {
		return nil, err
	}
	return raw.Key(t, texts)
}

// rawFault returns why DynamoDB would not store an item: by its keys.
func rawFault(t *models.Table, it models.Item) error {
	for i, k := range t.KeyAttributes() {
		v, present := it[k.Name]
		text, _ := models.ValueText(v)
		switch primary := i < len(t.PrimaryKeys()); {
		case !present && primary:
			return paramErrorf(k.Name, "missing; every item has it as a part of the primary key")
		case present && (models.ValueType(v) != k.Type || text == ""):
			return paramErrorf(k.Name, "a key has type %s and is not empty", k.Type)
		}
	}
	return nil
}

func (a *Action) gatherRaw(ctx context.Context, b *Basis, get GetItem) (*Basis, error) {
	key, err := a.rawKey(b.Inputs)
	if err != nil {
		return nil, err
	}
	if _, _, err := a.edits(b.Inputs); err != nil {
		return nil, err
	}
	subject, err := get(ctx, a.Entity.Table, key)
	if err != nil {
		return nil, err
	}
	if subject != nil {
		b.Items[Subject] = subject
	}
	if err := a.checkRaw(subject, key); err != nil {
		return nil, err
	}
	act, _ := a.rawFor(b)
	return b, newScope(act, b.about(act)).readForEntries(ctx, get)
}

func (a *Action) checkRaw(subject, key models.Item) error {
	text := models.Printable(a.Entity.Table.KeyText(models.NewMasker(a.raw.Entities, false).KeyOf(a.Entity, key)))
	switch exists := subject != nil; {
	case a.Kind == Creates && exists:
		return conflictf("an item with key %s already exists", text)
	case a.Kind != Creates && !exists:
		return &Conflict{What: "no item has the key " + text, Missing: true}
	}
	return nil
}

// about gives the formulas of audit entries the item that is put, as their subject.
func (b *Basis) about(a *Action) *Basis {
	it := models.Item(nil)
	if a.Kind == Creates && b.Items[Subject] == nil {
		it, _ = models.ParseItem([]byte(b.Inputs[RawItem]))
	}
	if it == nil {
		return b
	}
	out := *b
	out.Items = map[string]models.Item{Subject: it}
	for alias, other := range b.Items {
		out.Items[alias] = other
	}
	return &out
}

// rawFor returns the action for the entity of the item, with the audit entries that a change of it has.
func (a *Action) rawFor(b *Basis) (*Action, error) {
	act := *a
	it := b.about(a).Items[Subject]
	r, known := models.Recognize(a.raw.Entities, a.Entity.Table, it)
	if !known {
		return &act, nil
	}
	act = *a.Of(r.Entity)
	if r.Entity.Owner != "" {
		return &act, conflictf("%s items are written by %s; ddbdesk does not change them", r.Entity.Title, r.Entity.Owner)
	}
	if a.Kind == Changes && slices.ContainsFunc(r.Entity.Attributes, func(at *models.Attribute) bool { return at.Strictest() == models.Secret }) {
		act.secretInputs(b)
	}
	return &act, nil
}

// secretInputs keeps what the user wrote out of plan files and records, because it may hold a secret.
func (a *Action) secretInputs(b *Basis) {
	a.Inputs = slices.Clone(a.Inputs)
	for i, p := range a.Inputs {
		if (p.Name == RawItem || p.Name == RawSet) && b.Inputs[p.Name] != "" {
			a.Inputs[i] = &accesspatterns.Param{Name: p.Name, Type: p.Type, Sensitive: models.Secret}
		}
	}
}

// entityOf returns the entity of an item, nil for none.
func (pl rawPlanner) entityOf(it models.Item) *models.Entity {
	if r, ok := models.Recognize(pl.action.raw.Entities, pl.action.Entity.Table, it); it != nil && ok {
		return r.Entity
	}
	return nil
}

func (a *Action) planRaw(b *Basis) (*Plan, error) {
	key, err := a.rawKey(b.Inputs)
	if err != nil {
		return nil, err
	}
	before := b.Items[Subject]
	if err := a.checkRaw(before, key); err != nil {
		return nil, err
	}
	act, err := a.rawFor(b)
	if err != nil {
		return nil, err
	}
	pl := rawPlanner{planner{newScope(act, b.about(act))}, &Plan{Action: act, Basis: b}}
	var after models.Item
	switch a.Kind {
	case Creates:
		after, _ = models.ParseItem([]byte(b.Inputs[RawItem])) // rawKey read it.
		pl.derive(nil, after)
	case Deletes:
	default:
		if after, err = pl.edited(before); err != nil {
			return nil, err
		}
	}
	if e := pl.entityOf(after); e != nil && slices.ContainsFunc(e.Attributes, func(at *models.Attribute) bool {
		return at.Strictest() == models.Secret && after[at.Name] != nil
	}) {
		act.secretInputs(b)
	}
	if guarded := pl.guardAll(before, after); guarded != nil {
		if !b.Override {
			return nil, guarded
		}
		act.FourEyes = true
	}
	if err := pl.write(before, after); err != nil {
		return nil, err
	}
	pl.note(before, after)
	return pl.p, pl.finish(pl.p, nil)
}

// A rawPlanner makes the plan of a raw change.
type rawPlanner struct {
	planner

	p *Plan
}

// edited returns the item with what the user set and removed, and what follows from that.
func (pl rawPlanner) edited(before models.Item) (models.Item, error) {
	a, after := pl.action, before.Clone()
	sets, removes, err := a.edits(pl.basis.Inputs)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, s := range sets {
		v, err := pl.typed(s, before)
		if err == nil {
			err = twice(before, s.Path)
		}
		if err != nil {
			return nil, err
		}
		after.SetNames(s.Path, v)
		set[s.Dotted()] = true
	}
	for _, path := range removes {
		if err := twice(before, path); err != nil {
			return nil, err
		}
		after.RemoveNames(path)
		set[strings.Join(path, ".")] = true
	}
	pl.rekey(before, after, set)
	if models.EqualItems(before, after) {
		return nil, conflictf("%s: nothing would change", a.Entity.Title)
	}
	if err := pl.countAndDate(a.Entity, before, after, set); err != nil {
		return nil, err
	}
	pl.derive(before, after)
	return after, rawFault(a.Entity.Table, after)
}

// rekey computes the primary key again if the user changed an attribute that it is made of, and not the key.
func (pl rawPlanner) rekey(before, after models.Item, set map[string]bool) {
	e := pl.action.Entity
	differs, values := differing(before, after), ownValues(e, after)
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

// derive updates index keys and repeated times, and notes keys that the values do not fit.
func (pl rawPlanner) derive(before, after models.Item) {
	e, differs := pl.action.Entity, differing(before, after)
	pl.deriver().repeatTimes(e, after, differs, map[string]bool{})
	for _, f := range pl.deriver().computeKeys(e, before, after, differs, map[string]bool{}) {
		pl.p.Notes = append(pl.p.Notes, fmt.Sprintf("the index key %s cannot be computed and stays as it is", f.name))
	}
}

// typed returns the value of an assignment with its type: the one that was written, that of the key, the declared one, that of
// the attribute as it was read, or else by its form.
func (pl rawPlanner) typed(s raw.Assignment, before models.Item) (types.AttributeValue, error) {
	kind, e := s.Type, pl.action.Entity
	keys := e.Table.KeyAttributes()
	i := models.KeyNamed(keys, s.Path[0])
	now, there := before.AtNames(s.Path)
	at := e.Attribute(s.Dotted())
	switch {
	case kind != "":
	case i >= 0 && len(s.Path) == 1:
		kind = keys[i].Type
	case at != nil && !at.KeyOnly:
		kind = at.Type
	case there && models.ValueType(now) != models.TypeNULL:
		kind = models.ValueType(now)
	case strings.HasPrefix(s.Value, "{"):
		kind = models.TypeM
	case strings.HasPrefix(s.Value, "["):
		kind = models.TypeL
	}
	v, err := models.ValueOf(kind, s.Value)
	if err != nil && at != nil && at.Sensitive != models.Open {
		err = fmt.Errorf("the value does not have the type %s", kind)
	}
	if err != nil {
		return nil, paramErrorf(s.Shown(), "%v", err)
	}
	return v, nil
}

// guardAll also treats an item that gets another key or becomes one of another entity as one that is deleted and another that is
// created: otherwise a detour would lead around each guard.
func (pl rawPlanner) guardAll(before, after models.Item) *Guarded {
	t, was, is := pl.action.Entity.Table, pl.entityOf(before), pl.entityOf(after)
	if before == nil || after == nil {
		return pl.guard(pl.action.Entity, pl.action.Kind, before, after)
	}
	oldKey, _ := t.PrimaryKey(before)
	newKey, _ := t.PrimaryKey(after)
	moved := !models.EqualItems(oldKey, newKey)
	if was == is {
		if g := pl.guard(pl.action.Entity, Changes, before, after); g != nil || !moved {
			return g
		}
	}
	if was != nil && (moved || was != is) {
		if g := pl.guard(was, Deletes, before, nil); g != nil {
			return g
		}
	}
	if is != nil && was != is {
		return pl.guard(is, Creates, nil, after)
	}
	return nil
}

// guard finds what the change does although an action of the schema should: a state of a lifecycle, or what an action that needs
// a second person writes.
func (pl rawPlanner) guard(e *models.Entity, kind ActionKind, before, after models.Item) *Guarded {
	all := pl.action.raw.Actions
	if g := guardStates(all, e, before, after); g != nil {
		return g
	}
	for _, a := range all {
		if !a.FourEyes {
			continue
		}
		if a.Entity == e && a.Kind == kind && a.Kind != Changes {
			return &Guarded{e.Title, a}
		}
		written := slices.Clone(a.Set)
		for _, settings := range a.OnEnter {
			written = append(written, settings...)
		}
		names := append(namesOf(written), a.Remove...)
		if a.Entity != e {
			names = nil
		}
		for _, c := range a.Also {
			if c.Entity == e {
				names = slices.Concat(names, namesOf(c.Set), c.Remove)
			}
		}
		for _, name := range names {
			x, _ := before.At(name)
			y, _ := after.At(name)
			written := before != nil || kind == Creates && e.Lifecycle(name) == nil
			if after != nil && written && !models.EqualValues(x, y) && name != e.Updated && name != e.Version {
				return &Guarded{name, a}
			}
		}
	}
	return nil
}

// guardStates lets a new item begin in an initial state, or in one that no transition leads to.
func guardStates(all []*Action, e *models.Entity, before, after models.Item) *Guarded {
	for _, l := range e.Lifecycles {
		was, _ := before.Text(l.Attribute)
		is, _ := after.Text(l.Attribute)
		s := l.State(is)
		begins := before == nil && (is == "" || s != nil && s.Initial || !slices.ContainsFunc(l.Transitions, func(t *models.Transition) bool { return t.To == is }))
		if after != nil && was != is && !begins {
			return &Guarded{l.Attribute, leadingTo(all, l, is)}
		}
	}
	return nil
}

// leadingTo prefers an action of the state alone to one of many states, and that to any other of the lifecycle.
func leadingTo(all []*Action, l *models.Lifecycle, state string) (best *Action) {
	most := 0
	for _, a := range all {
		rank := 1
		switch leads := slices.ContainsFunc(a.Transitions, func(t *models.Transition) bool { return t.To == state }); {
		case a.Lifecycle != l || a.Off != "":
			continue
		case leads && a.Target == "":
			rank = 3
		case leads:
			rank = 2
		}
		if rank > most {
			best, most = a, rank
		}
	}
	return best
}

func namesOf(settings []Setting) []string {
	return models.NamesOf(settings, func(s Setting) string { return s.Name })
}

// write adds the writes: one, or a put and a delete for an item that gets another primary key.
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
		w.Condition = []accesspatterns.Condition{w.exists(accesspatterns.NotExists)}
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
		w.Operation, w.After, w.Changes = Update, after, marked(models.Diff(before, after), derived)
	}
	w.compare(pl.seen(w), nil)
	pl.p.Writes = append(pl.p.Writes, w)
	return w.checkExpressions()
}

// seen compares all of an item that has neither a version nor a time of change.
func (pl rawPlanner) seen(w Write) []accesspatterns.Condition {
	e, before := w.Entity, w.Before
	list := seen(draft{entity: e, before: before}, w)
	_, versioned := before[e.Version]
	_, dated := before[e.Updated]
	if w.Operation == Delete {
		return list
	}
	for i := range list {
		list[i].Touched = false // What is overwritten is always compared.
	}
	if e.Version != "" && versioned || e.Updated != "" && dated {
		return list
	}
	for _, l := range e.Lifecycles {
		list = append(list, unchanged(before, l.Attribute))
	}
	for _, name := range before.Names() {
		about := func(c models.Change) bool { return c.Path == name || strings.HasPrefix(c.Path, name+".") }
		if models.KeyNamed(w.Table.PrimaryKeys(), name) >= 0 || e.Lifecycle(name) != nil || slices.ContainsFunc(w.Changes, about) {
			continue
		}
		c := unchanged(before, name)
		c.Touched = true
		list = append(list, c)
	}
	return list
}

// undeclaredName omits a name that may be data itself.
func undeclaredName(e *models.Entity, path string) string {
	name := models.Printable(path)
	if e.Undocumented || strings.ContainsFunc(name, func(r rune) bool { return r > 'z' || strings.ContainsRune("@+/ ", r) }) {
		return "one of the attributes"
	}
	return name
}

// note says what breaks the schema.
func (pl rawPlanner) note(before, after models.Item) {
	if after == nil || len(pl.action.raw.Entities) == 0 {
		return
	}
	notef := func(format string, args ...any) { pl.p.Notes = append(pl.p.Notes, fmt.Sprintf(format, args...)) }
	t := pl.action.Entity.Table
	r, ok := models.Recognize(pl.action.raw.Entities, t, after)
	if !ok {
		notef("no key template of the schema makes this key: the item is of no entity")
		return
	}
	e := r.Entity
	if was, known := models.Recognize(pl.action.raw.Entities, t, before); before != nil && (!known || was.Entity != e) {
		notef("the item becomes one of entity %s", e.Title)
	}
	for _, l := range e.Lifecycles {
		if state, _ := after.Text(l.Attribute); state != "" && l.State(state) == nil {
			notef("%s: the value is no state of the lifecycle", l.Attribute)
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
	for _, c := range models.Diff(before, after) {
		a := e.Attribute(c.Path)
		text, scalar := models.ValueText(c.After)
		switch {
		case c.After == nil || e.ByName != nil:
		case a == nil && e.Keys[c.Path].IsZero() && e.Attribute(strings.SplitN(c.Path, ".", 2)[0]) == nil:
			notef("%s does not declare %s", e.Title, undeclaredName(e, c.Path))
		case a != nil && a.Type != "" && models.ValueType(c.After) != a.Type:
			notef("%s: the schema says type %s", c.Path, a.Type)
		case a != nil && scalar:
			if why := a.Differs(text); why != "" {
				notef("%s: the value %s", c.Path, why)
			}
		}
	}
}
