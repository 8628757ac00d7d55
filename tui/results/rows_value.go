package results

import (
	"slices"
)

// ValueLimit bounds the text of one value: nobody reads on behind it here, and
// wrapping costs time.
const ValueLimit = 20_000

// RestOf are the attributes of an item beside its columns: documented ones in the
// order of the schema, others by name, keys last.
func RestOf(r *Row) []string {
	var paths, keys []string
	if r.Entity != nil {
		paths = append(paths, columnsOf(r.Entity)...)
		for _, a := range r.Entity.Attributes {
			paths = append(paths, a.Name)
		}
		keys = r.Entity.KeyNames()
	}
	paths = slices.DeleteFunc(append(paths, r.Item.Names()...), func(path string) bool { return slices.Contains(keys, path) })
	return append(paths, keys...)
}

// ValueLabel is the width of the names beside short values.
const ValueLabel = 22
