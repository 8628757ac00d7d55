package lint

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// nameFindings assigns to each defect the declared finding of the same kind
// about the same part. A finding whose text contains a word of the rule comes
// first. Any other must be the only one of its kind about exactly this part,
// must not match the words of another rule, and must be of a specific kind.
func (l *linter) nameFindings(defects []defect) {
	claimed := map[string]*rule{}
	for i := range defects {
		if id := l.findingOf(&defects[i], claimed, true); id != "" {
			defects[i].finding = id
			claimed[id] = defects[i].rule
		}
	}
	for i := range defects {
		if defects[i].finding == "" {
			defects[i].finding = l.findingOf(&defects[i], claimed, false)
		}
	}
}

// findingOf returns the ID of the finding that names the part of the defect most
// exactly, or "".
func (l *linter) findingOf(f *defect, claimed map[string]*rule, inWords bool) string {
	best, closest := "", 0
	for _, finding := range l.Findings {
		if finding.Kind != f.rule.kind || inWords && !f.rule.mentions(finding.Text) {
			continue
		}
		c := f.closeness(finding)
		if !inWords {
			if owner := claimed[finding.ID]; owner != nil && owner != f.rule || !f.only(finding, c) {
				continue
			}
			if c > 0 && c == closest {
				return "" // two could be meant
			}
		}
		if c > closest {
			best, closest = finding.ID, c
		}
	}
	return best
}

// closeness returns how exactly the finding names the part of the defect: 3 for
// a pattern, 2 for an entity, 1 for a table, 0 for another part.
func (f *defect) closeness(finding *accesspatterns.Finding) int {
	patterns := append(append([]string{}, finding.Patterns...), finding.Decides...)
	switch {
	case common(f.patterns, patterns):
		return 3
	case common(f.entities, finding.Entities) && (len(f.patterns) == 0 || len(patterns) == 0):
		return 2
	case common(f.tables, finding.Tables) && (len(f.patterns)+len(f.entities) == 0 || len(patterns)+len(finding.Entities) == 0):
		return 1
	default:
		return 0
	}
}

// only reports whether a finding without the rule's words concerns exactly the
// part of the defect and is of a specific kind.
func (f *defect) only(finding *accesspatterns.Finding, closeness int) bool {
	switch finding.Kind {
	case accesspatterns.Gap, accesspatterns.Contradiction:
		return false // said of many things
	default:
		return closeness == 3 || closeness > 0 && len(finding.Patterns)+len(finding.Decides) == 0
	}
}

// mentions reports whether text contains one of the rule's words.
func (r *rule) mentions(text string) bool {
	text = strings.ToLower(text)
	for _, w := range r.words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func common(a, b []string) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}
