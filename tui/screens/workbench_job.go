package screens

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A job is a pattern, what was entered, and what was found.
type job struct {
	env     *Env
	pattern *accesspatterns.Pattern
	form    *widget.Form
	given   map[string]bool               // parameters that came from an item, or from an earlier question
	masker  *models.Masker                // that decided which of them are shown
	hidden  map[string]models.Sensitivity // parameters that are not shown
	entered map[string][]string           // what was entered before, by parameter; nil until it is asked for
	line    requestLine

	run       *session.Run
	sent      *accesspatterns.Request // that the run was started with, nil before the first
	sentLine  requestLine             // how that is spelled
	consented bool                    // to the scan that is sent
	req       int                     // the load that is waited for, 0 for none
	all       bool                    // the load reads to the end
	cancel    context.CancelFunc
	elapsed   time.Duration
	progress  *session.Progress // of the load that is waited for

	rows      *rows
	grid      *widget.Grid
	anchor    standing // of the cursor when a filter began to be typed
	ran       bool     // an answer came
	more      bool
	cancelled bool // by a person: the last load was not finished
	err       error
	warnings  []string
	count     int
	sums      sums
}

// sums are the figures of a run.
type sums struct {
	pages, scanned, requests int
	capacity                 float64
	took                     time.Duration
	at                       time.Time
}

func newJob(env *Env, p *accesspatterns.Pattern, args map[string]string) *job {
	j := &job{env: env, pattern: p, given: map[string]bool{}, masker: env.Session.Masker(), rows: newRows(env, p)}
	for name := range args {
		j.given[name] = true
	}
	j.hidden = j.hides()
	j.form = widget.NewForm(env.Styles, j.formFields()...)
	j.form.SetFocused(false)
	j.form.SetValues(args)
	j.rows.loadLayout()
	j.grid = widget.NewGrid(env.Styles, j.rows.columns()...)
	j.grid.SetSource(markedRows{j.rows})
	j.describe()
	return j
}

// hides are the parameters that the masker does not show.
func (j *job) hides() map[string]models.Sensitivity {
	hidden := map[string]models.Sensitivity{}
	for _, q := range j.pattern.Params {
		if q.Sensitive == models.Secret || j.given[q.Name] && j.masker.Hides(q.Sensitive) {
			hidden[q.Name] = q.Sensitive
		}
	}
	return hidden
}

// checkMasker hides or shows again what was revealed or hidden here or elsewhere.
func (j *job) checkMasker() {
	masker := j.env.Session.Masker()
	if masker == j.masker {
		return
	}
	j.masker, j.entered = masker, nil
	j.hidden = j.hides()
	for _, f := range j.formFields() {
		j.form.SetField(f)
	}
	j.describe()
	if j.sent != nil {
		j.sentLine = spellRequest(j.env, j.sent, j.hidden)
	}
}

// loading reports whether an answer is still to come.
func (j *job) loading() bool { return j.req != 0 }

// stop cancels the load. What was read before still arrives, so that the run
// can go on from there.
func (j *job) stop() {
	if j.loading() {
		j.cancel()
		j.cancelled = true
	}
}

// abandon cancels the load and drops its answer.
func (j *job) abandon() {
	j.stop()
	j.req = 0
}

// args are the parameters as they are given to Bind: what was entered beside
// the defaults.
func (j *job) args() map[string]string {
	args := j.form.Values()
	for name, text := range args {
		if q := j.pattern.Param(name); text == "" || q != nil && text == q.Default {
			delete(args, name)
		}
	}
	return args
}

// describe brings the request line up to date with the form. The request is bound
// again only when a parameter changed: what is shown is what is sent, however
// much time passes in between.
func (j *job) describe() {
	if r := j.line.request; r != nil && maps.Equal(r.Given, j.args()) {
		j.line = spellRequest(j.env, r, j.hidden)
		return
	}
	j.bind()
}

// bind binds what the form holds, with relative times taken from now.
func (j *job) bind() {
	if j.pattern.IsRead() {
		j.line = describeRequest(j.env, j.pattern, j.args(), j.hidden)
	}
}

// request is what the form shows: as it was sent, down to the names that the live
// table gives to keys, or as it would be. The error says why nothing can be sent.
func (j *job) request() (*accesspatterns.Request, error) {
	if j.run != nil && j.line.request == j.sent {
		return j.run.Request(), nil
	}
	return j.line.request, j.line.err
}

// entity is the only entity that the pattern returns, nil when it returns
// several.
func (j *job) entity() *models.Entity {
	if len(j.pattern.Returns) == 1 {
		return j.pattern.Returns[0]
	}
	return nil
}

// formFields makes the fields of the pattern's parameters.
func (j *job) formFields() []widget.FormField {
	var fields []widget.FormField
	env := j.env
	for _, q := range j.pattern.Params {
		if q.Type == accesspatterns.Token {
			continue // Pages are turned with n.
		}
		f := widget.FormField{
			Name: q.Name, Default: q.Default, Required: q.Required, Help: q.Description, Prefix: q.Prefix,
			Validate: func(text string) error { return problem(q, text, env.Session.Now()) },
			Warn:     q.Warn,
			Note:     func(text string) string { return standsFor(q, text, env.Session.Now()) },
			Past:     func() []string { return j.past(q) },
		}
		kindOf(&f, q)
		if _, hide := j.hidden[q.Name]; hide {
			f.Kind, f.Options = widget.FieldSecret, nil
		}
		fields = append(fields, f)
	}
	return fields
}

// kindOf chooses how a parameter is entered.
func kindOf(f *widget.FormField, q *accesspatterns.Param) {
	switch q.Type {
	case accesspatterns.Timestamp, accesspatterns.Day:
		f.Kind, f.Placeholder = widget.FieldDate, "today, -7d, 2026-01-14"
		f.Help = join(f.Help, "today, -7d, 2026-01-14, 2026-01-14T10:00:00Z or epoch; UTC", " · ")
	case accesspatterns.Number, accesspatterns.Integer:
		f.Kind = widget.FieldNumber
	case accesspatterns.Boolean:
		f.Kind = widget.FieldEnum
		f.Options = []widget.Option{{Value: "true"}, {Value: "false"}}
	case accesspatterns.Enum:
		enumKind(f, q)
	case accesspatterns.String, accesspatterns.Token:
	}
	if f.Placeholder == "" && q.Prefix == "" && !q.Required && q.Default == "" {
		f.Placeholder = "any"
	}
}

// enumKind makes a picker of an enum, or a text field when other values than
// the documented ones are possible.
func enumKind(f *widget.FormField, q *accesspatterns.Param) {
	if q.OpenEnum {
		f.Help = join(f.Help, "as "+shortList(q.Enum, 6), " · ")
		return
	}
	f.Kind = widget.FieldEnum
	var l *models.Lifecycle
	if q.Entity != nil && q.Attribute != nil {
		l = q.Entity.Lifecycle(q.Attribute.Path)
	}
	for _, v := range q.Enum {
		o := widget.Option{Value: v}
		if l != nil {
			if st := l.State(v); st != nil {
				o.Label = widget.KindOf(string(st.Kind)).Glyph() + " " + v
				o.Note = st.Description
			}
		}
		f.Options = append(f.Options, o)
	}
	f.Help = join(f.Help, "←/→ change · space list", " · ")
}

func join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

func shortList(list []string, n int) string {
	out := ""
	for i, s := range list {
		if i == n {
			return out + " …"
		}
		out = join(out, s, ", ")
	}
	return out
}

// problem says what is wrong with a parameter's text, without its name.
func problem(q *accesspatterns.Param, text string, now time.Time) error {
	_, err := q.Read(text, now)
	var p *accesspatterns.ParamError
	if errors.As(err, &p) {
		return errors.New(p.Param + ": " + p.Reason)
	}
	return err
}
