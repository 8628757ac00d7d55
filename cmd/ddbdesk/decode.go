package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// candidateJSON is an entity whose key template matches. Placeholders with personal data
// are masked; Patterns are the IDs of the patterns that can run with them.
type candidateJSON struct {
	Entity       string            `json:"entity"`
	Attribute    string            `json:"attribute"`
	Template     string            `json:"template"`
	Placeholders map[string]string `json:"placeholders"`
	Patterns     []string          `json:"patterns"`
	Warnings     []string          `json:"warnings,omitempty"`
}

// decodedJSON is the document of decode. Why explains the closest templates when
// there is no candidate.
type decodedJSON struct {
	Candidates []candidateJSON `json:"candidates"`
	Why        []string        `json:"why"`
}

// decodeCommand returns `ddbdesk decode`.
func decodeCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "decode SCHEMA KEY [SORTKEY]", Short: "Decode a key into its entity and placeholders",
		Long: "Lists the entities whose key templates match KEY, with the values of their placeholders and the patterns that\n" +
			"can run with them. If none matches, decode explains why the closest templates do not.",
		Args: between(2, "SCHEMA", "KEY", "SORTKEY"), ValidArgsFunction: completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			keys := append(args[1:], "")
			for i, name := range []string{"KEY", "SORTKEY"}[:len(args)-1] {
				if err := accesspatterns.CheckKey(keys[i]); err != nil {
					return usageErrorf("%s: %v", name, err)
				}
			}
			d := describeDecoded(p, accesspatterns.Decode(p.Patterns, p.Entities, keys[0], keys[1]))
			return a.print(output, d, func(w io.Writer) error { return writeLines(w, d.lines()...) })
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

// describeDecoded returns the document of a decoded key, with personal data masked.
func describeDecoded(p *profiles.Profile, d accesspatterns.Decoded) decodedJSON {
	masker := models.NewMasker(p.Entities, true)
	out := decodedJSON{Candidates: []candidateJSON{}, Why: []string{}}
	for _, c := range d.Candidates {
		j := candidateJSON{
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

// lines returns the document for people.
func (d decodedJSON) lines() []string {
	var lines []string
	for _, c := range d.Candidates {
		lines = append(lines, fmt.Sprintf("%s   %s = %s", c.Entity, c.Attribute, c.Template))
		for _, n := range slices.Sorted(maps.Keys(c.Placeholders)) {
			lines = append(lines, fmt.Sprintf("  %-20s %s", n, models.Printable(c.Placeholders[n])))
		}
		for _, w := range c.Warnings {
			lines = append(lines, "  warning: "+models.Printable(w))
		}
		for _, id := range c.Patterns {
			lines = append(lines, "  pattern "+id)
		}
	}
	if len(d.Candidates) == 0 {
		lines = append(lines, "no key template matches")
	}
	for _, w := range d.Why {
		lines = append(lines, "  "+strings.TrimSpace(w))
	}
	return lines
}
