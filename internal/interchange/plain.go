package interchange

import (
	"errors"
	"fmt"
	"iter"
	"maps"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

func mapKeys[T any](m map[string]T) iter.Seq[string] { return maps.Keys(m) }

func mapValues[T any](m map[string]T) iter.Seq[T] { return maps.Values(m) }

func guessSensitivity(a *draft.Attribute) {
	if a.Sensitive = draft.Sensitivity(a.Name, nil); a.Sensitive != models.Open {
		a.Note = draft.Check("sensitive: %s", a.Sensitive)
	}
}

// plainItem leaves out an index key that a value is missing for, as the items of a sparse index do.
func plainItem(t *draft.Table, e *draft.Entity, plain map[string]any) (models.Item, error) {
	typed := map[string]any{}
	for name, v := range plain {
		if v != nil {
			typed[name] = plainType(v)
		}
	}
	it, err := models.TypedItem(typed)
	if err != nil {
		return nil, err
	}
	for _, k := range t.KeyAttributes() {
		source := e.Template(k.Name)
		if source == "" || source == "{"+k.Name+"}" {
			continue
		}
		template, err := models.ParseTemplate(source, nil)
		if err != nil {
			return nil, err
		}
		v, err := k.Value(template, it.Text)
		if err != nil {
			if k == t.PartitionKey || k == t.SortKey {
				return nil, fmt.Errorf("key %s: %w", k.Name, err)
			}
			continue // a sparse index
		}
		it[k.Name] = v
	}
	if _, ok := t.PrimaryKey(it); !ok {
		return nil, errors.New("a part of the key is missing")
	}
	return it, nil
}
