// The info command: paths, versions and the resolved connection.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type infoJSON struct {
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

	configured bool // the file is there
}

func infoCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "info", Short: "Paths, versions and the resolved connection", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := a.info(cmd)
			if output == "json" {
				return errors.Join(writeJSON(a.stdout, i), err)
			}
			t := [][2]string{
				{"version", i.Version + " (" + i.Go + ", " + i.Platform + ")"},
				{"configuration", configured(i)},
				{"state", i.State},
				{"journal", i.Journal},
				{"contexts", strings.Join(i.Contexts, ", ")},
				{"theme", i.Theme},
				{"context", i.Context},
				{"role", i.Role},
				{"actor", i.Actor},
				{"store", i.Store},
				{"region", i.Region},
				{"endpoint", i.Endpoint},
			}
			for problem := range strings.Lines(i.Problem) {
				t = append(t, [2]string{"problem", strings.TrimSpace(problem)})
			}
			for _, row := range t {
				if row[1] != "" {
					fmt.Fprintf(a.stdout, "%-14s %s\n", row[0], models.Printable(row[1]))
				}
			}
			return err
		},
	}
	outputFlag(cmd, &output, "text", "json")
	return cmd
}

// configured is where the configuration is, or would be.
func configured(i infoJSON) string {
	if i.configured || i.Problem != "" {
		return i.Config
	}
	return i.Config + " (not there)"
}

// info resolves the connection without opening it: the embedded store may be
// in use. A configuration that cannot be used is described like everything else;
// the error is there for the exit code.
func (a *app) info(cmd *cobra.Command) (infoJSON, error) {
	i := infoJSON{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Config: config.Path(), State: appdir.State(), Journal: journal.DefaultPath(), Context: a.flags.context,
		Role: a.flags.role, Actor: a.localActor(), ReadOnly: a.flags.readOnly || a.flags.role != "admin", Schemas: profiles.Names(),
	}
	f, err := a.configuration()
	if err != nil {
		i.Problem = err.Error()
		return i, &codeError{exitConfig}
	}
	i.Contexts, i.Theme = f.Names(), cmp.Or(f.Theme.Name, widget.DefaultTheme)
	i.configured = f.Found
	if dir, ok := a.embeddedDir(); ok {
		i.Store, i.Endpoint = "embedded", dir
		return i, nil
	}
	a.describeTarget(cmd, &i)
	return i, nil
}

// describeTarget says where the connection leads; that it cannot be made is a
// fact like others.
func (a *app) describeTarget(cmd *cobra.Command, i *infoJSON) {
	i.Store = "aws"
	conn, err := a.connect(cmd.Context(), nil)
	if err != nil {
		i.Problem = err.Error()
		return
	}
	t := conn.Describe()
	i.Region, i.Endpoint = t.Region, t.Endpoint
	if t.Loopback {
		i.Store = "local endpoint"
	}
}
