package doctor

import (
	"fmt"
	"strings"
)

// A Report is the document of ddbdesk doctor.
type Report struct {
	Healthy bool `json:"healthy"` // no check found a problem
	Setup
	Checks []Finding `json:"checks"`
}

// Setup is the resolved setup of ddbdesk. Config, State and Journal are paths. Role, Actor and ReadOnly are the values
// of a session with the same flags. Store is embedded, aws, export or local endpoint. Endpoint is the folder of the
// store or a URL.
type Setup struct {
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
}

// Lines returns a line for each setup value that is set, and for each check.
func (r Report) Lines() []string {
	lines := []string{}
	for _, row := range [][2]string{
		{"version", r.Version + " (" + r.Go + ", " + r.Platform + ")"},
		{"configuration", r.Config},
		{"state", r.State},
		{"journal", r.Journal},
		{"contexts", strings.Join(r.Contexts, ", ")},
		{"theme", r.Theme},
		{"context", r.Context},
		{"role", r.Role},
		{"actor", r.Actor},
		{"database", r.Store},
		{"region", r.Region},
		{"endpoint", r.Endpoint},
	} {
		if row[1] != "" {
			lines = append(lines, fmt.Sprintf("%-14s %s", row[0], row[1]))
		}
	}
	lines = append(lines, "")
	for _, f := range r.Checks {
		lines = append(lines, fmt.Sprintf("%-8s %-16s %s", f.State, f.Check, f))
	}
	return lines
}
