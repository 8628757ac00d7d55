package compare

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

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
