package queue

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (j *queueJob) paramNames() []string {
	return models.NamesOf(j.queue.Params, func(p *accesspatterns.Param) string { return p.Name })
}

func givenText(env *screen.Env, j *queueJob) string {
	related := accesspatterns.Related{Pattern: j.queue.Pattern, Args: j.given}
	return present.ShownArgs(env.Session.Masker(), related, nil)
}

func (s *queueScreen) askParameters() tea.Cmd {
	j, at := s.job(), s.tabs.Active
	prefilled := map[string]bool{}
	for name, text := range j.given {
		prefilled[name] = text != ""
	}
	hidden := s.env.Session.HiddenParams(j.queue.Pattern, prefilled)
	var fields []widget.FormField
	for _, p := range j.queue.Params {
		f := present.ParamField(s.env, j.queue.Pattern, p)
		f.Required = true
		if _, hide := hidden[p.Name]; hide {
			f.Kind, f.Options = widget.FieldSecret, nil
		}
		fields = append(fields, f)
	}
	q := overlay.NewCalmQuestion(j.queue.Title, "", "Read the queue", nil, j.queue.Description)
	q.AskAll(s.env.Styles, fields...)
	q.Form.SetValues(j.given)
	q.Yes = func() tea.Cmd {
		j.task.End()
		s.jobs[at] = newQueueJob(s.env, j.queue, q.Form.Values())
		s.arrange()
		return s.auto.refresh()
	}
	s.Box = q
	return nil
}
