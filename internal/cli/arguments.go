package cli

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// FlagError rewords the errors of the flag parser, and suggests a similar flag for an unknown one.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		add := func(f *pflag.Flag) { known = append(known, f.Name) }
		cmd.Flags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		hint := "; list the flags with " + cmd.CommandPath() + " --help"
		if cmd.Root().Flags().Lookup(unknown.GetSpecifiedName()) != nil {
			hint = "; only the console accepts this flag"
		} else if nearest, ok := models.Nearest(unknown.GetSpecifiedName(), known); ok {
			hint = `; did you mean "--` + nearest + `"?`
		}
		return session.InputErrorf("unknown flag --%s%s", op.Short(unknown.GetSpecifiedName()), hint)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && isNumber(unknown.GetSpecifiedShortnames()) {
		number := "-" + op.Short(unknown.GetSpecifiedShortnames())
		return session.InputErrorf("%s looks like a flag; write the flags first, then -- %s", number, number)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return session.InputErrorf("unknown flag -%s; list the flags with %s --help", op.Short(unknown.GetSpecifiedName()),
			cmd.CommandPath())
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return session.InputErrorf("--%s requires a value", missing.GetFlag().Name)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		if wrong, ok := errors.AsType[op.ValueError](err); ok {
			return session.InputErrorf("--%s: %v", f.Name, wrong)
		}
		kind := map[string]string{
			"int": "a whole number", "uint64": "a whole number from 0", "float64": "a number", "duration": "a duration such as 30s or 5m",
		}[f.Value.Type()]
		return session.InputErrorf("--%s: invalid value %q; use %s", f.Name, op.Short(invalid.GetValue()), cmp.Or(kind, "true or false"))
	}
	return session.InputErrorf("%s", err.Error())
}

func isNumber(text string) bool { return text != "" && strings.IndexByte(".0123456789", text[0]) >= 0 }

// NeedSubcommand is the RunE of a command group. It returns an error of one line, while cobra would print the help.
func NeedSubcommand(cmd *cobra.Command, _ []string) error {
	return session.InputErrorf("%s requires a subcommand; use %s", cmd.Name(), english.OxfordWordSeries(Subcommands(cmd), "or"))
}

// UnknownSubcommand is the Args of a command group. It rejects every argument, and suggests a similar
// subcommand or otherwise lists all.
func UnknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	known := Subcommands(cmd)
	hint := models.DidYouMean(args[0], known)
	if hint == "" && len(known) > 0 {
		hint = "; use " + english.OxfordWordSeries(known, "or")
	}
	return session.InputErrorf("%s has no subcommand %q%s", cmd.Name(), op.Short(args[0]), hint)
}

// Subcommands returns the names of the visible subcommands.
func Subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// OutputFlag adds -o to a command, with the formats that it accepts. The first one is the default. ddbdesk checks the
// value before the command runs and sends requests.
func OutputFlag(cmd *cobra.Command, to *string, formats ...string) {
	cmd.Flags().StringVarP(to, "output", "o", formats[0], "output `FORMAT`: "+english.OxfordWordSeries(formats, "or"))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // The flag exists.
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(formats, *to) {
			return nil
		}
		return InvalidChoice("-o", "output format", *to, formats)
	}
}

// Group returns a command that has only subcommands.
func Group(name, summary string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: summary, Args: UnknownSubcommand, RunE: NeedSubcommand}
	cmd.AddCommand(subcommands...)
	return cmd
}

// IsGroup reports whether a command only groups subcommands, such as requests. The command journal has subcommands too,
// but also runs without one.
func IsGroup(cmd *cobra.Command) bool {
	isGroup := cmd.HasAvailableSubCommands()
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { isGroup = isGroup && f.Name == "help" })
	return isGroup
}

// MisplacedFolder returns an error if a folder follows --embedded as a separate argument. Because the folder is
// optional, the flag accepts it only after "=", and ddbdesk would interpret the argument as something else. names lists
// commands and schemas, which are not folders even if such a folder exists.
func MisplacedFolder(args, names []string) error {
	at := slices.Index(args, "--embedded")
	if at < 0 || at+1 == len(args) || slices.Contains(args[:at], "--") || strings.HasPrefix(args[0], "__complete") {
		return nil
	}
	if next := args[at+1]; isFolder(next) && !slices.Contains(names, next) {
		return session.InputErrorf("--embedded: write the folder after =, as in --embedded=%s", models.Printable(next))
	}
	return nil
}

func isFolder(word string) bool {
	info, err := os.Stat(word)
	if err == nil {
		return info.IsDir()
	}
	return filepath.IsAbs(word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/")
}
