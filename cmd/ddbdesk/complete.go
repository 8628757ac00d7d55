// Shell completion of schema names, pattern ids and parameters.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func schemaNames() []string { return profiles.Names() }

func completeSchemas(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return profiles.Names(), cobra.ShellCompDirectiveDefault
}

func (a *app) completeRun(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeSchemas(cmd, args, word)
	}
	p, err := profiles.Open(args[0], nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) == 1 {
		var ids []string
		for _, q := range p.Patterns {
			if q.IsRead() {
				ids = append(ids, q.ID+"\t"+q.Title)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	q := p.Pattern(args[1])
	if q == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if name, _, ok := strings.Cut(word, "="); ok {
		if par := q.Param(name); par != nil {
			var values []string
			for _, v := range par.Enum {
				values = append(values, name+"="+v)
			}
			return values, cobra.ShellCompDirectiveNoFileComp
		}
	}
	var names []string
	for _, par := range q.Params {
		names = append(names, par.Name+"=")
	}
	return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
