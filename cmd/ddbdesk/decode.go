// The decode command: what a key means.

package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type candidateJSON struct {
	Entity       string            `json:"entity"`
	Attribute    string            `json:"attribute"`
	Template     string            `json:"template"`
	Placeholders map[string]string `json:"placeholders"`
	Patterns     []string          `json:"patterns"`
	Warnings     []string          `json:"warnings,omitempty"`
}

type decodedJSON struct {
	Candidates []candidateJSON `json:"candidates"`
	Why        []string        `json:"why"`
}

func decodeCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "decode SCHEMA KEY [SORTKEY]", Short: "Say what a key means, or why it fits nothing",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageErrorf("missing %s", []string{"SCHEMA", "KEY"}[len(args)])
			}
			if len(args) > 3 {
				return usageErrorf("unexpected argument %q", models.Printable(args[3]))
			}
			return nil
		},
		ValidArgsFunction: completeSchemas,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			sortKey := ""
			if len(args) == 3 {
				sortKey = args[2]
			}
			for i, name := range []string{"KEY", "SORTKEY"}[:len(args)-1] {
				if err := accesspatterns.CheckKey(args[i+1]); err != nil {
					return usageErrorf("%s: %v", name, err)
				}
			}
			d := decodeKey(p, accesspatterns.Decode(p.Patterns, p.Entities, args[1], sortKey))
			if output == "json" {
				err = writeJSON(a.stdout, d)
			} else {
				err = a.writeDecoded(d)
			}
			return err
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

func decodeKey(p *profiles.Profile, d accesspatterns.Decoded) decodedJSON {
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
			j.Patterns = appendOnce(j.Patterns, r.Pattern.FullID())
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

func appendOnce(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

func (a *app) writeDecoded(d decodedJSON) error {
	var b strings.Builder
	for _, c := range d.Candidates {
		fmt.Fprintf(&b, "%s   %s = %s\n", c.Entity, c.Attribute, c.Template)
		names := make([]string, 0, len(c.Placeholders))
		for n := range c.Placeholders {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			fmt.Fprintf(&b, "  %-20s %s\n", n, models.Printable(c.Placeholders[n]))
		}
		for _, w := range c.Warnings {
			fmt.Fprintf(&b, "  note: %s\n", models.Printable(w))
		}
		for _, id := range c.Patterns {
			fmt.Fprintf(&b, "  opens %s\n", id)
		}
	}
	if len(d.Candidates) == 0 {
		b.WriteString("fits no key template\n")
	}
	for _, w := range d.Why {
		fmt.Fprintf(&b, "  %s\n", w)
	}
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}
