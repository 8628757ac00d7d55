// This file finds the declared finding that says the same as a computed fault.

package profiles

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// nameFindings gives each fault the finding of its kind about its part, best
// one that speaks of the rule's defect in so many words. Without such words it
// must be the only one of its kind about exactly this part, not claimed by the
// words of another rule, and of a kind narrow enough to mean one thing.
func (l *linter) nameFindings(faults []fault) {
	claimed := map[string]*lintRule{}
	for i := range faults {
		if id := l.findingOf(&faults[i], claimed, true); id != "" {
			faults[i].finding = id
			claimed[id] = faults[i].rule
		}
	}
	for i := range faults {
		if faults[i].finding == "" {
			faults[i].finding = l.findingOf(&faults[i], claimed, false)
		}
	}
}

// findingOf returns the finding closest to the fault, "" without one. The
// more exactly a finding names the part the closer it is.
func (l *linter) findingOf(f *fault, claimed map[string]*lintRule, inWords bool) string {
	best, closest := "", 0
	for _, finding := range l.Findings {
		if finding.Kind != f.rule.kind || inWords && !f.rule.speaks(finding.Text) {
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

// closeness says how exactly the finding names what the fault is about; 0: it
// is about something else.
func (f *fault) closeness(finding *accesspatterns.Finding) int {
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

// only reports whether a finding that does not use the rule's words is about
// nothing else than the part of the fault, and of a narrow kind.
func (f *fault) only(finding *accesspatterns.Finding, closeness int) bool {
	switch finding.Kind {
	case accesspatterns.Gap, accesspatterns.Contradiction:
		return false // said of many things
	default:
		return closeness == 3 || closeness > 0 && len(finding.Patterns)+len(finding.Decides) == 0
	}
}

// speaks reports whether text uses one of the rule's words.
func (r *lintRule) speaks(text string) bool {
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
		if has(b, x) {
			return true
		}
	}
	return false
}
