package main

import (
	"cmp"
	_ "embed"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// examplesFile contains the examples of each command, below a line with its path in brackets.
//
//go:embed examples.txt
var examplesFile string

// rootCommand returns the console's command with all other commands as subcommands. Add new commands here.
func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "ddbdesk [SCHEMA]",
		Short:             "A terminal console for DynamoDB that knows your schema",
		Long:              "Find, understand and safely change DynamoDB items from your terminal.",
		Args:              a.oneSchema,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
		RunE:              func(cmd *cobra.Command, args []string) error { return a.startConsole(cmd, args) },
		ValidArgsFunction: a.completeSchemas,
	}
	root.SilenceUsage, root.SilenceErrors = true, true // errors have one line, without cobra's usage text
	root.SetFlagErrorFunc(cli.FlagError)
	a.register(root)
	addGroup(root, "Explore", a.operation("find"), a.operation("run"),
		a.operationGroup("pattern", "List the access patterns of a schema"), a.operation("decode"), openCommand(a),
		a.operation("tail"), a.operation("diff"),
		a.operationGroup("case", "Save an item and its related items to a case file, or load one"))
	addGroup(root, "Change", a.operation("change"), a.operation("apply"), a.operation("undo"),
		a.operationGroup("requests", "List, review and decide change requests"), a.operation("drift"), a.operationTree("journal"))
	addGroup(root, "Schemas and tables", a.operationGroup("schema", "List, show, check and draft schemas"),
		a.operationGroup("table", "Query, edit, list, create and check tables"), a.operation("iam"))
	addGroup(root, "Data and servers", a.operation("load"), a.operation("seed"), serveCommand(a), mcpCommand(a))
	addGroup(root, "Setup", demoCommand(a), a.operation("doctor"), a.operation("version"))
	if a.isCompleting() {
		completeFlags(root, map[string]func() []string{"context": a.contextNames, "role": roleNames, "theme": themeNames})
	}
	root.SetHelpCommand(cli.HelpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE, c.GroupID = cli.UnknownSubcommand, cli.NeedSubcommand, "Setup"
			c.Short = "Print a shell completion script"
			c.Long = "Prints the completion script of a shell. To load it, see ddbdesk completion SHELL --help."
			for _, shell := range c.Commands() {
				shell.Args = cli.UnknownSubcommand
				shell.Short = "Print the completion script for " + shell.Name()
				shell.Long = "Prints the completion script for " + shell.Name() + ". Open a new shell after you install it."
			}
		}
	}
	addDocumentCommands(root)
	cli.SetExamples(root, examplesFile)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.WriteHelp(cmd, cmd.OutOrStdout()) })
	return root
}

func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// oneSchema accepts at most one schema. With more arguments, the user probably meant the first one as a command.
func (s *settings) oneSchema(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, _, err := s.reader.Source(args[0]); err == nil {
		return session.InputErrorf("unexpected argument %q", op.Short(args[1]))
	}
	hint := cmp.Or(models.DidYouMean(args[0], cli.Subcommands(cmd)), "; list the commands with ddbdesk --help")
	return session.InputErrorf("unknown command %q%s", op.Short(args[0]), hint)
}
