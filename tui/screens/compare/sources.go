package compare

import (
	"context"
	"errors"

	"github.com/ddbdesk/ddbdesk/models"
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
