package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

const docsURL = "https://github.com/ddbdesk/ddbdesk/tree/main/docs"

// flagsTopic is the name of the `ddbdesk help` topic about the flags that every command has.
const flagsTopic = "flags"

// SetExamples sets the examples of a command and of those below it.
func SetExamples(cmd *cobra.Command, examples string) {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if _, found, ok := strings.Cut(examples, "["+path+"]\n"); ok {
		found, _, _ = strings.Cut(found, "\n\n")
		cmd.Example = "  " + strings.ReplaceAll(strings.TrimSpace(found), "\n", "\n  ")
	}
	for _, c := range cmd.Commands() {
		SetExamples(c, examples)
	}
}

// HelpCommand returns the command help, for which an unknown command is an error.
func HelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show help for a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if c, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				return Subcommands(c), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == flagsTopic {
				h := helpWriter{out: cmd.OutOrStdout()}
				h.line("Global flags:")
				h.flags(root.PersistentFlags())
				return nil
			}
			c, rest, err := root.Find(args)
			switch {
			case err == nil && len(rest) == 0:
				return c.Help()
			case c == root:
				hint := cmp.Or(models.DidYouMean(args[0], append(Subcommands(root), flagsTopic)), "; list the commands with ddbdesk --help")
				return session.InputErrorf("unknown command %q%s", op.Short(args[0]), hint)
			}
			return UnknownSubcommand(c, rest)
		},
	}
}

// WriteHelp writes the help of a command.
func WriteHelp(cmd *cobra.Command, out io.Writer) {
	h := helpWriter{out: out}
	if !cmd.HasParent() {
		h.overview(cmd)
		return
	}
	h.line(wrapParagraphs(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), width()))
	h.heading("Usage")
	if cmd.Runnable() && !IsGroup(cmd) {
		h.line("  " + cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		h.line("  " + cmd.CommandPath() + " COMMAND")
		h.heading("Commands")
		h.commands(cmd.Commands())
	}
	if cmd.HasExample() {
		h.heading("Examples")
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			h.line(breakCommand(line, width()))
		}
	}
	if flags := ownFlags(cmd); flags.HasAvailableFlags() {
		h.heading("Flags")
		h.flags(flags)
	}
	h.line("\nGlobal flags, such as --context and --role: ddbdesk help flags")
}

func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	flags := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if cmd.Root().PersistentFlags().Lookup(f.Name) == nil || cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil {
			flags.AddFlag(f)
		}
	})
	return flags
}

// helpWriter writes the parts of a help text.
type helpWriter struct{ out io.Writer }

func (h helpWriter) line(text string) { fmt.Fprintln(h.out, text) }

func (h helpWriter) heading(text string) { fmt.Fprintf(h.out, "\n%s:\n", text) }

func (h helpWriter) overview(root *cobra.Command) {
	h.line(root.Long)
	h.heading("Usage")
	h.line("  ddbdesk [SCHEMA|TABLE]   open the console\n  ddbdesk COMMAND [flags]")
	for _, g := range root.Groups() {
		h.heading(g.Title)
		h.commands(slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.GroupID != g.ID }))
	}
	h.heading("Examples")
	h.line(root.Example)
	h.line("\nHelp for a command: ddbdesk help COMMAND. Global flags: ddbdesk help flags\nDocumentation: " + docsURL)
}

func (h helpWriter) commands(commands []*cobra.Command) {
	for _, c := range commands {
		if c.IsAvailableCommand() {
			fmt.Fprintf(h.out, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
}

func (h helpWriter) flags(flags *pflag.FlagSet) { fmt.Fprint(h.out, FlagUsages(flags, width())) }

// width returns the terminal width in cells, at most 100, because wider prose is hard to read.
func width() int {
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil && w > 0 {
		return min(w, 100)
	}
	return 80
}

// wrapParagraphs rewraps the paragraphs of a text, and indents the continued lines of a list.
func wrapParagraphs(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(p, "\n  ") {
			paragraphs[i] = Wrap(p, width, "")
			continue
		}
		lines := strings.Split(p, "\n")
		for j, line := range lines {
			if name, about, ok := strings.Cut(strings.TrimLeft(line, " "), "  "); ok {
				head := line[:strings.Index(line, name)+len(name)]
				head += strings.Repeat(" ", len(about)-len(strings.TrimLeft(about, " "))+2)
				lines[j] = head + Wrap(about, width-len(head), strings.Repeat(" ", len(head)))
			}
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// Wrap wraps a text to lines of at most width bytes, except for longer words. indent starts all lines but the first.
func Wrap(text string, width int, indent string) string {
	var out strings.Builder
	room := width
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case room < 1+len(word):
			out.WriteString("\n" + indent)
			room = width
		default:
			out.WriteByte(' ')
			room--
		}
		out.WriteString(word)
		room -= len(word)
	}
	return out.String()
}

func breakCommand(command string, width int) string {
	var out strings.Builder
	room := width - len(" \\")
	for i, part := range strings.Split(command, " --") {
		switch {
		case i > 0 && room < len(" --")+len(part):
			out.WriteString(" \\\n      --")
			room = width - len(" \\") - len("      --")
		case i > 0:
			out.WriteString(" --")
			room -= len(" --")
		}
		out.WriteString(part)
		room -= len(part)
	}
	return out.String()
}

// FlagUsages lists flags in lines of at most width columns; 0 means no limit. It omits the values of switches.
func FlagUsages(flags *pflag.FlagSet, width int) string {
	shownFlags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		shown := *f
		shown.Value = struct{ pflag.Value }{f.Value} // pflag lists values for types with IsBoolFlag.
		if f.DefValue == "[]" {
			shown.DefValue = ""
		}
		if value, usage := pflag.UnquoteUsage(f); f.NoOptDefVal != "" && value != "" {
			shown.Name, shown.Usage, shown.NoOptDefVal, shown.Value = f.Name+"[="+value+"]", usage, "", switchValue{f.Value}
		}
		shownFlags.AddFlag(&shown)
	})
	return shownFlags.FlagUsagesWrapped(width)
}

// A switchValue is listed without a value name.
type switchValue struct{ pflag.Value }

func (switchValue) Type() string { return "bool" }
