// This file is the shape of the file, as it is written.

package config

type fileDecl struct {
	Contexts pairs[contextDecl]     `yaml:"contexts"`
	Theme    themeDecl              `yaml:"theme"`
	Keys     pairs[pairs[[]string]] `yaml:"keys"`
	Options  optionsDecl            `yaml:"options"`
}

type contextDecl struct {
	Profile     string        `yaml:"profile"`
	Region      string        `yaml:"region"`
	EndpointURL string        `yaml:"endpoint-url"`
	Embedded    string        `yaml:"embedded"`
	Role        string        `yaml:"role"`
	Actor       string        `yaml:"actor"`
	ReadOnly    bool          `yaml:"read-only"`
	Vars        pairs[string] `yaml:"vars"`
	Environment string        `yaml:"environment"`
	Budget      string        `yaml:"budget"`
	Colour      string        `yaml:"colour"`
}

// themeDecl is also written as the name of a theme alone.
type themeDecl struct {
	Base        string
	Colours     pairs[string]
	Dark, Light pairs[string]
}

// Add is a word below theme: all but three are colours.
func (t *themeDecl) Add(key string) any {
	switch key {
	case "base":
		return &t.Base
	case "dark":
		return &t.Dark
	case "light":
		return &t.Light
	}
	return t.Colours.Add(key)
}

type optionsDecl struct {
	ASCII *bool `yaml:"ascii"`
	Mouse *bool `yaml:"mouse"`
}
