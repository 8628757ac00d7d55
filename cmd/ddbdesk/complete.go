package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// completions are the words that a shell offers, each with an optional description
// after a tab.
type completions = []string

func completeFlags(root *cobra.Command, values map[string]func() []string) {
	for name, list := range values {
		err := root.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
			return list(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic("complete --" + name + ": " + err.Error()) // the flag does not exist
		}
	}
}

func (s *settings) completeSchemas(_ *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Concat(profiles.Names(), s.reader.Own()), cobra.ShellCompDirectiveDefault
}

type completeArgs func(p *profiles.Profile, args []string, word string) completions

// completeInSchema completes the schema, then the arguments after it.
func (s *settings) completeInSchema(rest completeArgs) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return s.completeSchemas(cmd, args, word)
		}
		p, err := s.reader.Open(args[0], profiles.Values{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list := rest(p, args[1:], word)
		return list, continued(list) | cobra.ShellCompDirectiveNoFileComp
	}
}

// continued makes the shell add no space after words that all end with =.
func continued(list completions) cobra.ShellCompDirective {
	if len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return !strings.HasSuffix(s, "=") }) {
		return cobra.ShellCompDirectiveNoSpace
	}
	return 0
}

func completeChange(p *profiles.Profile, args []string, word string) completions {
	if len(args) > 0 {
		if act := p.Action(args[0]); act != nil {
			return explore.CompleteValues(act.Inputs, word)
		}
		return nil
	}
	var ids completions
	for _, act := range p.Actions {
		if act.Off == "" {
			ids = append(ids, act.ID+"\t"+act.Title)
		}
	}
	return ids
}

func completeEntities(p *profiles.Profile, args []string, _ string) completions {
	if len(args) > 0 {
		return nil
	}
	return explore.CompleteEntities(p)
}
