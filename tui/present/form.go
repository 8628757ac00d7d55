package present

import (
	"cmp"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Form contains the context of a form's parameters.
type Form struct {
	Table  *models.Table
	Hidden map[string]models.Sensitivity // parameters to mask; secrets are always masked
	Action *change.Action                // action whose inputs the form asks for; nil for a pattern
	Item   models.Item                   // item to change; nil for several items
}

// Fields returns fields for the parameters, except page tokens. The functions of the fields never block, because
// suggestions come from memory.
func (o Form) Fields(env *screen.Env, params ...*accesspatterns.Param) []widget.FormField {
	var fields []widget.FormField
	for _, q := range params {
		if q.Type == accesspatterns.Token {
			continue // The user reads the next page with the key n.
		}
		f := widget.FormField{
			Name: q.Name, Label: ParamLabel(env.Plain(), q), Default: q.Default, Required: q.Required, Help: q.Description,
			Prefix:     q.Prefix,
			Validate:   func(text string) error { return ValidateParam(env, q, text) },
			Warn:       q.Warn,
			Note:       func(text string) string { return ResolvedText(q, text, env.Session.Now()) },
			PastValues: func() []string { return env.History.Suggest(&accesspatterns.Pattern{Table: o.Table}, q) },
		}
		if o.Action != nil {
			o.showDefault(&f)
		}
		setKind(env, &f, q)
		if o.Action != nil {
			o.limitChoices(&f)
			o.setMultiline(&f, q, env)
		}
		if _, isHidden := o.Hidden[q.Name]; isHidden || q.Sensitive == models.Secret {
			f.Kind, f.Options = widget.FieldSecret, nil
		}
		fields = append(fields, f)
	}
	return fields
}

// ParamLabel returns the name of a parameter. Plain is for role support, which reads the title of its attribute.
func ParamLabel(plain bool, q *accesspatterns.Param) string {
	switch a := q.Attribute; {
	case !plain:
		return q.Name
	case a != nil && a.Name == q.Name:
		return cmp.Or(a.Title, q.Name)
	}
	return timeline.NameInWords(q.Name)
}

// ParamValue returns a value of a parameter with its label, or the title of a state for role support.
func ParamValue(env *screen.Env, q *accesspatterns.Param, v string) string {
	if l := lifecycleOf(q); l != nil && env.Plain() {
		return l.Title(v)
	}
	return q.Labels.Of(v)
}

func lifecycleOf(q *accesspatterns.Param) *models.Lifecycle {
	if q.Entity == nil || q.Attribute == nil {
		return nil
	}
	return q.Entity.Lifecycle(q.Attribute.Path)
}

// setMultiline lets the user enter several lines, or an empty text, if the action allows it.
func (o Form) setMultiline(f *widget.FormField, q *accesspatterns.Param, env *screen.Env) {
	allowsLines, allowsEmpty := o.Action.IsText(q)
	if !allowsLines || f.Kind != widget.FieldText {
		return
	}
	f.Multiline, f.Help = true, Join(f.Help, "alt+enter starts a new line", " · ")
	if allowsEmpty {
		f.Help = Join(f.Help, `enter "" for an empty text`, " · ")
	}
	f.Validate = func(text string) error {
		_, err := o.Action.ReadInput(q, text, env.Session.Now())
		return ReadableParamError(env, q, err)
	}
}

func (o Form) showDefault(f *widget.FormField) {
	if d, ok := o.Action.Defaults[f.Name]; ok {
		f.Placeholder = d.String()
		f.Help = Join(f.Help, "default: "+f.Placeholder, " · ")
	}
}

// limitChoices removes the states that the item cannot reach.
func (o Form) limitChoices(f *widget.FormField) {
	if f.Name == o.Action.Target {
		state, hasState := o.Item.Text(o.Action.Lifecycle.Attribute)
		f.Options = slices.DeleteFunc(f.Options, func(to widget.Option) bool {
			return !slices.ContainsFunc(o.Action.Transitions, func(t *models.Transition) bool {
				return t.To == to.Value && (!hasState || slices.Contains(t.From, state))
			})
		})
	}
	if f.Kind == widget.FieldEnum && f.Placeholder == "" {
		f.Placeholder = "choose"
	}
}

func setKind(env *screen.Env, f *widget.FormField, q *accesspatterns.Param) {
	if q.List {
		f.Help = Join(f.Help, "one value or several, separated by commas", " · ")
		if len(q.Enum) > 0 {
			f.Help = Join(f.Help, exampleText(env, q), " · ")
		}
		return
	}
	switch q.Type {
	case accesspatterns.Timestamp, accesspatterns.Day:
		f.Kind, f.Placeholder = widget.FieldDate, "today, -7d, a date"
		f.Help = Join(f.Help, "today, -7d, 2026-01-14, 2026-01-14T10:00:00Z or epoch; UTC", " · ")
	case accesspatterns.Number, accesspatterns.Integer:
		f.Kind = widget.FieldNumber
	case accesspatterns.Boolean:
		f.Kind = widget.FieldEnum
		f.Options = []widget.Option{{Value: "true"}, {Value: "false"}}
	case accesspatterns.Enum:
		setEnumKind(env, f, q)
	default:
	}
	if f.Placeholder == "" && q.Prefix == "" && !q.Required && q.Default == "" {
		f.Placeholder = "any"
	}
}

// setEnumKind keeps a text field if the parameter accepts undocumented values.
func setEnumKind(env *screen.Env, f *widget.FormField, q *accesspatterns.Param) {
	if q.OpenEnum {
		f.Help = Join(f.Help, exampleText(env, q), " · ")
		return
	}
	f.Kind = widget.FieldEnum
	l := lifecycleOf(q)
	for _, v := range q.Enum {
		o := widget.Option{Value: v}
		if label := ParamValue(env, q, v); label != v {
			o.Label = label
		}
		if l != nil {
			if st := l.State(v); st != nil {
				o.Label = widget.KindOf(string(st.Kind)).Glyph() + " " + ParamValue(env, q, v)
				o.Note = st.Description
			}
		}
		f.Options = append(f.Options, o)
	}
	f.Help = Join(f.Help, "←/→ change · space list", " · ")
}

func exampleText(env *screen.Env, q *accesspatterns.Param) string {
	return "such as " + ShortList(models.MapSlice(q.Enum, func(v string) string { return ParamValue(env, q, v) }), 6)
}
