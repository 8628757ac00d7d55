package profiles

import "github.com/ddbdesk/ddbdesk/internal/placed"

// formulaDecl is a formula: text, a map of formulas, or a list of them.
type formulaDecl struct {
	form   formulaForm
	text   string
	fields placed.Ordered[formulaDecl]
	list   []formulaDecl
}

type formulaForm int

const (
	noForm formulaForm = iota // not written at all
	textForm
	nullForm
	mapForm
	listForm
)

type actionDecl struct {
	Title       string                      `yaml:"title"`
	Description string                      `yaml:"description"`
	Entity      string                      `yaml:"entity"`
	Kind        string                      `yaml:"kind"`
	Transition  string                      `yaml:"transition"`
	Inputs      placed.Ordered[paramDecl]   `yaml:"inputs"`
	Let         placed.Ordered[formulaDecl] `yaml:"let"`
	Reads       placed.Ordered[readingDecl] `yaml:"reads"`
	Set         placed.Ordered[formulaDecl] `yaml:"set"`
	Remove      []string                    `yaml:"remove"`
	Require     []requirementDecl           `yaml:"require"`
	Also        []companionDecl             `yaml:"also"`
	Uses        []string                    `yaml:"uses"`
	Audit       formulaDecl                 `yaml:"audit"`
	Reason      string                      `yaml:"reason"`
	Off         string                      `yaml:"off"`
	FourEyes    bool                        `yaml:"four_eyes"`
	Undo        formulaDecl                 `yaml:"undo"`
	Manual      []string                    `yaml:"manual"`
	Documented  *bool                       `yaml:"documented"`
	Source      []string                    `yaml:"source"`
	Findings    []string                    `yaml:"findings"`
}

type bundleDecl struct {
	Let   placed.Ordered[formulaDecl] `yaml:"let"`
	Reads placed.Ordered[readingDecl] `yaml:"reads"`
	Also  []companionDecl             `yaml:"also"`
}

type readingDecl struct {
	Entity   string                      `yaml:"entity"`
	Key      placed.Ordered[formulaDecl] `yaml:"key"`
	Optional bool                        `yaml:"optional"`
}

// companionDecl is a further write: put, update, delete or check.
type companionDecl struct {
	Put        string                      `yaml:"put"`
	Update     string                      `yaml:"update"`
	Delete     string                      `yaml:"delete"`
	Check      string                      `yaml:"check"`
	Transition string                      `yaml:"transition"`
	Set        placed.Ordered[formulaDecl] `yaml:"set"`
	Remove     []string                    `yaml:"remove"`
	Require    []requirementDecl           `yaml:"require"`
	If         string                      `yaml:"if"`
	Unless     string                      `yaml:"unless"`
}

type requirementDecl struct {
	Attribute string      `yaml:"attribute"`
	Equals    formulaDecl `yaml:"equals"`
	Differs   formulaDecl `yaml:"differs"`
	Under     formulaDecl `yaml:"under"`
	UpTo      formulaDecl `yaml:"up_to"`
	Over      formulaDecl `yaml:"over"`
	From      formulaDecl `yaml:"from"`
	Exists    *bool       `yaml:"exists"`
	OrMissing bool        `yaml:"or_missing"`
	Because   string      `yaml:"because"`
}

type trailDecl struct {
	Title      string                                      `yaml:"title"`
	Documented *bool                                       `yaml:"documented"`
	Who        string                                      `yaml:"who"`
	What       string                                      `yaml:"what"`
	When       string                                      `yaml:"when"`
	Before     string                                      `yaml:"before"`
	After      string                                      `yaml:"after"`
	Reason     string                                      `yaml:"reason"`
	About      placed.Ordered[placed.Ordered[formulaDecl]] `yaml:"about"`
	Put        placed.Ordered[formulaDecl]                 `yaml:"put"`
	Let        placed.Ordered[formulaDecl]                 `yaml:"let"`
	Reads      placed.Ordered[readingDecl]                 `yaml:"reads"`
	Read       *inlineDecl                                 `yaml:"read"`
}

// inlineDecl is the request of a trail or queue: the ID of a pattern, or the
// fields of one.
type inlineDecl struct {
	readDecl
	Pattern string `yaml:"pattern"`
}

type queueDecl struct {
	Title       string                 `yaml:"title"`
	Description string                 `yaml:"description"`
	Documented  *bool                  `yaml:"documented"`
	Pattern     string                 `yaml:"pattern"`
	Args        placed.Ordered[string] `yaml:"args"`
	Read        *inlineDecl            `yaml:"read"`
	Actions     []string               `yaml:"actions"`
}
