package lint

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// nameFindings gives each defect the finding of its kind about its part, best
// one that speaks of the rule's defect in so many words. Without such words it
// must be the only one of its kind about exactly this part, not claimed by the
// words of another rule, and of a kind narrow enough to mean one thing.
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

// findingOf returns the finding closest to the defect, "" without one. The
// more exactly a finding names the part the closer it is.
func (l *linter) findingOf(f *defect, claimed map[string]*rule, inWords bool) string {
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

// closeness says how exactly the finding names what the defect is about; 0: it
// is about something else.
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

// only reports whether a finding that does not use the rule's words is about
// nothing else than the part of the defect, and of a narrow kind.
func (f *defect) only(finding *accesspatterns.Finding, closeness int) bool {
	switch finding.Kind {
	case accesspatterns.Gap, accesspatterns.Contradiction:
		return false // said of many things
	default:
		return closeness == 3 || closeness > 0 && len(finding.Patterns)+len(finding.Decides) == 0
	}
}

// speaks reports whether text uses one of the rule's words.
func (r *rule) speaks(text string) bool {
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
