// This file keeps the items of a job.

package screens

import "github.com/ddbdesk/ddbdesk/models"

// A shelf holds items as they were read, in their order, packed: a million of
// them takes little more than what they hold. It only grows until it is emptied:
// a copy of it goes on seeing what it held, so that rows can be searched while
// more arrive.
type shelf struct {
	packer models.Packer
	items  []shelved
}

// shelved is an item: packed, or as it is when it has values of an unknown type.
type shelved struct {
	packed string
	item   models.Item
}

// size is the number of items.
func (s *shelf) size() int { return len(s.items) }

// at is the i-th item. What is done to it does not reach the shelf.
func (s *shelf) at(i int) models.Item {
	if it := s.items[i].item; it != nil {
		return it.Clone()
	}
	return s.packer.Unpack(s.items[i].packed)
}

func (s *shelf) add(items []models.Item) {
	for _, it := range items {
		s.items = append(s.items, s.pack(it))
	}
}

func (s *shelf) pack(it models.Item) shelved {
	packed, ok := s.packer.Pack(it)
	if !ok {
		return shelved{item: it.Clone()}
	}
	return shelved{packed: packed}
}

// set replaces an item. Nobody may be searching the shelf.
func (s *shelf) set(i int, it models.Item) { s.items[i] = s.pack(it) }

func (s *shelf) clear() { *s = shelf{} }
