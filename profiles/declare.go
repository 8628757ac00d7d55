package profiles

import (
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// profileDecl is a schema in its YAML form. The field comments here and in declare_action.go become the descriptions
// in the JSON Schema.
type profileDecl struct {
	// Name on the command line: ddbdesk NAME. Lowercase letters, digits and hyphens.
	Name        string `yaml:"name"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Document that this schema describes.
	Source string `yaml:"source"`
	// Values in table names: {environment}.
	Variables placed.Ordered[variableDecl] `yaml:"variables"`
	// Table of change requests: its real name, which can contain {variables}, or the ID of a table of the schema.
	Requests string `yaml:"requests"`
	// Information that users must give before ddbdesk reads anything.
	Session sessionDecl `yaml:"session"`
	// mask (default) or show: how support and agents see attributes that an entity does not declare.
	Undeclared string `yaml:"undeclared"`
	// Allowed regions, names of production, and whether raw edits are allowed.
	Guardrails guardrailDecl `yaml:"guardrails"`
	// Maps of values, for use as placeholder formats: {status:site-state}.
	Maps placed.Ordered[mapDecl] `yaml:"maps"`
	// Tables, by an ID that the schema uses.
	Tables placed.Ordered[tableDecl] `yaml:"tables"`
	// Attributes and keys that several entities share, by the name under which entities list them. At least one entity
	// must list each.
	Mixins placed.Ordered[mixinDecl] `yaml:"mixins"`
	// Kinds of items.
	Entities placed.Ordered[entityDecl] `yaml:"entities"`
	// States of an attribute and the transitions between them.
	Lifecycles placed.Ordered[lifecycleDecl] `yaml:"lifecycles"`
	// Access patterns, reads and writes, by ID.
	Patterns placed.Ordered[patternDecl] `yaml:"patterns"`
	// Named changes of one item, by ID.
	Actions placed.Ordered[actionDecl] `yaml:"actions"`
	// Values, reads and writes that several actions share. At least one action must use each bundle.
	Bundles placed.Ordered[bundleDecl] `yaml:"bundles"`
	// Audit trails, by the entity of their entries.
	Trails placed.Ordered[trailDecl] `yaml:"trails"`
	// Items that need a decision and the actions for them, by ID. Each has either pattern or read.
	Queues placed.Ordered[queueDecl] `yaml:"queues"`
	// Known schema issues, by ID.
	Findings placed.Ordered[findingDecl] `yaml:"findings"`
	// Intended warnings of schema lint, each with finding and why.
	Accept []acceptDecl `yaml:"accept"`
	// Files with more sections, relative to this file and within its folder.
	Include []string `yaml:"include"`
	// Changes to the schema, by the environment in which they apply: {staging: {tables: {orders: {ttl: null}}}}.
	Overlays placed.Ordered[overlayDecl] `yaml:"overlays"`
}

// overlayDecl changes the schema in one environment.
type overlayDecl struct{ changes *yaml.Node }

// sessionDecl lists the information that users must give before ddbdesk reads anything.
type sessionDecl struct {
	// required: users must give a reason for working with the database. Default: optional.
	Reason string `yaml:"reason"`
	// Regular expression (RE2) that a whole ticket ID must match, such as OPS-[0-9]+.
	Ticket string `yaml:"ticket"`
}

// acceptDecl silences warnings of schema lint.
type acceptDecl struct {
	// Rule of schema lint, such as index-without-tenant.
	Finding string `yaml:"finding"`
	// Part of the schema, such as entities.Order; omit it for the whole schema.
	At string `yaml:"at"`
	// Reason why the schema is correct.
	Why string `yaml:"why"`
}

// variableDecl is a value that table names can contain.
type variableDecl struct {
	Default     string `yaml:"default"` // Value if neither --var nor the context sets one.
	Description string `yaml:"description"`
}

// guardrailDecl contains the rules of the document that ddbdesk enforces.
type guardrailDecl struct {
	// Allowed regions; empty: any region.
	Regions []string `yaml:"regions"`
	// Names and AWS account numbers that count as production, besides prod, production and live.
	Production []string `yaml:"production"`
	// Retention of items, as free text.
	Retention string `yaml:"retention"`
	// no: only actions can change items. Default: yes.
	RawEdits string `yaml:"raw_edits"`
	// Other rules, as free text.
	Notes []string `yaml:"notes"`
}

// mapDecl maps values of an attribute to their spelling in keys.
type mapDecl struct {
	Documented *bool                  `yaml:"documented"`
	Values     placed.Ordered[string] `yaml:"values"` // Unique spelling in the key, by value.
}

// keyDecl is a key attribute: its name, or its name and type.
type keyDecl struct {
	Name string `yaml:"name"`
	Type string `yaml:"type"`
}

// SetScalar implements placed.Scalar.
func (k *keyDecl) SetScalar(text string) { k.Name = text }

// keysDecl is a key of one attribute, or a list of several.
type keysDecl []keyDecl

type tableDecl struct {
	// Real name, by default the ID; can contain {variables}.
	Name string `yaml:"name"`
	// Partition key: a name, or {name: n, type: N}. The default type is S.
	PartitionKey keyDecl `yaml:"partition_key"`
	// Sort key: a name, or {name: n, type: N}.
	SortKey keyDecl `yaml:"sort_key"`
	// TTL attribute of the items.
	TTL string `yaml:"ttl"`
	// TTL attribute in the document, only if it differs from ttl.
	TTLDocumented string `yaml:"ttl_documented"`
	Billing       string `yaml:"billing"` // on-demand, provisioned (table create sets 5 RCU and 5 WCU), or free text.
	// Contents of the table's stream records.
	Stream      string `yaml:"stream"`
	Description string `yaml:"description"`
	Source      string `yaml:"source"`
	// Secondary indexes by their real name.
	Indexes placed.Ordered[indexDecl] `yaml:"indexes"`
}

type indexDecl struct {
	// Purpose of the index in a few words.
	Label string `yaml:"label"`
	// Partition key as in a table, or a list of up to four.
	PartitionKey keysDecl `yaml:"partition_key"`
	// Sort key: an attribute, or a list of up to four, which sort one after the other.
	SortKey keysDecl `yaml:"sort_key"`
	// Projection of the index. Omit it if it is not documented.
	Projection string `yaml:"projection"`
	// Attributes of an INCLUDE projection.
	Include []string `yaml:"include"`
	// Local secondary index, which you create with the table. You can omit partition_key, which is that of the table.
	Local bool `yaml:"local"`
	// The index can be missing in a live table.
	Optional    bool   `yaml:"optional"`
	Description string `yaml:"description"`
	Source      string `yaml:"source"`
}

type entityDecl struct {
	Title string `yaml:"title"`
	Table string `yaml:"table"`
	// Template for each key attribute of the table and of each index that contains the entity: text, or a mapping with
	// template, when (the condition of an index key) and digest (md5, sha1 or sha256 of the text).
	Keys placed.Ordered[keyTemplateDecl] `yaml:"keys"`
	// Further conditions that identify the entity if entities share key templates.
	When whenDecl `yaml:"when"`
	// Service that owns the items; ddbdesk never changes them.
	Owner string `yaml:"owner"`
	// The entity's attributes are not documented; ddbdesk masks undeclared attributes for every role.
	Undocumented bool `yaml:"undocumented"`
	// mask or show: how support and agents see undeclared attributes. Default: that of the schema.
	Undeclared string `yaml:"undeclared"`
	// Entity that the items belong to.
	Parent string `yaml:"parent"`
	// false: two items with the same time can share a key.
	Unique *bool `yaml:"unique"`
	// Number that every change increments. With the overwritten values, it detects concurrent changes.
	Version string `yaml:"version"`
	// Time that every change sets to now; ddbdesk uses it like version.
	Updated     string                        `yaml:"updated"`
	Description string                        `yaml:"description"`
	Source      string                        `yaml:"source"`
	Attributes  placed.Ordered[attributeDecl] `yaml:"attributes"` // Attributes by name.
	// Template that names an item in headers and lists: "{name} ({country})". By default, or if an attribute is
	// missing, the item's ID.
	ItemTitle string `yaml:"item_title"`
	// Mixins whose attributes and keys the entity also has.
	Mixins []string `yaml:"mixins"`
	// Order of columns in a grid; by default, required attributes come first.
	Columns []string `yaml:"columns"`
	// Attribute groups of the overview; other attributes come last.
	Groups   placed.Ordered[[]string] `yaml:"groups"`
	Findings []string                 `yaml:"findings"`
	// Number and values of sample items.
	Sample sampleDecl `yaml:"sample"`
}

// mixinDecl is a group of attributes and keys that several entities share.
type mixinDecl struct {
	Keys       placed.Ordered[keyTemplateDecl] `yaml:"keys"`       // Key templates by attribute.
	Attributes placed.Ordered[attributeDecl]   `yaml:"attributes"` // Attributes by name.
}

// keyTemplateDecl is the template of a key attribute.
type keyTemplateDecl struct {
	Template string `yaml:"template"`
	// When an item has the index key: values of attributes, and attributes that it has or lacks: {status: [open],
	// lacks: [deletedAt]}.
	When placed.Ordered[[]string] `yaml:"when"`
	// The key is the digest of the text: md5, sha1 or sha256. Use it as a last resort: ddbdesk can build and compare
	// such a key, but not read it.
	Digest string `yaml:"digest"`
}

// SetScalar implements placed.Scalar.
func (k *keyTemplateDecl) SetScalar(text string) { k.Template = text }

type whenDecl struct {
	// Attributes that the item has.
	Has []string `yaml:"has"`
	// Attributes that the item does not have.
	Lacks []string `yaml:"lacks"`
	// Values that the item has, by attribute: {_type: User}. New items get them.
	Equals placed.Ordered[[]string] `yaml:"equals"`
}

type attributeDecl struct {
	// Display name, such as Submitted for submittedAt.
	Title string `yaml:"title"`
	Type  string `yaml:"type"` // DynamoDB type.
	// Type of the list elements.
	Items string `yaml:"items"`
	// Every item has the attribute.
	Required bool `yaml:"required"`
	// Format, a layout of times such as %Y-%m-%d %H:%M, or 9999999999 - epoch-seconds.
	Format string `yaml:"format"`
	// Prefix of its values; ddbdesk warns about others.
	Prefix string `yaml:"prefix"`
	// Documented values.
	Enum []string `yaml:"enum"`
	// Values other than those in enum are possible.
	Open bool `yaml:"open"`
	// Display labels, by value: {0: Open, 1: Closed}; JSON, CSV and parameters keep the value. Without enum,
	// the labeled values are the documented ones.
	Labels placed.Ordered[string] `yaml:"labels"`
	// ddbdesk masks pii until a user reveals it, and never shows secret.
	Sensitive   string `yaml:"sensitive"`
	Description string `yaml:"description"`
	Documented  *bool  `yaml:"documented"`
	// The attribute exists only inside a key.
	KeyOnly bool `yaml:"key_only"`
	// Entity.attribute that the value refers to.
	Refers string `yaml:"refers"`
	// Attribute with the same time; changes set or remove both together.
	Equals string `yaml:"equals"`
	// The attribute changes often; ddbdesk does not compare it before a delete or an undo.
	Volatile bool `yaml:"volatile"`
	// The map has undeclared fields, which ddbdesk masks.
	Undocumented bool                          `yaml:"undocumented"`
	Source       string                        `yaml:"source"`
	Attributes   placed.Ordered[attributeDecl] `yaml:"attributes"` // Nested attributes of a map, or of the maps in a list.
	// Values for sample data.
	Examples []string `yaml:"examples"`
}

type sampleDecl struct {
	Count int    `yaml:"count"` // Number of items, for each item of per.
	Per   string `yaml:"per"`   // Entity that the items belong to.
	// State of the parent item, named by per, while its items are created.
	During string                              `yaml:"during"`
	Of     placed.Ordered[placed.Ordered[int]] `yaml:"of"` // Values of attributes with their weights.
	// Sets of values that occur together. An optional attribute is missing unless the selected set contains it. In an
	// audit trail, the entries of an action get the reason from the set with the action.
	Together []togetherDecl `yaml:"together"`
	// Formulas of values that depend on others.
	Computed placed.Ordered[string] `yaml:"computed"`
}

type togetherDecl struct {
	// How often the set occurs, relative to the others. Default: 1.
	Weight int `yaml:"weight"`
	// Values of attributes. One value is selected from each list.
	Values placed.Ordered[[]string] `yaml:"values"`
}

type lifecycleDecl struct {
	Entity      string `yaml:"entity"`    // Entity of the attribute.
	Attribute   string `yaml:"attribute"` // Attribute with the state.
	Documented  *bool  `yaml:"documented"`
	Description string `yaml:"description"`
	Source      string `yaml:"source"`
	// States, by attribute value.
	States placed.Ordered[stateDecl] `yaml:"states"`
	// Allowed transitions between states.
	Transitions []transitionDecl `yaml:"transitions"`
}

type stateDecl struct {
	// open (default): work remains; good, bad and final (neither): it has ended.
	Kind  string `yaml:"kind"`
	Label string `yaml:"label"` // Display label.
	// Whether new items can start in this state.
	Initial     bool   `yaml:"initial"`
	Description string `yaml:"description"`
	Documented  *bool  `yaml:"documented"`
	// Attributes to set when an item enters the state; formulas can use only built-in values.
	Set placed.Ordered[formulaDecl] `yaml:"set"`
}

type transitionDecl struct {
	Name string   `yaml:"name"` // Name that actions use.
	From []string `yaml:"from"` // States in which it can start.
	To   string   `yaml:"to"`   // State in which it ends.
	// User or service that makes the transition.
	Actor      string `yaml:"actor"`
	Documented *bool  `yaml:"documented"`
	Source     string `yaml:"source"`
}

// requestDecl is a DynamoDB request, without its pages.
type requestDecl struct {
	Operation string `yaml:"operation"` // DynamoDB operation; write only in patterns.
	// Index to query; omit it to query the table.
	Index string `yaml:"index"`
	// Conditions on the key attributes of the table or index: a template, or a mapping with range (and from, to),
	// begins_with, equals (and digest), between, lt, lte, gt or gte.
	Key placed.Ordered[conditionDecl] `yaml:"key"`
	// Conditions that DynamoDB applies after a query or scan, each with one comparison, a range or any; ddbdesk omits one
	// whose parameter has no value.
	Filter []filterDecl `yaml:"filter"`
	// Sort key order, ascending by default; descending shows the newest first.
	Order string `yaml:"order"`
	// Strongly consistent read, at twice the cost. Not possible on a global index; get is always consistent.
	Consistent bool `yaml:"consistent"`
	// Attributes to read instead of whole items. ddbdesk always reads keys and the attributes that distinguish entities.
	Projection []string `yaml:"projection"`
}

// readDecl contains the fields that patterns and the reads of trails and queues share.
type readDecl struct {
	requestDecl
	// By default, the table of the first returned entity.
	Table string `yaml:"table"`
	// One query per partition, merged by sort key: exactly one of days, hours and values.
	FanOut *fanOutDecl `yaml:"fan_out"`
	// Other requests if certain parameters have a value. They do not inherit index, key and filter. By default, operation,
	// order and projection are those of the pattern. A variant cannot write.
	Variants []variantDecl `yaml:"variants"`
	// Returned entities.
	Returns []string `yaml:"returns"`
	// The sort order in words.
	OrderNote string `yaml:"order_note"`
	// Default number of rows per page; "{limit}" uses a parameter.
	Limit string `yaml:"limit"`
	// Only settings that placeholders and their attributes do not define.
	Parameters placed.Ordered[paramDecl] `yaml:"parameters"`
	// Text: the request that ddbdesk runs instead, and why.
	Safe   string   `yaml:"safe"`
	Source []string `yaml:"source"`
}

type patternDecl struct {
	readDecl
	Title string `yaml:"title"`
	// Heading in the list of patterns; by default the first entity of returns.
	Group string `yaml:"group"`
	// Number of matches after which the read stops.
	StopAfter int `yaml:"stop_after"`
	// Expected number of rows, many by default. ddbdesk warns if a pattern with "one" finds more.
	Expect     string `yaml:"expect"`
	Documented *bool  `yaml:"documented"`
	// The documented request if it differs: its operation, index, key, filter, order, consistent, projection, limit.
	AsDocumented *documentedDecl `yaml:"as_documented"`
	Findings     []string        `yaml:"findings"`
	// DynamoDB operation of a documented write.
	Writes string `yaml:"writes"`
	// Attributes that the documented update sets.
	Set []string `yaml:"set"`
	// Condition of the documented write.
	Condition string `yaml:"condition"`
}

// conditionDecl is a template, or one of the forms of a sort key condition.
type conditionDecl struct {
	Text string `compare:"matches"`
	// Exact match, never a prefix.
	Equals string `yaml:"equals" compare:"="`
	// Prefix; cut before the first placeholder without a value.
	BeginsWith string `yaml:"begins_with" compare:"begins_with"`
	// Key template placeholder that the range applies to; both ends are included.
	Range string `yaml:"range"`
	From  string `yaml:"from"`
	To    string `yaml:"to"`
	// The whole key is less than this.
	Less string `yaml:"lt" compare:"<"`
	// The whole key is at most this.
	AtMost string `yaml:"lte" compare:"<="`
	// The whole key is more than this.
	Greater string `yaml:"gt" compare:">"`
	// The whole key is at least this.
	AtLeast string `yaml:"gte" compare:">="`
	// The whole key is between these two, both included.
	Between []string `yaml:"between"`
	// The key is the digest of equals: md5, sha1 or sha256, as in the entity's key.
	Digest string `yaml:"digest"`
}

// SetScalar implements placed.Scalar.
func (c *conditionDecl) SetScalar(text string) { c.Text = text }

// comparisonDecl is one comparison, or both ends of a range.
type comparisonDecl struct {
	Equals string `yaml:"equals" compare:"="` // Equal to this value.
	// Not equal to this value, or the item lacks the attribute.
	Differs string `yaml:"differs" compare:"<>"`
	// Less than this value.
	Less string `yaml:"lt" compare:"<"`
	// At most this value.
	AtMost string `yaml:"lte" compare:"<="`
	// More than this value.
	Greater string `yaml:"gt" compare:">"`
	// At least this value.
	AtLeast string `yaml:"gte" compare:">="`
	// Start of a range, included; one end can be omitted.
	From string `yaml:"from"`
	// End of a range, included.
	To string `yaml:"to"`
}

type filterDecl struct {
	comparisonDecl
	// Attribute path, with dots.
	Attribute  string `yaml:"attribute"`
	BeginsWith string `yaml:"begins_with"` // A prefix.
	// A part of a text, or an element of a set or list.
	Contains string   `yaml:"contains"`
	In       []string `yaml:"in"`     // One of these values.
	Exists   *bool    `yaml:"exists"` // Whether the item has the attribute.
	// A text's length or number of elements: equals, differs, lt, lte, gt, gte, or from and to.
	Size *comparisonDecl `yaml:"size"`
	// Alternative conditions: at least one must hold.
	Any []filterDecl `yaml:"any"`
}

type fanOutDecl struct {
	Placeholder string `yaml:"placeholder"` // Key placeholder that differs between the partitions.
	// Each UTC day between two times. If a partition is a week, month or year, ddbdesk reads it once for all its days.
	Days *spanDecl `yaml:"days"`
	// Each UTC hour between two times.
	Hours *spanDecl `yaml:"hours"`
	// A list of values, which can contain {variables}; enum: all values of the attribute; shards: all shards of the
	// placeholder; or whole numbers: {from: 0, to: 9}.
	Values valuesDecl `yaml:"values"`
	// Maximum for days and hours, 400 by default.
	Max int `yaml:"max"`
}

// valuesDecl is a list of values, or a range of whole numbers.
type valuesDecl struct {
	list []string
	span *numbersDecl
}

// numbersDecl is a range of whole numbers, which can contain {variables}.
type numbersDecl struct {
	// First number, 0 by default. ddbdesk keeps leading zeros: 00, 01, 02.
	From string `yaml:"from"`
	// Last number, included.
	To string `yaml:"to"`
	// Number of values, instead of to.
	Count string `yaml:"count"`
}

// spanDecl is a range of times, as templates.
type spanDecl struct {
	From string `yaml:"from"` // Start.
	To   string `yaml:"to"`   // End, included.
}

// variantDecl is an alternative request of a pattern.
type variantDecl struct {
	requestDecl
	// Parameters that must have a value.
	When   []string    `yaml:"when"`
	FanOut *fanOutDecl `yaml:"fan_out"` // One query per partition, merged by sort key: exactly one of days, hours and values.
}

// documentedDecl is the request in the document, if it differs from the request that ddbdesk sends.
type documentedDecl struct {
	requestDecl
	Limit int `yaml:"limit"` // Rows per page.
}

type paramDecl struct {
	Type string `yaml:"type"` // Type of the field; by default that of the attribute.
	// false: the parameter is optional. A parameter with a default, or only in optional key parts, is always optional.
	Required *bool `yaml:"required"`
	// A literal, now, now-7d, now+1h, today or today-1d.
	Default string `yaml:"default"`
	// List of defaults for certain values of another parameter.
	DefaultWhen []defaultDecl `yaml:"default_when"`
	Enum        []string      `yaml:"enum"` // Values, by default those of the attribute.
	// Display labels, by value. By default those of the attribute.
	Labels    placed.Ordered[string] `yaml:"labels"`
	Format    string                 `yaml:"format"`    // Format or layout, by default that of the attribute.
	Sensitive string                 `yaml:"sensitive"` // Sensitivity, by default that of the attribute.
	// Smallest accepted number or earliest accepted time, such as 0, today or now-7d.
	Minimum string `yaml:"minimum"`
	// Largest accepted number or latest accepted time.
	Maximum string `yaml:"maximum"`
	// Entity.attribute that defines its values.
	Attribute string `yaml:"attribute"`
	// Paths of other attributes with suitable values, for navigation.
	From []string `yaml:"from"`
	// Only in the key of a pattern: several values, separated by commas. A get reads their items together, a query one
	// partition for each.
	List        bool   `yaml:"list"`
	Description string `yaml:"description"`
}

// defaultDecl is a default for certain values of another parameter.
type defaultDecl struct {
	If    placed.Ordered[[]string] `yaml:"if"`    // The other parameter with its values, such as {status: [open]}.
	Value string                   `yaml:"value"` // The default for them.
}

type findingDecl struct {
	Kind string `yaml:"kind"` // Kind of problem.
	// Lint rules that report the problem; see ddbdesk schema lint -o json.
	Rules []string `yaml:"rules"`
	// The problem in a few words without DynamoDB terms; by default the first sentence of text.
	Title string `yaml:"title"`
	// The documented statement, and why it is a problem or a risk.
	Text string `yaml:"text"`
	// ddbdesk's workaround.
	Workaround string   `yaml:"behaviour"`
	Source     string   `yaml:"source"`
	Patterns   []string `yaml:"patterns"` // Patterns that the finding concerns.
	Entities   []string `yaml:"entities"` // Entities that the finding concerns.
	Tables     []string `yaml:"tables"`   // Tables that the finding concerns.
	// Patterns that do not work because of the finding.
	Decides []string `yaml:"decides"`
}
