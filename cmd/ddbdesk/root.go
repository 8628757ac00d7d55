package main

import (
	"context"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// rootCommand returns the console's command with all others below it. Add a
// command here.
func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "ddbdesk [SCHEMA]",
		Short: "A terminal console for DynamoDB that knows your schema",
		Long: "ddbdesk opens a schema profile, either a built-in one or a YAML file, as a console for DynamoDB.\n" +
			"Each documented access pattern is a screen of the console and a command for scripts.\n" +
			"Without SCHEMA, ddbdesk lists the profiles. `ddbdesk demo` runs on sample data, without AWS.",
		Example: "  ddbdesk demo\n" +
			"  ddbdesk authbridge --profile staging --region af-south-1\n" +
			"  ddbdesk run authbridge get-verification verificationId=ver_1 -o json",
		Args:              oneSchema,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
		RunE:              func(cmd *cobra.Command, args []string) error { return a.startConsole(cmd.Context(), args) },
		ValidArgsFunction: completeSchemas,
	}
	root.SilenceUsage, root.SilenceErrors = true, true // errors have one line, without cobra's usage text
	root.SetFlagErrorFunc(flagError)
	a.register(root)
	addGroup(root, "Read:", schemaCommand(a), patternCommand(a), runCommand(a), decodeCommand(a))
	addGroup(root, "Change:", changeCommand(a), applyCommand(a), driftCommand(a), journalCommand(a))
	addGroup(root, "Set up:", demoCommand(a), tableCommand(a), seedCommand(a), serveCommand(a), checkCommand(a), iamCommand(a), infoCommand(a))
	completeFlags(root, map[string]func() []string{"context": a.contextNames, "role": roleNames, "theme": themeNames})
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = unknownSubcommand, needSubcommand
		}
	}
	return root
}

// addGroup adds commands under a title of the root command's help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
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
func forSchema(cmd *cobra.Command, run func(ctx context.Context, schema string) error) *cobra.Command {
	cmd.Use += " SCHEMA"
	cmd.Args, cmd.ValidArgsFunction = exactly("SCHEMA"), completeSchemas
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args[0]) }
	return cmd
}

// helpCommand is cobra's help command, but an unknown command is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Show help for a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if name := strings.Join(args, " "); err != nil || len(rest) > 0 {
				return usageErrorf("help: unknown command %q%s", short(name), models.DidYouMean(name, subcommands(root)))
			}
			return c.Help()
		},
	}
}

// oneSchema accepts at most one schema. With more arguments the first one was
// probably meant as a command.
func oneSchema(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, _, err := profiles.ReadSource(args[0]); err == nil {
		return usageErrorf("unexpected argument %q", short(args[1]))
	}
	return usageErrorf("unknown command %q%s", short(args[0]), models.DidYouMean(args[0], subcommands(cmd)))
}

// outputFlag adds -o to a command, with the formats that it accepts. The first is the
// default. The value is checked before the command runs, so that a wrong format is
// reported before anything is sent.
func outputFlag(cmd *cobra.Command, to *string, formats ...string) {
	cmd.Flags().StringVarP(to, "output", "o", formats[0], "output `FORMAT`: "+english.OxfordWordSeries(formats, "or"))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(formats, *to) {
			return nil
		}
		return invalidChoice("-o", "output format", *to, formats)
	}
}
