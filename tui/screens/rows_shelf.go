// This file keeps the items of a job.

package screens

import "github.com/ddbdesk/ddbdesk/models"

// A shelf holds items as they were read, in their order. It only grows until it
// is emptied: a copy of it goes on seeing what it held, so that rows can be
// searched while more arrive.
type shelf struct{ items []models.Item }

// size is the number of items.
func (s *shelf) size() int { return len(s.items) }

// at is the i-th item. It must not be changed.
func (s *shelf) at(i int) models.Item { return s.items[i] }

func (s *shelf) add(items []models.Item) { s.items = append(s.items, items...) }

// set replaces an item. Nobody may be searching the shelf.
func (s *shelf) set(i int, it models.Item) { s.items[i] = it }

func (s *shelf) clear() { s.items = nil }
