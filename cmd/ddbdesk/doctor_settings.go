package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// settingsJSON is the part of the document of doctor about versions, paths and the resolved connection. Config, State and Journal are paths. Role, Actor and
// ReadOnly are those of a session with the same flags. Store is embedded, aws or local
// endpoint, and Endpoint the folder of the embedded store or a URL. Problem is why the
// configuration or the connection cannot be used.
type settingsJSON struct {
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Config   string   `json:"config"`
	State    string   `json:"state"`
	Journal  string   `json:"journal"`
	Contexts []string `json:"contexts,omitempty"`
	Theme    string   `json:"theme,omitempty"`
	Context  string   `json:"context,omitempty"`
	Role     string   `json:"role"`
	Actor    string   `json:"actor"`
	ReadOnly bool     `json:"readOnly"`
	Store    string   `json:"store"`
	Region   string   `json:"region,omitempty"`
	Endpoint string   `json:"endpoint,omitempty"`
	Schemas  []string `json:"schemas"`
	Problem  string   `json:"problem,omitempty"`

	configFound bool

	reason string // why this store is used, "" if it was selected
}

// lines returns the information for people, without what is not set.
func (i settingsJSON) lines() []string {
	configuration := i.Config
	if !i.configFound && i.Problem == "" {
		configuration += " (does not exist)"
	}
	rows := [][2]string{
		{"version", i.Version + " (" + i.Go + ", " + i.Platform + ")"},
		{"configuration", configuration},
		{"state", i.State},
		{"journal", i.Journal},
		{"contexts", strings.Join(i.Contexts, ", ")},
		{"theme", i.Theme},
		{"context", i.Context},
		{"role", i.Role},
		{"actor", i.Actor},
		{"store", i.Store},
		{"reason", i.reason},
		{"region", i.Region},
		{"endpoint", i.Endpoint},
	}
	for problem := range strings.Lines(i.Problem) {
		rows = append(rows, [2]string{"problem", strings.TrimSpace(problem)})
	}
	var lines []string
	for _, row := range rows {
		if row[1] != "" {
			lines = append(lines, fmt.Sprintf("%-14s %s", row[0], row[1]))
		}
	}
	return lines
}

// settingsOf resolves the connection. It does not open the embedded store, which may be
// in use. An unusable configuration is part of the result.
func settingsOf(ctx context.Context, a *app) settingsJSON {
	i := settingsJSON{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Config: config.Path(), State: appdir.State(), Journal: journal.DefaultPath(), Context: a.flags.Name,
		Role: a.flags.Role, Actor: a.localActor(), ReadOnly: !a.mayChange(), Schemas: profiles.Names(),
	}
	i.Schemas = append(i.Schemas, a.reader.Own()...)
	f, err := a.configuration()
	if err != nil {
		i.Problem = err.Error()
		return i
	}
	i.Contexts, i.Theme = f.Names(), cmp.Or(f.Theme.Name, widget.DefaultTheme)
	i.configFound = f.Found
	if dir, ok := a.embeddedDir(); ok {
		i.Store, i.Endpoint = "embedded", dir
		if a.storeByDefault() {
			i.reason = whyByDefault
		}
		return i
	}
	if dir := a.flags.FromExport; dir != "" {
		i.Store, i.Endpoint = "export", dir
		return i
	}
	i.Store = "aws"
	conn, err := a.connect(ctx, nil)
	if err != nil {
		i.Problem = err.Error()
		return i
	}
	t := conn.Describe()
	i.Region, i.Endpoint = t.Region, t.Endpoint
	if t.Loopback {
		i.Store = "local endpoint"
	}
	return i
}
