// Package canary fills the sensitive attributes of sample items with recognizable values, and finds these in any
// output: unchanged, truncated, encoded or hashed. Only tests import it.
//
//	g, err := canary.Plant(profile, at)  // items whose sensitive values are markers
//	store them, drive the program, and
//	g.Watch.Find(output)                 // the markers in the output, with their form
//
// Finding no marker is evidence only if the same test finds markers when nothing is masked: see WithoutMarks.
package canary

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Marker is the value of one sensitive attribute.
type Marker struct {
	Value  string
	Where  string // entity and path of the attribute
	Secret bool   // The program never shows it, unlike other markers after a reveal.
}

// A stem is the common part of all markers of one sensitivity. Real data does not contain it, so its first letters
// identify a truncated marker.
type stem struct {
	secret  bool
	letters string // beginning of text markers
	tail    string // end of text markers
	digits  string // beginning of number markers
	hex     string // beginning of hash markers
	address string // beginning of IP address markers
}

// stems contains the stems of personal data and of secrets.
var stems = [2]stem{
	{false, "qzvxpjkwm", "wjkxqv", "739518264", "5ca1ab1ec0ffee0d", "fd5a:9c3e:71b8"},
	{true, "xkqzsvwjt", "vqzkxw", "862497153", "deadbea7fee1900d", "fd1e:84b7:d2c6"},
}

// stemOf returns the stem of markers for a sensitivity.
func stemOf(s models.Sensitivity) stem {
	if s == models.Secret {
		return stems[1]
	}
	return stems[0]
}

// maxMarkers is the number of markers that a Watch can distinguish by three digits.
const maxMarkers = 1000

// letters encodes the number of a marker as three letters.
func letters(n int) string {
	return string([]byte{'a' + byte(n/100%10), 'a' + byte(n/10%10), 'a' + byte(n%10)})
}

// word returns marker n as text.
func (s stem) word(n int) string { return s.letters + letters(n) + s.tail }

// text returns marker n as a valid value of the format.
func (s stem) text(n int, f models.Format) string {
	switch f {
	case models.Email:
		return s.word(n) + "@" + s.word(n) + ".bw"
	case models.E164:
		return "+267" + s.number(n)
	case models.IP:
		return fmt.Sprintf("%s::%03d", s.address, n)
	case models.SHA256:
		return strings.Repeat(fmt.Sprintf("%s%03d", s.hex, n), 4)[:64]
	case models.UUID, models.UUID7:
		return fmt.Sprintf("%s-%s-7%s-8%s-%s%04d", s.hex[:8], s.hex[8:12], s.hex[12:15], s.hex[:3], s.hex[:8], n)
	case models.URL:
		return "https://" + s.word(n) + ".example/" + s.word(n)
	case models.Domain:
		return s.word(n) + ".example"
	default:
		return s.word(n)
	}
}

// number returns marker n as a number: nine fixed digits and three for n. It is also a phone number without a country
// code.
func (s stem) number(n int) string { return fmt.Sprintf("%s%03d", s.digits, n) }

//go:embed awkward.yaml
var awkwardProfile []byte

// Awkward is the name of a schema that exists only for these tests.
const Awkward = "awkward"

// Names returns the names of the schemas.
func Names() []string { return append(profiles.Names(), Awkward) }

// Source returns the text of a schema.
func Source(name string) ([]byte, error) {
	if name == Awkward {
		return awkwardProfile, nil
	}
	_, text, err := profiles.ReadSource(name)
	return text, err
}

// Open loads a schema of Names. With unmasked, the schema masks nothing.
func Open(name string, unmasked bool) (*profiles.Profile, error) {
	text, err := Source(name)
	if err != nil {
		return nil, err
	}
	if unmasked {
		text = WithoutMarks(text)
	}
	return profiles.Load(name+".yaml", text, nil)
}

var sensitive = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*(sensitive|undocumented): *\S+ *(#.*)?\n`), // on its own line
	regexp.MustCompile(`\b(sensitive|undocumented): *\w+, *`),              // before other keys
	regexp.MustCompile(`, *(sensitive|undocumented): *\w+`),                // the last key
}

// WithoutMarks returns the text of a schema without its sensitive marks, so that the program does not mask anything.
func WithoutMarks(profile []byte) []byte {
	for _, r := range sensitive {
		profile = r.ReplaceAll(profile, nil)
	}
	return profile
}
