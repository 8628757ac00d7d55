package canary

import (
	_ "embed"

	"github.com/ddbdesk/ddbdesk/profiles"
)

//go:embed awkward.yaml
var awkward []byte

// Awkward is the name of the profile that exists for these tests only.
const Awkward = "awkward"

// Names lists the profiles by name.
func Names() []string { return append(profiles.Names(), Awkward) }

// Source returns the text of a profile.
func Source(name string) ([]byte, error) {
	if name == Awkward {
		return awkward, nil
	}
	_, text, err := profiles.ReadSource(name)
	return text, err
}

// Open loads a profile of Names. With blind, it masks nothing.
func Open(name string, blind bool) (*profiles.Profile, error) {
	text, err := Source(name)
	if err != nil {
		return nil, err
	}
	if blind {
		text = Blind(text)
	}
	return profiles.Load(name+".yaml", text, nil)
}
