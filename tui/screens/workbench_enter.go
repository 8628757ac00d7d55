package screens

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// pastKept is how many earlier values a field offers.
const pastKept = 20

// past are the values that were entered for a parameter before: here, then for
// the same attribute in other patterns.
func (j *job) past(q *accesspatterns.Param) []string {
	if list, ok := j.entered[q.Name]; ok {
		return list
	}
	s := j.env.Session
	list := slices.Clone(s.Values(j.pattern, q.Name))
	for _, p := range s.Profile().Patterns {
		other := p.Param(q.Name)
		if p == j.pattern || other == nil || q.Attribute == nil || other.Attribute != q.Attribute {
			continue
		}
		for _, v := range s.Values(p, q.Name) {
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

// standsFor says which moment a relative or short time is, "" for what says it
// by itself.
func standsFor(q *accesspatterns.Param, text string, now time.Time) string {
	if q.Type != accesspatterns.Timestamp && q.Type != accesspatterns.Day {
		return ""
	}
	v, err := q.Read(text, now)
	if err != nil || !v.IsTime {
		return ""
	}
	layout := "2006-01-02 15:04:05"
	if q.Type == accesspatterns.Day {
		layout = time.DateOnly
	}
	spelled := v.Time.UTC().Format(layout)
	if strings.HasPrefix(text, spelled) || strings.HasPrefix(spelled, text) {
		return ""
	}
	return "= " + spelled + " UTC · " + age(v.Time.Time, now)
}

// pasteForm fills the form in from a pasted key, or gives the paste to the field
// with the focus.
func (b *Workbench) pasteForm(msg tea.PasteMsg) tea.Cmd {
	j, p := b.job, b.env.Session.Profile()
	args, entity := accesspatterns.Pasted(j.pattern, p.Patterns, p.Entities, msg.Content)
	for name, v := range args {
		if isMasked(v) || v == strings.TrimSpace(msg.Content) {
			delete(args, name)
		}
	}
	if len(args) == 0 {
		cmd, used := j.form.Update(msg)
		j.describe()
		if entity != nil && used {
			return tea.Batch(cmd, Send(NoticeMsg{Text: "that is a key of " + entityName(entity) + ", which gives nothing to ask for here; p decodes it"}))
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
	return Send(NoticeMsg{Text: "from the key of " + entityName(entity) + ": " + strings.Join(names, ", ")})
}
