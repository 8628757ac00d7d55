package profiles

import (
	"sync"

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
	var kinds, operations, types []string
	for _, k := range accesspatterns.FindingKinds() {
		kinds = append(kinds, string(k))
	}
	for _, o := range accesspatterns.Operations() {
		operations = append(operations, string(o))
	}
	for _, t := range accesspatterns.ParamTypes() {
		types = append(types, string(t))
	}
	sensitive := []string{string(models.PII), string(models.Secret)}
	order := []string{"ascending", "descending"}
	return map[string][]string{
		"key.type":             {string(models.TypeS), string(models.TypeN), string(models.TypeB)},
		"index.projection":     {string(models.ProjectionAll), string(models.ProjectionKeysOnly), string(models.ProjectionInclude)},
		"attribute.type":       typeWords(),
		"attribute.items":      typeWords(),
		"attribute.format":     formatWords(),
		"attribute.sensitive":  sensitive,
		"state.kind":           {string(models.StateOpen), string(models.StateGood), string(models.StateBad), string(models.StateFinal)},
		"pattern.operation":    operations,
		"pattern.order":        order,
		"pattern.expect":       {"one", "many"},
		"variant.operation":    operations,
		"variant.order":        order,
		"documented.operation": operations,
		"documented.order":     order,
		"param.type":           types,
		"param.format":         formatWords(),
		"param.sensitive":      sensitive,
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
	"title":       "What a person reads on the screen.",
	"description": "A sentence for people.",
	"source":      "Where the document says so: lines, or the text itself.",
	"documented":  "false marks what the document does not say.",
	"findings":    "Ids of findings; they may also be named at the finding.",
	"table":       "The id of a table of this profile.",

	"profile.name":       "What one types: ddbdesk NAME. Small letters, digits and hyphens.",
	"profile.source":     "The document this profile was read from.",
	"profile.variables":  "Values in table names: {environment}.",
	"profile.guardrails": "Rules of the document that ddbdesk enforces.",
	"profile.maps":       "Value maps, usable as placeholder formats: {status:site-state}.",
	"profile.tables":     "Tables by a short id that is used inside the profile.",
	"profile.entities":   "The kinds of items.",
	"profile.lifecycles": "States of an attribute and the steps between them.",
	"profile.patterns":   "Access patterns, reads and writes, by id.",
	"profile.actions":    "Named changes of one item, by id.",
	"profile.bundles":    "What several actions read, name and write.",
	"profile.trails":     "Where the schema keeps what happened, by the entity of the entries.",
	"profile.queues":     "What waits for somebody, and what can be done with it, by id.",
	"profile.findings":   "What is wrong in the document, by id.",

	"guardrail.regions":    "Refuse to connect anywhere else; empty: any region.",
	"guardrail.production": "Contexts and variable values that count as production.",
	"guardrail.retention":  "How long items are kept, in free text.",
	"guardrail.notes":      "Further rules, in free text.",

	"table.name":           "The real name of the table; may hold {variables}.",
	"table.partition_key":  "The partition key: a name, or {name: n, type: N}.",
	"table.sort_key":       "The sort key: a name, or {name: n, type: N}.",
	"table.ttl":            "The attribute with the expiry that the items carry.",
	"table.ttl_documented": "Only when the document names another attribute for the table's TTL setting.",
	"table.indexes":        "Global secondary indexes by their real name.",
	"index.label":          "What the index is for, in a few words.",
	"index.projection":     "Absent: the document does not say.",
	"index.include":        "The attributes of an INCLUDE projection.",
	"index.optional":       "May be missing in a live table.",

	"entity.keys":         "A template for every key attribute of the table, and of each index the entity appears in.",
	"entity.when":         "More to recognise it by, when key templates are shared.",
	"entity.owner":        "Written by somebody else: never changed from here.",
	"entity.undocumented": "Its attributes are not documented: every one that is not declared is masked.",
	"entity.parent":       "Its items hang on an item of this entity.",
	"entity.unique":       "false: two events of one tick share a key.",
	"entity.version":      "The number that every change counts up.",
	"entity.updated":      "The time that every change sets to now.",
	"entity.columns":      "The order of columns in a grid; absent: required ones first.",
	"entity.groups":       "Groups of the overview; what is not named comes last.",
	"entity.sample":       "How many items sample data has, and of which values.",
	"when.has":            "Attributes that the item has.",
	"when.lacks":          "Attributes that the item does not have.",

	"attribute.items":        "The type of a list's elements.",
	"attribute.required":     "Every item has it.",
	"attribute.format":       "How its text or number is to be read.",
	"attribute.prefix":       "How its values begin; checked with a warning.",
	"attribute.enum":         "Its documented values.",
	"attribute.open":         "Other values than those of enum are possible.",
	"attribute.sensitive":    "pii is masked until revealed; secret is never shown.",
	"attribute.volatile":     "Changes all the time; a change by others is not told from it.",
	"attribute.undocumented": "The document holds parts that nobody declares; those are masked.",
	"attribute.key_only":     "Exists only inside a key.",
	"attribute.refers":       "Entity.attribute whose values this one holds.",
	"attribute.equals":       "The sibling whose moment this one repeats.",
	"attribute.examples":     "Values for sample data.",

	"life.states":           "The states, by the value of the attribute.",
	"life.transitions":      "The legal steps between states.",
	"state.kind":            "open: somebody still has to do something; good, bad, final: it ended.",
	"state.initial":         "Items begin here.",
	"state.set":             "Attributes that are set on entering the state; formulas name only a built-in value.",
	"transition.actor":      "Who makes the step.",
	"pattern.group":         "Heading in the list of patterns; absent: the first entity of returns.",
	"pattern.index":         "The index that is asked; absent: the table.",
	"pattern.key":           "Conditions on the key attributes of the table or index.",
	"pattern.filter":        "Applied by DynamoDB after reading; a condition whose parameter is not given is left out.",
	"pattern.fan_out":       "One query a partition, merged in the order of the sort key.",
	"pattern.variants":      "Another request when certain parameters are given.",
	"pattern.returns":       "The entities that come back.",
	"pattern.order":         "Of the sort key; descending is newest first.",
	"pattern.order_note":    "The order in words.",
	"pattern.limit":         "Rows a page when nobody asks for another number; \"{limit}\" takes it from a parameter.",
	"pattern.stop_after":    "The pattern ends after so many matches.",
	"pattern.expect":        "one: more than one row is worth a warning.",
	"pattern.parameters":    "Only what cannot be derived from the placeholders and the attributes they name.",
	"pattern.as_documented": "Only where the document's request differs: what it says, in the same words. Lint judges it.",
	"pattern.safe":          "What ddbdesk runs instead and why.",
	"pattern.writes":        "The DynamoDB operation of a documented write.",
	"pattern.set":           "The attributes that the document's update names.",
	"pattern.condition":     "The write's condition as documented.",

	"condition.equals":      "Equals, never a prefix.",
	"condition.begins_with": "Begins with; cut before the first placeholder that is not given.",
	"condition.on":          "The placeholder of the key template that the range is on; both ends are included.",
	"condition.lt":          "In as_documented only.",
	"condition.lte":         "In as_documented only.",
	"condition.gt":          "In as_documented only.",
	"condition.gte":         "In as_documented only.",
	"condition.between":     "In as_documented only.",
	"filter.attribute":      "A dotted path.",
	"fanOut.days":           "Each UTC day between two times.",
	"fanOut.values":         "These values, or enum for each value of the attribute's enum.",
	"fanOut.max":            "Partitions at most.",
	"variant.when":          "The parameters that must be given.",

	"action.entity":     "Of the item that is changed; a transition decides it too.",
	"action.kind":       "update changes an item that is there, put makes one, delete deletes it, repair sets what derives from other attributes.",
	"action.transition": "The step that the state makes: its name, Lifecycle.name, or Lifecycle.{input} for any documented one.",
	"action.inputs":     "What a person gives, besides the key of the item. A default with {..} is a formula.",
	"action.let":        "Names for values that several formulas need.",
	"action.reads":      "Other items that are read first, by the name that formulas give them.",
	"action.set":        "Attributes and the formulas of their values. Without a value an attribute is left alone.",
	"action.remove":     "Attributes that are taken away.",
	"action.require":    "What must hold, checked before and again when the change is written.",
	"action.also":       "What else is written in the same transaction.",
	"action.uses":       "Bundles whose names, readings and writes come first.",
	"action.audit":      "Values of the audit entry that the action says itself, or none.",
	"action.reason":     "Whether a person must give one.",
	"action.off":        "Why the action is switched off by default.",
	"action.four_eyes":  "Who plans it may not apply it.",
	"action.undo":       "Why it cannot be undone, or values of the undo's audit entry.",
	"action.manual":     "What is left for people to do.",
	"reading.key":       "Parts of the key; one that is left out is the name that is called the same.",
	"reading.optional":  "The action goes on without the item.",
	"companion.put":     "The entity of a new item.",
	"companion.update":  "The reading whose item is changed.",
	"companion.delete":  "The reading whose item is deleted.",
	"companion.check":   "The reading whose item only has to be as required.",
	"companion.if":      "A name: the write happens only when it has a value.",
	"companion.unless":  "A name: the write happens only when it has none.",

	"requirement.attribute":  "A dotted path.",
	"requirement.up_to":      "At most.",
	"requirement.from":       "At least.",
	"requirement.exists":     "false: it must not be there.",
	"requirement.or_missing": "An absent attribute is fine as well.",
	"requirement.because":    "What to tell a person when it does not hold.",

	"trail.who":     "The attribute of an entry with who acted.",
	"trail.what":    "The attribute with what was done.",
	"trail.when":    "The attribute with the time.",
	"trail.before":  "The attribute with the values before.",
	"trail.after":   "The attribute with the values after.",
	"trail.reason":  "The attribute with the reason.",
	"trail.about":   "By entity: which attributes of an entry name its item, as formulas on that item.",
	"trail.put":     "What every entry holds. Absent: the trail is only read.",
	"trail.read":    "Finds the entries of one item.",
	"queue.args":    "Values of the pattern's parameters.",
	"queue.read":    "A request that is written here, instead of pattern.",
	"queue.actions": "What can be done with the rows, in the order in which it is offered.",

	"param.required":     "false: the parameter may be left out.",
	"param.default":      "A literal, now, now-7d, now+1h, today or today-1d.",
	"param.default_when": "Defaults for some values of another parameter.",
	"param.attribute":    "Entity.attribute whose values it takes.",
	"param.from":         "Other attributes whose value fits, for navigation.",
	"finding.title":      "What goes wrong, in a few words that need no knowledge of DynamoDB.",
	"finding.text":       "What the document says, and why that is a defect or a danger.",
	"finding.behaviour":  "What ddbdesk does instead.",
	"finding.decides":    "The patterns that are a defect because of it.",
}
