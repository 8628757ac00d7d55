package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// completions contains the candidates for shell completion, each with an optional description after a tab.
type completions = []string

// isCompleting reports whether a shell asks for candidates. Otherwise ddbdesk registers no completion functions,
// because cobra keeps them, and everything that they refer to, in memory.
func (a *app) isCompleting() bool {
	return len(a.args) > 0 && strings.HasPrefix(a.args[0], cobra.ShellCompRequestCmd)
}

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
	return slices.Concat(profiles.Names(), s.reader.UserProfiles()), cobra.ShellCompDirectiveDefault
}

// noSpaceDirective prevents the shell from adding a space if all candidates end with =.
func noSpaceDirective(list completions) cobra.ShellCompDirective {
	if len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return !strings.HasSuffix(s, "=") }) {
		return cobra.ShellCompDirectiveNoSpace
	}
	return 0
}
