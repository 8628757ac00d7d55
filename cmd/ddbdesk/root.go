package main

import (
	_ "embed"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/models"
)

// examplesFile holds the examples of each command, below a line with its path in brackets.
//
//go:embed examples.txt
var examplesFile string

// rootCommand returns the console's command with all others below it. Add a
// command here.
func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "ddbdesk [SCHEMA]",
		Short: "A terminal console for DynamoDB that knows your schema",
		Long: "ddbdesk opens a schema, built-in or a YAML file, as a console for DynamoDB.\n" +
			"Usage: ddbdesk [SCHEMA] or ddbdesk COMMAND. Without AWS: ddbdesk demo",
		Args:              a.oneSchema,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
		RunE:              func(cmd *cobra.Command, args []string) error { return a.startConsole(cmd.Context(), args) },
		ValidArgsFunction: a.completeSchemas,
	}
	root.SilenceUsage, root.SilenceErrors = true, true // errors have one line, without cobra's usage text
	root.SetFlagErrorFunc(cli.FlagError)
	a.register(root)
	addGroup(root, "Explore",
		[]*cobra.Command{a.operation("find"), a.operation("run"), a.operationGroup("pattern", "List the access patterns of a schema")},
		a.operation("decode"), a.operation("diff"), a.operation("tail"),
		a.operationGroup("case", "Save an item and its related items in a file, and load such files"), openCommand(a))
	addGroup(root, "Change", []*cobra.Command{
		a.operation("change"), a.operation("undo"),
		a.operationGroup("requests", "List, review and decide requested changes"), a.operationTree("journal"),
	}, a.operation("apply"), a.operation("drift"))
	addGroup(root, "Schema", []*cobra.Command{
		a.operationGroup("schema", "List, show and check schema profiles"),
		a.operationGroup("table", "List, create and check tables"),
	}, a.operation("iam"))
	addGroup(root, "Server", []*cobra.Command{serveCommand(a), mcpCommand(a)}, a.operation("seed"), a.operation("load"))
	addGroup(root, "Other", []*cobra.Command{demoCommand(a), a.operation("doctor")}, a.operation("version"))
	completeFlags(root, map[string]func() []string{"context": a.contextNames, "role": roleNames, "theme": themeNames})
	root.SetHelpCommand(cli.HelpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cli.UnknownSubcommand, cli.NeedSubcommand
		}
	}
	addDocumentCommands(root)
	cli.SetExamples(root, examplesFile)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.WriteHelp(cmd, cmd.OutOrStdout()) })
	return root
}

// addGroup adds commands under a title of the root command's help. Those that are needed less often are named
// there in one line, so that the help fits a terminal however many commands there are.
func addGroup(root *cobra.Command, title string, often []*cobra.Command, seldom ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range seldom {
		c.Annotations = map[string]string{cli.SeldomUsed: "yes"}
	}
	for _, c := range slices.Concat(often, seldom) {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// oneSchema accepts at most one schema. With more arguments the first one was
// probably meant as a command.
func (s *settings) oneSchema(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, _, err := s.reader.Source(args[0]); err == nil {
		return cli.UsageErrorf("unexpected argument %q", cli.Short(args[1]))
	}
	return cli.UsageErrorf("unknown command %q%s", cli.Short(args[0]), models.DidYouMean(args[0], cli.Subcommands(cmd)))
}
