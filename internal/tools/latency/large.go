//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// larges compares the start time for a schema of 200 entities and 500 patterns with the start time for a small schema.
// It fails if the best start exceeds a limit. It uses the best one, because other programs can only slow down a start.
func larges(ctx context.Context, o options, home string) error {
	files := map[int]string{}
	for _, entities := range []int{4, 200} {
		files[entities] = filepath.Join(home, fmt.Sprintf("of-%d.yaml", entities))
		if err := os.WriteFile(files[entities], []byte(schemaOf(entities)), 0o600); err != nil {
			return err
		}
	}
	for _, seen := range []struct {
		name string
		text *regexp.Regexp
		most float64
	}{{"first frame, 500 patterns and 10", anyFrame, 2}, {"500 patterns listed and 10", regexp.MustCompile(`Entity 1 by ID`), 4}} {
		times := map[int][]time.Duration{}
		for range max(o.starts, 5) {
			for entities, file := range files {
				d, err := firstFrame(ctx, home, []string{o.bin, file, "--embedded=" + filepath.Join(home, "empty")}, seen.text)
				if err != nil {
					return err
				}
				times[entities] = append(times[entities], d)
			}
		}
		line(seen.name, median(times[200]), median(times[4]))
		if ratio := float64(slices.Min(times[200])) / float64(slices.Min(times[4])); ratio > seen.most {
			return fmt.Errorf("%s: %.1f times as long, more than %.1f", seen.name, ratio, seen.most)
		}
	}
	return nil
}

// schemaOf returns a schema with five patterns for every two entities.
func schemaOf(entities int) string {
	var b strings.Builder
	b.WriteString("name: large\ntitle: Large schema\ntables:\n  things:\n    name: Things\n    partition_key: PK\n    sort_key: SK\n" +
		"    indexes:\n      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}\nentities:\n")
	for i := range entities {
		fmt.Fprintf(&b, `  Entity%[1]d:
    table: things
    keys: {PK: "E%[1]d#{id%[1]d}", SK: META, GSI1PK: "O%[1]d#{owner%[1]d}", GSI1SK: "{createdAt}"}
    attributes:
      id%[1]d: {type: S, required: true, description: Number of the entity}
      owner%[1]d: {type: S, required: true}
      createdAt: {type: S, format: iso8601, required: true}
      state: {type: S, enum: [open, closed, waiting]}
      email: {type: S, format: email, sensitive: pii}
`, i)
		for field := range 6 {
			fmt.Fprintf(&b, "      field%[1]d: {type: S, description: Field %[1]d of the entity}\n", field)
		}
	}
	b.WriteString("patterns:\n")
	for i := range entities * 5 / 2 {
		e := i % entities
		read := fmt.Sprintf("title: Entity %[1]d by ID, operation: get, key: {PK: \"E%[1]d#{id%[1]d}\", SK: META}", e)
		if i >= entities {
			read = fmt.Sprintf("title: Entity %[1]d of an owner, operation: query, index: GSI1, key: {GSI1PK: \"O%[1]d#{owner%[1]d}\"}", e)
		}
		fmt.Fprintf(&b, "  read-%d: {returns: [Entity%d], %s}\n", i, e, read)
	}
	return b.String()
}
