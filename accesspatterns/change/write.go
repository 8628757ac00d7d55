package change

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A planner makes the writes of one plan.
type planner struct{ *scope }

// A draft describes a write before it is planned.
type draft struct {
	entity    *models.Entity
	before    models.Item // nil for a put
	set       []Setting
	remove    []string
	require   []Requirement
	lifecycle *models.Lifecycle // nil without a transition
	to        string            // the state after the transition
	repair    bool              // the write updates only derived attributes
	companion bool              // the planner omits a companion that would change nothing
	place     string            // names the write in errors
}

func (pl planner) deriver() deriver { return deriver{pl.basis.Now, pl.basis.Live, pl.action} }

func (pl planner) subjectWrites(p *Plan) ([]Write, error) {
	a := pl.action
	d := draft{
		entity: a.Entity, before: pl.basis.Items[Subject], set: a.Set, remove: a.Remove, require: a.Require, place: "item",
		repair: a.Kind == KindRepair,
	}
	if p.To != "" {
		d.lifecycle, d.to = a.Lifecycle, p.To
		d.set = append(slices.Clone(a.OnEnter[p.To]), a.Set...)
	}
	if a.Kind == KindMove {
		return pl.move(d)
	}
	w, err := pl.write(a.Kind.operation(), d)
	return []Write{w}, err
}

// move returns a put that overwrites nothing, and a delete of the unchanged item.
func (pl planner) move(d draft) ([]Write, error) {
	required, err := pl.requirements(d)
	if err != nil {
		return nil, err
	}
	e, after := d.entity, d.before.Clone()
	set, err := pl.apply(d, after)
	if err != nil {
		return nil, err
	}
	values, inKeys := ownValues(e, after), map[string]string{}
	for _, a := range e.Attributes {
		if v, ok := values(a.Path); ok && a.KeyOnly {
			inKeys[a.Path] = v
		}
		if a.KeyOnly && set[a.Path] {
			delete(after, a.Path)
		}
	}
	for _, k := range e.Table.KeyAttributes() {
		if t, _ := e.KeyTemplate(k.Name); t.String() != "{"+k.Name+"}" {
			delete(after, pl.basis.Live.keyName(e.Table, k.Name))
		}
	}
	put, err := pl.build(d, after, inKeys, set)
	if err != nil {
		return nil, err
	}
	old := Write{Operation: Delete, Table: e.Table, Entity: e, Before: d.before}
	old.Key, _ = old.Table.PrimaryKey(d.before)
	if models.EqualItems(put.Key, old.Key) {
		return nil, Conflictf("%s: the item already has this key", e.Title)
	}
	old.setCondition(changeConditions(d, old), required)
	return []Write{put, old}, nil
}

// companion returns an empty Write if the write does not apply.
func (pl planner) companion(c Companion) (Write, error) {
	if c.If != "" && !pl.hasValue(c.If) || c.Unless != "" && pl.hasValue(c.Unless) {
		return Write{}, nil
	}
	d := draft{entity: c.Entity, set: c.Set, remove: c.Remove, require: c.Require, place: c.Entity.Name, companion: true}
	if c.Operation == Put {
		return pl.put(d)
	}
	d.before, d.place = pl.basis.Items[c.Alias], c.Alias
	if d.before == nil {
		return Write{}, nil // an optional reading without an item
	}
	if c.Transition != nil {
		current, _ := d.before.Text(c.Lifecycle.Attribute)
		if !slices.Contains(c.Transition.From, current) {
			return Write{}, Conflictf("%s of %s is %s; it must be %s",
				c.Lifecycle.Attribute, c.Entity.Title, c.Lifecycle.Term(current), c.Lifecycle.Terms(c.Transition.From))
		}
		d.lifecycle, d.to = c.Lifecycle, c.Transition.To
	}
	return pl.write(c.Operation, d)
}

func (pl planner) write(o Operation, d draft) (Write, error) {
	switch o {
	case Put:
		return pl.put(d)
	case Update:
		return pl.update(d)
	case Delete, Check:
	}
	required, err := pl.requirements(d)
	if err != nil {
		return Write{}, err
	}
	if o == Check {
		return checkWrite(d, required), nil
	}
	w := Write{Operation: o, Table: d.entity.Table, Entity: d.entity, Before: d.before}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.setCondition(changeConditions(d, w), required)
	return w, nil
}

func checkWrite(d draft, required []accesspatterns.Condition) Write {
	w := Write{Operation: Check, Table: d.entity.Table, Entity: d.entity, Before: d.before, After: d.before}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.Condition = uniqueConditions(w.Entity, append([]accesspatterns.Condition{w.existenceCondition(accesspatterns.Exists)}, required...))
	return w
}

// unchangedItem replaces an update without effect with a conflict, or with a check of requirements for a companion.
func unchangedItem(d draft, required []accesspatterns.Condition) (Write, error) {
	switch {
	case d.companion && len(required) > 0:
		return checkWrite(d, required), nil
	case d.companion:
		return Write{}, nil
	case d.repair:
		return Write{}, Conflictf("%s: all derived attributes are correct already", d.entity.Title)
	default:
		return Write{}, Conflictf("%s: nothing would change", d.entity.Title)
	}
}

func (pl planner) update(d draft) (Write, error) {
	required, err := pl.requirements(d)
	if err != nil {
		return Write{}, err
	}
	after := d.before.Clone()
	set, err := pl.apply(d, after)
	if err != nil {
		return Write{}, err
	}
	var derived map[string]bool
	known := withoutRewritten(d.entity, d.before, after, set)
	if d.repair {
		derived = pl.deriver().deriveAll(d.entity, after)
	} else if derived, err = pl.deriver().derive(d.entity, known, after); err != nil {
		return Write{}, err
	}
	if models.EqualItems(known, after) {
		return unchangedItem(d, required)
	}
	if !d.repair {
		if err := pl.advanceVersionAndTime(d.entity, d.before, after, set); err != nil {
			return Write{}, err
		}
		dated, err := pl.deriver().derive(d.entity, known, after) // a key may contain the time of change
		if err != nil {
			return Write{}, err
		}
		maps.Copy(derived, dated)
	}
	w := Write{Operation: Update, Table: d.entity.Table, Entity: d.entity, Before: d.before, After: after}
	w.Key, _ = w.Table.PrimaryKey(d.before)
	w.Changes = changesOf(w, withoutRewritten(d.entity, known, after, derived), derived)
	for _, k := range w.Table.PrimaryKeys() {
		if !models.EqualValues(d.before[k.Name], after[k.Name]) {
			return Write{}, fmt.Errorf("%s would change the primary key attribute %s", pl.action.FullID(), k.Name)
		}
	}
	if err := pl.checkIndexKeys(d.entity, after); err != nil {
		return Write{}, err
	}
	w.Condition = uniqueConditions(w.Entity, append(changeConditions(d, w), required...))
	return w, nil
}

func (pl planner) put(d draft) (Write, error) {
	after := models.Item{}
	set, err := pl.apply(d, after)
	if err != nil {
		return Write{}, err
	}
	w, err := pl.build(d, after, pl.keyValues(d, after, set), set)
	if err != nil || d.before == nil {
		return w, err
	}
	derived := map[string]bool{}
	for _, c := range w.Changes {
		derived[c.Path] = c.Derived
	}
	// A replacement is an update, which compares attributes and can be undone.
	w.Operation, w.Before = Update, d.before
	w.Changes = changesOf(w, withoutRewritten(d.entity, d.before, w.After, set), derived)
	if len(w.Changes) == 0 {
		return unchangedItem(d, nil)
	}
	w.setCondition(wholeItemConditions(w), nil)
	return w, nil
}

// build makes the put of a new item and derives its other attributes. extra contains values that exist only in keys.
func (pl planner) build(d draft, after models.Item, extra map[string]string, set map[string]bool) (Write, error) {
	if err := pl.advanceVersionAndTime(d.entity, d.before, after, set); err != nil {
		return Write{}, err
	}
	pl.deriver().setEqualTimes(d.entity, after, func(string) bool { return true }, map[string]bool{})
	full, err := d.entity.Build(after, extra)
	if err != nil {
		return Write{}, keyValueError(pl.action, d.entity, "the key of the new "+d.entity.Title, err)
	}
	derived := map[string]bool{}
	for _, k := range d.entity.Table.KeyAttributes()[len(d.entity.Table.PrimaryKeys()):] {
		v, present := full[k.Name]
		if _, declared := d.entity.Keys[k.Name]; !declared || set[k.Name] {
			continue
		}
		delete(full, k.Name)
		if name := pl.basis.Live.keyName(d.entity.Table, k.Name); present && pl.basis.Live.usesKey(d.entity.Table, k.Name) {
			full[name] = v
			derived[name] = true
		}
	}
	if missing := d.entity.MissingAttributes(full); len(missing) > 0 {
		return Write{}, accesspatterns.ParamErrorf(missing[0], "the new %s lacks %s", d.entity.Title, strings.Join(missing, ", "))
	}
	if err := pl.checkIndexKeys(d.entity, full); err != nil {
		return Write{}, err
	}
	w := Write{Operation: Put, Table: d.entity.Table, Entity: d.entity, After: full}
	w.Key, _ = w.Table.PrimaryKey(full)
	w.Changes = changesOf(w, nil, derived)
	w.Condition = []accesspatterns.Condition{w.existenceCondition(accesspatterns.NotExists)}
	return w, nil
}

// checkIndexKeys rejects a key that is too long for an index, because DynamoDB would reject the whole transaction.
func (pl planner) checkIndexKeys(e *models.Entity, it models.Item) error {
	for _, x := range e.Table.Indexes {
		for _, k := range x.KeyAttributes() {
			text, _ := it.Text(pl.basis.Live.keyName(e.Table, k.Name))
			if err := checkKeyLength(e, k, slices.Contains(x.SortKeys, k), text, e.Values(it)); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyValues fills attributes that the keys need from inputs or lets, and returns values that exist only in keys.
func (pl planner) keyValues(d draft, after models.Item, set map[string]bool) map[string]string {
	extra := map[string]string{}
	for _, k := range d.entity.Table.PrimaryKeys() {
		t, _ := d.entity.KeyTemplate(k.Name)
		for _, name := range t.Placeholders() {
			a := d.entity.Attribute(name)
			if set[name] || a == nil {
				continue
			}
			v, err := pl.evalReference(Reference{Name: name}, a, d.place+"."+name)
			switch {
			case err != nil || v == nil: // Build reports the missing value.
			case a.KeyOnly:
				extra[name], _ = models.ValueText(v)
			default:
				d.entity.Set(after, name, v)
			}
		}
	}
	return extra
}

func (pl planner) apply(d draft, after models.Item) (map[string]bool, error) {
	set := map[string]bool{}
	if d.to != "" {
		a := d.entity.Attribute(d.lifecycle.Attribute)
		v, err := models.ScalarValue(a.Type, d.to)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", a.Path, err)
		}
		d.entity.Set(after, a.Path, v)
		set[a.Path] = true
	}
	for _, f := range d.set {
		name, isSet, err := pl.evalPath(f, d.place)
		if err != nil {
			return nil, err
		}
		if !isSet {
			continue
		}
		f.Name = name
		a := d.entity.Attribute(f.Name)
		v, err := pl.eval(f.Formula, a, d.place+"."+f.Name)
		if err != nil {
			return nil, Conflictf("%v", err)
		}
		if v == nil {
			continue
		}
		if isEmptySet(v) {
			if a != nil && a.Required {
				return nil, Conflictf("%s of %s would be empty, and DynamoDB stores no empty set", f.Name, d.entity.Title)
			}
			d.entity.Remove(after, f.Name)
			set[f.Name] = true
			continue
		}
		if text, scalar := models.ValueText(v); a != nil && scalar && len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
			return nil, Conflictf("%s of %s: %s is not one of %s", f.Name, d.entity.Title, pl.quoted(f.Formula, text),
				strings.Join(a.Enum, ", "))
		}
		d.entity.Set(after, f.Name, v)
		set[f.Name] = true
	}
	for _, path := range d.remove {
		d.entity.Remove(after, path)
		set[path] = true
	}
	return set, nil
}

func (pl planner) quoted(f Formula, text string) string {
	if pl.isMasked(f) {
		return "a masked value"
	}
	return strconv.Quote(models.Printable(text))
}

// evalPath returns false if one of the names has no value.
func (pl planner) evalPath(f Setting, place string) (path string, isSet bool, err error) {
	if f.Formula.pathFormulas == nil {
		return f.Name, true, nil
	}
	names := make([]string, len(f.Formula.pathFormulas))
	for i, part := range f.Formula.pathFormulas {
		v, err := pl.eval(part, nil, place+"."+f.Name)
		if err != nil {
			return "", false, Conflictf("%v", err)
		}
		text, scalar := models.ValueText(v)
		switch {
		case v == nil:
			return "", false, nil
		case !scalar || text == "" || strings.Contains(text, "."):
			return "", false, Conflictf("%s cannot be a name in %s: it is empty or contains a dot", pl.quoted(part, text), f.Name)
		}
		names[i] = text
	}
	return strings.Join(names, "."), true, nil
}

// advanceVersionAndTime does not change attributes that the action sets itself.
func (pl planner) advanceVersionAndTime(e *models.Entity, before, after models.Item, set map[string]bool) error {
	if name := e.Version; name != "" && !set[name] {
		old, ok := before.Text(name)
		if !ok {
			old = "0"
		}
		next, err := models.AddNumbers(old, "1", false)
		if err == nil {
			after[name], err = models.ScalarValue(e.Attribute(name).Type, next)
		}
		if err != nil {
			return Conflictf("cannot increment %s: %v", name, err)
		}
	}
	if name := e.Updated; name != "" && !set[name] {
		a := e.Attribute(name)
		v, err := models.ScalarValue(a.Type, pl.formatTime(pl.basis.Now, a, before))
		if err != nil {
			return Conflictf("cannot set %s: %v", name, err)
		}
		after[name] = v
	}
	return nil
}

// setAuditChange records the change for audit entries, without keys, personal data, version and time of change.
func (pl planner) setAuditChange(w Write) {
	pl.before, pl.after = models.Item{}, models.Item{}
	for _, c := range w.Changes {
		a := w.Entity.Attribute(c.Path)
		key := w.Entity.Keys[c.Path]
		if c.Derived || !key.IsZero() || c.Path == w.Entity.Version || c.Path == w.Entity.Updated || a == nil ||
			a.Sensitive != models.NotSensitive {
			continue
		}
		if v := withoutSensitive(c.Before, a); v != nil {
			w.Entity.Set(pl.before, c.Path, v)
		}
		if v := withoutSensitive(c.After, a); v != nil {
			w.Entity.Set(pl.after, c.Path, v)
		}
	}
}

func withoutSensitive(v types.AttributeValue, a *models.Attribute) types.AttributeValue {
	doc, ok := v.(*types.AttributeValueMemberM)
	if !ok || !slices.ContainsFunc(a.Attributes, containsSensitive) {
		return v
	}
	remaining := models.Item(maps.Clone(doc.Value))
	for _, in := range a.Attributes {
		nested, present := remaining[in.Name]
		delete(remaining, in.Name)
		if present && in.Sensitive == models.NotSensitive {
			if nested = withoutSensitive(nested, in); nested != nil {
				remaining[in.Name] = nested
			}
		}
	}
	return documentOrNone(remaining)
}

func containsSensitive(a *models.Attribute) bool {
	return a.Sensitive != models.NotSensitive || slices.ContainsFunc(a.Attributes, containsSensitive)
}

// withoutRewritten omits sensitive attributes that a change sets, because a plan must not confirm a guess.
func withoutRewritten(e *models.Entity, before, after models.Item, set map[string]bool) models.Item {
	known := before.Clone()
	var forget func(path string)
	forget = func(path string) {
		v, exists := after.At(path)
		a := e.Attribute(path)
		if m, ok := v.(*types.AttributeValueMemberM); ok && a != nil && a.Sensitive == models.NotSensitive && len(a.Attributes) > 0 {
			for name := range m.Value {
				forget(path + "." + name)
			}
			return
		}
		outer := e.Attribute(path[:max(strings.LastIndexByte(path, '.'), 0)])
		undeclared := a == nil && outer != nil && len(outer.Attributes) > 0
		if exists && (undeclared || e.Stricter(models.NotSensitive, strings.Split(path, ".")) != models.NotSensitive) {
			e.Remove(known, path)
		}
	}
	for path := range set {
		forget(path)
	}
	return known
}

func changesOf(w Write, known models.Item, derived map[string]bool) []models.Change {
	changes := models.Diff(known, w.After)
	for i, c := range changes {
		changes[i].Before, _ = w.Before.At(c.Path)
		changes[i].Derived = derived[c.Path]
	}
	return changes
}
