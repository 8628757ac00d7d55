package schemas

import (
	"fmt"
	"strings"
)

// Large returns a schema with the given number of entities, and five patterns for every two entities.
func Large(entities int) []byte {
	var b strings.Builder
	b.WriteString(`name: large
title: Large schema
tables:
  things:
    name: Things
    partition_key: PK
    sort_key: SK
    indexes:
      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}
entities:
`)
	for i := range entities {
		fmt.Fprintf(&b, `  Entity%[1]d:
    table: things
    keys:
      PK: "E%[1]d#{id%[1]d}"
      SK: META
      GSI1PK: "O%[1]d#{owner%[1]d}"
      GSI1SK: "{createdAt}"
    attributes:
      id%[1]d: {type: S, required: true, description: Number of the entity}
      owner%[1]d: {type: S, required: true}
      createdAt: {type: S, format: iso8601, required: true}
      state: {type: S, enum: [open, closed, waiting]}
      email: {type: S, format: email, sensitive: pii}
`, i)
		for field := range 6 {
			fmt.Fprintf(&b, "      field%[1]d:\n        type: S\n        description: Field %[1]d of the entity\n", field)
		}
	}
	b.WriteString("patterns:\n")
	for i := range entities * 5 / 2 {
		e := i % entities
		if i < entities {
			fmt.Fprintf(&b, "  get-%d:\n    title: Entity %d by ID\n    operation: get\n    returns: [Entity%d]\n    key: {PK: \"E%d#{id%d}\", SK: META}\n", i, e, e, e, e)
			continue
		}
		fmt.Fprintf(&b, "  list-%d:\n    title: Entities %d of an owner\n    operation: query\n    index: GSI1\n    returns: [Entity%d]\n"+
			"    key: {GSI1PK: \"O%d#{owner%d}\"}\n    order: descending\n    limit: 50\n", i, e, e, e, e)
	}
	return []byte(b.String())
}
