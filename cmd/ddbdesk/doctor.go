package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/doctor"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// How long doctor waits for the terminal, and for credentials and the endpoint.
const (
	terminalTimeout = 2 * time.Second
	networkTimeout  = 10 * time.Second
)

// doctorJSON is the document of doctor.
type doctorJSON struct {
	Healthy bool `json:"healthy"` // no check found a problem
	setupJSON
	Checks []doctor.Finding `json:"checks"`
}

// setupJSON is what ddbdesk resolved. Config, State and Journal are paths. Role, Actor and ReadOnly are those of a session
// with the same flags. Store is embedded, aws, export or local endpoint, and Endpoint the folder of the store or a URL.
type setupJSON struct {
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

// doctorCommand returns `ddbdesk doctor`.
func doctorCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Show the setup, and check what ddbdesk depends on", Args: cli.Exactly(),
		Long: "Shows the version, the paths and the resolved connection, and checks the terminal, the configuration, the credentials,\n" +
			"the folders, the journal and the schemas. It asks the endpoint, and compares its clock, if a flag or --context names a\n" +
			"database. It changes nothing.\n\n" +
			"Exit codes: 0 without a problem, 10 otherwise. Warnings are not problems.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := examine(cmd.Context(), a)
			if err := a.Print(output, d, d.write); err != nil {
				return err
			}
			if !d.Healthy {
				return cli.ExitWith(cli.ExitConflict)
			}
			return nil
		},
	}
	cli.OutputFlag(cmd, &output, "text", "json")
	return cmd
}

// write writes a line for each fact that is set, and for each check.
func (d doctorJSON) write(w io.Writer) error {
	lines := []string{}
	for _, row := range [][2]string{
		{"version", d.Version + " (" + d.Go + ", " + d.Platform + ")"},
		{"configuration", d.Config},
		{"state", d.State},
		{"journal", d.Journal},
		{"contexts", strings.Join(d.Contexts, ", ")},
		{"theme", d.Theme},
		{"context", d.Context},
		{"role", d.Role},
		{"actor", d.Actor},
		{"store", d.Store},
		{"region", d.Region},
		{"endpoint", d.Endpoint},
	} {
		if row[1] != "" {
			lines = append(lines, fmt.Sprintf("%-14s %s", row[0], row[1]))
		}
	}
	lines = append(lines, "")
	for _, f := range d.Checks {
		lines = append(lines, fmt.Sprintf("%-8s %-16s %s", f.State, f.Check, f))
	}
	return cli.WriteLines(w, lines...)
}

// examine resolves the connection and makes all checks. It does not open the embedded store, which may be in use.
func examine(ctx context.Context, a *app) doctorJSON {
	d := doctorJSON{setupJSON: setupJSON{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Config: config.Path(), State: appdir.State(), Journal: journal.DefaultPath(), Context: a.flags.Name,
		Role: a.flags.Role, Actor: a.localActor(), ReadOnly: !a.mayChange(), Schemas: append(profiles.Names(), a.reader.Own()...),
	}}
	list := examineTerminal(ctx, a)
	f, err := a.configuration()
	if err == nil {
		d.Contexts, d.Theme = f.Names(), cmp.Or(f.Theme.Name, widget.DefaultTheme)
	}
	list = append(list, doctor.Configuration(config.Path(), err == nil && f.Found, err)...)
	list = append(list, d.examineConnection(ctx, a)...)
	folders := []doctor.Folder{
		{Name: "state", Path: appdir.State(), Private: true},
		{Name: "config folder", Path: appdir.Config()},
	}
	if d.Store == "embedded" {
		folders = append(folders, doctor.Folder{Name: "database", Path: appdir.RealPath(d.Endpoint), Private: true})
	}
	list = append(list, doctor.Folders(folders...)...)
	list = append(list, doctor.Journal(journal.DefaultPath())...)
	if err == nil { // otherwise it names the profiles
		own, err := a.everyProfile()
		own = slices.DeleteFunc(own, func(p *profiles.Profile) bool { return slices.Contains(profiles.Names(), p.Name) })
		list = append(list, doctor.Profiles(own, err)...)
	}
	d.Healthy, d.Checks = doctor.Healthy(list), list
	return d
}

// colors are how many colors the kinds of terminals show.
var colors = map[colorprofile.Profile]int{colorprofile.ANSI: 16, colorprofile.ANSI256: 256, colorprofile.TrueColor: 1 << 24}

// examineTerminal checks the terminal, and asks it if both streams are one.
func examineTerminal(ctx context.Context, a *app) []doctor.Finding {
	t := doctor.Terminal{Getenv: os.Getenv, Clipboard: doctor.HasClipboard()}
	for _, w := range []io.Writer{a.Stdout, a.Stderr} {
		f, ok := cli.FileOf(w) // below the fence, which would remove the request
		if !ok || !cli.IsTerminal(w) {
			continue
		}
		t.Is, t.Colors = true, colors[colorprofile.Detect(f, os.Environ())]
		if a.Interactive() {
			t.Ask = func(ctx context.Context, request string) string { return askTerminal(ctx, a.Stdin, f, request) }
		}
		break
	}
	ctx, cancel := context.WithTimeout(ctx, terminalTimeout)
	defer cancel()
	return t.Findings(ctx)
}

// askTerminal sends a request to a terminal and returns its answer, "" if its input cannot be read as it comes.
func askTerminal(ctx context.Context, in, out *os.File, request string) string {
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return ""
	}
	defer term.Restore(in.Fd(), before) //nolint:errcheck // There is no other way.
	return doctor.Exchange(ctx, in, out, request)
}

// examineConnection resolves the connection, and checks the credentials, and the endpoint if flags or a context name it. It
// never asks for an MFA code.
func (d *doctorJSON) examineConnection(ctx context.Context, a *app) []doctor.Finding {
	if dir := a.flags.FromExport; dir != "" {
		d.Store, d.Endpoint = "export", dir
		return []doctor.Finding{doctor.Local("")}
	}
	if dir, ok := a.embeddedDir(); ok {
		d.Store, d.Endpoint = "embedded", dir
		why := ""
		if a.storeByDefault() {
			why = whyByDefault
		}
		return []doctor.Finding{doctor.Local(why)}
	}
	d.Store = "aws"
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	c, err := store.Connect(ctx, store.Options{Profile: a.flags.Profile, Region: a.flags.Region, EndpointURL: a.flags.EndpointURL})
	if err != nil {
		return []doctor.Finding{doctor.Unconnected(err)}
	}
	t := c.Describe()
	d.Region, d.Endpoint = t.Region, t.Endpoint
	if t.Loopback {
		d.Store = "local endpoint"
	}
	list := []doctor.Finding{doctor.Credentials(ctx, c, time.Now())}
	if a.redirected() || a.flags.Name != "" {
		list = append(list, doctor.Endpoint(ctx, c)...)
	}
	return list
}
