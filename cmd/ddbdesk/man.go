//go:build man

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// addDocumentCommands needs the build tag man: packages are made with it, users need none.
func addDocumentCommands(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use: "man DIR", Hidden: true, Args: cli.Exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			eachVisible(root, func(c *cobra.Command) { c.DisableAutoGenTag = true })
			// The date is that of SOURCE_DATE_EPOCH, so that two builds of a package are the same.
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "ddbdesk", Manual: "ddbdesk manual"}, args[0])
		},
	}, &cobra.Command{
		Use: "reference FILE", Hidden: true, Args: cli.Exactly("FILE"),
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

func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Command reference\n\n<!-- Made by go generate ./cmd/ddbdesk from the commands. Do not edit. -->\n\n" +
		"Every command with its flags, as `ddbdesk COMMAND --help` prints them. [Commands](commands.md) explains output and exit codes.\n" +
		"\n## Flags of every command\n\n```\n" + strings.TrimRight(cli.FlagUsages(root.PersistentFlags(), 0), "\n") + "\n```\n")
	eachVisible(root, func(c *cobra.Command) {
		if c == root || c.Parent().Name() == "completion" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", strings.TrimPrefix(c.CommandPath(), "ddbdesk "))
		about := c.Long
		if about == "" {
			about = c.Short
		}
		fmt.Fprintf(&b, "%s\n\nUsage: `%s`\n", strings.TrimRight(about, "\n"), c.UseLine())
		if c.HasExample() {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", unindent(c.Example))
		}
		if flags := cli.FlagUsages(c.NonInheritedFlags(), 0); flags != "" {
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimRight(flags, "\n"))
		}
	})
	return b.String()
}

func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
