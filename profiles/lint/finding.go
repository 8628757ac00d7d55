package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// findingOf returns the ID of the finding that names the rule and the part of the defect most exactly. A finding
// without rules: explains a defect if it is the only one of its kind about exactly this part.
func (l *linter) findingOf(d *defect) string {
	named, similar := "", ""
	closest, nearest := 0, 0
	for _, f := range l.Findings {
		c := d.closeness(f)
		switch {
		case slices.Contains(f.Rules, d.rule.name) && c > closest:
			named, closest = f.ID, c
		case len(f.Rules) > 0 || f.Kind != d.rule.kind || !d.concerns(f, c):
		case c > nearest:
			similar, nearest = f.ID, c
		case c == nearest:
			similar = "" // either could be meant
		}
	}
	if named != "" {
		return named
	}
	return similar
}

// closeness returns 3 for a pattern, 2 for an entity, 1 for a table, 0 for another part.
func (d *defect) closeness(f *accesspatterns.Finding) int {
	patterns := slices.Concat(f.Patterns, f.Decides)
	switch {
	case common(d.patterns, patterns):
		return 3
	case common(d.entities, f.Entities) && (len(d.patterns) == 0 || len(patterns) == 0):
		return 2
	case common(d.tables, f.Tables) && (len(d.patterns)+len(d.entities) == 0 || len(patterns)+len(f.Entities) == 0):
		return 1
	default:
		return 0
	}
}

// concerns excludes gaps and contradictions, which are too general to tell without a rule.
func (d *defect) concerns(f *accesspatterns.Finding, closeness int) bool {
	if f.Kind == accesspatterns.Gap || f.Kind == accesspatterns.Contradiction {
		return false
	}
	return closeness == 3 || closeness > 0 && len(f.Patterns)+len(f.Decides) == 0
}

func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func eachFinding(check func(*linter, *accesspatterns.Finding, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*accesspatterns.Finding { return l.Findings },
		func(f *accesspatterns.Finding) defect { return defect{path: "findings." + f.ID} }, check)
}

// unknownRule is a lint rule because loading does not know the rules.
func unknownRule(l *linter, f *accesspatterns.Finding, report reporter) {
	for i, name := range f.Rules {
		if slices.Contains(l.names, name) {
			continue
		}
		hint := strings.TrimPrefix(models.DidYouMean(name, l.names), "; ")
		hint = cmp.Or(hint, "remove it")
		report(fmt.Sprintf("rules.%d", i), hint, "unknown rule %q", models.Printable(name))
	}
}
