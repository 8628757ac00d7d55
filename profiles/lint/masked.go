package lint

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// maskedParameter finds ranges and prefixes of masked values, because about twenty such requests reveal a value. It
// allows whole values, which the user already has.
func maskedParameter(_ *linter, r request, report reporter) {
	for _, q := range r.pattern.Params {
		if s := r.read.PartlyComparedSensitivity(q, r.pattern.Returns); s != models.NotSensitive {
			report("", "compare the whole value, or omit the condition",
				"the pattern compares masked values (%s) with a range or part of %s, which would reveal them; support needs a reason, and agents cannot run it",
				s, q.Name)
		}
	}
}

// copyNotDeclared finds attributes that are masked only because their values come from masked attributes.
func copyNotDeclared(_ *linter, e *models.Entity, report reporter) {
	reportCopies(e, models.PII, report)
}

func secretCopied(_ *linter, e *models.Entity, report reporter) {
	reportCopies(e, models.Secret, report)
}

func reportCopies(e *models.Entity, s models.Sensitivity, report reporter) {
	var walk func(list []*models.Attribute)
	walk = func(list []*models.Attribute) {
		for _, a := range list {
			if a.Copied != "" && a.Sensitive == s {
				next := "declare it sensitive: pii"
				if s == models.Secret {
					next = "do not copy it, or declare the attribute sensitive: secret"
				}
				report("attributes."+a.Path, next,
					"%s is not declared sensitive, but %s, which is masked (%s); ddbdesk masks it too", a.Path, a.Copied, s)
			}
			walk(a.Attributes)
		}
	}
	walk(e.Attributes)
}

func maskedCondition(_ *linter, a *change.Action, report reporter) {
	for _, name := range a.RevealingNames() {
		report("", "use a value that is not masked",
			"%s is masked and affects the visible part of the plan; a plan needs a reason, and agents cannot make one", name)
	}
}
