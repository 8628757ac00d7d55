package workbench

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// pastKept is how many earlier values a field offers.
const pastKept = 20

// past are the values that were entered for a parameter before: here, then for
// the same attribute in other patterns.
func (j *job) past(q *accesspatterns.Param) []string {
	if list, ok := j.entered[q.Name]; ok {
		return list
	}
	s := j.env.Workspace
	list := slices.Clone(s.History.Values(j.pattern, q.Name))
	for _, p := range s.Session.Profile().Patterns {
		other := p.Param(q.Name)
		if p == j.pattern || other == nil || q.Attribute == nil || other.Attribute != q.Attribute {
			continue
		}
		for _, v := range s.History.Values(p, q.Name) {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	list = list[:min(len(list), pastKept)]
	if j.entered == nil {
		j.entered = map[string][]string{}
	}
	j.entered[q.Name] = list
	return list
}

// pasteForm fills the form in from a pasted key, or gives the paste to the field
// with the focus.
func (kb *keyboard) pasteForm(msg tea.PasteMsg) tea.Cmd {
	j, p := kb.b.job, kb.b.env.Session.Profile()
	args, entity := accesspatterns.Pasted(j.pattern, p.Patterns, p.Entities, msg.Content)
	for name, v := range args {
		if models.LooksMasked(v) || v == strings.TrimSpace(msg.Content) {
			delete(args, name)
		}
	}
	if len(args) == 0 {
		cmd, used := j.form.Update(msg)
		j.describe()
		if entity != nil && used {
			return tea.Batch(cmd, screen.Send(screen.NoticeMsg{Text: "that is a key of " + present.EntityName(entity) + ", which gives nothing to ask for here; p decodes it"}))
		}
		return cmd
	}
	j.form.SetValues(args)
	j.describe()
	var names []string
	for _, q := range j.pattern.Params {
		if _, ok := args[q.Name]; ok {
			names = append(names, q.Name)
		}
	}
	return screen.Send(screen.NoticeMsg{Text: "from the key of " + present.EntityName(entity) + ": " + strings.Join(names, ", ")})
}
