package documents

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Candidate is an entity whose key template matches. Patterns are the full IDs of the patterns
// that can run with the placeholders. Warnings name parts that do not match their documented
// format.
type Candidate struct {
	Entity       string            `json:"entity"`
	Attribute    string            `json:"attribute"`
	Template     string            `json:"template"`
	Placeholders map[string]string `json:"placeholders"`
	Patterns     []string          `json:"patterns"`
	Warnings     []string          `json:"warnings,omitempty"`
}

// Decoded is the document of decode. Why explains the closest templates when
// there is no candidate.
type Decoded struct {
	Candidates []Candidate `json:"candidates"`
	Why        []string    `json:"why"`
}

// OfDecoded returns the document of a decoded key. Secrets are masked in placeholders and
// warnings. Personal data is not, because the user gave the key that contains it.
func OfDecoded(p *profiles.Profile, d accesspatterns.Decoded) Decoded {
	masker := models.NewMasker(p.Entities, true)
	out := Decoded{Candidates: []Candidate{}, Why: []string{}}
	for _, c := range d.Candidates {
		j := Candidate{
			Entity: c.Entity.Name, Attribute: c.Attribute, Template: c.Matches[0].Template.String(),
			Placeholders: map[string]string{}, Patterns: []string{}, Warnings: c.Warnings,
		}
		for name, v := range c.Values {
			if at := c.Entity.Attribute(name); at != nil {
				v = masker.MaskText(v, at.Sensitive, at.Format)
			}
			j.Placeholders[name] = d.HideSecrets(v)
		}
		for _, r := range c.Patterns {
			if id := r.Pattern.FullID(); !slices.Contains(j.Patterns, id) {
				j.Patterns = append(j.Patterns, id)
			}
		}
		out.Candidates = append(out.Candidates, j)
	}
	for _, n := range d.Near {
		out.Why = append(out.Why, models.Printable(n.String()))
	}
	if len(out.Candidates) == 0 && len(out.Why) == 0 {
		out.Why = append(out.Why, "no key template of "+p.Name+" starts like this")
	}
	return out
}
