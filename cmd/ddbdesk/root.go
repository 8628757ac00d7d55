package main

import (
	"context"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/models"
)

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
	root.SetFlagErrorFunc(flagError)
	a.register(root)
	addGroup(root, "Explore", []*cobra.Command{findCommand(a), runCommand(a), patternCommand(a)},
		decodeCommand(a), diffCommand(a), tailCommand(a), takeCommand(a), openCommand(a), fixturesCommand(a))
	addGroup(root, "Change", []*cobra.Command{changeCommand(a), requestsCommand(a), driftCommand(a), journalCommand(a)},
		applyCommand(a), auditCommand(a))
	addGroup(root, "Schema", []*cobra.Command{schemaCommand(a), tableCommand(a)}, iamCommand(a))
	addGroup(root, "Server", []*cobra.Command{serveCommand(a), mcpCommand(a)}, seedCommand(a), loadCommand(a), putCommand(a), checkCommand(a))
	addGroup(root, "Other", []*cobra.Command{demoCommand(a), doctorCommand(a)}, infoCommand(a), versionCommand(a))
	completeFlags(root, map[string]func() []string{"context": a.contextNames, "role": roleNames, "theme": themeNames})
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = unknownSubcommand, needSubcommand
		}
	}
	addDocumentCommands(root)
	setExamples(root)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(cmd, cmd.OutOrStdout()) })
	return root
}

// addGroup adds commands under a title of the root command's help. Those that are needed less often are named
// there in one line, so that the help fits a terminal however many commands there are.
func addGroup(root *cobra.Command, title string, often []*cobra.Command, seldom ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range seldom {
		c.Annotations = map[string]string{seldomUsed: "yes"}
	}
	for _, c := range slices.Concat(often, seldom) {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// group returns a command that only has subcommands.
func group(name, summary string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: summary, Args: unknownSubcommand, RunE: needSubcommand}
	cmd.AddCommand(subcommands...)
	return cmd
}

// forSchema makes a command take a schema as its only argument.
func (s *settings) forSchema(cmd *cobra.Command, run func(ctx context.Context, schema string) error) *cobra.Command {
	cmd.Use += " SCHEMA"
	cmd.Args, cmd.ValidArgsFunction = exactly("SCHEMA"), s.completeSchemas
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) }
	return cmd
}

// oneSchema accepts at most one schema. With more arguments the first one was
// probably meant as a command.
func (s *settings) oneSchema(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, _, err := s.reader.Source(args[0]); err == nil {
		return usageErrorf("unexpected argument %q", short(args[1]))
	}
	return usageErrorf("unknown command %q%s", short(args[0]), models.DidYouMean(args[0], subcommands(cmd)))
}

// outputFlag adds -o to a command, with the formats that it accepts. The first is the
// default. The value is checked before the command runs, so that a wrong format is
// reported before anything is sent.
func outputFlag(cmd *cobra.Command, to *string, formats ...string) {
	cmd.Flags().StringVarP(to, "output", "o", formats[0], "output `FORMAT`: "+english.OxfordWordSeries(formats, "or"))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // The flag exists.
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(formats, *to) {
			return nil
		}
		return invalidChoice("-o", "output format", *to, formats)
	}
}
