package reading

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// compare ignores items beyond the end of a truncated result, because they were neither added nor removed.
func (w *Watch) compare(round WatchRound) []RowChange {
	t := w.request.Pattern.Table
	order, items := make([]string, len(round.Items)), make(map[string]models.Item, len(round.Items))
	for i, it := range round.Items {
		order[i] = t.KeyID(it)
		items[order[i]] = it
	}
	previousOrder, previousItems, last := w.order, w.items, w.last
	w.order, w.items = order, items
	if last == nil {
		return nil
	}
	var list []RowChange
	known := comparableLength(order, previousItems, last.More)
	for i, key := range order {
		old, ok := previousItems[key]
		switch {
		case !ok && i < known:
			list = append(list, RowChange{Kind: Added, Key: t.KeyText(items[key]), Item: items[key]})
		case ok && !models.EqualItems(old, items[key]):
			list = append(list, RowChange{Kind: Changed, Key: t.KeyText(old), Item: items[key], Before: old})
		}
	}
	known = comparableLength(previousOrder, items, round.More)
	for i, key := range previousOrder {
		if _, ok := items[key]; !ok && i < known {
			list = append(list, RowChange{Kind: Removed, Key: t.KeyText(previousItems[key]), Item: previousItems[key]})
		}
	}
	return list
}

func comparableLength(keys []string, other map[string]models.Item, cut bool) int {
	if !cut {
		return len(keys)
	}
	for i, key := range slices.Backward(keys) {
		if _, ok := other[key]; ok {
			return i
		}
	}
	return 0
}
