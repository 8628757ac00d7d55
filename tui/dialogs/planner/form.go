package planner

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// These fields are not inputs of the action.
const (
	reasonField = "#reason"
	numberField = "#items"
)

func changeFields(env *screen.Env, r ChangeRequest) []widget.FormField {
	if r.Commit != nil {
		return nil
	}
	isUndo := r.Verb == undoVerb
	reason := widget.FormField{
		Name: reasonField, Label: "Reason", Width: 52, Default: r.Reason, Placeholder: "optional", Help: "recorded in the journal",
		Validate: session.CheckReason,
	}
	if isUndo {
		reason.Label = "Reason for the undo"
	}
	var fields []widget.FormField
	if a := r.Action; a != nil {
		filled := r.Args
		if len(r.Items) > 0 {
			filled = changes.ActionArgs(a, a.Entity, r.Items[0].Item)
		}
		inputs := models.Filter(a.Inputs, func(q *accesspatterns.Param) bool {
			_, isFilled := filled[q.Name]
			return !isFilled && r.Plan == nil && !isUndo && !a.IsRaw()
		})
		if len(a.Audits) > 0 {
			reason.Help = "recorded in the audit entry and the journal"
		}
		if a.Reason == change.ReasonRequired {
			reason.Required, reason.Placeholder = true, "required"
		}
		fields = present.Form{Table: a.Entity.Table, Action: a, Item: r.Item}.Fields(env, inputs...)
	}
	return append(fields, reason)
}

// obstacle returns the reason why the item does not allow an action, or "". It excludes refusals of the session.
func obstacle(env *screen.Env, a *change.Action, e *models.Entity, it models.Item) string {
	offers := env.Planner.Offers(e, it)
	i := slices.IndexFunc(offers, func(o changes.Offer) bool { return o.Action == a })
	if i < 0 || offers[i].Refused {
		return "" // The session's refusal is shown separately.
	}
	if now := offers[i].Now; now != "" {
		return "it is " + present.LowerFirst(models.PrintableCell(now, 40))
	}
	return offers[i].Reason
}

// prerequisite returns the only action that makes another one possible, or nil. The action must not need any inputs.
func prerequisite(env *screen.Env, a *change.Action, it models.Item) *change.Action {
	var candidates []*change.Action
	for _, w := range env.Planner.Prerequisites(a, it) {
		needsInput := slices.ContainsFunc(w.Inputs, func(q *accesspatterns.Param) bool {
			_, isFilled := changes.ActionArgs(w, w.Entity, it)[q.Name]
			_, hasDefault := w.Defaults[q.Name]
			return q.Required && !isFilled && !hasDefault && q.Default == ""
		})
		if !needsInput && !w.FourEyes && env.Session.CanChange(w) == nil && obstacle(env, w, w.Entity, it) == "" {
			candidates = append(candidates, w)
		}
	}
	if len(candidates) != 1 {
		return nil
	}
	return candidates[0]
}

func (c *Change) inputs() (inputs map[string]string, reason string) {
	inputs = map[string]string{}
	maps.Copy(inputs, c.req.Args)
	for name, text := range c.form.Values() {
		if name != reasonField && name != numberField && text != "" {
			inputs[name] = text
		}
	}
	for _, name := range c.form.EmptyTexts() {
		inputs[name] = ""
	}
	if c.isReviewed() {
		return inputs, c.req.Reason
	}
	return inputs, strings.TrimSpace(c.form.Values()[reasonField])
}

func (c *Change) givenLine() string {
	values := c.form.Values()
	masker := c.Env.Session.Masker()
	var parts []string
	for _, q := range c.req.Action.Inputs {
		if text := values[q.Name]; text != "" {
			name, shown := q.Name, present.ShownArg(masker, q, text, nil)
			if c.Env.Plain() {
				name, shown = present.LowerFirst(present.ParamLabel(true, q)), present.ParamValue(c.Env, q, shown)
			}
			parts = append(parts, name+" "+models.PrintableCell(shown, 40))
		}
	}
	return strings.Join(parts, " · ")
}
