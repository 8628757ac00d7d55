package local

import (
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// These are the limits for remembered items and for suggestions.
const (
	maxSeenPerRead   = 500 // maximum number of items from one read
	maxSeenPerEntity = 60
	maxSeenLength    = 200 // maximum length of a value in bytes
	suggested        = 20
)

// seen contains the items that this session has read, reduced to values that no masker hides. They stay in memory.
type seen struct {
	mu      sync.Mutex
	views   map[*models.Entity][]seenItem // newest first
	version int                           // version of all data that suggestions depend on
	cache   map[*accesspatterns.Param]suggestions
}

// A seenItem is the reduced form of an item, with its primary key.
type seenItem struct {
	key  string
	view accesspatterns.View
}

// suggestions contains the cached values for a parameter. They are valid as long as version and masker stay the same.
type suggestions struct {
	version int
	masker  *models.Masker
	values  []string
}

// RecordItems remembers the values of items for suggestions until the session ends. It omits values that a masker may
// hide, even if they are currently revealed.
func (h *History) RecordItems(t *models.Table, items []models.Item) {
	masker := h.s.FullMasker()
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	for _, it := range items[:min(len(items), maxSeenPerRead)] {
		e := masker.Entity(t, it)
		if e == nil {
			continue
		}
		key := t.KeyID(it)
		list := slices.DeleteFunc(h.seen.views[e], func(s seenItem) bool { return s.key == key })
		s := seenItem{key, accesspatterns.ItemView(e, visibleValues(masker.Item(t, it)))}
		h.seen.views[e] = slices.Insert(list, 0, s)[:min(len(list)+1, maxSeenPerEntity)]
	}
	h.seen.version++
}

// IDs returns the IDs of the items that this session has read, except IDs that a masker may hide.
func (h *History) IDs() []string {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	var list []string
	for e, items := range h.seen.views {
		name := e.IDName()
		if a := e.Attribute(name); a == nil || a.Sensitive != models.NotSensitive {
			continue
		}
		for _, s := range items {
			if id, ok := s.view.Values(name); ok {
				list = append(list, id)
			}
		}
	}
	slices.Sort(list)
	return list
}

func visibleValues(masked models.Item) models.Item {
	open := models.Item{}
	for name, v := range masked {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			if len(v.Value) <= maxSeenLength {
				open[name] = v
			}
		case *types.AttributeValueMemberN:
			open[name] = v
		}
	}
	return open
}

// Suggest returns up to 20 values for a parameter of a pattern, likeliest first: values that the user entered for it,
// values for the same attribute in other patterns, and values of opened and read items. It returns none while the
// session masks the parameter.
func (h *History) Suggest(p *accesspatterns.Pattern, q *accesspatterns.Param) []string {
	masker := h.s.Masker()
	if masker.Hides(h.s.Sensitivity(q)) {
		return nil
	}
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	if known := h.seen.cache[q]; known.masker == masker && known.version == h.seen.version {
		return known.values
	}
	var list []string
	for _, v := range slices.Concat(h.enteredValues(p, q), h.itemValues(p, q)) {
		if len(list) < suggested && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	h.seen.cache[q] = suggestions{h.seen.version, masker, list}
	return list
}

func (h *History) enteredValues(p *accesspatterns.Pattern, q *accesspatterns.Param) []string {
	list := h.Values(p, q.Name)
	for _, other := range h.s.Profile().Patterns {
		sameParam := other.Param(q.Name)
		if other != p && sameParam != nil && q.Attribute != nil && sameParam.Attribute == q.Attribute {
			list = append(list, h.Values(other, q.Name)...)
		}
	}
	return list
}

func (h *History) itemValues(p *accesspatterns.Pattern, q *accesspatterns.Param) []string {
	if q.Type == accesspatterns.Timestamp || q.Type == accesspatterns.Token || q.Name == p.PageParam {
		return nil
	}
	entities := h.s.Profile().Entities
	var views []accesspatterns.View
	for _, v := range h.Visits() {
		if v.Entity != nil {
			views = append(views, accesspatterns.ItemView(v.Entity, v.Key))
		}
	}
	for _, e := range entities {
		for _, s := range h.seen.views[e] {
			views = append(views, s.view)
		}
	}
	return accesspatterns.ParamValues(p, q, entities, views...)
}

func (h *History) invalidate() {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	h.seen.version++
}
