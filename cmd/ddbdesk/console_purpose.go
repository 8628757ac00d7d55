package main

import (
	"context"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui"
)

// purposes contains the user's reason for working in each context. It is safe for concurrent use.
type purposes struct {
	promptMu sync.Mutex // held during the prompt, so that one answer serves all waiting callers

	mu        sync.Mutex
	byContext map[string]session.Purpose
	declined  int // how often the user dismissed the prompt
}

func (c *console) currentPurpose(o session.Options) session.Purpose {
	c.purposes.mu.Lock()
	defer c.purposes.mu.Unlock()
	if p, ok := c.purposes.byContext[o.Context]; ok {
		return p
	}
	return o.Purpose
}

func (c *console) requirePurpose(ctx context.Context, o session.Options) error {
	declined := c.timesDeclined()
	c.purposes.promptMu.Lock()
	defer c.purposes.promptMu.Unlock()
	o.Purpose = c.currentPurpose(o)
	missing := o.CheckPurpose()
	if missing == nil || c.timesDeclined() > declined { // answered or dismissed in the same dialog
		return missing
	}
	answers, ok := c.ask(ctx, purposeForm(o))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.purposes.mu.Lock()
	defer c.purposes.mu.Unlock()
	if !ok {
		c.purposes.declined++
		return missing
	}
	p, err := purposeOf(answers)
	if err != nil {
		return err
	}
	if c.purposes.byContext == nil {
		c.purposes.byContext = map[string]session.Purpose{}
	}
	c.purposes.byContext[o.Context] = p
	return nil
}

func (c *console) timesDeclined() int {
	c.purposes.mu.Lock()
	defer c.purposes.mu.Unlock()
	return c.purposes.declined
}

// breakGlass is the text that a user can enter instead of a ticket.
const breakGlass = "BREAK GLASS"

func purposeOf(answers []string) (session.Purpose, error) {
	reason, ticket := answers[0], answers[1]
	if emergency := strings.EqualFold(ticket, breakGlass); emergency {
		return session.NewPurpose(reason, "", emergency)
	}
	return session.NewPurpose(reason, ticket, false)
}

func purposeForm(o session.Options) tui.Question {
	subject := "This schema"
	if o.Context != "" {
		subject = "Context " + o.Context
	}
	check := func(answers []string) string {
		p, err := purposeOf(answers)
		if err == nil {
			o.Purpose = p
			err = o.CheckPurpose()
		}
		if err == nil {
			return ""
		}
		reason, _, _ := strings.Cut(err.Error(), ";") // the rest is about flags
		return reason
	}
	return tui.NewForm("Reason for access",
		subject+" requires a reason before anything is read. It is stored in the journal and in audit entries.", check,
		tui.Field{Label: "Reason", Placeholder: "such as customer cannot sign in", Required: true, Width: 44, Value: o.Purpose.Reason},
		tui.Field{Label: "Ticket", Placeholder: "in an emergency, enter " + breakGlass, Width: 44, Value: o.Purpose.Ticket},
	)
}
