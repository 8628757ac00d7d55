// This file lets the console change its context while it runs.

package main

import (
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui"
)

// in is the program as it would be, had it been started in a context: what was
// typed on the command line holds there too.
func (a *app) in(c config.Context) *app {
	next := *a
	next.enterContext(c)
	if next.flags.role == "" {
		next.flags.role = string(session.Support)
	}
	return &next
}

// now is the program in the context that is in use.
func (o *opener) now() *app {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.app
}

// Contexts lists what can be chosen, first what there is without a context, and
// the name of the one in use. The demo has none: it leads nowhere else.
func (o *opener) Contexts() (list []tui.Context, current string) {
	a := o.now()
	if o.demo != nil || a.file == nil {
		return nil, ""
	}
	for _, c := range append([]config.Context{{}}, a.file.Contexts...) {
		list = append(list, a.in(c).describe())
	}
	return list, a.flags.context
}

// describe says what the context comes to, with what was typed.
func (a *app) describe() tui.Context {
	f := a.flags
	c := tui.Context{
		Name: f.context, Profile: f.profile, Region: f.region, Endpoint: f.endpoint, Role: f.role, ReadOnly: f.readOnly || !a.mayChange(),
		Environment: a.context.Environment, Colour: a.context.Colour,
	}
	if dir, ok := a.embeddedDir(); ok {
		c.Profile, c.Region, c.Endpoint = "", "", "embedded store in "+dir
	}
	for _, flag := range []string{"profile", "region", "endpoint-url", "embedded", "role", "actor", "budget"} {
		if a.typed[flag] {
			c.Flags = append(c.Flags, "--"+flag)
		}
	}
	if a.base.readOnly {
		c.Flags = append(c.Flags, "--read-only")
	}
	return c
}

// Use makes every session that is opened from now on one of the context; "" is
// without one.
func (o *opener) Use(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if name == "" {
		o.app = o.app.in(config.Context{})
		return nil
	}
	c, ok := o.app.file.Context(name)
	if !ok {
		return fmt.Errorf("%s has no context %q", o.app.file.Path, models.Printable(name))
	}
	o.app = o.app.in(c)
	return nil
}
