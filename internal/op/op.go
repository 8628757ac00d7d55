// Package op declares what people, scripts and agents can do with ddbdesk. An [Op] has inputs and returns a [Result]; its
// command with flags, help and completion, the JSON Schema of its arguments and every output format are made of that
// declaration. An operation knows no front end: what it needs of one is in [Host].
package op

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/doctor"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Access is what an operation may do with a database.
type Access uint8

// The kinds of access.
const (
	Offline Access = iota // nothing: it opens no database
	Reads                 // read it
	Writes                // plan and apply changes, as the actor that AWS knows
)

// An Op is an operation. New makes one.
type Op struct {
	Path  string // the words of its command, such as "requests list"
	Title string // what it does, beginning with a verb: "List requests, newest first"
	Help  string // more about it, with Title repeated as its first sentence; "" for nothing
	Needs Access
	// Formats are the values of -o, the default first; none for a result that is text as it is.
	Formats []string
	Agent   string // what agents read about it; "" if it is no tool for them

	form func() *Form
}

// The formats of most operations.
var (
	TextJSON  = []string{"text", "json"}
	TableJSON = []string{"table", "json"}
)

// New returns an operation. Inputs declares the fields of a new In as parameters, with the values that they have as
// defaults; nil declares none. Run is called once with each In. It may return a result and an error: the result is shown,
// and the error ends the command.
func New[In any](o Op, inputs func(in *In) []*Param, run func(ctx context.Context, c *Call, in *In) (Result, error)) *Op {
	o.form = func() *Form {
		in := new(In)
		f := &Form{op: &o, run: func(ctx context.Context, c *Call) (Result, error) { return run(ctx, c, in) }}
		if inputs != nil {
			f.Params = inputs(in)
		}
		return f
	}
	return &o
}

// Form returns the inputs of one use of the operation, with their defaults.
func (o *Op) Form() *Form { return o.form() }

// A Form is the inputs of one use of an operation. A front end sets its parameters and runs it.
type Form struct {
	Params []*Param

	op  *Op
	run func(context.Context, *Call) (Result, error)
}

// Missing is the error of a required argument without a value. It wraps session.ErrInput.
type Missing struct{ Param *Param }

func (m Missing) Error() string { return "missing " + m.Param.Placeholder() }

// Unwrap returns session.ErrInput.
func (m Missing) Unwrap() error { return session.ErrInput }

// Arguments sets the positional parameters. An optional one before others gets a value only if there is one for each that
// is required.
func (f *Form) Arguments(args []string) error {
	least := 0
	for _, p := range f.Params {
		if p.Argument && p.Required {
			least++
		}
	}
	spare := len(args) - least
	for _, p := range f.Params {
		switch {
		case !p.Argument, !p.Required && spare <= 0:
			continue
		case len(args) == 0:
			return Missing{p}
		case !p.Required:
			spare--
		}
		last := 1
		if p.List {
			last = len(args)
		}
		for _, text := range args[:last] {
			if err := p.Set(text); errors.Is(err, session.ErrInput) {
				return err
			} else if err != nil {
				return session.InputErrorf("%s: invalid value %q", p.Placeholder(), models.Printable(text))
			}
		}
		args = args[last:]
	}
	if len(args) > 0 {
		return session.InputErrorf("unexpected argument %q", models.Printable(args[0]))
	}
	return nil
}

// Schema returns the JSON Schema of the parameters.
func (f *Form) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range f.Params {
		if properties[p.Name] = p.Schema(); p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Run runs the operation for a front end. Output is one of its formats.
func (f *Form) Run(ctx context.Context, h Host, output string) (Result, error) {
	return f.run(ctx, &Call{Host: h, Path: f.op.Path, Needs: f.op.Needs, Output: output})
}

// A Host is what a front end gives to operations.
type Host interface {
	// Profile opens the schema with a name, or of a file, with the variables that were set.
	Profile(name string) (*profiles.Profile, error)
	// Table returns a table of the connection with the schema that covers it, or else with the schema that its description is.
	Table(name string) (*profiles.Profile, *models.Table, error)
	// Profiles opens the built-in schemas and those of the user. The error is about some of them, or about all if the list is nil.
	Profiles() ([]*profiles.Profile, error)
	// SchemaNames are the names that Profile takes, for completion.
	SchemaNames() []string
	// Recorded opens the schema that a file names, with the variables that it has, and returns what opens it. What says what
	// the file at path is, such as plan.
	Recorded(what, schema string, variables map[string]string, path string) (p *profiles.Profile, opened string, err error)
	// Connect opens the session of a schema. Use Open of the call.
	Connect(ctx context.Context, p *profiles.Profile, needs Access) (*workspace.Workspace, error)
	// In returns the host of another context, whose sessions are to read only.
	In(name string) (Host, error)
	// FindIn returns the contexts that a search asks instead of the connection, as the configuration sets them. There are none if
	// the user named a connection.
	FindIn() ([]string, error)
	// FindOptions returns the limits of a search, as the configuration sets them.
	FindOptions() (find.Options, error)
	// Access is what a session of the schema would have, as far as it is known without a connection. The region of its target is
	// what the user set, "" for none. The schema may be nil.
	Access(p *profiles.Profile) session.Options
	// Database connects to the database of a schema, which may be nil, and returns what a session there would have.
	Database(ctx context.Context, p *profiles.Profile) (*store.Connection, session.Options, error)
	// Examine resolves the setup, and checks what the program depends on.
	Examine(ctx context.Context) doctor.Report
	// Sink returns where copies of journal entries are: in a file, or in the sink of the configuration for ConfiguredSink. Flag
	// is what the error is about.
	Sink(flag, where string) (journal.Sink, error)
	// Recording returns what a session has that only writes to the journal.
	Recording() (session.Options, error)
	// RequestsTable names the table of requested changes that the context sets, "" for none.
	RequestsTable() string
	// CanAsk reports whether a user can answer questions.
	CanAsk() bool
	// Ask asks before something is written. Any answer that does not agree is the error [Interrupted]. It reports whether
	// the preview was shown as a part of the result.
	Ask(ctx context.Context, q Question) (shown bool, err error)
	// Progress shows a line, again and again, from a second on until end is called.
	Progress(line func() string) (end func())
	// Note tells the user something in one line, beside the result.
	Note(text string)
	// Warn tells the user of what is odd in the input, each cut where it is long.
	Warn(warnings []string)
}

// ConfiguredSink stands for the sink of the configuration where a file can be named.
const ConfiguredSink = "sink"

// A Question is asked before something is written.
type Question struct {
	Preview   []string // what is asked about
	InResult  bool     // the preview is a part of the result, and need not be shown again
	Text      string
	Answer    string                   // the only one that agrees; "" for y or yes
	Takes     func(answer string) bool // takes a text instead; false does not agree
	Otherwise string                   // what the user is told who does not agree
}

// ProgressInterval is how often an operation that takes long reports how far it is.
const ProgressInterval = 5 * time.Second

// A Call is one use of an operation.
type Call struct {
	Host

	Path   string // of the operation, as its Needs
	Needs  Access
	Output string // the format of the result, "" if there is only one
}

// Notef formats a line for the user.
func (c *Call) Notef(format string, args ...any) { c.Note(fmt.Sprintf(format, args...)) }

// Open opens the session of a schema, with the access that the operation declares.
func (c *Call) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	if c.Needs == Offline {
		return nil, errors.New("the operation is declared to open no database")
	}
	return c.Connect(ctx, p, c.Needs)
}

// OpenSchema opens a schema by its name, and its session.
func (c *Call) OpenSchema(ctx context.Context, schema string) (*workspace.Workspace, error) {
	p, err := c.Profile(schema)
	if err != nil {
		return nil, err
	}
	return c.Open(ctx, p)
}

// OpenIn opens a schema by its name in another context, and its session, which only reads.
func (c *Call) OpenIn(ctx context.Context, name, schema string) (*workspace.Workspace, error) {
	h, err := c.In(name)
	if err != nil {
		return nil, err
	}
	p, err := h.Profile(schema)
	if err != nil {
		return nil, err
	}
	return h.Connect(ctx, p, Reads)
}

// An Outcome ends an operation that worked as it should, with an exit code that scripts notice. It is not printed.
type Outcome int

// The outcomes.
const (
	NotFound    Outcome = 1   // there is nothing
	Conflict    Outcome = 10  // something differs from what it should be
	Interrupted Outcome = 130 // a signal, or the user at a question, ended it
	Faulty      Outcome = 252 // the input has errors, which the result lists
	Failed      Outcome = 254 // a part of it failed, as the result says
)

func (o Outcome) Error() string { return fmt.Sprintf("exit %d", int(o)) }

// FileError describes why the file of the argument FILE cannot be read. Other errors are about its content.
func FileError(path string, err error) error {
	_, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return session.InputErrorf("%s: no such file", models.Printable(path))
	case isPath:
		return session.InputErrorf("FILE: %v", err)
	}
	return err
}
