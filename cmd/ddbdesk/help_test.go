package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

func TestOverviewListsEveryCommand(t *testing.T) {
	var out bytes.Buffer
	root := rootCommand(&app{})
	cli.WriteHelp(root, &out)
	for _, c := range root.Commands() {
		if line := "\n  " + c.Name() + " "; c.Name() != "help" && !strings.Contains(out.String(), line) {
			t.Errorf("%s is missing in the overview:\n%s", c.Name(), &out)
		}
	}
}

// Help uses at most 80 columns if no terminal reports its width.
func TestHelpFitsEightyColumns(t *testing.T) {
	eachCommand(rootCommand(&app{}), func(c *cobra.Command) {
		var out bytes.Buffer
		cli.WriteHelp(c, &out)
		for line := range strings.Lines(out.String()) {
			if len(line) > 81 {
				t.Errorf("%s: got %d columns, want at most 80: %s", c.CommandPath(), len(line)-1, line)
			}
		}
	})
}

// Every command has examples that it accepts, at least three unless it has subcommands.
func TestEveryCommandAcceptsItsExamples(t *testing.T) {
	eachCommand(rootCommand(&app{}), func(c *cobra.Command) {
		if !c.HasParent() || c.Name() == "help" || c.Parent().Name() == "completion" {
			return
		}
		examples := strings.Split(c.Example, "\n")
		if c.Example == "" || len(examples) < 3 && !c.HasSubCommands() {
			t.Errorf("%s has too few examples: %q", c.CommandPath(), c.Example)
		}
		for _, example := range examples {
			if words := shellWords(strings.TrimSpace(example)); words[0] == "ddbdesk" { // Skip other programs.
				if err := rejection(words[1:]); err != nil {
					t.Errorf("%s: %v", example, err)
				}
			}
		}
	})
}

// eachCommand calls do for a command and all of its subcommands.
func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}

// The help of a command lists all of its flags, including those that it shares with its subcommands.
func TestHelpListsSharedFlags(t *testing.T) {
	for _, args := range [][]string{{"journal", "sessions", "--help"}, {"journal", "sessions", "review", "--help"}} {
		code, out, _ := ddbdesk(t, args...)
		if code != cli.ExitOK || !strings.Contains(out, "--from FILE") || strings.Contains(out, "--endpoint-url") {
			t.Errorf("%v: exit %d, want help that lists --from FILE\n%s", args, code, out)
		}
	}
}
