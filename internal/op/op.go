// Package op defines operations: the tasks that people, scripts and agents perform with ddbdesk. An [Op] has inputs and
// returns a [Result]. The declaration determines its command with flags, help and completion, the JSON Schema of its
// arguments, and every output format. An operation does not depend on a front end; it uses the [Host] interface.
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

// Access is the database access that an operation needs.
type Access uint8

// These are the kinds of access.
const (
	Offline Access = iota // opens no database
	Reads                 // reads the database
	Writes                // plans and applies changes, as the actor known to AWS
)

// An Op is an operation. Create it with New.
type Op struct {
	Path  string // command words, such as "requests list"
	Title string // short description that begins with a verb: "List requests, newest first"
	Help  string // long description, which repeats Title as its first sentence; or ""
	Needs Access
	// Formats contains the values of -o, with the default first. It is nil if the result is plain text.
	Formats []string
	Agent   string // description for agents; "" if agents cannot use it

	form func() *Form
}

// These are the formats of most operations.
var (
	TextJSON  = []string{"text", "json"}
	TableJSON = []string{"table", "json"}
)

// New returns an operation. inputs declares the fields of a new In as parameters, with their initial values as
// defaults; a nil inputs declares none. The operation calls run once for each In. If run returns both a result and an
// error, the front end shows the result, and the error ends the command.
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

// Form returns the inputs for one use of the operation, with their defaults.
func (o *Op) Form() *Form { return o.form() }

// A Form contains the inputs of one use of an operation. A front end sets its parameters and runs it.
type Form struct {
	Params []*Param

	op  *Op
	run func(context.Context, *Call) (Result, error)
}

// MissingArgument is the error for a required argument that has no value. It wraps session.ErrInput.
type MissingArgument struct{ Param *Param }

func (m MissingArgument) Error() string { return "missing " + m.Param.Placeholder() }

// Unwrap returns session.ErrInput.
func (m MissingArgument) Unwrap() error { return session.ErrInput }

// Arguments sets the positional parameters. An optional parameter before required ones gets a value only if enough
// arguments remain for the required ones.
func (f *Form) Arguments(args []string) error {
	minimum := 0
	for _, p := range f.Params {
		if p.Argument && p.Required {
			minimum++
		}
	}
	spare := len(args) - minimum
	for _, p := range f.Params {
		switch {
		case !p.Argument, !p.Required && spare <= 0:
			continue
		case len(args) == 0:
			return MissingArgument{p}
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
		return session.InputErrorf("unexpected argument %q; see ddbdesk %s --help", models.Printable(args[0]), f.op.Path)
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

// Run runs the operation for a front end. output is one of its formats.
func (f *Form) Run(ctx context.Context, h Host, output string) (Result, error) {
	return f.run(ctx, &Call{Host: h, Path: f.op.Path, Needs: f.op.Needs, Output: output})
}

// A Host is the interface that a front end offers to operations.
type Host interface {
	// Profile opens a schema by name or file, with the user's variables.
	Profile(name string) (*profiles.Profile, error)
	// Table returns a table of the connection with the schema that covers it. If none does, it derives a schema from
	// the table's description.
	Table(name string) (*profiles.Profile, *models.Table, error)
	// Profiles opens the built-in schemas and the user's schemas. The error describes the invalid ones; if the list is
	// nil, it concerns all of them.
	Profiles() ([]*profiles.Profile, error)
	// SchemaNames returns the names that Profile accepts. Completion uses them.
	SchemaNames() []string
	// Recorded opens the schema that a file names, with the file's variables, and returns the name that opens it.
	// subject describes the file at path, such as "plan".
	Recorded(subject, schema string, variables map[string]string, path string) (p *profiles.Profile, opened string, err error)
	// Connect opens a session for a schema. Operations use Call.Open instead.
	Connect(ctx context.Context, p *profiles.Profile, needs Access) (*workspace.Workspace, error)
	// In returns the host for another context. Its sessions are read-only.
	In(name string) (Host, error)
	// FindIn returns the contexts that a search covers instead of the connection, according to the configuration. It
	// returns none if the user named a connection.
	FindIn() ([]string, error)
	// FindOptions returns the configured limits of a search.
	FindOptions() (find.Options, error)
	// Access returns the options that a session of the schema would have, as far as they are known without a
	// connection. The target's region is the one that the user set, or "". p may be nil.
	Access(p *profiles.Profile) session.Options
	// Database connects to the database of a schema and returns the options of a session there. p may be nil.
	Database(ctx context.Context, p *profiles.Profile) (*store.Connection, session.Options, error)
	// Examine resolves the setup and checks the program's dependencies.
	Examine(ctx context.Context) doctor.Report
	// Sink returns the sink for journal copies: a file, or the configured sink for ConfiguredSink. Errors name the
	// flag.
	Sink(flag, place string) (journal.Sink, error)
	// Recording returns options for a session that only writes to the journal.
	Recording() (session.Options, error)
	// RequestsTable returns the context's table of change requests, or "".
	RequestsTable() string
	// CanAsk reports whether a user can answer questions.
	CanAsk() bool
	// Ask asks the user for confirmation before ddbdesk writes. For any other answer, it returns [Interrupted]. shown
	// reports whether the result included the preview.
	Ask(ctx context.Context, q Question) (shown bool, err error)
	// Progress shows a line after one second, and refreshes it until the caller calls end.
	Progress(line func() string) (end func())
	// Note shows the user a one-line message outside of the result.
	Note(text string)
	// Warn shows the user warnings about the input, and cuts long ones.
	Warn(warnings []string)
}

// ConfiguredSink selects the configured sink instead of a file.
const ConfiguredSink = "sink"

// A Question asks the user for confirmation before ddbdesk writes.
type Question struct {
	Preview  []string // description of the planned writes
	InResult bool     // the result includes the preview, so that it is not shown again
	Text     string
	Answer   string                   // only answer that confirms; "" for y or yes
	Accepts  func(answer string) bool // checks a text answer instead; false does not confirm
	Declined string                   // message for a user who does not confirm
}

// progressInterval is the interval at which a long operation reports its progress.
const progressInterval = 5 * time.Second

// NotesDue returns a function that reports whether a long operation should note its progress now.
func NotesDue() func() bool {
	last := time.Now()
	return func() bool {
		if time.Since(last) < progressInterval {
			return false
		}
		last = time.Now()
		return true
	}
}

// A Call is one use of an operation.
type Call struct {
	Host

	Path   string // path of the operation, to check against its Needs
	Needs  Access
	Output string // format of the result, "" if there is only one
}

// Plain reports whether the text of the result is for role support; see [session.Role.Plain].
func (c *Call) Plain() bool { return c.Access(nil).Role.Plain() }

// ErrorText returns the text of an error for the user.
func (c *Call) ErrorText(err error) string { return c.Access(nil).Role.ErrorText(err) }

// Notef shows the user a formatted one-line note.
func (c *Call) Notef(format string, args ...any) { c.Note(fmt.Sprintf(format, args...)) }

// NoteError shows the user an error that did not end the operation, or nothing for nil.
func (c *Call) NoteError(err error) {
	if err != nil {
		c.Note(err.Error())
	}
}

// Open opens a session for a schema, with the access that the operation declares.
func (c *Call) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	if c.Needs == Offline {
		return nil, errors.New("the operation is declared to open no database")
	}
	return c.Connect(ctx, p, c.Needs)
}

// OpenSchema opens a schema by name, and a session for it.
func (c *Call) OpenSchema(ctx context.Context, schema string) (*workspace.Workspace, error) {
	p, err := c.Profile(schema)
	if err != nil {
		return nil, err
	}
	return c.Open(ctx, p)
}

// OpenIn opens a schema by name in another context, and a read-only session for it. The error names the context.
func (c *Call) OpenIn(ctx context.Context, name, schema string) (w *workspace.Workspace, err error) {
	h, err := c.In(name)
	if err != nil {
		return nil, err
	}
	p, err := h.Profile(schema)
	if err == nil {
		w, err = h.Connect(ctx, p, Reads)
	}
	if err != nil {
		return nil, fmt.Errorf("context %s: %w", Short(name), err)
	}
	return w, nil
}

// An Outcome ends a successful operation with an exit code for scripts. It is not printed.
type Outcome int

// These are the outcomes.
const (
	NotFound     Outcome = 1   // the operation found nothing
	Conflict     Outcome = 10  // something differs from its expected state
	Interrupted  Outcome = 130 // a signal ended it, or the user at a prompt
	InvalidInput Outcome = 252 // the input has errors, which the result lists
	Failed       Outcome = 254 // a part of it failed; the result contains the details
)

func (o Outcome) Error() string { return fmt.Sprintf("exit %d", int(o)) }

// FileError explains why ddbdesk cannot read a file that the user named. Other errors concern the content.
func FileError(err error) error {
	cause, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case !isPath:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return session.InputErrorf("cannot read %s: no such file; check the path", models.Printable(cause.Path))
	}
	return session.InputErrorf("cannot read %s: %v", models.Printable(cause.Path), cause.Err)
}
