// Shell completion of schema names, ids of patterns and actions, and what they
// take.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func schemaNames() []string { return profiles.Names() }

// completeFlags completes the flags whose values the program knows.
func (a *app) completeFlags(root *cobra.Command) {
	known := map[string]func() []string{
		"context": a.contextNames,
		"role":    roleNames,
		"theme":   widget.ThemeNames,
	}
	for name, values := range known {
		err := root.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic("completing --" + name + ": " + err.Error()) // The flag is not there.
		}
	}
}

// contextNames are those of the configuration, with where they lead; none when it
// cannot be read.
func (a *app) contextNames() []string {
	f, err := a.configuration()
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range f.Contexts {
		names = append(names, c.Name+"\t"+c.Target())
	}
	return names
}

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
		return append(ids, namedQueries(p)...), cobra.ShellCompDirectiveNoFileComp
	}
	id, _, err := asked(p, args[1], nil)
	q := p.Pattern(id)
	if err != nil || q == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(q.Params, word)
}

func (a *app) completeChange(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeSchemas(cmd, args, word)
	}
	p, err := profiles.Open(args[0], nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) == 1 {
		var ids []string
		for _, act := range p.Actions {
			if act.Off == "" {
				ids = append(ids, act.ID+"\t"+act.Title)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	act := p.Action(args[1])
	if act == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(act.Inputs, word)
}

// completeParams offers the values of the parameter that is being written, or
// the names.
func completeParams(params []*accesspatterns.Param, word string) ([]string, cobra.ShellCompDirective) {
	if name, _, ok := strings.Cut(word, "="); ok {
		for _, par := range params {
			if par.Name != name {
				continue
			}
			var values []string
			for _, v := range par.Enum {
				values = append(values, name+"="+v)
			}
			return values, cobra.ShellCompDirectiveNoFileComp
		}
	}
	var names []string
	for _, par := range params {
		names = append(names, par.Name+"=")
	}
	return names, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
