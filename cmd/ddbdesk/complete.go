package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// completions are the words that a shell offers, each with an optional description
// after a tab.
type completions = []string

// completeFlags completes the persistent flags whose values are known.
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

// completeSchemas offers the built-in schemas, those of the user, and files.
func (s *settings) completeSchemas(_ *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Concat(profiles.Names(), s.reader.Own()), cobra.ShellCompDirectiveDefault
}

// completeArgs completes the arguments after the schema.
type completeArgs func(p *profiles.Profile, args []string, word string) (completions, cobra.ShellCompDirective)

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
		return rest(p, args[1:], word)
	}
}

// completeRun offers read patterns and bookmarks, then the parameters.
func completeRun(p *profiles.Profile, args []string, word string) (completions, cobra.ShellCompDirective) {
	if len(args) == 0 {
		var ids completions
		for _, q := range p.Patterns {
			if q.IsRead() {
				ids = append(ids, q.ID+"\t"+q.Title)
			}
		}
		return append(ids, bookmarkedQueries(p)...), cobra.ShellCompDirectiveNoFileComp
	}
	id, _, err := resolveBookmark(p, args[0], nil)
	q := p.Pattern(id)
	if err != nil || q == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeParams(q.Params, word)
}

// completeChange offers the enabled actions, then their inputs.
func completeChange(p *profiles.Profile, args []string, word string) (completions, cobra.ShellCompDirective) {
	if len(args) == 0 {
		var ids completions
		for _, act := range p.Actions {
			if act.Off == "" {
				ids = append(ids, act.ID+"\t"+act.Title)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	if act := p.Action(args[0]); act != nil {
		return completeParams(act.Inputs, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeEntities offers the entities of the schema.
func completeEntities(p *profiles.Profile, args []string, _ string) (completions, cobra.ShellCompDirective) {
	var names completions
	if len(args) == 0 {
		for _, e := range p.Entities {
			names = append(names, e.Name+"\t"+e.Title)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeParams offers the values of the parameter that word begins, else the
// names of the parameters.
func completeParams(params []*accesspatterns.Param, word string) (completions, cobra.ShellCompDirective) {
	name, _, begun := strings.Cut(word, "=")
	i := slices.IndexFunc(params, func(par *accesspatterns.Param) bool { return par.Name == name })
	if begun && i >= 0 {
		value := func(v string) string {
			if label := params[i].Labels[v]; label != "" {
				return name + "=" + v + "\t" + label
			}
			return name + "=" + v
		}
		return models.NamesOf(params[i].Enum, value), cobra.ShellCompDirectiveNoFileComp
	}
	list := models.NamesOf(params, func(par *accesspatterns.Param) string { return par.Name + "=" })
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
