//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
)

// measureLargeStarts compares the start with a schema of 200 entities and 500 patterns to the start with a small
// schema. It fails if the shortest start exceeds a limit. Other programs only slow a start down, so the shortest is the
// most reliable.
func measureLargeStarts(ctx context.Context, o options, home string) error {
	files := map[int]string{}
	for _, entities := range []int{4, 200} {
		files[entities] = filepath.Join(home, fmt.Sprintf("of-%d.yaml", entities))
		if err := os.WriteFile(files[entities], schemas.Large(entities), 0o600); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name  string
		text  *regexp.Regexp
		limit float64
	}{{"first frame, 500 patterns and 10", anyFrame, 2}, {"500 patterns listed and 10", regexp.MustCompile(`Entity 1 by ID`), 6}} {
		times := map[int][]time.Duration{}
		for range max(o.starts, 5) {
			for entities, file := range files {
				d, err := firstFrame(ctx, home, []string{o.bin, file, "--embedded=" + filepath.Join(home, "empty")}, m.text)
				if err != nil {
					return err
				}
				times[entities] = append(times[entities], d)
			}
		}
		printLine(m.name, median(times[200]), median(times[4]))
		if ratio := float64(slices.Min(times[200])) / float64(slices.Min(times[4])); ratio > m.limit {
			return fmt.Errorf("%s: %.1f times as long, want at most %.1f", m.name, ratio, m.limit)
		}
	}
	return nil
}
