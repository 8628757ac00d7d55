package lint

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
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

// stateInIndexKey finds states in index keys. DynamoDB does not compute keys, so the item keeps its old position.
func stateInIndexKey(_ *linter, c *models.Lifecycle, report reporter) {
	keys := derivedKeys(c.Entity, c.Attribute)
	if len(keys) == 0 {
		return
	}
	transitions := make([]string, 0, len(c.Transitions))
	for _, t := range c.Transitions {
		name := t.Name
		name = cmp.Or(name, strings.Join(t.From, " or ")+" to "+t.To)
		transitions = append(transitions, name)
	}
	text := "every change"
	if len(transitions) > 0 {
		text = "every transition (" + strings.Join(transitions, ", ") + ")"
	}
	key, verb, it := "key", "depends", "it"
	if len(keys) > 1 {
		key, verb, it = "keys", "depend", "them"
	}
	report("", "set "+strings.Join(keys, ", ")+" together with "+c.Attribute,
		"index %s %s %s on %s of %s; %s must rewrite %s, or the index goes stale",
		key, strings.Join(keys, ", "), verb, c.Attribute, c.Entity.Name, text, it)
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
						"index key %s is the literal %s, which looks like a %s but does not change with the %s", k, text,
						c.Attribute, c.Attribute)
				}
			}
		}
	}
}

func staleIndexKey(_ *linter, p *accesspatterns.Pattern, report reporter) {
	for _, e := range p.Returns {
		for _, set := range p.DocumentedWrite.Sets {
			for _, k := range derivedKeys(e, set) {
				if !slices.Contains(p.DocumentedWrite.Sets, k) {
					t := e.Keys[k]
					report("set", "set "+k+" in the same update",
						"the update sets %s but not index key %s (%s), so the index goes stale", set, k, t)
				}
			}
		}
	}
}

// unconditionalUpdate finds updates that create a missing item. Source: DynamoDB API Reference, "UpdateItem".
func unconditionalUpdate(_ *linter, p *accesspatterns.Pattern, report reporter) {
	if p.DocumentedWrite.API == "UpdateItem" && strings.TrimSpace(p.DocumentedWrite.Condition) == "" {
		report("", "add condition: attribute_exists("+p.Table.PartitionKey.Name+")",
			"the update has no condition; for a missing key it creates an item with only %s", strings.Join(p.DocumentedWrite.Sets, ", "))
	}
}

// batchWrite finds writes that replace whole items. Source: DynamoDB API Reference, "BatchWriteItem".
func batchWrite(_ *linter, p *accesspatterns.Pattern, report reporter) {
	if p.DocumentedWrite.API == "BatchWriteItem" {
		report("writes", "use single writes or TransactWriteItems",
			"a batch write supports neither conditions nor updates, so it overwrites existing items")
	}
}

func writeSetsUnknown(_ *linter, p *accesspatterns.Pattern, report reporter) {
	for _, set := range p.DocumentedWrite.Sets {
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
	var transitions []string
	for _, t := range c.Transitions {
		if !t.Documented {
			transitions = append(transitions, strings.Join(t.From, " or ")+" to "+t.To)
		}
	}
	if len(transitions) > 0 {
		report("transitions", "document who makes them and when", "%s has undocumented transitions: %s",
			c.Attribute, strings.Join(transitions, ", "))
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

// unreachableState finds states that no transitions reach from a first state. It ignores a lifecycle without
// transitions or without a known first state.
func unreachableState(l *linter, c *models.Lifecycle, report reporter) {
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, t := range c.TransitionsFrom(name) {
			visit(t.To)
		}
	}
	for _, s := range c.States {
		if s.Initial || l.isCreated(c, s.Name) {
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

// changeUnnoticed finds actions on entities without a version or time of change. Such an action does not detect a
// concurrent change of attributes that it does not use.
func changeUnnoticed(_ *linter, a *change.Action, report reporter) {
	e := a.Entity
	if a.Kind != change.KindUpdate || a.Lifecycle != nil || e.Version != "" || e.Updated != "" || len(a.Set)+len(a.Remove) == 0 {
		return
	}
	var checkedAttributes []string
	for _, s := range a.Set {
		checkedAttributes = models.AppendOnce(checkedAttributes, s.Name)
	}
	for _, r := range a.Require {
		checkedAttributes = models.AppendOnce(checkedAttributes, r.Attribute)
	}
	for _, name := range a.Remove {
		checkedAttributes = models.AppendOnce(checkedAttributes, name)
	}
	report("", "to detect concurrent changes, set version: or updated: on "+e.Name,
		"%s has no version or update time; a write checks only %s, so a concurrent change of another attribute is not detected",
		e.Name, strings.Join(checkedAttributes, ", "))
}

func changeWithoutAudit(l *linter, a *change.Action, report reporter) {
	i := slices.IndexFunc(l.Trails, func(t *change.Trail) bool { return len(t.Set) > 0 })
	if len(a.Audits) > 0 || i < 0 || l.AuditDisabled(a) {
		return
	}
	report("", "add "+a.Entity.Name+" to about: of "+l.Trails[i].Entity.Name+", or write audit: none",
		"%s writes no audit entry, although %s records other changes", a.ID, l.Trails[i].Entity.Name)
}

// auditValueOutsideEnum finds audit entry enums that lack the action's ID, because ddbdesk would reject the change.
func auditValueOutsideEnum(_ *linter, a *change.Action, report reporter) {
	for _, e := range a.Audits {
		for _, s := range e.Set {
			attribute := e.Trail.Entity.Attribute(s.Name)
			if s.Formula.String() != "{action}" || attribute == nil || len(attribute.Enum) == 0 || attribute.OpenEnum {
				continue
			}
			words := []string{a.ID}
			if !hasSetting(a.UndoEntry, s.Name) && a.NoUndo == "" {
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

func keyNotMoved(_ *linter, a *change.Action, report reporter) {
	inKey := func(t models.Template) bool { return a.Lifecycle != nil && t.Has(a.Lifecycle.Attribute) }
	if a.Kind == change.KindUpdate && slices.ContainsFunc(primaryTemplates(a.Entity), inKey) {
		report("transition", "write kind: move", "%s changes %s, but the key %s keeps the old value", a.ID, a.Lifecycle.Attribute,
			primaryText(a.Entity))
	}
}

// numberNotUnique finds numbers derived from a query that two users can both get.
func numberNotUnique(_ *linter, a *change.Action, report reporter) {
	settings := slices.Clone(a.Set)
	for _, name := range slices.Sorted(maps.Keys(a.Defaults)) {
		settings = append(settings, change.Setting{Name: name, Formula: a.Defaults[name]})
	}
	for _, r := range a.Reads {
		for _, s := range settings {
			isReading := func(ref change.Reference) bool { return strings.HasPrefix(ref.Name, r.Alias+".") }
			countsUp := strings.Contains(s.Formula.String(), "} + ") && slices.ContainsFunc(s.Formula.References(), isReading)
			switch {
			case r.Pattern == nil || a.Kind != change.KindPut || !countsUp:
			case !slices.ContainsFunc(primaryTemplates(a.Entity), func(t models.Template) bool { return t.Has(s.Name) }):
				report("reads."+r.Alias, "make it a part of the primary key, as the default of an input",
					"%s takes the next number from %s, and two concurrent users get the same %s", a.ID, r.Pattern.ID, s.Name)
			case !r.Pattern.Read.Descending:
				report("reads."+r.Alias, "name a pattern with order: descending",
					"%s takes the next number from the first row of %s, which has the lowest %s",
					a.ID, r.Pattern.ID, s.Name)
			}
		}
	}
}

func hasSetting(list []change.Setting, name string) bool {
	return slices.ContainsFunc(list, func(s change.Setting) bool { return s.Name == name })
}

// numberWithoutBounds finds number inputs without a limit. It ignores numbers that are computed or select an item.
func numberWithoutBounds(_ *linter, a *change.Action, report reporter) {
	partition, _ := a.Entity.KeyTemplate(a.Entity.Table.PartitionKey.Name)
	sort, _ := a.Entity.KeyTemplate(a.Entity.Table.SortKey.Name)
	for _, in := range a.Inputs {
		selectsItem := a.Kind != change.KindPut && (partition.Has(in.Name) || sort.Has(in.Name))
		numeric := in.Type == accesspatterns.Number || in.Type == accesspatterns.Integer
		_, computed := a.Defaults[in.Name]
		if !numeric || in.Minimum != "" && in.Maximum != "" || selectsItem || computed {
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
			if len(c.Transitions) > 0 && hasSetting(list, c.Attribute) {
				report(part, "use transition:, or require: the current state",
					"%s sets %s of %s regardless of its current value and bypasses the transitions of %s", a.ID,
					c.Attribute, e.Name, c.Name)
			}
		}
	}
	if (a.Kind == change.KindUpdate || a.Kind == change.KindMove || a.Replace) && !requires(a.Require, a.Entity) {
		check(a.Entity, a.Set, "set")
	}
	for _, c := range a.Companions {
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
		for _, w := range a.Companions {
			if w.Lifecycle == c {
				entered[w.Transition.To] = true
			}
		}
	}
	if len(entered) == 0 {
		return // ddbdesk does not move it
	}
	for _, s := range c.States {
		if !entered[s.Name] && !s.Initial && !l.isCreated(c, s.Name) {
			report("states."+s.Name, "add an action, unless another service makes this transition", "no action leads to %s %s of %s",
				c.Attribute, s.Name, c.Entity.Name)
		}
	}
}

func (l *linter) isCreated(c *models.Lifecycle, state string) bool {
	setsState := func(list []change.Setting) bool {
		return slices.ContainsFunc(list, func(s change.Setting) bool {
			return s.Name == c.Attribute && s.Formula.String() == state
		})
	}
	for _, a := range l.Actions {
		if a.Kind == change.KindPut && a.Entity == c.Entity && setsState(a.Set) {
			return true
		}
		for _, w := range a.Companions {
			if w.Operation == change.Put && w.Entity == c.Entity && setsState(w.Set) {
				return true
			}
		}
	}
	return false
}

// ttlNameDiffers finds a table whose TTL is enabled on another attribute than the one of its items. It compares names
// case-sensitively, as DynamoDB does.
func ttlNameDiffers(_ *linter, t *models.Table, report reporter) {
	if t.TTLDocumented == "" || t.TTLDocumented == t.TTL {
		return
	}
	difference := "a different name"
	if strings.EqualFold(t.TTLDocumented, t.TTL) {
		difference = "the same name in different case, which DynamoDB treats as a different name"
	}
	report("ttl_documented", "enable TTL on "+t.TTL, "TTL is enabled on %s but the items have %s, %s, so nothing ever expires",
		t.TTLDocumented, t.TTL, difference)
}

// ttlMissing finds entities without the TTL attribute that another entity of the table requires. An optional attribute
// does not count, because such items expire only in some cases, such as after a deletion.
func ttlMissing(l *linter, e *models.Entity, report reporter) {
	ttl := e.Table.TTL
	if ttl == "" || e.Undocumented || e.Attribute(ttl) != nil {
		return
	}
	for _, o := range l.EntitiesOf(e.Table) {
		if a := o.Attribute(ttl); a != nil && a.Required {
			report("attributes", "add "+ttl+", or document that its items are kept forever",
				"%s has no %s, unlike %s in the same table, so its items never expire", e.Name, ttl, o.Name)
			return
		}
	}
}

// ttlNotEpoch finds TTL attributes that DynamoDB ignores or reads as a time far in the future. Source: Amazon DynamoDB
// Developer Guide, "Using time to live (TTL)".
func ttlNotEpoch(_ *linter, e *models.Entity, report reporter) {
	a := e.Attribute(e.Table.TTL)
	if e.Table.TTL == "" || a == nil || a.Type == models.TypeN && a.Format == models.EpochSeconds {
		return
	}
	kind := string(a.Type) + " " + string(a.Format)
	report("attributes."+a.Name, "use {type: N, format: epoch-seconds}",
		"TTL attribute %s is %s; DynamoDB expires items only by a number of epoch seconds", a.Name, strings.TrimSpace(kind))
}

var expiryName = models.LazyRegexp(`(?i)expir|valid_?until|^ttl$`)

func expiryNotTTL(_ *linter, e *models.Entity, report reporter) {
	ttl := e.Attribute(e.Table.TTL)
	for _, a := range e.Attributes {
		if e.Table.TTL == "" || a == ttl || !a.Format.IsTime() || !expiryName().MatchString(a.Name) {
			continue
		}
		switch {
		case ttl == nil:
			report("attributes."+a.Name, "add "+e.Table.TTL+" with the same time in epoch seconds",
				"%s gives the expiry of %s, but TTL uses %s, which the entity lacks", a.Name, e.Name, e.Table.TTL)
		case ttl.Equals != a.Name:
			report("attributes."+a.Name, "write equals: "+a.Name+" at "+ttl.Name+" if both are the same time",
				"%s has two expiry times, %s and %s, and the schema does not declare whether they are equal", e.Name, a.Name, ttl.Name)
		}
	}
}

func expiredStillRead(l *linter, t *models.Table, report reporter) {
	isRead := map[*models.Entity]bool{}
	for _, p := range l.Patterns {
		for _, e := range p.Returns {
			isRead[e] = isRead[e] || p.IsRead()
		}
	}
	var names []string
	for _, e := range l.EntitiesOf(t) {
		if e.Attribute(t.TTL) != nil && isRead[e] {
			names = append(names, e.Name)
		}
	}
	if t.TTL != "" && len(names) > 0 {
		report("ttl", "compare "+t.TTL+" with the current time",
			"an expired %s stays readable until DynamoDB deletes it, usually within two days; check its expiry before use",
			strings.Join(names, ", "))
	}
}
