package workbench

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A job is a pattern, what was entered, and what was found.
type job struct {
	env     *screen.Env
	pattern *accesspatterns.Pattern
	form    *widget.Form
	given   map[string]bool               // parameters that came from an item, or from an earlier question
	masker  *models.Masker                // that decided which of them are shown
	hidden  map[string]models.Sensitivity // parameters that are not shown
	entered map[string][]string           // what was entered before, by parameter; nil until it is asked for
	line    present.RequestLine

	run       *reading.Run
	sent      *accesspatterns.Request // that the run was started with, nil before the first
	sentLine  present.RequestLine     // how that is spelled
	consented bool                    // to the scan that is sent
	req       int                     // the load that is waited for, 0 for none
	all       bool                    // the load reads to the end
	cancel    context.CancelFunc
	elapsed   time.Duration
	progress  *reading.Progress // of the load that is waited for

	rows      *results.Rows
	grid      *widget.Grid
	anchor    results.Position // of the cursor when a filter began to be typed
	ran       bool             // an answer came
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

func newJob(env *screen.Env, p *accesspatterns.Pattern, args map[string]string) *job {
	j := &job{env: env, pattern: p, given: map[string]bool{}, masker: env.Session.Masker(), rows: results.NewRows(env, p)}
	for name := range args {
		j.given[name] = true
	}
	j.hidden = j.env.Session.HiddenParams(j.pattern, j.given)
	j.form = widget.NewForm(env.Styles, j.formFields()...)
	j.form.SetFocused(false)
	j.form.SetValues(args)
	j.rows.LoadLayout()
	j.grid = widget.NewGrid(env.Styles, j.rows.Columns()...)
	j.grid.SetSource(results.MarkedRows{Rows: j.rows})
	j.describe()
	return j
}

// checkMasker hides or shows again what was revealed or hidden here or elsewhere.
func (j *job) checkMasker() {
	masker := j.env.Session.Masker()
	if masker == j.masker {
		return
	}
	j.masker, j.entered = masker, nil
	j.hidden = j.env.Session.HiddenParams(j.pattern, j.given)
	for _, f := range j.formFields() {
		j.form.SetField(f)
	}
	j.describe()
	if j.sent != nil {
		j.sentLine = present.SpellRequest(j.env, j.sent, j.hidden)
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
	if r := j.line.Request; r != nil && maps.Equal(r.Given, j.args()) {
		j.line = present.SpellRequest(j.env, r, j.hidden)
		return
	}
	j.bind()
}

// bind binds what the form holds, with relative times taken from now.
func (j *job) bind() {
	if j.pattern.IsRead() {
		j.line = present.DescribeRequest(j.env, j.pattern, j.args(), j.hidden)
	}
}

// request is what the form shows: as it was sent, down to the names that the live
// table gives to keys, or as it would be. The error says why nothing can be sent.
func (j *job) request() (*accesspatterns.Request, error) {
	switch {
	case !j.pattern.IsRead():
		return nil, fmt.Errorf("%s is a write pattern; run an action instead", j.pattern.FullID())
	case j.run != nil && j.line.Request == j.sent:
		return j.run.Request(), nil
	}
	return j.line.Request, j.line.Err
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
			Validate: func(text string) error { return present.Problem(q, text, env.Session.Now()) },
			Warn:     q.Warn,
			Note:     func(text string) string { return present.StandsFor(q, text, env.Session.Now()) },
			Past:     func() []string { return j.past(q) },
		}
		present.KindOf(&f, q)
		if _, hide := j.hidden[q.Name]; hide {
			f.Kind, f.Options = widget.FieldSecret, nil
		}
		fields = append(fields, f)
	}
	return fields
}
