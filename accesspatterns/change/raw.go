package change

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

// These prefixes start the IDs of undeclared actions. The name of the table follows.
const (
	RawEdit   = "table.edit."
	RawPut    = "table.put."
	RawDelete = "table.delete."
)

// These names are the inputs of an undeclared action. Key, set and remove are JSON lists of the user's texts, such as
// NAME=VALUE. Item is DynamoDB JSON that contains the new item or, for an edit, the attributes to set.
const (
	RawKey    = "key"
	RawSet    = "set"
	RawRemove = "remove"
	RawItem   = "item"
)

// RawEntity is the entity name for items that match no entity. No schema can declare an entity with this name.
const RawEntity = "-"

// A Source contains the parts of a schema that undeclared actions need.
type Source struct {
	Profile  string // name of the schema
	Tables   []*models.Table
	Entities []*models.Entity
	Actions  []*Action
	Repair   func(e *models.Entity) *Action // the action whose audit entries apply to every change; nil for an entity with an owner
}

// Raw returns the action that edits, puts or deletes an item of a table, or nil for any other ID. The action follows
// the schema: derived keys, versions and audit entries depend on the item's entity.
func (s Source) Raw(id string) *Action {
	kinds := []struct {
		prefix, title string
		kind          ActionKind
	}{{RawEdit, "Edit", KindUpdate}, {RawPut, "Put", KindPut}, {RawDelete, "Delete", KindDelete}}
	for _, k := range kinds {
		name, ok := strings.CutPrefix(id, k.prefix)
		i := slices.IndexFunc(s.Tables, func(t *models.Table) bool { return t.Name == name })
		if !ok || i < 0 {
			continue
		}
		a := &Action{ID: id, Profile: s.Profile, Title: k.title, Kind: k.kind, Reason: ReasonRequired, raw: &s}
		a.Entity = &models.Entity{Name: RawEntity, Title: "Item", Table: s.Tables[i], Undocumented: true}
		a.unmatched = a.Entity
		for _, n := range []string{RawKey, RawSet, RawRemove, RawItem} {
			a.Inputs = append(a.Inputs, &accesspatterns.Param{Name: n, Type: accesspatterns.String})
		}
		return a
	}
	return nil
}

// IsRaw reports whether the action is undeclared.
func (a *Action) IsRaw() bool { return a.raw != nil }

// UnmatchedEntity returns the entity for items that match no entity in the table of a raw action.
func (a *Action) UnmatchedEntity() *models.Entity { return a.unmatched }

// ForEntity returns the raw action for an item of an entity, with the audit entries that apply to every change of the
// entity. Pass nil for an item that no entity matches.
func (a *Action) ForEntity(e *models.Entity) *Action {
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

// A GuardError is the error for a raw change that the user must make through an action of the schema instead.
type GuardError struct {
	Attribute string
	Action    *Action // nil if there is none
}

func (e *GuardError) Error() string {
	if e.Action == nil {
		return e.Attribute + " follows the lifecycle of the schema, which has no action for this change"
	}
	return fmt.Sprintf("%s is changed by the action %s (%s)", e.Attribute, e.Action.Title, e.Action.ID)
}

// RawPaths returns the paths that an edit sets or removes.
func (a *Action) RawPaths(inputs map[string]string) (paths [][]string) {
	sets, removes, _ := a.edits(inputs) // Gather validated them.
	for _, s := range sets {
		paths = append(paths, s.Path)
	}
	whole, _ := a.editItem(inputs)
	for _, name := range whole.Names() {
		paths = append(paths, []string{name})
	}
	return append(paths, removes...)
}

func inputList(inputs map[string]string, name string) (texts []string, err error) {
	if text := inputs[name]; text != "" {
		if err = json.Unmarshal([]byte(text), &texts); err != nil {
			err = accesspatterns.ParamErrorf(name, "not a JSON list of strings")
		}
	}
	return texts, err
}

func (a *Action) edits(inputs map[string]string) (sets []raw.Assignment, removes [][]string, err error) {
	texts, err := inputList(inputs, RawSet)
	for _, text := range texts {
		s, err := raw.ParseAssignment(text)
		if err != nil {
			return nil, nil, err
		}
		if models.ContainsMask(s.Value) {
			return nil, nil, accesspatterns.ParamErrorf(s.WithoutType(), "the value is masked; write the stored value")
		}
		sets = append(sets, s)
	}
	if err != nil {
		return nil, nil, err
	}
	texts, err = inputList(inputs, RawRemove)
	for _, text := range texts {
		n, err := raw.ParseName(text)
		if err != nil {
			return nil, nil, err
		}
		removes = append(removes, n.Path)
	}
	return sets, removes, err
}

// editItem returns the whole attributes that an edit sets, with their types, or nil if there are none.
func (a *Action) editItem(inputs map[string]string) (models.Item, error) {
	if a.Kind != KindUpdate || inputs[RawItem] == "" {
		return nil, nil
	}
	return a.parseItem(inputs[RawItem])
}

// parseItem rejects values that the user copied from masked output.
func (a *Action) parseItem(text string) (models.Item, error) {
	it, err := models.ParseItem([]byte(text))
	if err != nil {
		return nil, accesspatterns.ParamErrorf(RawItem, "%v", err)
	}
	if name := a.Entity.Table.MaskedAttribute(it); name != "" {
		return nil, accesspatterns.ParamErrorf(models.Printable(name), "the value is masked; write the stored value, or omit the attribute")
	}
	return it, nil
}

// checkAmbiguousPath rejects a path whose dotted form in plans and the journal could also be another path of the item.
func checkAmbiguousPath(it models.Item, path []string) error {
	for i := 1; i < len(path); i++ {
		if _, element := models.ElementIndex(path[i]); element {
			path = path[:i]
		}
	}
	dotted := strings.Join(path, ".")
	first, _, nested := strings.Cut(dotted, ".")
	_, isMap := it[first].(*types.AttributeValueMemberM)
	inside := slices.ContainsFunc(path[1:], func(name string) bool { return strings.Contains(name, ".") })
	if nested && (len(path) == 1 && isMap || len(path) > 1 && it[dotted] != nil || inside) {
		return Conflictf("%s could be a part of a map or an attribute with a dot in its name; put the item again", models.Printable(dotted))
	}
	return nil
}

func (a *Action) rawKey(inputs map[string]string) (models.Item, error) {
	t := a.Entity.Table
	if a.Kind == KindPut {
		it, err := a.parseItem(inputs[RawItem])
		if err != nil {
			return nil, err
		}
		if err := checkKeyAttributes(t, it); err != nil {
			return nil, err
		}
		key, _ := t.PrimaryKey(it)
		return key, nil
	}
	texts, err := inputList(inputs, RawKey)
	if err != nil {
		return nil, err
	}
	return raw.Key(t, texts)
}

// checkKeyAttributes returns an error if the item's keys would prevent DynamoDB from storing it.
func checkKeyAttributes(t *models.Table, it models.Item) error {
	for i, k := range t.KeyAttributes() {
		v, present := it[k.Name]
		text, _ := models.ValueText(v)
		switch primary := i < len(t.PrimaryKeys()); {
		case !present && primary:
			return accesspatterns.ParamErrorf(k.Name, "missing; every item requires this attribute of the primary key")
		case present && (models.ValueType(v) != k.Type || text == ""):
			return accesspatterns.ParamErrorf(k.Name, "a key must have type %s and must not be empty", k.Type)
		}
	}
	return nil
}

func (a *Action) checkedKey(b *Basis) (models.Item, error) {
	key, err := a.rawKey(b.Inputs)
	if err == nil {
		_, _, err = a.edits(b.Inputs)
	}
	if err == nil {
		_, err = a.editItem(b.Inputs)
	}
	return key, err
}

func (a *Action) gatherRaw(ctx context.Context, b *Basis, get GetItem) (*Basis, error) {
	key, err := a.checkedKey(b)
	if err != nil {
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
	act, _ := a.rawAction(b)
	return b, newScope(act, b.withNewItem(act)).readForEntries(ctx, get)
}

func (a *Action) checkRaw(subject, key models.Item) error {
	text := models.Printable(a.Entity.Table.KeyText(models.NewMasker(a.raw.Entities, false).KeyOf(a.Entity, key)))
	switch exists := subject != nil; {
	case a.Kind == KindPut && exists:
		return Conflictf("an item with key %s already exists", text)
	case a.Kind != KindPut && !exists:
		return &Conflict{Message: "no item has the key " + text, Missing: true}
	}
	return nil
}

func (b *Basis) withNewItem(a *Action) *Basis {
	it := models.Item(nil)
	if a.Kind == KindPut && b.Items[Subject] == nil {
		it, _ = models.ParseItem([]byte(b.Inputs[RawItem]))
	}
	if it == nil {
		return b
	}
	out := *b
	out.Items = map[string]models.Item{Subject: it}
	maps.Copy(out.Items, b.Items)
	return &out
}

func (a *Action) rawAction(b *Basis) (*Action, error) {
	act := *a
	it := b.withNewItem(a).Items[Subject]
	r, known := models.Recognize(a.raw.Entities, a.Entity.Table, it)
	if !known {
		return &act, nil
	}
	act = *a.ForEntity(r.Entity)
	if r.Entity.Owner != "" {
		return &act, Conflictf("%s items are written by %s; ddbdesk does not change them", r.Entity.Title, r.Entity.Owner)
	}
	if slices.ContainsFunc(a.raw.Actions, func(other *Action) bool { return other.isAuditEntry(r.Entity) }) {
		return &act, Conflictf("%s items record what was changed; ddbdesk does not change them", r.Entity.Title)
	}
	if a.Kind == KindUpdate && slices.ContainsFunc(r.Entity.Attributes,
		func(at *models.Attribute) bool { return at.Strictest() == models.Secret }) {
		act.secretInputs(b)
	}
	return &act, nil
}

func (a *Action) isAuditEntry(e *models.Entity) bool {
	return slices.ContainsFunc(a.Audits, func(entry Entry) bool { return entry.Trail.Entity == e })
}

// secretInputs keeps the user's text out of plan files and records, because it may contain a secret.
func (a *Action) secretInputs(b *Basis) {
	a.Inputs = slices.Clone(a.Inputs)
	for i, p := range a.Inputs {
		if (p.Name == RawItem || p.Name == RawSet) && b.Inputs[p.Name] != "" {
			a.Inputs[i] = &accesspatterns.Param{Name: p.Name, Type: p.Type, Sensitive: models.Secret}
		}
	}
}

func (pl rawPlanner) entityOf(it models.Item) *models.Entity {
	if r, ok := models.Recognize(pl.action.raw.Entities, pl.action.Entity.Table, it); it != nil && ok {
		return r.Entity
	}
	return nil
}
