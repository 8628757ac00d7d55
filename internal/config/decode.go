package config

import (
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// fileDecl is the file as it is written.
type fileDecl struct {
	Format   int                                      `yaml:"format"`
	Contexts placed.Ordered[contextDecl]              `yaml:"contexts"`
	Theme    themeDecl                                `yaml:"theme"`
	Keys     placed.Ordered[placed.Ordered[[]string]] `yaml:"keys"`
	Options  optionsDecl                              `yaml:"options"`
	Find     []string                                 `yaml:"find"`
	Profiles []string                                 `yaml:"profiles"`
	Journal  journalDecl                              `yaml:"journal"`
}

type contextDecl struct {
	Profile     string                 `yaml:"profile"`
	Region      string                 `yaml:"region"`
	EndpointURL string                 `yaml:"endpoint-url"`
	Embedded    string                 `yaml:"embedded"`
	FromExport  string                 `yaml:"from-export"`
	Role        string                 `yaml:"role"`
	Actor       string                 `yaml:"actor"`
	ReadOnly    bool                   `yaml:"read-only"`
	Vars        placed.Ordered[string] `yaml:"vars"`
	Environment string                 `yaml:"environment"`
	Production  *bool                  `yaml:"production"`
	Accounts    []string               `yaml:"production-accounts"`
	RawEdits    string                 `yaml:"raw-edits"`
	Budget      string                 `yaml:"budget"`
	Color       string                 `yaml:"color"`
	Requests    requestsDecl           `yaml:"requests"`
	Session     sessionDecl            `yaml:"session"`
	Journal     struct {
		Reads *bool `yaml:"reads"`
	} `yaml:"journal"`
}

// sessionDecl is what must be given before anything is read.
type sessionDecl struct {
	Reason string `yaml:"reason"`
	Ticket string `yaml:"ticket"`
}

// requestsDecl says where changes are requested.
type requestsDecl struct {
	Table   string     `yaml:"table"`
	Expires string     `yaml:"expires"`
	Notify  notifyDecl `yaml:"notify"`
}

// notifyDecl says where requests and decisions are announced.
type notifyDecl struct {
	URL string `yaml:"url"`
}

// themeDecl is a mapping, or only the name of a theme.
type themeDecl struct {
	Base        string
	Background  string
	Colors      placed.Ordered[string]
	Dark, Light placed.Ordered[string]
}

// Add implements placed.Mapping. All other keys of a theme are colors.
func (t *themeDecl) Add(key string) any {
	switch key {
	case "base":
		return &t.Base
	case "background":
		return &t.Background
	case "dark":
		return &t.Dark
	case "light":
		return &t.Light
	}
	return t.Colors.Add(key)
}

// Decode implements placed.Former.
func (t *themeDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		t.Base = n.Value
		s.Mark(placed.Join(path, "base"), n)
		return
	}
	s.Pairs(n, t, path)
}

type optionsDecl struct {
	ASCII *bool `yaml:"ascii"`
	Mouse *bool `yaml:"mouse"`
	// Read units of the largest table that a search scans without consent.
	ScanLimit *int `yaml:"scan-limit"`
	// Zone of the times on the screens: local, UTC, or a name such as Africa/Gaborone.
	TimeZone string `yaml:"time-zone"`
}

// maxParts is how many nodes a file may have after its aliases are expanded.
const maxParts = 20_000

// A reader holds the positions of the parts of a file, and its faults.
type reader struct {
	placed.Source
	faults []placed.Fault
}

func parse(text []byte, decl any) *reader {
	r := &reader{}
	r.Source = placed.Source{Report: func(f placed.Fault) { r.faults = append(r.faults, f) }, What: "file", MaxParts: maxParts}
	r.Load(text, decl)
	return r
}
