package planner

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/changes"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// reasonField is the name of the reason's field. No input can be called so.
const reasonField = "#reason"

func changeFields(env *screen.Env, r ChangeRequest) []widget.FormField {
	if r.Commit != nil {
		return nil
	}
	var asked []*accesspatterns.Param
	for _, q := range r.Action.Inputs {
		if _, filled := r.Args[q.Name]; !filled && r.Plan == nil {
			asked = append(asked, q)
		}
	}
	reason := widget.FormField{
		Name: reasonField, Label: "Reason", Width: 52, Default: r.Reason, Placeholder: "optional", Help: "recorded in the journal",
		Validate: session.CheckReason,
	}
	if len(r.Action.Audits) > 0 {
		reason.Help = "recorded in the audit entry and the journal"
	}
	if r.Plan != nil && r.Verb == undoVerb {
		reason.Label = "Reason for the undo"
	}
	if r.Action.Reason == change.ReasonRequired {
		reason.Required, reason.Placeholder = true, "required"
	}
	form := present.Form{Table: r.Action.Entity.Table, Action: r.Action, Item: r.Item}
	return append(form.Fields(env, asked...), reason)
}

// obstacle returns "" when nothing is known. The plan reads the item again.
func (c *Change) obstacle() string {
	if c.req.Item == nil || c.req.Plan != nil {
		return ""
	}
	return obstacle(c.Env, c.req.Action, changes.Item{Table: c.req.Action.Entity.Table, Item: c.req.Item})
}

// First names the key of the action that the item needs first, "" where none is
// known.
func (c *Change) First() string {
	if c.req.Key == nil {
		return ""
	}
	for _, a := range c.Env.Planner.Prerequisites(c.req.Action, c.req.Item) {
		if key := c.req.Key(a); key != "" {
			return a.Title + " first: press esc, then " + key
		}
	}
	return ""
}

func (c *Change) inputs() (inputs map[string]string, reason string) {
	inputs = map[string]string{}
	for name, text := range c.req.Args {
		inputs[name] = text
	}
	for name, text := range c.form.Values() {
		if name != reasonField && text != "" {
			inputs[name] = text
		}
	}
	if c.reviewed() {
		return inputs, c.req.Reason
	}
	return inputs, strings.TrimSpace(c.form.Values()[reasonField])
}

func (c *Change) givenLine() string {
	values := c.form.Values()
	masker := c.Env.Session.Masker()
	var parts []string
	for _, q := range c.req.Action.Inputs {
		text := values[q.Name]
		if text == "" {
			continue
		}
		text = masker.MaskText(text, q.Sensitive, q.Format)
		if q.Attribute != nil {
			text = masker.MaskText(text, q.Attribute.Sensitive, q.Attribute.Format)
		}
		parts = append(parts, q.Name+" "+models.PrintableCell(text, 40))
	}
	return strings.Join(parts, " · ")
}
