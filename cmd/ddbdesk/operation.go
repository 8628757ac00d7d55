package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/data"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// operations lists all declared operations. Add a package here, but add an operation to the list of its package.
var operations = slices.Concat(explore.Operations, schema.Operations, data.Operations, team.Operations, []*op.Op{checkStore, showVersion})

func (a *app) operation(path string) *cobra.Command {
	i := slices.IndexFunc(operations, func(o *op.Op) bool { return o.Path == path })
	return a.commandOf(operations[i], operations[i].Form())
}

func (a *app) operationTree(path string) *cobra.Command {
	cmd := a.operation(path)
	for _, o := range operations {
		if subcommand, ok := strings.CutPrefix(o.Path, path+" "); ok && !strings.Contains(subcommand, " ") {
			cmd.AddCommand(a.operationTree(o.Path))
			cmd.Args = cli.UnknownSubcommand
		}
	}
	return cmd
}

func (a *app) operationGroup(name, summary string) *cobra.Command {
	var list []*cobra.Command
	for _, o := range operations {
		if strings.HasPrefix(o.Path, name+" ") {
			list = append(list, a.commandOf(o, o.Form()))
		}
	}
	return cli.Group(name, summary, list...)
}

func (a *app) commandOf(o *op.Op, form *op.Form) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use: usageOf(o, form), Short: o.Title, Long: o.Help,
		Args: func(cmd *cobra.Command, args []string) error {
			return a.withFolderHint(a.hintMissing(cmd, form.Arguments(args)))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := faultOf(form); err != nil {
				return err
			}
			a.onlyReads = o.Needs == op.Reads
			r, err := form.Run(cmd.Context(), host{a}, output)
			if r == nil {
				return a.hintMissing(cmd, err)
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
		f := cmd.Flags().VarPF(paramFlag{p}, p.Name, "", p.Description)
		f.Hidden = p.Hidden
		if f.Value.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
		if a.isCompleting() {
			_ = cmd.RegisterFlagCompletionFunc(p.Name,
				func(_ *cobra.Command, args []string, word string) (completions, cobra.ShellCompDirective) {
					_ = form.Arguments(args) // The values of a flag depend on arguments such as the table.
					return complete(host{a}, p, word)
				}) // The flag exists.
		}
	}
	if len(o.Formats) > 0 {
		cli.OutputFlag(cmd, &output, o.Formats...)
	}
	return cmd
}

func (a *app) hintMissing(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[op.MissingArgument](err)
	if !ok {
		return err
	}
	usage := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	list, _ := complete(host{a}, missing.Param, "")
	if len(list) == 0 {
		return fmt.Errorf("%w; usage: %s", err, usage)
	}
	const maximum = 8
	shown := make([]string, min(len(list), maximum))
	for i := range shown {
		shown[i], _, _ = strings.Cut(list[i], "\t")
	}
	if len(list) > maximum {
		shown = append(shown, fmt.Sprintf("and %d more", len(list)-maximum))
	} else if missing.Param.Files {
		shown = append(shown, "or a file")
	}
	name := strings.TrimSuffix(missing.Param.Placeholder(), "=VALUE")
	return fmt.Errorf("%w; usage: %s\nvalues of %s: %s", err, usage, name, strings.ReplaceAll(strings.Join(shown, ", "), "=", ""))
}

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

// A paramFlag adapts a parameter to a flag.
type paramFlag struct{ *op.Param }

// Type names the value type in help and errors.
func (f paramFlag) Type() string { return f.Kind }

// IsBoolFlag reports whether the flag is a switch, for which help shows that it accepts =false.
func (f paramFlag) IsBoolFlag() bool { return f.Kind == "bool" }

func faultOf(form *op.Form) error {
	for _, p := range form.Params {
		reason, name := p.Fault(), p.Placeholder()
		if reason == "" {
			continue
		}
		if !p.Argument {
			name = "--" + p.Name
		}
		if p.Required && !p.Given() {
			return session.InputErrorf("missing %s; add %[1]s %s", name, p.Placeholder())
		}
		return session.InputErrorf("%s: %s", name, reason)
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
			_ = p.Set(args[0]) // An invalid value adds no completions.
			args = args[1:]
		default:
			for _, text := range args {
				_ = p.Set(text) // A text value cannot fail.
			}
			args = nil
			return complete(h, p, word)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// complete offers values of a parameter. The shell continues candidates that end with =.
func complete(h host, p *op.Param, word string) (completions, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	switch {
	case p.Files || p.Placeholder() == "FILE":
		directive = cobra.ShellCompDirectiveDefault
	case p.Placeholder() == "DIR":
		directive = cobra.ShellCompDirectiveFilterDirs
	}
	list := p.Enum
	switch {
	case p.Complete != nil:
		list = p.Complete(h, word)
	case p.Name == "context":
		list = h.contextNames()
	}
	return list, directive | noSpaceDirective(list)
}

func show(a *app, r op.Result, output string) error {
	to := a.outputOf(output)
	if f, ok := r.(op.Formatter); ok {
		return f.Write(to, output)
	}
	stream, isStream := r.(op.Stream)
	var err error
	switch {
	case output == items.JSONL.Name && isStream:
		e := json.NewEncoder(items.NewEscapingWriter(a.Stdout))
		e.SetEscapeHTML(false)
		err = stream.Each(func(row any) error { return e.Encode(row) })
	case output == items.JSON.Name && isStream && (stream.Member != "" || stream.Array):
		err = showDocument(a.Stdout, stream)
	case output == items.JSON.Name:
		err = to.JSON(r.JSON())
	default:
		err = r.Text(to)
	}
	if isStream && stream.End != nil {
		return stream.End(err)
	}
	if d, ok := r.(op.Doc); ok && err == nil && d.After != "" {
		a.Note(d.After)
	}
	return err
}

// showDocument marks a document that ends with an error as truncated. It writes nothing if the error precedes all rows.
func showDocument(w io.Writer, stream op.Stream) error {
	if stream.Array {
		list := op.NewList(w, "")
		if err := stream.Each(list.Add); err != nil {
			return err
		}
		return list.End("")
	}
	head, err := membersOf(stream.Head)
	if err != nil {
		return err
	}
	if head != "" {
		head += ","
	}
	list := op.NewList(w, "{"+head+`"`+stream.Member+`":`)
	if err = stream.Each(list.Add); err != nil && list.Empty() {
		return err
	}
	tail, tailErr := membersOf(stream.Tail())
	if err != nil {
		tail += `,"truncated":true`
	}
	return cmp.Or(err, tailErr, list.End(","+tail+"}"))
}

func membersOf(document any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(document)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), "{"), "}"), err
}

func (a *app) outputOf(output string) op.Output {
	to := op.Output{Writer: a.TableOutput(), SideOutput: a.Stderr, Note: a.Note, Plain: session.Role(a.flags.Role).Plain()}
	if t, ok := to.Writer.(*results.Terminal); ok {
		to.Grid = func(w *workspace.Workspace, r *accesspatterns.Request) op.Items { return t.Items(w, r) }
	}
	if f := items.FormatNamed(output); !cli.IsTerminal(a.Stdout) || f != nil && f.Buffered { // Otherwise the rows themselves show the progress.
		to.Progress = a.showLine
	}
	return to
}

// A host gives operations access to a run of the program.
type host struct{ *app }

func (h host) Profiles() ([]*profiles.Profile, error) { return h.everyProfile() }
func (h host) SchemaNames() []string                  { return slices.Concat(profiles.Names(), h.reader.UserProfiles()) }
func (h host) RequestsTable() string                  { return h.flags.Requests.Table }

func (h host) FindOptions() (find.Options, error) { return findOptions(&h.settings) }
func (h host) CanAsk() bool                       { return h.Interactive() }

func (h host) In(name string) (op.Host, error) {
	other, err := h.inContext(name)
	return host{other}, err
}

func (h host) FindIn() ([]string, error) {
	f, err := h.configuration()
	if err != nil || h.isRedirected() || h.flags.Name != "" {
		return nil, err
	}
	return f.Find, nil
}

func (h host) Recorded(subject, schema string, variables map[string]string, path string) (*profiles.Profile, string, error) {
	typed, err := h.variables()
	if err != nil {
		return nil, "", err
	}
	for name, value := range typed.Given { // Suggested commands contain the variables of the plan.
		if subject != "case file" && variables[name] != value {
			return nil, "", session.InputErrorf("--var: the plan file sets the variables; omit the flag")
		}
	}
	s, vars := &h.settings, profiles.Values{Given: variables}
	p, err := s.reader.Open(schema, vars)
	if !cli.HasType[*profiles.UnknownError](err) {
		return p, schema, err
	}
	name := strings.TrimSuffix(schema, filepath.Ext(schema))
	for _, other := range []string{filepath.Join(filepath.Dir(path), schema), name} { // first under its name, then relative to path
		if q, otherErr := s.reader.Open(other, vars); otherErr == nil {
			return q, other, nil
		}
	}
	if subject != "case file" {
		q, tableErr := h.Profile(schema) // a table without a schema
		if tableErr == nil || store.ClassOf(tableErr) != "" {
			return q, schema, tableErr
		}
	}
	place := ""
	if path != "" {
		place = " beside the " + subject + " or"
	}
	return nil, "", session.InputErrorf("the %s requires schema %s; copy it%s to the profiles folder beside the configuration file", subject,
		op.Short(schema), place)
}

func (h host) Connect(ctx context.Context, p *profiles.Profile, needs op.Access) (*workspace.Workspace, error) {
	if needs == op.Writes {
		signal.Ignore(syscall.SIGPIPE) // A sweep continues even if the reader of its report, such as head, has ended.
		return h.changeSession(ctx, p)
	}
	return h.readSession(ctx, p)
}

func (h host) Access(p *profiles.Profile) session.Options {
	return h.access(p, h.typedTarget())
}

func (h host) Database(ctx context.Context, p *profiles.Profile) (*store.Connection, session.Options, error) {
	conn, err := h.connectFor(ctx, p)
	if err != nil {
		return nil, session.Options{}, err
	}
	return conn, h.sessionOptions(p, conn, h.localActor()), nil
}

func (h host) Recording() (session.Options, error) {
	o, err := h.recording(&profiles.Profile{}, store.Target{}, h.localActor())
	o.Purpose = session.Purpose{}
	return o, err
}

func (h host) Progress(line func() string) (end func()) { return h.showLine(line) }

func (h host) Ask(ctx context.Context, q op.Question) (shown bool, err error) {
	to := h.Stderr
	if q.InResult && cli.IsTerminal(h.Stdout) {
		to, shown = h.TableOutput(), true
	}
	if err := (op.Output{Writer: to}).Sentences(q.Preview...); err != nil {
		return shown, err
	}
	confirms := cli.IsYes
	switch {
	case q.Accepts != nil:
		confirms = q.Accepts
	case q.Answer != "":
		confirms = func(answer string) bool { return answer == q.Answer }
	}
	return shown, h.Confirm(ctx, q.Text, confirms, q.Declined)
}
