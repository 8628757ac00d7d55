// Package connection contains the dialogs for connections: choosing a context, signing in, and entering one-time codes.
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

// A Context is a configured, named connection, with the overrides from the command line applied.
type Context struct {
	Name        string // "" for the connection without a context
	Kind, Label string // kind, such as an AWS profile, and name; "" for a context
	Profile     string // AWS profile
	Region      string
	Endpoint    string // set only for a custom endpoint
	Role        string
	ReadOnly    bool
	Environment string
	Declared    session.Declaration // whether the context is production
	Color       string              // color of the top line, or ""
	Flags       []string            // command-line flags, which apply in every context
}

// A Switcher is an opener that can connect in another context. Its methods do not block.
type Switcher interface {
	// Contexts returns the available contexts and the name of the current one. If list is empty, there is no choice.
	Contexts() (list []Context, current string)
	// Use selects the context for all sessions opened afterward. name may also be an endpoint URL, or a region in the
	// form "region:NAME".
	Use(name string) error
}

// A Saver is a Switcher that can save the chosen connection as a context.
type Saver interface {
	// Save saves the connection and returns the name of the new context.
	Save(name string) (context string, err error)
}

// endpointRow is the ID of the row that starts an endpoint in the field. A context cannot contain a colon.
const endpointRow = "endpoint:"

// contextLines is the number of lines that describe a context.
const contextLines = 8

// contexts is the state of the context dialog.
type contexts struct {
	list   *widget.List
	all    []Context
	notice string // result of the last save
}

// NewContexts returns the dialog in which the user chooses a context; the dialog sends a SwitchContextMsg. save adds a
// context to the configuration; a nil save hides the option.
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
	items = append(items, widget.ListItem{ID: endpointRow, Title: "type an endpoint, e.g. http://127.0.0.1:8000"})
	c.list.SetPlaceholder("filter, or type an endpoint URL or a region")
	c.list.SetEmpty("Press enter to connect to this endpoint or region.")
	c.list.SetItems(items)
	c.list.Select(current)
	c.list.StartTyping()
	box := &overlay.Picker{
		Title: "Change the connection", Note: "enter connect · esc close", List: c.list, MaxWidth: 72,
		MaxHeight: len(items) + 1, Choose: c.choose,
		Below: c.lines, BelowLines: contextLines,
	}
	if save != nil {
		box.Note = "enter connect · ctrl+s save as a context · esc close"
		box.Key = func(press tea.KeyPressMsg) (tea.Cmd, bool) {
			if press.String() != "ctrl+s" {
				return nil, false
			}
			it, found := c.list.Selected()
			connection, ok := connectionName(it.ID, strings.TrimSpace(c.list.Filter()), found)
			if !ok {
				c.notice = "to save a connection, select one, or type an endpoint or a region"
				return nil, true
			}
			name, err := save(connection)
			if c.notice = "saved as context " + name; err != nil {
				c.notice = err.Error()
			}
			return nil, true
		}
	}
	return box
}

func (c Context) badge() string {
	if c.Environment == "" {
		return c.Role
	}
	return c.Role + " · " + c.Environment
}

// Title returns the name of the context, followed by its database.
func (c Context) Title() string {
	switch {
	case c.Kind != "":
		return strings.TrimSpace(c.Kind + " " + c.Label)
	case c.Name == "" && strings.Contains(c.Endpoint, "://"):
		return c.Endpoint
	case c.Name == "":
		return "no context"
	}
	return c.Name
}

func (c *contexts) choose(id, typed string, found bool) (cmd tea.Cmd, done bool) {
	name, ok := connectionName(id, typed, found)
	if !ok {
		if found {
			c.list.SetFilter("http://")
		}
		return nil, false
	}
	return screen.Send(screen.SwitchContextMsg{Name: name}), true
}

// connectionName returns the name of the selected or typed connection for a SwitchContextMsg, if there is one.
func connectionName(id, typed string, found bool) (name string, ok bool) {
	_, host, isURL := strings.Cut(typed, "://")
	switch {
	case isURL && host != "":
		return typed, true
	case found:
		return id, id != endpointRow
	}
	return "region:" + typed, strings.Count(typed, "-") >= 2 // eu-west-1
}

func (c *contexts) selected() (Context, bool) {
	it, ok := c.list.Selected()
	i := slices.IndexFunc(c.all, func(x Context) bool { return x.Name == it.ID })
	if !ok || i < 0 {
		return Context{}, false
	}
	return c.all[i], true
}

func (c *contexts) lines(s *widget.Styles, w int) []string {
	f := &present.Facts{Styles: s, Label: 14, Width: w}
	x, ok := c.selected()
	if !ok {
		f.Paragraph(widget.RoleStrong, c.notice)
		return f.Lines
	}
	addValue := func(label, text string) {
		if text == "" {
			f.Text(label, widget.RoleFaint, "from the environment")
		}
		f.Text(label, widget.RoleText, text)
	}
	if x.Endpoint != "" && x.Profile == "" && x.Region == "" {
		f.Text(" endpoint", widget.RoleText, x.Endpoint)
	} else {
		addValue(" AWS profile", x.Profile)
		addValue(" region", x.Region)
		f.Text(" endpoint", widget.RoleText, x.Endpoint)
	}
	role := x.Role + ", reads and writes"
	if x.ReadOnly {
		role = x.Role + ", read-only"
	}
	f.Text(" role", widget.RoleText, role)
	f.Text(" environment", widget.RoleStrong, x.Environment)
	if x.Color != "" {
		f.Styled(" color", s.PaintOn(widget.RoleText, widget.ContextSurface(x.Color), " "+x.Color+" "))
	}
	if c.notice != "" {
		f.Paragraph(widget.RoleStrong, c.notice)
	}
	if len(x.Flags) > 0 {
		f.Text(" command line", widget.RoleWarn, strings.Join(x.Flags, " ")+", in every context")
	}
	return f.Lines
}
