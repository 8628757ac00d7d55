package change

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A GetItem reads one item by its primary key with strong consistency. It returns nil if there is no such item. The
// error comes from the store. The caller owns the item.
type GetItem func(ctx context.Context, t *models.Table, key models.Item) (models.Item, error)

// Gather checks the inputs and reads the items that the action needs. The error is a *ParamError if an input is invalid
// (Gather then reads nothing), a *Conflict if the subject or another item does not permit the action, or an error of
// get. Gather reads items one at a time, because the key of one item may depend on another. It does not use a
// transaction, because the plan's conditions detect changes in between. ctx cancels the reads.
func (a *Action) Gather(ctx context.Context, g UserInput, get GetItem) (*Basis, error) {
	b, err := a.newBasis(g)
	if err != nil {
		return nil, err
	}
	if a.IsRaw() {
		return a.gatherRaw(ctx, b, get)
	}
	s := newScope(a, b)
	if a.ReadsFirst {
		if err := s.readItems(ctx, a.Reads, get); err != nil {
			return nil, err
		}
	}
	key, err := a.subjectKey(s)
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
	if err := a.checkSubject(subject, key); err != nil {
		return nil, err
	}
	if !a.ReadsFirst {
		if err := s.readItems(ctx, a.Reads, get); err != nil {
			return nil, err
		}
	}
	return b, s.readForEntries(ctx, get)
}

// SubjectKey checks the inputs and returns the primary key that they form, or nil if the key depends on other items.
func (a *Action) SubjectKey(g UserInput) (models.Item, error) {
	b, err := a.newBasis(g)
	switch {
	case err != nil || a.ReadsFirst:
		return nil, err
	case a.IsRaw():
		return a.checkedKey(b)
	}
	return a.subjectKey(newScope(a, b))
}

func (s *scope) readForEntries(ctx context.Context, get GetItem) error {
	for _, e := range s.action.Audits {
		if err := s.with(e.Trail.Let).readItems(ctx, e.Trail.Reads, get); err != nil {
			return err
		}
	}
	return nil
}

// newBasis does not set inputs that have a computed default.
func (a *Action) newBasis(g UserInput) (*Basis, error) {
	g.Now = g.Now.UTC()
	b := &Basis{UserInput: g, Values: map[string]accesspatterns.Value{}, Items: map[string]models.Item{}}
	known := models.MapSlice(a.Inputs, func(p *accesspatterns.Param) string { return p.Name })
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		if slices.Contains(known, name) {
			continue
		}
		hint := cmp.Or(models.DidYouMean(name, known), "; it has "+strings.Join(known, ", "))
		return nil, accesspatterns.ParamErrorf(models.Printable(name), "%s has no such input%s", a.Term(), hint)
	}
	var missing []*accesspatterns.Param
	for _, p := range a.Inputs {
		text, isSet := b.Inputs[p.Name]
		if _, computed := a.Defaults[p.Name]; !isSet && computed {
			continue
		}
		if !isSet {
			text, isSet = p.Default, p.Default != ""
		}
		switch {
		case isSet:
			v, err := a.ReadInput(p, text, b.Now)
			if err != nil {
				return nil, err
			}
			b.Values[p.Name] = v
		case p.Required:
			missing = append(missing, p)
		}
	}
	return b, accesspatterns.MissingError(a.Term(), missing)
}

// Warnings describes inputs that do not have their documented form, like the warnings of a request. It does not quote
// values.
func (a *Action) Warnings(inputs map[string]string, now time.Time) []string {
	var list []string
	for _, in := range a.Inputs {
		text, isSet := inputs[in.Name]
		if v, err := a.ReadInput(in, text, now); isSet && err == nil {
			if w := in.Warn(v.Text); w != "" {
				list = append(list, w)
			}
		}
	}
	return list
}

// ReadInput parses the value of an input. It accepts every state of the lifecycle as a target, because the item
// determines which transitions are possible. The error is a *ParamError.
func (a *Action) ReadInput(p *accesspatterns.Param, text string, now time.Time) (accesspatterns.Value, error) {
	if p.Name == a.Target && a.Lifecycle.State(text) != nil {
		return accesspatterns.Value{Text: text}, nil
	}
	if lines, empty := a.IsText(p); lines {
		return p.ReadText(text, empty)
	}
	return p.Read(text, now)
}

// IsText reports whether an input may have several lines, because its attribute is not in a key, and whether it may be
// empty.
func (a *Action) IsText(p *accesspatterns.Param) (lines, empty bool) {
	at := p.Attribute
	lines = p.Type == accesspatterns.String && !p.List && at != nil && at.Format == models.NoFormat && at.Prefix == "" &&
		!isInKey(p.Entity, at.Path)
	return lines, lines && a.Kind == KindUpdate && a.Lifecycle == nil && !at.Required
}

func isInKey(e *models.Entity, path string) bool {
	return e == nil || slices.ContainsFunc(e.KeyNames(), func(key string) bool {
		t, _ := e.KeyTemplate(key)
		return key == path || t.Has(path)
	})
}

func (a *Action) subjectKey(s *scope) (models.Item, error) {
	return primaryKey(a.Entity, func(name string) (string, bool) {
		p := a.Input(name)
		if p == nil {
			return "", false
		}
		v := s.input(p)
		if v == nil {
			return "", false
		}
		return models.ValueText(v)
	})
}

// primaryKey returns only errors of type *ParamError.
func primaryKey(e *models.Entity, values models.Values) (models.Item, error) {
	key := models.Item{}
	for _, k := range e.Table.PrimaryKeys() {
		t, _ := e.KeyTemplate(k.Name)
		text, err := t.Format(values)
		if err != nil {
			if valueErr, ok := errors.AsType[*models.ValueError](err); ok {
				return nil, accesspatterns.ParamErrorf(valueErr.Name, "%v", valueErr.Err)
			}
			return nil, accesspatterns.ParamErrorf(k.Name, "%v", err)
		}
		if err := checkKeyLength(e, k, k == e.Table.SortKey, text, values); err != nil {
			return nil, err
		}
		if key[k.Name], err = models.ScalarValue(k.Type, text); err != nil {
			return nil, accesspatterns.ParamErrorf(longestPlaceholder(t, values), "%v", err)
		}
	}
	return key, nil
}

func checkKeyLength(e *models.Entity, k models.Key, sortKey bool, text string, values models.Values) error {
	limit := accesspatterns.MaxPartitionKey
	if sortKey {
		limit = accesspatterns.MaxSortKey
	}
	if len(text) <= limit {
		return nil
	}
	t, _ := e.KeyTemplate(k.Name)
	return accesspatterns.ParamErrorf(longestPlaceholder(t, values), "the key %s would be %d bytes; DynamoDB allows %d",
		k.Name, len(text), limit)
}

func longestPlaceholder(t models.Template, values models.Values) string {
	name, length := t.String(), -1
	for _, n := range t.Placeholders() {
		if v, ok := values(n); ok && len(v) > length {
			name, length = n, len(v)
		}
	}
	return name
}

// checkSubject rejects a subject that is missing, exists unexpectedly, or belongs to another entity.
func (a *Action) checkSubject(subject, key models.Item) error {
	// The inputs may come from an item or from another user's plan, so mask them.
	text := models.Printable(a.Entity.Table.KeyText(models.NewMasker([]*models.Entity{a.Entity}, false).KeyOf(a.Entity, key)))
	switch exists := subject != nil; {
	case a.Kind == KindPut && exists && !a.Replace:
		return Conflictf("%s %s already exists", a.Entity.Title, text)
	case a.Kind == KindPut && !exists:
		return nil
	case !exists:
		return Conflictf("%s %s does not exist", a.Entity.Title, text)
	}
	if err := a.Entity.Explain(subject); err != nil {
		return Conflictf("the item with key %s is not of entity %s: %v", text, a.Entity.Title, err)
	}
	return nil
}

// readItems reads in order, because the key of a reading may depend on an item from an earlier reading.
func (s *scope) readItems(ctx context.Context, list []Reading, get GetItem) error {
	for _, r := range list {
		if _, done := s.basis.Items[r.Alias]; done {
			continue
		}
		values, err := s.readingValues(r)
		if err != nil {
			return err
		}
		var it, key models.Item
		if r.Pattern != nil {
			it, err = s.basis.FirstItem(ctx, r.Pattern, values, r.Entity)
		} else if key, err = readingKey(r, values); key != nil {
			it, err = get(ctx, r.Entity.Table, key)
		}
		if err != nil {
			return err
		}
		// The key comes from an item and may contain personal data, so no message contains it.
		switch {
		case it != nil && r.Entity.Explain(it) == nil:
			s.basis.Items[r.Alias] = it
		case r.Optional:
		case r.Pattern != nil:
			return Conflictf("%s needs an item of entity %s, but %s finds none", s.action.Title, r.Entity.Title, r.Pattern.Short())
		case key == nil:
			return Conflictf("%s needs an item of entity %s, but none is referenced", s.action.Title, r.Entity.Title)
		default:
			return Conflictf("%s needs an item of entity %s, but the referenced one does not exist", s.action.Title, r.Entity.Title)
		}
	}
	return nil
}

func (s *scope) readingValues(r Reading) (map[string]string, error) {
	values := map[string]string{}
	for _, k := range r.Key {
		v, err := s.eval(k.Formula, r.Entity.Attribute(k.Name), "key of "+r.Alias)
		if err != nil {
			return nil, Conflictf("%v", err)
		}
		if v != nil {
			values[k.Name], _ = models.ValueText(v)
		}
	}
	return values, nil
}

// readingKey returns nil if a required part of the key has no value.
func readingKey(r Reading, values map[string]string) (models.Item, error) {
	for _, k := range r.Entity.Table.PrimaryKeys() {
		t, _ := r.Entity.KeyTemplate(k.Name)
		for _, s := range t.Segments() {
			if s.Name != "" && !s.Optional && values[s.Name] == "" {
				return nil, nil //nolint:nilnil // No key is not an error.
			}
		}
	}
	key, err := primaryKey(r.Entity, models.MapValues(values))
	if err != nil {
		if paramErr, ok := errors.AsType[*accesspatterns.ParamError](err); ok &&
			r.Entity.Stricter(models.NotSensitive, []string{paramErr.Param}) != models.NotSensitive {
			err = errors.New("a masked value does not fit")
		}
		return nil, Conflictf("cannot build the key of %s: %v", r.Entity.Title, err)
	}
	return key, nil
}
