//go:build man

package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// addDocumentCommands requires the build tag man, which only package builds set.
func addDocumentCommands(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use: "man DIR", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			eachVisible(root, func(c *cobra.Command) { c.DisableAutoGenTag = true })
			// The date comes from SOURCE_DATE_EPOCH, so that builds of a package are reproducible.
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "ddbdesk", Manual: "ddbdesk manual"}, args[0])
		},
	}, &cobra.Command{
		Use: "reference FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return os.WriteFile(args[0], []byte(reference(root)), 0o644)
		},
	})
}

func eachVisible(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			eachVisible(sub, do)
		}
	}
}

// A manual writes the reference page of all commands.
type manual struct {
	strings.Builder

	shared map[string]string // flags with the same meaning in several commands
}

// several is the minimum number of commands that share a flag for the page to explain it only once.
const several = 3

func reference(root *cobra.Command) string {
	m := manual{shared: map[string]string{}}
	used := map[string]int{}
	eachDocumented(root, func(c *cobra.Command) {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "output" {
				used[spelled(f)+"\n"+meaning(f)]++
			}
		})
	})
	for _, flag := range slices.Sorted(maps.Keys(used)) {
		name, does, _ := strings.Cut(flag, "\n")
		if used[flag] >= several && used[flag] > used[name+"\n"+m.shared[name]] {
			m.shared[name] = does
		}
	}
	m.WriteString("# Command reference\n\n<!-- Made by go generate ./cmd/ddbdesk from the commands. Do not edit. -->\n\n" +
		"Every command with its flags; `ddbdesk COMMAND --help` has more. [Commands](commands.md) explains output and exit codes.\n" +
		"\n## Flags of every command\n\n| Flag | Meaning |\n| --- | --- |\n")
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { m.row(spelled(f), meaning(f)) })
	m.WriteString("\n## Flags of several commands\n\n| Flag | Meaning |\n| --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(m.shared)) {
		m.row(name, m.shared[name])
	}
	m.commands(root)
	return m.String()
}

// eachDocumented calls do with each command that can run, except shell completion.
func eachDocumented(root *cobra.Command, do func(*cobra.Command)) {
	eachVisible(root, func(c *cobra.Command) {
		if c != root && c.Runnable() && c.Parent().Name() != "completion" {
			do(c)
		}
	})
}

// commands writes the subcommands of one command: first a table of those that need only a line, then the others.
func (m *manual) commands(above *cobra.Command) {
	var short, long []*cobra.Command
	for _, c := range above.Commands() {
		switch {
		case !c.IsAvailableCommand() || c.Name() == "help" || c.Name() == "completion":
		case above.HasParent() && m.short(c):
			short = append(short, c)
		default:
			long = append(long, c)
		}
	}
	if len(short) > 0 {
		m.WriteString("\n| Command | Purpose |\n| --- | --- |\n")
	}
	for _, c := range short {
		does := firstWords(c)
		for _, f := range m.own(c) {
			does += fmt.Sprintf(" `%s`: %s.", spelled(f), meaning(f))
		}
		m.row(m.usage(c), does)
	}
	for _, c := range long {
		m.command(c)
		m.commands(c)
	}
}

// short reports whether one line is enough for a command: its help is short, and it has no flags.
func (m *manual) short(c *cobra.Command) bool {
	return len(m.own(c)) < 3 && c.Runnable() && !c.HasAvailableSubCommands() && len(firstWords(c)) < 260
}

func (m *manual) own(c *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "output" && m.shared[spelled(f)] != meaning(f) {
			flags = append(flags, f)
		}
	})
	return flags
}

func (m *manual) command(c *cobra.Command) {
	about := slices.DeleteFunc(paragraphs(c), func(p string) bool { return slices.Contains(repeated(c.Parent()), p) })
	if c.HasAvailableSubCommands() {
		about = append(about, repeated(c)...)
	}
	fmt.Fprintf(m, "\n## %s\n\n%s\n", strings.TrimPrefix(c.CommandPath(), "ddbdesk "), strings.Join(about, "\n\n"))
	if !c.HasExample() || cli.IsGroup(c) {
		return
	}
	m.WriteString("\n```sh\n# " + m.usage(c) + "\n" + examples(c))
	m.WriteString("```\n")
	for i, f := range m.own(c) {
		if i == 0 {
			m.WriteString("\n")
		}
		fmt.Fprintf(m, "- `%s`: %s\n", spelled(f), meaning(f))
	}
}

// variant matches the end of an example that changes only the output.
var variant = regexp.MustCompile(`( -o \w+)?( [|>&].*)?$`)

// examples omits examples that only repeat another one in a different output format.
func examples(c *cobra.Command) string {
	var text strings.Builder
	var shown []string
	for line := range strings.Lines(c.Example) {
		line = strings.TrimSpace(line)
		if bare := variant.ReplaceAllString(line, ""); !slices.Contains(shown, bare) {
			shown = append(shown, bare)
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

func (m *manual) row(name, does string) {
	fmt.Fprintf(m, "| `%s` | %s |\n", strings.ReplaceAll(name, "|", "\\|"), strings.ReplaceAll(does, "|", "\\|"))
}

func (m *manual) usage(c *cobra.Command) string {
	line := strings.TrimSuffix(c.UseLine(), " [flags]")
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "output" {
			formats := outputFormats.FindAllString(f.Usage[strings.Index(f.Usage, ":")+1:], -1)
			line += " [-o " + strings.Join(slices.DeleteFunc(formats, func(w string) bool { return w == "or" }), "|") + "]"
		} else if m.shared[spelled(f)] == meaning(f) && !f.Hidden {
			line += " [" + spelled(f) + "]"
		}
	})
	return line
}

var outputFormats = regexp.MustCompile(`[a-z]+`)

func spelled(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	switch {
	case f.Value.Type() == "bool" || value == "":
		return name
	case f.NoOptDefVal != "":
		return name + "[=" + value + "]"
	}
	return name + " " + value
}

func meaning(f *pflag.Flag) string {
	_, does := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
		does += " (default " + f.DefValue + ")"
	}
	return strings.Join(strings.Fields(does), " ")
}

// columns is the width of the prose.
const columns = 139

// paragraphs returns the wrapped description of a command. A paragraph with indented lines is a list.
func paragraphs(c *cobra.Command) []string {
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	var list []string
	for paragraph := range strings.SplitSeq(strings.TrimRight(about, "\n"), "\n\n") {
		if strings.Contains(paragraph, "\n  ") {
			list = append(list, "```\n"+paragraph+"\n```")
			continue
		}
		list = append(list, cli.Wrap(paragraph, columns, ""))
	}
	return list
}

func repeated(above *cobra.Command) []string {
	seen := map[string]int{}
	var list []string
	for _, c := range above.Commands() {
		for _, p := range paragraphs(c) {
			if seen[p]++; seen[p] == 2 {
				list = append(list, p)
			}
		}
	}
	return list
}

func firstWords(c *cobra.Command) string {
	return strings.Join(strings.Fields(strings.Join(paragraphs(c), " ")), " ")
}
