package lint

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// changeUnnoticed finds actions on entities without version and updated. Their conditions cover only the written
// attributes, so other changes go undetected.
func changeUnnoticed(_ *linter, a *change.Action, report reporter) {
	e := a.Entity
	if a.Kind != change.Changes || a.Lifecycle != nil || e.Version != "" || e.Updated != "" || len(a.Set)+len(a.Remove) == 0 {
		return
	}
	var touched []string
	for _, s := range a.Set {
		touched = appendOnce(touched, s.Name)
	}
	for _, r := range a.Require {
		touched = appendOnce(touched, r.Attribute)
	}
	for _, name := range a.Remove {
		touched = appendOnce(touched, name)
	}
	report("", "to detect concurrent changes, set version: or updated: on "+e.Name,
		"%s has no version or update time; a write checks only %s, so a concurrent change of another attribute is not detected",
		e.Name, strings.Join(touched, ", "))
}

func changeWithoutAudit(l *linter, a *change.Action, report reporter) {
	i := slices.IndexFunc(l.Trails, func(t *change.Trail) bool { return len(t.Set) > 0 })
	if len(a.Audits) > 0 || i < 0 || l.AuditDisabled(a) {
		return
	}
	report("", "add "+a.Entity.Name+" to about: of "+l.Trails[i].Entity.Name+", or write audit: none",
		"%s writes no audit entry, although %s records other changes", a.ID, l.Trails[i].Entity.Name)
}

// auditValueOutsideEnum finds audit entries that would be refused, and the change with them: their closed enum lacks
// the ID of the action.
func auditValueOutsideEnum(_ *linter, a *change.Action, report reporter) {
	for _, e := range a.Audits {
		for _, s := range e.Set {
			attribute := e.Trail.Entity.Attribute(s.Name)
			if s.Formula.String() != "{action}" || attribute == nil || len(attribute.Enum) == 0 || attribute.OpenEnum {
				continue
			}
			words := []string{a.ID}
			if !sets(a.UndoEntry, s.Name) && a.NoUndo == "" {
				words = append(words, "undo-"+a.ID)
			}
			for _, w := range words {
				if !slices.Contains(attribute.Enum, w) {
					report("", "add it to enum:, write open: true, or set another value under audit: and undo:",
						"%s of the audit entry in %s would be %s, which its enum does not allow; ddbdesk would refuse the change", s.Name,
						e.Trail.Entity.Name, w)
				}
			}
		}
	}
}

func sets(list []change.Setting, name string) bool {
	return slices.ContainsFunc(list, func(s change.Setting) bool { return s.Name == name })
}

// numberWithoutBounds finds numbers that a user can enter without a limit: a typing error of one digit is applied. A
// number in the key of the subject selects an existing item.
func numberWithoutBounds(_ *linter, a *change.Action, report reporter) {
	partition, _ := a.Entity.KeyTemplate(a.Entity.Table.PartitionKey.Name)
	sort, _ := a.Entity.KeyTemplate(a.Entity.Table.SortKey.Name)
	for _, in := range a.Inputs {
		selects := a.Kind != change.Creates && (partition.Has(in.Name) || sort.Has(in.Name))
		numeric := in.Type == accesspatterns.Number || in.Type == accesspatterns.Integer
		if !numeric || in.Minimum != "" && in.Maximum != "" || selects {
			continue
		}
		missing := "minimum and maximum"
		if in.Minimum != "" {
			missing = "maximum"
		} else if in.Maximum != "" {
			missing = "minimum"
		}
		report("inputs."+in.Name, "set minimum: and maximum:", "%s accepts any number as %s; it has no %s", a.ID, in.Name, missing)
	}
}

func stateSetWithoutTransition(_ *linter, a *change.Action, report reporter) {
	check := func(e *models.Entity, list []change.Setting, part string) {
		for _, c := range e.Lifecycles {
			if len(c.Transitions) > 0 && sets(list, c.Attribute) {
				report(part, "use transition:, or require: the current state",
					"%s sets %s of %s regardless of its current value and bypasses the transitions of %s", a.ID, c.Attribute, e.Name, c.Name)
			}
		}
	}
	if a.Kind == change.Changes && !requires(a.Require, a.Entity) {
		check(a.Entity, a.Set, "set")
	}
	for _, c := range a.Also {
		if c.Operation == change.Update && !requires(c.Require, c.Entity) {
			check(c.Entity, c.Set, "also")
		}
	}
}

func requires(list []change.Requirement, e *models.Entity) bool {
	return slices.ContainsFunc(list, func(r change.Requirement) bool { return e.Lifecycle(r.Attribute) != nil || requires(r.Any, e) })
}

func stateNeverEntered(l *linter, c *models.Lifecycle, report reporter) {
	entered := map[string]bool{}
	for _, a := range l.Actions {
		if a.Lifecycle == c {
			for _, t := range a.Transitions {
				entered[t.To] = true
			}
		}
		for _, w := range a.Also {
			if w.Lifecycle == c {
				entered[w.Transition.To] = true
			}
		}
	}
	if len(entered) == 0 {
		return // this console does not move it
	}
	for _, s := range c.States {
		if !entered[s.Name] && !s.Initial && !l.created(c, s.Name) {
			report("states."+s.Name, "add an action, unless another service makes this transition", "no action leads to %s %s of %s",
				c.Attribute, s.Name, c.Entity.Name)
		}
	}
}

func (l *linter) created(c *models.Lifecycle, state string) bool {
	in := func(list []change.Setting) bool {
		return slices.ContainsFunc(list, func(s change.Setting) bool {
			return s.Name == c.Attribute && s.Formula.String() == state
		})
	}
	for _, a := range l.Actions {
		if a.Kind == change.Creates && a.Entity == c.Entity && in(a.Set) {
			return true
		}
		for _, w := range a.Also {
			if w.Operation == change.Put && w.Entity == c.Entity && in(w.Set) {
				return true
			}
		}
	}
	return false
}
