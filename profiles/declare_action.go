package profiles

import "github.com/ddbdesk/ddbdesk/internal/placed"

// formulaDecl is a formula: text, a map of formulas, or a list of them.
type formulaDecl struct {
	form   formulaForm
	text   string
	tag    string // YAML tag of the text: !!bool, !!int, !!float or !!str
	fields placed.Ordered[formulaDecl]
	list   []formulaDecl
}

// A formulaForm is the YAML form of a formula.
type formulaForm int

const (
	noForm formulaForm = iota // absent
	textForm
	nullForm
	mapForm
	listForm
)

type actionDecl struct {
	Title string `yaml:"title"`
	// Former IDs, which ddbdesk still accepts.
	Aliases     []string `yaml:"aliases"`
	Description string   `yaml:"description"`
	// Entity of the changed item; required without a transition.
	Entity string `yaml:"entity"`
	// update changes an existing item, put creates one, delete deletes it, move also changes its primary key, repair
	// recomputes derived attributes.
	Kind string `yaml:"kind"`
	// A put replaces the item with the same key, if there is one.
	Replace bool `yaml:"replace"`
	// State transition: its name, Lifecycle.name, or Lifecycle.{input} for any documented one.
	Transition string `yaml:"transition"`
	// Values that the user enters, besides the item's key. A default with {..} is a formula.
	Inputs placed.Ordered[paramDecl] `yaml:"inputs"`
	// Named values that several formulas use.
	Let placed.Ordered[formulaDecl] `yaml:"let"`
	// Other items to read first, by the name used in formulas.
	Reads placed.Ordered[readingDecl] `yaml:"reads"`
	// Attributes and the formulas of their values. If a formula has no value, its attribute does not change.
	Set placed.Ordered[formulaDecl] `yaml:"set"`
	// Attributes to remove.
	Remove []string `yaml:"remove"`
	// Conditions that ddbdesk checks in the plan and DynamoDB checks again in the write. Each has one comparison or any.
	Require []requirementDecl `yaml:"require"`
	// Other writes in the same transaction: each has put, update, delete or check.
	Also []companionDecl `yaml:"also"`
	// Bundles whose values, reads and writes the action also uses.
	Uses []string `yaml:"uses"`
	// Map of values that the action itself sets in the audit entry, or none to write no audit entry.
	Audit formulaDecl `yaml:"audit"`
	// Whether the user must give a reason. Default: optional.
	Reason string `yaml:"reason"`
	// Reason why the action is disabled. To enable it, remove this line.
	Disabled string `yaml:"disabled"`
	// The user who plans the change cannot apply it.
	FourEyes bool `yaml:"four_eyes"`
	// Reason why the change cannot be undone, or a map of values for the undo's audit entry.
	Undo formulaDecl `yaml:"undo"`
	// Patterns that must find no other item when ddbdesk plans the action. The item fills their parameters.
	Alone []string `yaml:"alone"`
	// Steps that users must do themselves.
	Manual     []string `yaml:"manual"`
	Documented *bool    `yaml:"documented"`
	Source     []string `yaml:"source"`
	Findings   []string `yaml:"findings"`
}

// bundleDecl contains parts that several actions share.
type bundleDecl struct {
	Let   placed.Ordered[formulaDecl] `yaml:"let"`   // Named values that several formulas use.
	Reads placed.Ordered[readingDecl] `yaml:"reads"` // Other items to read first, by the name used in formulas.
	// Other writes in the same transaction: each has put, update, delete or check.
	Also []companionDecl `yaml:"also"`
}

// readingDecl is an item that an action reads first.
type readingDecl struct {
	Entity string `yaml:"entity"` // Entity of the item; by default that of the pattern.
	// A query whose first row of that entity is the item, instead of a key. Not for trails.
	Pattern string `yaml:"pattern"`
	// Parts of the key, or parameters of the pattern; a missing one uses the value of the same name.
	Key placed.Ordered[formulaDecl] `yaml:"key"`
	// The action continues if the item is missing.
	Optional bool `yaml:"optional"`
}

// companionDecl is a further write: put, update, delete or check.
type companionDecl struct {
	// Entity of a new item.
	Put string `yaml:"put"`
	// Item to update, by its name under reads.
	Update string `yaml:"update"`
	// Item to delete, by its name under reads.
	Delete string `yaml:"delete"`
	// Item that must meet the conditions in require, by its name under reads.
	Check      string                      `yaml:"check"`
	Transition string                      `yaml:"transition"` // State transition of the updated item.
	Set        placed.Ordered[formulaDecl] `yaml:"set"`        // Attributes and the formulas of their values.
	Remove     []string                    `yaml:"remove"`     // Attributes to remove.
	Require    []requirementDecl           `yaml:"require"`    // Conditions that the item must meet; not with put.
	// Name of a value; the write happens only if it is set.
	If string `yaml:"if"`
	// Name of a value; the write happens only if it is not set.
	Unless string `yaml:"unless"`
}

// requirementDecl is a condition on an attribute: exactly one comparison, or alternatives.
type requirementDecl struct {
	// Attribute path, with dots.
	Attribute string      `yaml:"attribute"`
	Equals    formulaDecl `yaml:"equals" compare:"="`   // Equal to this value.
	Differs   formulaDecl `yaml:"differs" compare:"<>"` // Not equal to this value.
	Under     formulaDecl `yaml:"under" compare:"<"`    // Less than this value.
	// At most this value.
	UpTo formulaDecl `yaml:"up_to" compare:"<="`
	Over formulaDecl `yaml:"over" compare:">"` // More than this value.
	// At least this value.
	From formulaDecl `yaml:"from" compare:">="`
	// A part of a text, or an element of a set or list.
	Contains formulaDecl `yaml:"contains" compare:"contains"`
	// Whether the attribute must exist.
	Exists *bool `yaml:"exists"`
	// Alternative requirements: at least one must be met.
	Any []requirementDecl `yaml:"any"`
	// A missing attribute also meets the requirement.
	OrMissing bool `yaml:"or_missing"`
	// Message if the requirement is not met.
	Because string `yaml:"because"`
}

type trailDecl struct {
	Title      string `yaml:"title"`
	Documented *bool  `yaml:"documented"`
	// Attribute with the user who acted.
	Who string `yaml:"who"`
	// Attribute with the action.
	What string `yaml:"what"`
	// Attribute with the time.
	When string `yaml:"when"`
	// Attribute with the values before the change.
	Before string `yaml:"before"`
	// Attribute with the values after the change.
	After string `yaml:"after"`
	// Attribute with the reason.
	Reason string `yaml:"reason"`
	// By entity: attributes of an entry that identify its item, as formulas on that item.
	About placed.Ordered[placed.Ordered[formulaDecl]] `yaml:"about"`
	// Content of every entry. Omit it if ddbdesk only reads the trail.
	Put   placed.Ordered[formulaDecl] `yaml:"put"`
	Let   placed.Ordered[formulaDecl] `yaml:"let"`   // Named values that several formulas use.
	Reads placed.Ordered[readingDecl] `yaml:"reads"` // Other items to read first, by the name used in formulas.
	// Request that finds the entries of one item.
	Read *inlineDecl `yaml:"read"`
}

// inlineDecl is the request of a trail or queue: a pattern's ID, or the fields of a request.
type inlineDecl struct {
	readDecl
	Pattern string `yaml:"pattern"` // A pattern, instead of a request defined here.
}

type queueDecl struct {
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	Documented  *bool  `yaml:"documented"`
	Pattern     string `yaml:"pattern"` // Pattern that finds the items.
	// Values of the pattern's parameters.
	Args placed.Ordered[string] `yaml:"args"`
	// A request defined here, instead of pattern.
	Read *inlineDecl `yaml:"read"`
	// Pattern parameters that the user enters, or that the previously opened item fills.
	Parameters []string `yaml:"parameters"`
	// Actions after which ddbdesk offers the queue. Their item fills the parameters.
	After []string `yaml:"after"`
	// Actions for the rows, in menu order.
	Actions []string `yaml:"actions"`
}
