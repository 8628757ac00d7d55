package profiles

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// schemaRequired lists the fields that a declaration cannot do without.
var schemaRequired = map[string][]string{
	"profile":   {"name", "tables"},
	"table":     {"partition_key"},
	"index":     {"partition_key"},
	"entity":    {"table"},
	"attribute": {"type"},
	"life":      {"entity", "attribute"},
	"pattern":   {"operation"},
	"finding":   {"kind", "text"},

	"reading":     {"entity"},
	"requirement": {"attribute"},
	"trail":       {"about"},
}

// schemaWords lists the values of the fields that take only some.
var schemaWords = sync.OnceValue(func() map[string][]string {
	kinds, types := texts(accesspatterns.FindingKinds()...), texts(accesspatterns.ParamTypes()...)
	operations, order := texts(accesspatterns.Operations()...), []string{"ascending", "descending"}
	return map[string][]string{
		"key.type":             texts(models.TypeS, models.TypeN, models.TypeB),
		"index.projection":     texts(models.ProjectionAll, models.ProjectionKeysOnly, models.ProjectionInclude),
		"attribute.type":       typeWords(),
		"attribute.items":      typeWords(),
		"attribute.format":     formatWords(),
		"attribute.sensitive":  sensitivities(),
		"state.kind":           texts(models.StateOpen, models.StateGood, models.StateBad, models.StateFinal),
		"pattern.operation":    operations,
		"pattern.order":        order,
		"pattern.expect":       {"one", "many"},
		"variant.operation":    operations,
		"variant.order":        order,
		"documented.operation": operations,
		"documented.order":     order,
		"param.type":           types,
		"param.format":         formatWords(),
		"param.sensitive":      sensitivities(),
		"inline.operation":     operations,
		"inline.order":         order,
		"action.kind":          actionKinds(),
		"action.reason":        reasonRules(),
		"finding.kind":         kinds,
	}
})

// schemaTexts explains fields: declaration.field, or a field that means the
// same everywhere.
var schemaTexts = map[string]string{
	"title":       "Title shown in the console.",
	"description": "One sentence for readers.",
	"source":      "Place in the document: lines, or the text itself.",
	"documented":  "false marks what the document does not state.",
	"findings":    "IDs of findings. A finding can also list what it concerns.",
	"table":       "ID of a table of this profile.",

	"profile.name":       "Name on the command line: ddbdesk NAME. Lowercase letters, digits and hyphens.",
	"profile.source":     "Document that this profile describes.",
	"profile.variables":  "Values in table names: {environment}.",
	"profile.guardrails": "Rules of the document that ddbdesk enforces.",
	"profile.maps":       "Value maps, used as placeholder formats: {status:site-state}.",
	"profile.tables":     "Tables by a short ID that the profile uses.",
	"profile.entities":   "Kinds of items.",
	"profile.lifecycles": "States of an attribute and the transitions between them.",
	"profile.patterns":   "Access patterns, reads and writes, by ID.",
	"profile.actions":    "Named changes of one item, by ID.",
	"profile.bundles":    "Values, reads and writes that several actions share.",
	"profile.trails":     "Audit trails, by the entity of their entries.",
	"profile.queues":     "Items that need a decision and the actions for them, by ID.",
	"profile.findings":   "Schema issues of the document, by ID.",

	"guardrail.regions":    "Allowed regions; empty: any region.",
	"guardrail.production": "Contexts and variable values that count as production.",
	"guardrail.retention":  "Retention of items, as free text.",
	"guardrail.notes":      "Other rules, as free text.",

	"table.name":           "Real name of the table; can contain {variables}.",
	"table.partition_key":  "Partition key: a name, or {name: n, type: N}.",
	"table.sort_key":       "Sort key: a name, or {name: n, type: N}.",
	"table.ttl":            "TTL attribute of the items.",
	"table.ttl_documented": "TTL attribute in the document, only if it differs from ttl.",
	"table.indexes":        "Global secondary indexes by their real name.",
	"index.label":          "Purpose of the index in a few words.",
	"index.projection":     "Leave out if the document does not state it.",
	"index.include":        "Attributes of an INCLUDE projection.",
	"index.optional":       "The index can be missing in a live table.",

	"entity.keys":         "Template for each key attribute of the table and of each index that contains the entity.",
	"entity.when":         "Further conditions that identify the entity if key templates are shared.",
	"entity.owner":        "Service that owns the items; ddbdesk never changes them.",
	"entity.undocumented": "The attributes are not documented; undeclared ones are masked.",
	"entity.parent":       "Entity that the items belong to.",
	"entity.unique":       "false: two items with the same time can share a key.",
	"entity.version":      "Number that every change increments.",
	"entity.updated":      "Time that every change sets to now.",
	"entity.columns":      "Order of columns in a grid; by default required attributes first.",
	"entity.groups":       "Attribute groups of the overview; other attributes come last.",
	"entity.sample":       "Number and values of sample items.",
	"when.has":            "Attributes that the item has.",
	"when.lacks":          "Attributes that the item does not have.",

	"attribute.items":        "Type of the list elements.",
	"attribute.required":     "Every item has the attribute.",
	"attribute.format":       "How to read its text or number.",
	"attribute.prefix":       "Prefix of its values; ddbdesk warns about others.",
	"attribute.enum":         "Documented values.",
	"attribute.open":         "Values other than those in enum are possible.",
	"attribute.sensitive":    "pii is masked until revealed; secret is never shown.",
	"attribute.volatile":     "Changes often; ddbdesk does not compare it before a delete or an undo.",
	"attribute.undocumented": "The map has undeclared fields; they are masked.",
	"attribute.key_only":     "Exists only inside a key.",
	"attribute.refers":       "Entity.attribute that the value refers to.",
	"attribute.equals":       "Attribute whose time this one repeats.",
	"attribute.examples":     "Values for sample data.",

	"life.states":           "States, by attribute value.",
	"life.transitions":      "Allowed transitions between states.",
	"state.kind":            "open: work remains; good, bad, final: ended.",
	"state.initial":         "Whether new items can start in this state.",
	"state.set":             "Attributes to set when an item enters the state; formulas can use only built-in values.",
	"transition.actor":      "Who makes the transition.",
	"pattern.group":         "Heading in the list of patterns; by default the first entity of returns.",
	"pattern.index":         "Index to query; leave out for the table.",
	"pattern.key":           "Conditions on the key attributes of the table or index.",
	"pattern.filter":        "Conditions that DynamoDB applies after reading; one without its parameter is left out.",
	"pattern.fan_out":       "One query per partition, merged by sort key.",
	"pattern.variants":      "Other requests for when certain parameters are given.",
	"pattern.returns":       "Returned entities.",
	"pattern.order":         "Sort key order; descending shows the newest first.",
	"pattern.order_note":    "The sort order in words.",
	"pattern.limit":         "Default rows per page; \"{limit}\" takes it from a parameter.",
	"pattern.stop_after":    "Stop after this many matches.",
	"pattern.expect":        "How many rows the pattern finds. With one, ddbdesk warns about more.",
	"pattern.parameters":    "Only what placeholders and their attributes do not define.",
	"pattern.as_documented": "The request in the document, only if it differs. Lint checks it.",
	"pattern.safe":          "What ddbdesk runs instead, and why.",
	"pattern.writes":        "DynamoDB operation of a documented write.",
	"pattern.set":           "Attributes that the documented update sets.",
	"pattern.condition":     "Condition of the documented write.",

	"condition.equals":      "Exact match, never a prefix.",
	"condition.begins_with": "Prefix; cut before the first placeholder without a value.",
	"condition.on":          "Placeholder of the key template that the range applies to; both ends are included.",
	"condition.lt":          "In as_documented only.",
	"condition.lte":         "In as_documented only.",
	"condition.gt":          "In as_documented only.",
	"condition.gte":         "In as_documented only.",
	"condition.between":     "In as_documented only.",
	"filter.attribute":      "Attribute path, with dots.",
	"fanOut.days":           "Each UTC day between two times.",
	"fanOut.values":         "These values; enum for all values of the attribute.",
	"fanOut.max":            "Maximum number of partitions.",
	"variant.when":          "Parameters that must be given.",

	"action.entity":     "Entity of the changed item; can be left out with a transition.",
	"action.kind":       "update changes an existing item, put creates one, delete deletes it, repair recomputes derived attributes.",
	"action.transition": "Transition of the state: its name, Lifecycle.name, or Lifecycle.{input} for any documented one.",
	"action.inputs":     "Values that the user enters, besides the item's key. A default with {..} is a formula.",
	"action.let":        "Named values that several formulas use.",
	"action.reads":      "Other items to read first, by the name used in formulas.",
	"action.set":        "Attributes and the formulas of their values. An attribute without a value is not changed.",
	"action.remove":     "Attributes to remove.",
	"action.require":    "Conditions that are checked before the change and again when it is written.",
	"action.also":       "Other writes in the same transaction.",
	"action.uses":       "Bundles whose values, reads and writes are added.",
	"action.audit":      "Values of the audit entry that the action sets itself, or none.",
	"action.reason":     "Whether the user must give a reason.",
	"action.off":        "Why the action is off by default.",
	"action.four_eyes":  "The user who plans the change cannot apply it.",
	"action.undo":       "Why the change cannot be undone, or values of the undo's audit entry.",
	"action.manual":     "Steps that users must do themselves.",
	"reading.key":       "Parts of the key; a missing part is the value of the same name.",
	"reading.optional":  "The action continues without the item.",
	"companion.put":     "Entity of a new item.",
	"companion.update":  "Item under reads: to update.",
	"companion.delete":  "Item under reads: to delete.",
	"companion.check":   "Item under reads: that must meet require:.",
	"companion.if":      "Name of a value; the write happens only if it is set.",
	"companion.unless":  "Name of a value; the write happens only if it is not set.",

	"requirement.attribute":  "Attribute path, with dots.",
	"requirement.up_to":      "At most.",
	"requirement.from":       "At least.",
	"requirement.exists":     "false: the attribute must not exist.",
	"requirement.or_missing": "A missing attribute also meets the requirement.",
	"requirement.because":    "Message if the requirement is not met.",

	"trail.who":     "Attribute with the user who acted.",
	"trail.what":    "Attribute with the action.",
	"trail.when":    "Attribute with the time.",
	"trail.before":  "Attribute with the values before.",
	"trail.after":   "Attribute with the values after.",
	"trail.reason":  "Attribute with the reason.",
	"trail.about":   "By entity: attributes of an entry that identify its item, as formulas on that item.",
	"trail.put":     "Content of every entry. Leave out if ddbdesk only reads the trail.",
	"trail.read":    "Request that finds the entries of one item.",
	"queue.args":    "Values of the pattern's parameters.",
	"queue.read":    "A request defined here, instead of pattern.",
	"queue.actions": "Actions for the rows, in menu order.",

	"param.required":     "false: the parameter is optional.",
	"param.default":      "A literal, now, now-7d, now+1h, today or today-1d.",
	"param.default_when": "Defaults for certain values of another parameter.",
	"param.attribute":    "Entity.attribute that defines its values.",
	"param.from":         "Other attributes whose values fit, for navigation.",
	"finding.rules":      "Rules of schema lint that find the defect; see ddbdesk schema lint -o json.",
	"finding.title":      "What goes wrong, in a few words without DynamoDB terms.",
	"finding.text":       "What the document states, and why it is a defect or a risk.",
	"finding.behaviour":  "What ddbdesk does instead.",
	"finding.decides":    "Patterns that do not work because of the finding.",
}

func TestSchemaWordsNameFields(t *testing.T) {
	fields := map[string]bool{}
	names := map[string]bool{}
	var walk func(reflect.Type)
	walk = func(v reflect.Type) {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
			v = v.Elem()
		}
		name := strings.TrimSuffix(v.Name(), "Decl")
		if v.Kind() != reflect.Struct || names[name] {
			return
		}
		names[name] = true
		for _, f := range reflect.VisibleFields(v) {
			fields[f.Tag.Get("yaml")] = true
			fields[name+"."+f.Tag.Get("yaml")] = true
			walk(f.Type)
			if reflect.PointerTo(f.Type).Implements(orderedMapType) {
				value, _ := f.Type.Elem().FieldByName("Value")
				walk(value.Type)
			}
		}
	}
	walk(reflect.TypeFor[profileDecl]())
	for key := range schemaTexts {
		if !fields[key] {
			t.Errorf("schemaTexts explains %s, which is no field", key)
		}
	}
	for key := range schemaWords() {
		if !fields[key] {
			t.Errorf("schemaWords has values of %s, which is no field", key)
		}
	}
	for name, list := range schemaRequired {
		for _, f := range list {
			if !fields[name+"."+f] {
				t.Errorf("schemaRequired wants %s.%s, which is no field", name, f)
			}
		}
	}
}
