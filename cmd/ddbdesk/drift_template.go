package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/models"
)

// A gap is an attribute that items of an entity lack.
type gap struct {
	entity *models.Entity
	path   string
}

// A templateWriter collects what items lack, and writes actions that set it. No repair can: the values do not follow from other
// attributes.
type templateWriter struct {
	out   io.Writer
	gaps  []gap
	items map[gap]int // number of items with the gap
}

func (w *templateWriter) add(item drift.Result) {
	for _, path := range item.Lacks() {
		g := gap{item.Entity, path}
		if w.items[g] == 0 {
			w.gaps = append(w.gaps, g)
		}
		w.items[g]++
	}
}

// close writes disabled actions, which a person has to review.
func (w *templateWriter) close() error {
	if len(w.gaps) == 0 {
		return nil
	}
	lines := []string{"actions:"}
	for _, g := range w.gaps {
		input := g.path[strings.LastIndex(g.path, ".")+1:]
		lines = append(lines,
			fmt.Sprintf("  # %s of %s: no %s.", english.Plural(w.items[g], "item", ""), g.entity.Name, g.path),
			fmt.Sprintf("  set-%s-%s:", draft.Kebab(g.entity.Name), draft.Kebab(strings.ReplaceAll(g.path, ".", "-"))),
			fmt.Sprintf("    title: Set missing %s", g.path),
			"    entity: "+g.entity.Name,
			fmt.Sprintf("    inputs: {%s: {}}", input),
			fmt.Sprintf(`    set: {%s: "{%s}"}`, g.path, input),
			fmt.Sprintf("    require: [{attribute: %s, exists: false, because: %[1]s is set}]", g.path),
			"    reason: required",
			"    disabled: Review what the action sets, then remove this line.")
	}
	return cli.WriteLines(w.out, lines...)
}
