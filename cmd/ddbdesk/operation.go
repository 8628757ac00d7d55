package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/table"
)

// operations are all declared operations. Add a package here, and an operation to the list of its package.
var operations = slices.Concat(explore.Operations, schema.Operations, team.Operations)

func (a *app) operation(path string) *cobra.Command {
	i := slices.IndexFunc(operations, func(o *op.Op) bool { return o.Path == path })
	return a.commandOf(operations[i], operations[i].Form())
}

// operationGroup returns a command whose subcommands are the operations below it, in their order, and other commands.
func (a *app) operationGroup(name, summary string, others ...*cobra.Command) *cobra.Command {
	var list []*cobra.Command
	for _, o := range operations {
		if strings.HasPrefix(o.Path, name+" ") {
			list = append(list, a.commandOf(o, o.Form()))
		}
	}
	return cli.Group(name, summary, append(list, others...)...)
}

// commandOf returns the command of an operation, which fills and runs a form.
func (a *app) commandOf(o *op.Op, form *op.Form) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use: usageOf(o, form), Short: o.Title, Long: o.Help,
		Args: func(_ *cobra.Command, args []string) error { return a.hintFolder(form.Arguments(args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := faultOf(form); err != nil {
				return err
			}
			r, err := form.Run(cmd.Context(), host{a}, output)
			if r == nil {
				return err
			}
			return cmp.Or(show(a, r, output), err)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
			return completeArgument(host{a}, o.Form(), args, word)
		},
	}
	for _, p := range form.Params {
		if p.Argument {
			continue
		}
		f := cmd.Flags().VarPF(flagOf{p}, p.Name, "", p.Description)
		if f.Value.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
		_ = cmd.RegisterFlagCompletionFunc(p.Name, func(_ *cobra.Command, _ []string, word string) (completions, cobra.ShellCompDirective) {
			return complete(host{a}, p, word)
		}) // The flag exists.
	}
	if len(o.Formats) > 0 {
		cli.OutputFlag(cmd, &output, o.Formats...)
	}
	return cmd
}

// usageOf returns the words after ddbdesk and the groups of a command, such as show [SCHEMA] ID.
func usageOf(o *op.Op, form *op.Form) string {
	words := []string{o.Path[strings.LastIndexByte(o.Path, ' ')+1:]}
	for _, p := range form.Params {
		word := p.Placeholder()
		switch {
		case !p.Argument:
			continue
		case p.List && p.Required:
			word += "..."
		case p.List:
			word = "[" + word + " ...]"
		case !p.Required:
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// A flagOf is a parameter as a flag.
type flagOf struct{ *op.Param }

// Type names the type of the values in help and errors.
func (f flagOf) Type() string { return f.Kind }

// IsBoolFlag makes the help show that a switch takes =false.
func (f flagOf) IsBoolFlag() bool { return f.Kind == "bool" }

func faultOf(form *op.Form) error {
	for _, p := range form.Params {
		why, name := p.Fault(), p.Placeholder()
		if why == "" {
			continue
		}
		if !p.Argument {
			name = "--" + p.Name
		}
		if p.Required && !p.Given() {
			why += "; add " + name + " " + p.Placeholder()
		}
		return cli.UsageErrorf("%s: %s", name, why)
	}
	return nil
}

func completeArgument(h host, form *op.Form, args []string, word string) (completions, cobra.ShellCompDirective) {
	for _, p := range form.Params {
		switch {
		case !p.Argument:
		case len(args) == 0:
			return complete(h, p, word)
		case !p.List:
			_ = p.Set(args[0]) // A wrong value completes nothing.
			args = args[1:]
		default:
			for _, text := range args {
				_ = p.Set(text) // It is a text.
			}
			args = nil
			return complete(h, p, word)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// complete offers values of a parameter. Words that end with = are continued.
func complete(h host, p *op.Param, word string) (completions, cobra.ShellCompDirective) {
	var list completions
	directive := cobra.ShellCompDirectiveNoFileComp
	if p.Files {
		directive = cobra.ShellCompDirectiveDefault
	}
	if list = p.Enum; p.Complete != nil {
		list = p.Complete(h, word)
	}
	return list, directive | continued(list)
}

// show writes a result in an output format, and returns its outcome.
func show(a *app, r op.Result, output string) error {
	to := a.outputOf(output)
	if f, ok := r.(op.Formatter); ok {
		return f.Write(to, output)
	}
	stream, streams := r.(op.Streamer)
	var err error
	switch {
	case output == items.JSONL.Name && streams:
		e := json.NewEncoder(items.Visible(a.Stdout))
		e.SetEscapeHTML(false)
		err = stream.Each(func(row any) error { return e.Encode(row) })
	case output == items.JSON.Name && streams && stream.Around().Member != "":
		err = showDocument(a.Stdout, stream)
	case output == items.JSON.Name:
		err = to.JSON(r.JSON())
	default:
		err = r.Text(to)
	}
	if err == nil && streams && stream.Around().End != nil {
		err = stream.Around().End()
	}
	return err
}

// showDocument writes the document of a stream. It is complete even after an error.
func showDocument(w io.Writer, stream op.Streamer) error {
	around := stream.Around()
	head, err := membersOf(around.Head)
	if err != nil {
		return err
	}
	list := cli.NewList(w, "{"+head+",", around.Member)
	err = stream.Each(list.Add)
	tail, tailErr := membersOf(around.Tail())
	return cmp.Or(err, tailErr, list.End(tail))
}

func membersOf(document any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(document)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), "{"), "}"), err
}

// outputOf returns what takes the text of a result in an output format.
func (a *app) outputOf(output string) op.Output {
	to := op.Output{Writer: a.TableOutput(), Beside: a.Stderr, Note: a.Note}
	if t, ok := to.Writer.(*table.Terminal); ok {
		to.Grid = func(w *workspace.Workspace, p *accesspatterns.Pattern) op.Items { return newScreenTable(t, w, p) }
	}
	if f := items.Named(output); !cli.IsTerminal(a.Stdout) || f != nil && f.Buffered { // Otherwise rows appear meanwhile.
		to.Progress = func(line func() string) func() {
			begun := time.Now()
			return showLine(a, func() string {
				if time.Since(begun) < progressDelay {
					return ""
				}
				return line()
			})
		}
	}
	return to
}

// A host is a run of the program as what operations need of it.
type host struct{ a *app }

func (h host) Profile(name string) (*profiles.Profile, error) { return h.a.schema(name) }
func (h host) Profiles() ([]*profiles.Profile, error)         { return h.a.everyProfile() }
func (h host) SchemaNames() []string                          { return slices.Concat(profiles.Names(), h.a.reader.Own()) }
func (h host) RequestsTable() string                          { return h.a.flags.Requests.Table }
func (h host) Note(text string)                               { h.a.Note(text) }
func (h host) Warn(warnings []string)                         { h.a.Warn(warnings) }

func (h host) FindOptions() (find.Options, error) { return findOptions(&h.a.settings) }
func (h host) Purpose() session.Purpose           { return h.a.flags.purpose }

func (h host) OpenIn(ctx context.Context, name, schema string) (*workspace.Workspace, error) {
	return openInContext(ctx, h.a, name, schema)
}

func (h host) Recorded(what, schema string, variables map[string]string, path string) (*profiles.Profile, string, error) {
	return recordedProfile(&h.a.settings, what, schema, variables, path)
}

func (h host) Connect(ctx context.Context, p *profiles.Profile, needs op.Access) (*workspace.Workspace, error) {
	if needs == op.Writes {
		return h.a.changeSession(ctx, p)
	}
	return h.a.readSession(ctx, p)
}
