package lint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func derivedKeys(e *models.Entity, attribute string) []string {
	var names []string
	for _, k := range e.KeyNames() {
		if _, declared := e.Keys[k]; declared && k != attribute && k != e.Table.PartitionKey.Name && k != e.Table.SortKey.Name &&
			slices.Contains(e.KeyInputs(k), attribute) {
			names = append(names, k)
		}
	}
	return names
}

// stateInIndexKey finds lifecycles whose state is a part of an index key. DynamoDB does not compute keys, so a change
// of the state alone leaves the item at its old place in the index.
func stateInIndexKey(_ *linter, c *models.Lifecycle, report reporter) {
	keys := derivedKeys(c.Entity, c.Attribute)
	if len(keys) == 0 {
		return
	}
	moves := make([]string, 0, len(c.Transitions))
	for _, t := range c.Transitions {
		name := t.Name
		name = cmp.Or(name, strings.Join(t.From, " or ")+" to "+t.To)
		moves = append(moves, name)
	}
	text := "every change"
	if len(moves) > 0 {
		text = "every transition (" + strings.Join(moves, ", ") + ")"
	}
	key, depends, it := "key", "depends", "it"
	if len(keys) > 1 {
		key, depends, it = "keys", "depend", "them"
	}
	report("", "set "+strings.Join(keys, ", ")+" together with "+c.Attribute,
		"index %s %s %s on %s of %s; %s must rewrite %s, or the index goes stale",
		key, strings.Join(keys, ", "), depends, c.Attribute, c.Entity.Name, text, it)
}

func literalStateKey(_ *linter, e *models.Entity, report reporter) {
	for _, k := range e.KeyNames() {
		text, ok := e.Keys[k].Literal()
		if !ok || e.KeyWhen[k] != nil || k == e.Table.PartitionKey.Name || k == e.Table.SortKey.Name {
			continue
		}
		word := text[strings.LastIndexAny(text, "#|:/")+1:]
		for _, c := range e.Lifecycles {
			for _, s := range c.States {
				if strings.EqualFold(s.Name, word) {
					report("keys."+k, "write {"+c.Attribute+"} instead",
						"index key %s is the literal %s, which looks like a %s but does not change with the %s", k, text, c.Attribute, c.Attribute)
				}
			}
		}
	}
}

func staleIndexKey(_ *linter, p *accesspatterns.Pattern, report reporter) {
	for _, e := range p.Returns {
		for _, set := range p.Writing.Sets {
			for _, k := range derivedKeys(e, set) {
				if !slices.Contains(p.Writing.Sets, k) {
					t := e.Keys[k]
					report("set", "set "+k+" in the same update",
						"the update sets %s but not index key %s (%s), so the index goes stale", set, k, t)
				}
			}
		}
	}
}

// unconditionalUpdate finds updates without a condition: UpdateItem creates an item that does not exist. Source:
// Amazon DynamoDB API Reference, "UpdateItem".
func unconditionalUpdate(_ *linter, p *accesspatterns.Pattern, report reporter) {
	if p.Writing.API == "UpdateItem" && strings.TrimSpace(p.Writing.Condition) == "" {
		report("", "add condition: attribute_exists("+p.Table.PartitionKey.Name+")",
			"the update has no condition; for a missing key it creates an item with only %s", strings.Join(p.Writing.Sets, ", "))
	}
}

// batchWrite finds batch writes, which replace whole items without a condition. Source: Amazon DynamoDB API
// Reference, "BatchWriteItem".
func batchWrite(_ *linter, p *accesspatterns.Pattern, report reporter) {
	if p.Writing.API == "BatchWriteItem" {
		report("writes", "use single writes or TransactWriteItems",
			"a batch write supports neither conditions nor updates, so it overwrites existing items")
	}
}

func writeSetsUnknown(_ *linter, p *accesspatterns.Pattern, report reporter) {
	for _, set := range p.Writing.Sets {
		known := len(p.Returns) == 0 || isKey(p.Table, set)
		for _, e := range p.Returns {
			known = known || e.Attribute(set) != nil
		}
		if !known {
			report("set", "add the attribute, or correct its name", "the write sets %s, which is not an attribute of %s", set,
				entityNames(p.Returns))
		}
	}
}

func undocumentedTransitions(_ *linter, c *models.Lifecycle, report reporter) {
	var moves []string
	for _, t := range c.Transitions {
		if !t.Documented {
			moves = append(moves, strings.Join(t.From, " or ")+" to "+t.To)
		}
	}
	if len(moves) > 0 {
		report("transitions", "document who makes them and when", "the transitions %s of %s are not documented",
			strings.Join(moves, ", "), c.Attribute)
	}
}

func noTransitions(_ *linter, c *models.Lifecycle, report reporter) {
	if len(c.States) > 1 && len(c.Transitions) == 0 {
		report(
			"", "document the allowed transitions", "%s of %s has %d states but no transitions", c.Attribute, c.Entity.Name,
			len(c.States),
		)
	}
}

// unreachableState ignores a lifecycle without transitions or without a known first state.
func unreachableState(l *linter, c *models.Lifecycle, report reporter) {
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, t := range c.Moves(name) {
			visit(t.To)
		}
	}
	for _, s := range c.States {
		if s.Initial || l.created(c, s.Name) {
			visit(s.Name)
		}
	}
	if len(reached) == 0 || len(c.Transitions) == 0 {
		return // the first state or the transitions are not documented
	}
	for _, s := range c.States {
		if !reached[s.Name] {
			report(
				"states."+s.Name, "add a transition to it, or write initial: true", "no transition of %s leads to state %s",
				c.Attribute, s.Name,
			)
		}
	}
}

func stateWithoutExit(_ *linter, c *models.Lifecycle, report reporter) {
	for _, s := range c.States {
		if len(c.Transitions) > 0 && s.Kind == models.StateOpen && c.Terminal(s.Name) {
			report("states."+s.Name, "add a transition from it, or set kind: to good, bad or final",
				"state %s of %s is open but has no outgoing transition", s.Name, c.Attribute)
		}
	}
}
