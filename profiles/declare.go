package profiles

import "github.com/ddbdesk/ddbdesk/internal/placed"

type profileDecl struct {
	Name        string                       `yaml:"name"`
	Title       string                       `yaml:"title"`
	Description string                       `yaml:"description"`
	Source      string                       `yaml:"source"`
	Variables   placed.Ordered[variableDecl] `yaml:"variables"`
	Guardrails  guardrailDecl                `yaml:"guardrails"`
	Maps        placed.Ordered[mapDecl]      `yaml:"maps"`
	Tables      placed.Ordered[tableDecl]    `yaml:"tables"`
	Entities    placed.Ordered[entityDecl]   `yaml:"entities"`
	Lifecycles  placed.Ordered[lifeDecl]     `yaml:"lifecycles"`
	Patterns    placed.Ordered[patternDecl]  `yaml:"patterns"`
	Actions     placed.Ordered[actionDecl]   `yaml:"actions"`
	Bundles     placed.Ordered[bundleDecl]   `yaml:"bundles"`
	Trails      placed.Ordered[trailDecl]    `yaml:"trails"`
	Queues      placed.Ordered[queueDecl]    `yaml:"queues"`
	Findings    placed.Ordered[findingDecl]  `yaml:"findings"`
}

type variableDecl struct {
	Default     string `yaml:"default"`
	Description string `yaml:"description"`
}

type guardrailDecl struct {
	Regions    []string `yaml:"regions"`
	Production []string `yaml:"production"`
	Retention  string   `yaml:"retention"`
	Notes      []string `yaml:"notes"`
}

type mapDecl struct {
	Documented *bool                  `yaml:"documented"`
	Values     placed.Ordered[string] `yaml:"values"`
}

type keyDecl struct {
	Name string `yaml:"name"`
	Type string `yaml:"type"`
}

// SetScalar implements placed.Scalar.
func (k *keyDecl) SetScalar(text string) { k.Name = text }

type tableDecl struct {
	Name          string                    `yaml:"name"`
	PartitionKey  keyDecl                   `yaml:"partition_key"`
	SortKey       keyDecl                   `yaml:"sort_key"`
	TTL           string                    `yaml:"ttl"`
	TTLDocumented string                    `yaml:"ttl_documented"`
	Billing       string                    `yaml:"billing"`
	Description   string                    `yaml:"description"`
	Source        string                    `yaml:"source"`
	Indexes       placed.Ordered[indexDecl] `yaml:"indexes"`
}

type indexDecl struct {
	Label        string   `yaml:"label"`
	PartitionKey keyDecl  `yaml:"partition_key"`
	SortKey      keyDecl  `yaml:"sort_key"`
	Projection   string   `yaml:"projection"`
	Include      []string `yaml:"include"`
	Optional     bool     `yaml:"optional"`
	Description  string   `yaml:"description"`
	Source       string   `yaml:"source"`
}

type entityDecl struct {
	Title        string                        `yaml:"title"`
	Table        string                        `yaml:"table"`
	Keys         placed.Ordered[string]        `yaml:"keys"`
	When         whenDecl                      `yaml:"when"`
	Owner        string                        `yaml:"owner"`
	Undocumented bool                          `yaml:"undocumented"`
	Parent       string                        `yaml:"parent"`
	Unique       *bool                         `yaml:"unique"`
	Version      string                        `yaml:"version"`
	Updated      string                        `yaml:"updated"`
	Description  string                        `yaml:"description"`
	Source       string                        `yaml:"source"`
	Attributes   placed.Ordered[attributeDecl] `yaml:"attributes"`
	Columns      []string                      `yaml:"columns"`
	Groups       placed.Ordered[[]string]      `yaml:"groups"`
	Findings     []string                      `yaml:"findings"`
	Sample       sampleDecl                    `yaml:"sample"`
}

type whenDecl struct {
	Has   []string `yaml:"has"`
	Lacks []string `yaml:"lacks"`
}

type attributeDecl struct {
	Type         string                        `yaml:"type"`
	Items        string                        `yaml:"items"`
	Required     bool                          `yaml:"required"`
	Format       string                        `yaml:"format"`
	Prefix       string                        `yaml:"prefix"`
	Enum         []string                      `yaml:"enum"`
	Open         bool                          `yaml:"open"`
	Sensitive    string                        `yaml:"sensitive"`
	Description  string                        `yaml:"description"`
	Documented   *bool                         `yaml:"documented"`
	KeyOnly      bool                          `yaml:"key_only"`
	Refers       string                        `yaml:"refers"`
	Equals       string                        `yaml:"equals"`
	Volatile     bool                          `yaml:"volatile"`
	Undocumented bool                          `yaml:"undocumented"`
	Source       string                        `yaml:"source"`
	Attributes   placed.Ordered[attributeDecl] `yaml:"attributes"`
	Examples     []string                      `yaml:"examples"`
}

type sampleDecl struct {
	Count int                                 `yaml:"count"`
	Per   string                              `yaml:"per"`
	Of    placed.Ordered[placed.Ordered[int]] `yaml:"of"`
}

type lifeDecl struct {
	Entity      string                    `yaml:"entity"`
	Attribute   string                    `yaml:"attribute"`
	Documented  *bool                     `yaml:"documented"`
	Description string                    `yaml:"description"`
	Source      string                    `yaml:"source"`
	States      placed.Ordered[stateDecl] `yaml:"states"`
	Transitions []transitionDecl          `yaml:"transitions"`
}

type stateDecl struct {
	Kind        string                      `yaml:"kind"`
	Label       string                      `yaml:"label"`
	Initial     bool                        `yaml:"initial"`
	Description string                      `yaml:"description"`
	Documented  *bool                       `yaml:"documented"`
	Set         placed.Ordered[formulaDecl] `yaml:"set"`
}

type transitionDecl struct {
	Name       string   `yaml:"name"`
	From       []string `yaml:"from"`
	To         string   `yaml:"to"`
	Actor      string   `yaml:"actor"`
	Documented *bool    `yaml:"documented"`
	Source     string   `yaml:"source"`
}

// requestDecl is what is sent to DynamoDB, without its pages.
type requestDecl struct {
	Operation string                        `yaml:"operation"`
	Index     string                        `yaml:"index"`
	Key       placed.Ordered[conditionDecl] `yaml:"key"`
	Filter    []filterDecl                  `yaml:"filter"`
	Order     string                        `yaml:"order"`
}

// readDecl is what patterns and the reads of trails and queues have in common.
type readDecl struct {
	requestDecl
	Table      string                    `yaml:"table"`
	FanOut     *fanOutDecl               `yaml:"fan_out"`
	Variants   []variantDecl             `yaml:"variants"`
	Returns    []string                  `yaml:"returns"`
	OrderNote  string                    `yaml:"order_note"`
	Limit      string                    `yaml:"limit"`
	Parameters placed.Ordered[paramDecl] `yaml:"parameters"`
	Safe       string                    `yaml:"safe"`
	Source     []string                  `yaml:"source"`
}

type patternDecl struct {
	readDecl
	Title        string          `yaml:"title"`
	Group        string          `yaml:"group"`
	StopAfter    int             `yaml:"stop_after"`
	Expect       string          `yaml:"expect"`
	Documented   *bool           `yaml:"documented"`
	AsDocumented *documentedDecl `yaml:"as_documented"`
	Findings     []string        `yaml:"findings"`
	Writes       string          `yaml:"writes"`
	Set          []string        `yaml:"set"`
	Condition    string          `yaml:"condition"`
}

// conditionDecl is a template, or one of the forms of a sort key condition.
type conditionDecl struct {
	text       string
	Equals     string   `yaml:"equals"`
	BeginsWith string   `yaml:"begins_with"`
	On         string   `yaml:"on"`
	From       string   `yaml:"from"`
	To         string   `yaml:"to"`
	Less       string   `yaml:"lt"`
	AtMost     string   `yaml:"lte"`
	Greater    string   `yaml:"gt"`
	AtLeast    string   `yaml:"gte"`
	Between    []string `yaml:"between"`
}

// SetScalar implements placed.Scalar.
func (c *conditionDecl) SetScalar(text string) { c.text = text }

type filterDecl struct {
	Attribute  string   `yaml:"attribute"`
	Equals     string   `yaml:"equals"`
	BeginsWith string   `yaml:"begins_with"`
	In         []string `yaml:"in"`
	From       string   `yaml:"from"`
	To         string   `yaml:"to"`
	Exists     *bool    `yaml:"exists"`
}

type fanOutDecl struct {
	Placeholder string    `yaml:"placeholder"`
	Days        *spanDecl `yaml:"days"`
	Values      []string  `yaml:"values"`
	Max         int       `yaml:"max"`
}

type spanDecl struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

type variantDecl struct {
	requestDecl
	When   []string    `yaml:"when"`
	FanOut *fanOutDecl `yaml:"fan_out"`
}

type documentedDecl struct {
	requestDecl
	Limit int `yaml:"limit"`
}

type paramDecl struct {
	Type        string        `yaml:"type"`
	Required    *bool         `yaml:"required"`
	Default     string        `yaml:"default"`
	DefaultWhen []defaultDecl `yaml:"default_when"`
	Enum        []string      `yaml:"enum"`
	Format      string        `yaml:"format"`
	Sensitive   string        `yaml:"sensitive"`
	Attribute   string        `yaml:"attribute"`
	From        []string      `yaml:"from"`
	Description string        `yaml:"description"`
}

type defaultDecl struct {
	If    placed.Ordered[[]string] `yaml:"if"`
	Value string                   `yaml:"value"`
}

type findingDecl struct {
	Kind       string   `yaml:"kind"`
	Rules      []string `yaml:"rules"`
	Title      string   `yaml:"title"`
	Text       string   `yaml:"text"`
	Workaround string   `yaml:"behaviour"`
	Source     string   `yaml:"source"`
	Patterns   []string `yaml:"patterns"`
	Entities   []string `yaml:"entities"`
	Tables     []string `yaml:"tables"`
	Decides    []string `yaml:"decides"`
}
