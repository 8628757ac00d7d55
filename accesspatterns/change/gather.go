package change

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A GetItem reads one item by its primary key, strongly consistent; nil when
// there is none.
type GetItem func(ctx context.Context, t *models.Table, key models.Item) (models.Item, error)

// Gather checks the inputs and reads the items that the action needs. Errors
// about inputs are *ParamError and nothing was read; a subject that is not as
// the action needs it is a *Conflict; others are those of get.
func (a *Action) Gather(ctx context.Context, g Given, get GetItem) (*Basis, error) {
	b, err := a.basis(g)
	if err != nil {
		return nil, err
	}
	s := newScope(a, b)
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
	if err := s.read(ctx, a.Reads, get); err != nil {
		return nil, err
	}
	for _, e := range a.Audits {
		if err := s.with(e.Trail.Let).read(ctx, e.Trail.Reads, get); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// basis returns a basis without items.
func (a *Action) basis(g Given) (*Basis, error) {
	g.Now = g.Now.UTC()
	b := &Basis{Given: g, Values: map[string]accesspatterns.Value{}, Items: map[string]models.Item{}}
	return b, a.readInputs(b)
}

// readInputs reads what was given and takes literal defaults.
func (a *Action) readInputs(b *Basis) error {
	var known []string
	for _, p := range a.Inputs {
		known = append(known, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		if !slices.Contains(known, name) {
			if hint := models.DidYouMean(name, known); hint != "" {
				return paramErrorf(models.Printable(name), "%s has no such input%s", a.FullID(), hint)
			}
			return paramErrorf(models.Printable(name), "%s has no such input; it has %s", a.FullID(), strings.Join(known, ", "))
		}
	}
	for _, p := range a.Inputs {
		text, given := b.Inputs[p.Name]
		if _, computed := a.Defaults[p.Name]; !given && computed {
			continue
		}
		if !given {
			text, given = p.Default, p.Default != ""
		}
		if !given {
			if p.Required {
				return paramErrorf(p.Name, "missing")
			}
			continue
		}
		v, err := a.ReadInput(p, text, b.Now)
		if err != nil {
			return err
		}
		b.Values[p.Name] = v
	}
	return nil
}

// ReadInput reads what was given for an input. Any state is a state to go to:
// whether a move leads there is for the item to tell.
func (a *Action) ReadInput(p *accesspatterns.Param, text string, now time.Time) (accesspatterns.Value, error) {
	if p.Name == a.Target && a.Lifecycle.State(text) != nil {
		return accesspatterns.Value{Text: text}, nil
	}
	return p.Read(text, now)
}

// subjectKey builds the primary key of the subject from the inputs.
func (a *Action) subjectKey(s *scope) (models.Item, error) {
	return primaryKey(a.Entity, func(name string) (string, bool) {
		v, ok := s.input(name)
		if !ok {
			return "", false
		}
		return models.ValueText(v)
	})
}

// primaryKey formats the primary key of an item of the entity. Its errors are
// *ParamError.
func primaryKey(e *models.Entity, values models.Values) (models.Item, error) {
	key := models.Item{}
	for i, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		if k.Name == "" {
			continue
		}
		t, _ := e.KeyTemplate(k.Name)
		text, err := t.Format(values)
		var bad *models.ValueError
		switch {
		case errors.As(err, &bad):
			return nil, &accesspatterns.ParamError{Param: bad.Name, Reason: bad.Err.Error()}
		case err != nil:
			return nil, &accesspatterns.ParamError{Param: k.Name, Reason: err.Error()}
		}
		limit := accesspatterns.MaxPartitionKey
		if i == 1 {
			limit = accesspatterns.MaxSortKey
		}
		if len(text) > limit {
			return nil, paramErrorf(longest(t, values), "the key %s would be %d bytes; DynamoDB allows %d", k.Name, len(text), limit)
		}
		v, err := models.ScalarValue(k.Type, text)
		if err != nil {
			return nil, &accesspatterns.ParamError{Param: longest(t, values), Reason: err.Error()}
		}
		key[k.Name] = v
	}
	return key, nil
}

// longest returns the placeholder of t with the longest value.
func longest(t models.Template, values models.Values) string {
	name, length := t.String(), -1
	for _, n := range t.Placeholders() {
		if v, ok := values(n); ok && len(v) > length {
			name, length = n, len(v)
		}
	}
	return name
}

// checkSubject refuses a subject that is not there, that should not be there,
// or that is something else.
func (a *Action) checkSubject(subject, key models.Item) error {
	// The inputs may come from an item, or from somebody else's plan.
	text := models.Printable(a.Entity.Table.KeyText(models.NewMasker([]*models.Entity{a.Entity}, false).KeyOf(a.Entity, key)))
	what := fmt.Sprintf("%s %s", a.Entity.Title, text)
	switch {
	case a.Kind == Creates && subject != nil:
		return &Conflict{What: what + " is already there"}
	case a.Kind == Creates:
		return nil
	case subject == nil:
		return &Conflict{What: "there is no " + what}
	}
	if err := a.Entity.Explain(subject); err != nil {
		return &Conflict{What: fmt.Sprintf("what has the key %s is no %s: %v", text, a.Entity.Title, err)}
	}
	return nil
}

// read fetches the readings in their order; a later key may name an earlier
// item.
func (s *scope) read(ctx context.Context, list []Reading, get GetItem) error {
	for _, r := range list {
		if _, done := s.basis.Items[r.Alias]; done {
			continue
		}
		key, ok, err := s.readingKey(r)
		if err != nil {
			return err
		}
		var it models.Item
		if ok {
			if it, err = get(ctx, r.Entity.Table, key); err != nil {
				return err
			}
			if it != nil && r.Entity.Explain(it) != nil {
				it = nil
			}
		}
		switch {
		case it != nil:
			s.basis.Items[r.Alias] = it
		case r.Optional:
		case !ok:
			return &Conflict{What: fmt.Sprintf("%s needs a %s, and nothing here names one", s.action.Title, r.Entity.Title)}
		default:
			// Its key came from an item, and may hold what is not shown.
			return &Conflict{What: fmt.Sprintf("%s needs a %s, and the one that is named is not there", s.action.Title, r.Entity.Title)}
		}
	}
	return nil
}

// readingKey builds the key of a reading; false when a part has no value.
func (s *scope) readingKey(r Reading) (models.Item, bool, error) {
	values := map[string]string{}
	for _, k := range r.Key {
		v, ok, err := s.eval(k.Formula, r.Entity.Attribute(k.Name), "", "key of "+r.Alias)
		if err != nil {
			return nil, false, err
		}
		if ok {
			if text, scalar := models.ValueText(v); scalar {
				values[k.Name] = text
			}
		}
	}
	for _, k := range []models.Key{r.Entity.Table.PartitionKey, r.Entity.Table.SortKey} {
		t, ok := r.Entity.KeyTemplate(k.Name)
		if !ok {
			continue
		}
		for _, name := range t.Placeholders() {
			if values[name] == "" {
				return nil, false, nil
			}
		}
	}
	key, err := primaryKey(r.Entity, models.MapValues(values))
	if err != nil {
		return nil, false, &Conflict{What: fmt.Sprintf("the key of %s cannot be made: %v", r.Entity.Title, err)}
	}
	return key, true, nil
}

func paramErrorf(name, format string, args ...any) error {
	return &accesspatterns.ParamError{Param: name, Reason: fmt.Sprintf(format, args...)}
}
