package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/doctor"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// operationChecks apply to every operation, including new ones. Their inputs come from exampleCalls, which parses the
// examples of the help.
var operationChecks = map[string]func(t *testing.T, o *op.Op){
	"words":        checkOperationWords,
	"parameters":   checkOperationParams,
	"JSON Schema":  checkOperationSchema,
	"help":         checkOperationHelp,
	"failing host": checkOperationOnFailingHost,
}

func TestEveryOperation(t *testing.T) {
	paths := map[string]bool{}
	for _, o := range operations {
		if paths[o.Path] {
			t.Errorf("two operations have the path %s", o.Path)
		}
		paths[o.Path] = true
		for name, check := range operationChecks {
			t.Run(o.Path+"/"+name, func(t *testing.T) { check(t, o) })
		}
	}
	for name, check := range fixtureChecks {
		t.Run(name, check)
	}
}

// exampleCalls returns the calls in the examples of an operation, with their inputs.
func exampleCalls(t *testing.T, o *op.Op) map[string]*op.Form {
	t.Helper()
	list := map[string]*op.Form{}
	cmd := commandAt(t, o)
	for line := range strings.Lines(cmd.Example) {
		words := shellWords(strings.TrimSpace(line))
		if len(words) == 0 || words[0] != "ddbdesk" {
			continue
		}
		form, root := o.Form(), &cobra.Command{}
		cmd := (&app{}).commandOf(o, form)
		(&app{}).register(root)
		root.AddCommand(cmd)
		err := cmd.ParseFlags(words[1+len(strings.Fields(o.Path)):])
		if err == nil {
			err = form.Arguments(cmd.Flags().Args())
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list[strings.TrimSpace(line)] = form
	}
	if len(list) == 0 {
		t.Fatal("the operation has no examples")
	}
	return list
}

// commandAt returns the command of an operation by its path.
func commandAt(t *testing.T, o *op.Op) *cobra.Command {
	t.Helper()
	cmd, rest, err := rootCommand(&app{}).Find(strings.Fields(o.Path))
	if err != nil || len(rest) > 0 || cmd.CommandPath() != "ddbdesk "+o.Path {
		t.Fatalf("the command ddbdesk %s does not exist", o.Path)
	}
	return cmd
}

var (
	verbFirst   = regexp.MustCompile(`^[A-Z][a-z]+ [^.]+$`)
	description = regexp.MustCompile("^([a-z`]|AWS )[^\n]*[^.\n ]$")
	parameter   = regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`)
)

func checkOperationWords(t *testing.T, o *op.Op) {
	if !verbFirst.MatchString(o.Title) || len(o.Title) > 80 {
		t.Errorf("title %q: want a sentence without a period that begins with a verb", o.Title)
	}
	for _, text := range []string{o.Help, o.Agent} {
		for line := range strings.SplitSeq(text, "\n") {
			if len([]rune(line)) > 120 && !strings.HasPrefix(line, "  ") || strings.TrimRight(line, " ") != line {
				t.Errorf("line %q: want at most 120 columns, except in a list, and no space at the end", line)
			}
		}
	}
	for _, p := range o.Form().Params {
		if !description.MatchString(p.Description) {
			t.Errorf("%s: description %q: want lower case and no period", p.Name, p.Description)
		}
	}
}

func checkOperationParams(t *testing.T, o *op.Op) {
	global := rootCommand(&app{}).PersistentFlags()
	previous := map[string]bool{}
	var last *op.Param
	for _, p := range o.Form().Params {
		switch {
		case previous[p.Name]:
			t.Errorf("%s is declared twice", p.Name)
		case !parameter.MatchString(p.Name):
			t.Errorf("%q is not a valid parameter name", p.Name)
		case !p.Argument && p.Name != "reason" && (p.Name != "context" || !p.List) && global.Lookup(p.Name) != nil:
			t.Errorf("--%s is a flag of every command", p.Name)
		case p.Argument && last != nil && last.List:
			t.Errorf("%s follows %s, which accepts all remaining arguments", p.Name, last.Name)
		case p.Enum != nil && p.Default != "" && !slices.Contains(p.Enum, p.Default):
			t.Errorf("%s: the default %s is not allowed", p.Name, p.Default)
		case !p.Argument && p.Type != accesspatterns.Boolean && !strings.Contains(p.Description, "`"+p.Placeholder()+"`"):
			t.Errorf("%s: description %q does not name the value in backquotes", p.Name, p.Description)
		}
		if previous[p.Name] = true; p.Argument {
			last = p
		}
	}
	if slices.ContainsFunc(o.Formats, func(name string) bool {
		return !slices.Contains([]string{"text", "cli", "table", "json", "jsonl", "csv", "dynamodb"}, name)
	}) {
		t.Errorf("got formats %v, want only known ones", o.Formats)
	}
}

func checkOperationSchema(t *testing.T, o *op.Op) {
	if err := resolved(t, o.Form().Schema()).Validate(map[string]any{"no such parameter": true}); err == nil {
		t.Error("the schema accepts an unknown parameter")
	}
}

func checkOperationHelp(t *testing.T, o *op.Op) {
	var out strings.Builder
	cli.WriteHelp(commandAt(t, o), &out)
	for _, p := range o.Form().Params {
		if want := p.Placeholder(); p.Argument && !strings.Contains(out.String(), want) {
			t.Errorf("the usage does not name %s:\n%s", want, &out)
		}
		if !p.Argument && strings.Contains(out.String(), "--"+p.Name) == p.Hidden {
			t.Errorf("the help lists --%s: %t, want %t\n%s", p.Name, p.Hidden, !p.Hidden, &out)
		}
	}
	if !strings.Contains(out.String(), "ddbdesk "+o.Path) {
		t.Errorf("no usage in:\n%s", &out)
	}
}

var errHost = errors.New("the host fails")

// failingHost fails every call.
type failingHost struct{}

func (failingHost) Profile(string) (*profiles.Profile, error)              { return nil, errHost }
func (failingHost) Table(string) (*profiles.Profile, *models.Table, error) { return nil, nil, errHost }
func (failingHost) Profiles() ([]*profiles.Profile, error)                 { return nil, errHost }
func (failingHost) SchemaNames() []string                                  { return nil }
func (failingHost) RequestsTable() string                                  { return "requests" }
func (failingHost) Note(string)                                            {}
func (failingHost) FindOptions() (find.Options, error)                     { return find.Options{}, errHost }

func (failingHost) Access(*profiles.Profile) session.Options  { return session.Options{} }
func (failingHost) CanAsk() bool                              { return true }
func (failingHost) Progress(func() string) func()             { return func() {} }
func (failingHost) Examine(context.Context) doctor.Report     { return doctor.Report{Healthy: true} }
func (failingHost) Sink(string, string) (journal.Sink, error) { return nil, errHost }
func (failingHost) Recording() (session.Options, error)       { return session.Options{}, errHost }
func (failingHost) Warn([]string)                             {}
func (failingHost) Recorded(string, string, map[string]string, string) (*profiles.Profile, string, error) {
	return nil, "", errHost
}

func (failingHost) Ask(context.Context, op.Question) (bool, error) { return false, errHost }

func (failingHost) Database(context.Context, *profiles.Profile) (*store.Connection, session.Options, error) {
	return nil, session.Options{}, errHost
}

func (failingHost) In(string) (op.Host, error) { return nil, errHost }

func (failingHost) FindIn() ([]string, error) { return nil, nil }

func (failingHost) Connect(context.Context, *profiles.Profile, op.Access) (*workspace.Workspace, error) {
	return nil, errHost
}

// An operation returns the error of its host or a result in all of its formats. If it reads a file, it may fail earlier
// because the file of its example does not exist.
func checkOperationOnFailingHost(t *testing.T, o *op.Op) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("docs", 0o755); err != nil { // Examples write files there.
		t.Fatal(err)
	}
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	for call, form := range exampleCalls(t, o) {
		r, err := form.Run(t.Context(), failingHost{}, "")
		reads := slices.ContainsFunc(form.Params, func(p *op.Param) bool {
			return p.Argument && (p.Placeholder() == "FILE" || p.Placeholder() == "DIR")
		})
		switch {
		case reads && err != nil:
			if r != nil {
				t.Errorf("%s: got a result for a file that does not exist", call)
			}
		case err != nil && !errors.Is(err, errHost):
			t.Errorf("%s: got %v, want the error of the host", call, err)
		case err == nil && r == nil:
			t.Errorf("%s: got neither a result nor an error", call)
		case r != nil:
			for _, format := range append(slices.Clone(o.Formats), "") {
				if err := show(&app{Streams: cli.Streams{Stdout: models.NewSafeWriter(io.Discard), Stderr: io.Discard}}, r, format); err != nil {
					t.Errorf("%s -o %s: %v", call, format, err)
				}
			}
		}
	}
}

// A user agrees only with yes or with the answer that a question requires, not by an interrupt or the end of the input.
func TestAskNeedsExplicitAnswer(t *testing.T) {
	for _, tt := range []struct {
		required, answer string
		agrees           bool
	}{
		{"", "y\n", true},
		{"", " YES \n", true},
		{"", "\n", false},
		{"", "n\n", false},
		{"", "yep\n", false},
		{"", "ver_1\n", false},
		{"", "", false},
		{"ver_1", "ver_1\n", true},
		{"ver_1", "y\n", false},
		{"ver_1", "VER_1\n", false},
		{"ver_1", "\n", false},
	} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.WriteString(tt.answer); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if tt.answer == "" {
			cancel() // without input, and before its end
		} else if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		var words strings.Builder
		h := host{&app{Streams: cli.Streams{Stdin: in, Stdout: io.Discard, Stderr: &words}}}
		_, err = h.Ask(ctx, op.Question{Preview: []string{"the plan"}, Text: "Apply? ", Answer: tt.required, Declined: "nothing was written"})
		if (err == nil) != tt.agrees || err != nil && cli.CodeOf(ctx, err) != cli.ExitInterrupted {
			t.Errorf("%q for %q: got %v, want agreement: %t", tt.answer, tt.required, err, tt.agrees)
		}
		if message := words.String(); !strings.HasPrefix(message, "the plan\nApply? ") || strings.Contains(message, "nothing was written") == tt.agrees {
			t.Errorf("%q for %q: got message %s", tt.answer, tt.required, message)
		}
		cancel()
		_ = out.Close() // The goroutine may have closed it.
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}
