package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/models"
)

// FlagError rewords the errors of the flag parser, and suggests a similar flag for
// an unknown one.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		add := func(f *pflag.Flag) { known = append(known, f.Name) }
		cmd.Flags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		hint := ""
		if near, ok := models.Nearest(unknown.GetSpecifiedName(), known); ok {
			hint = `; did you mean "--` + near + `"?`
		}
		return UsageErrorf("unknown flag --%s%s", Short(unknown.GetSpecifiedName()), hint)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && isNumber(unknown.GetSpecifiedShortnames()) {
		number := "-" + Short(unknown.GetSpecifiedShortnames())
		return UsageErrorf("%s is read as a flag; write flags first, then -- %s", number, number)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return UsageErrorf("--%s: missing value", missing.GetFlag().Name)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		return UsageErrorf("--%s: invalid value %q; use a value of type %s", f.Name, Short(invalid.GetValue()), f.Value.Type())
	}
	return &UsageError{err.Error()}
}

func isNumber(text string) bool { return text != "" && strings.IndexByte(".0123456789", text[0]) >= 0 }

// Exactly accepts one argument for each name.
func Exactly(names ...string) cobra.PositionalArgs { return Between(len(names), names...) }

// Between accepts arguments by name, of which the first least are required. The
// error names the argument that is missing.
func Between(least int, names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least {
			return UsageErrorf("missing %s", names[len(args)])
		}
		if len(args) > len(names) {
			return UsageErrorf("unexpected argument %q", models.Printable(args[len(names)]))
		}
		return nil
	}
}

// AtLeast accepts the named arguments, and any number of others after them.
func AtLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return Exactly(names...)(cmd, args[:min(len(args), len(names))])
	}
}

// NeedSubcommand is the RunE of a command group: it returns an error of one line
// where cobra would print its help.
func NeedSubcommand(cmd *cobra.Command, _ []string) error {
	return UsageErrorf("%s needs a subcommand: %s", cmd.Name(), strings.Join(Subcommands(cmd), ", "))
}

// UnknownSubcommand is the Args of a command group.
func UnknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UsageErrorf("%s has no subcommand %q%s", cmd.Name(), Short(args[0]), models.DidYouMean(args[0], Subcommands(cmd)))
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

// OutputFlag adds -o to a command, with the formats that it accepts. The first is the
// default. The value is checked before the command runs, so that a wrong format is
// reported before anything is sent.
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

// Group returns a command that only has subcommands.
func Group(name, summary string, Subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: summary, Args: UnknownSubcommand, RunE: NeedSubcommand}
	cmd.AddCommand(Subcommands...)
	return cmd
}

// MisplacedFolder returns an error when a folder follows --embedded as an argument
// of its own. The flag may be given without a folder, so it takes one only after
// "=", and the folder would be read as something else.
func MisplacedFolder(args []string) error {
	at := slices.Index(args, "--embedded")
	if at < 0 || at+1 == len(args) || slices.Contains(args[:at], "--") || strings.HasPrefix(args[0], "__complete") {
		return nil
	}
	if next := args[at+1]; isFolder(next) {
		return UsageErrorf("--embedded: the folder must follow =; use --embedded=%s", models.Printable(next))
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

// CheckNewFile reports why the file of a flag cannot be saved as a new one at path.
func CheckNewFile(flag, path string) error {
	if err := items.CheckNewFile(path); err != nil {
		return UsageErrorf("%s: %v", flag, err)
	}
	return nil
}
