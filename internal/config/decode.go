package config

import (
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// fileDecl is the content of the configuration file.
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

// contextDecl adds the keys whose form differs from that of the fields of a context.
type contextDecl struct {
	Context
	Vars     placed.Ordered[string] `yaml:"vars"`
	Requests struct {
		Requests
		Expires string `yaml:"expires"`
		Notify  struct {
			URL string `yaml:"url"`
		} `yaml:"notify"`
	} `yaml:"requests"`
	Session struct {
		SessionRules
		Reason string `yaml:"reason"`
	} `yaml:"session"`
	Journal struct {
		Reads *bool `yaml:"reads"`
	} `yaml:"journal"`
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

// Decode implements placed.FormDecoder.
func (t *themeDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	if n.Kind == yaml.ScalarNode {
		t.Base = n.Value
		s.SetPosition(placed.Join(path, "base"), n)
		return
	}
	s.Pairs(n, t, path)
}

type optionsDecl struct {
	Options
	TimeZone string `yaml:"time-zone"` // local, UTC, or a name such as Africa/Gaborone
}

// maxParts is the maximum number of nodes in a file after its aliases are expanded.
const maxParts = 20_000

// A reader collects the positions of a file's parts and its faults.
type reader struct {
	placed.Source
	faults []placed.Fault
}

func parse(text []byte, decl any) *reader {
	r := &reader{}
	r.Source = placed.Source{Report: func(f placed.Fault) { r.faults = append(r.faults, f) }, Subject: "file", MaxParts: maxParts}
	r.Load(text, decl)
	return r
}
