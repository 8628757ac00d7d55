// Package connection holds the dialogs about the connection: the choice of a context, signing in, one-
// time codes.
package connection

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Context is a named connection of the configuration, as it comes to be with
// what was typed on the command line.
type Context struct {
	Name        string // "" is without a context
	Kind, Label string // what it is, such as an AWS profile, and its name; "" for a context
	Profile     string // of the AWS configuration
	Region      string
	Endpoint    string // only where it is not AWS's own
	Role        string
	ReadOnly    bool
	Environment string
	Declared    session.Declaration // about production
	Color       string              // of the top line, "" for none
	Flags       []string            // typed on the command line: they hold in every context
}

// A Switcher is an opener that can connect in another context. None of its
// methods waits.
type Switcher interface {
	// Contexts lists what can be chosen, and the name of the one in use. Without
	// any there is nothing to choose.
	Contexts() (list []Context, current string)
	// Use makes every session that is opened from now on one of the context. The name may also be the URL of an endpoint, or a
	// region after "region:".
	Use(name string) error
}

// A Saver is a Switcher that can save what was chosen as a context.
type Saver interface {
	// Save returns the name of the context.
	Save(name string) (context string, err error)
}

// contextLines is how many lines say what a context means.
const contextLines = 8

// contexts are what can be chosen.
type contexts struct {
	list *widget.List
	all  []Context
	said string // what became of the last save
}

// NewContexts returns the dialog in which a context is chosen: a UseMsg. save saves one in the configuration, nil for none.
func NewContexts(s *widget.Styles, all []Context, current string, save func(name string) (string, error)) *overlay.Picker {
	c := &contexts{list: widget.NewList(s), all: all}
	items := make([]widget.ListItem, len(all))
	for i, x := range all {
		items[i] = widget.ListItem{
			ID: x.Name, Title: x.Title(), Badge: x.badge(), BadgeRole: widget.RoleFaint,
			Search: x.Kind + " " + x.Profile + " " + x.Region + " " + x.Role,
		}
		if x.Name == current {
			items[i].Badge, items[i].BadgeRole = "● in use · "+x.badge(), widget.RoleGood
		}
	}
	c.list.SetPlaceholder("filter, or the URL of an endpoint, or a region")
	c.list.SetEmpty("Press enter to connect to this endpoint or region.")
	c.list.SetItems(items)
	c.list.Select(current)
	box := &overlay.Picker{
		Title: "Contexts", Note: "enter connect · esc close", List: c.list, Wide: 72, High: len(all) + 1, Choose: choose,
		Below: c.lines, BelowLines: contextLines,
	}
	if save != nil {
		box.Note = "enter connect · ctrl+s save as a context · esc close"
		box.Key = func(press tea.KeyPressMsg) (tea.Cmd, bool) {
			if press.String() != "ctrl+s" {
				return nil, false
			}
			x, _ := c.chosen()
			name, err := save(x.Name)
			if c.said = "saved as context " + name; err != nil {
				c.said = err.Error()
			}
			return nil, true
		}
	}
	return box
}

func (x Context) badge() string {
	if x.Environment == "" {
		return x.Role
	}
	return x.Role + " · " + x.Environment
}

// Title is the name of the context, and what it connects to.
func (x Context) Title() string {
	switch {
	case x.Kind != "":
		return strings.TrimSpace(x.Kind + " " + x.Label)
	case x.Name == "":
		return "without a context"
	}
	return x.Name
}

func choose(name, typed string, found bool) (cmd tea.Cmd, done bool) {
	switch {
	case found:
		return screen.Send(screen.UseMsg{Name: name}), true
	case strings.Contains(typed, "://"):
		return screen.Send(screen.UseMsg{Name: typed}), true
	case strings.Count(typed, "-") >= 2: // eu-west-1
		return screen.Send(screen.UseMsg{Name: "region:" + typed}), true
	}
	return nil, false
}

func (c *contexts) chosen() (Context, bool) {
	it, ok := c.list.Selected()
	i := slices.IndexFunc(c.all, func(x Context) bool { return x.Name == it.ID })
	if !ok || i < 0 {
		return Context{}, false
	}
	return c.all[i], true
}

func (c *contexts) lines(s *widget.Styles, w int) []string {
	x, ok := c.chosen()
	if !ok {
		return nil
	}
	f := &present.Facts{Styles: s, Label: 14, Width: w}
	given := func(label, text string) {
		if text == "" {
			f.Text(label, widget.RoleFaint, "from the environment")
		}
		f.Text(label, widget.RoleText, text)
	}
	if x.Endpoint != "" && x.Profile == "" && x.Region == "" {
		f.Text(" leads to", widget.RoleText, x.Endpoint)
	} else {
		given(" AWS profile", x.Profile)
		given(" region", x.Region)
		f.Text(" endpoint", widget.RoleText, x.Endpoint)
	}
	role := x.Role + ", reads and writes"
	if x.ReadOnly {
		role = x.Role + ", reads"
	}
	f.Text(" role", widget.RoleText, role)
	f.Text(" environment", widget.RoleStrong, x.Environment)
	if x.Color != "" {
		f.Styled(" color", s.PaintOn(widget.RoleText, widget.MarkSurface(x.Color), " "+x.Color+" "))
	}
	if c.said != "" {
		f.Paragraph(widget.RoleStrong, c.said)
	}
	if len(x.Flags) > 0 {
		f.Text(" command line", widget.RoleWarn, strings.Join(x.Flags, " ")+" also apply here")
	}
	return f.Lines
}
