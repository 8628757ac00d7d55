package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/doctor"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// networkTimeout bounds the wait for credentials, and for the endpoint.
const networkTimeout = 10 * time.Second

// Examine resolves the connection and runs all checks. It does not open the embedded database, which may be in use.
func (a *app) Examine(ctx context.Context) doctor.Report {
	d := doctor.Report{Setup: doctor.Setup{
		Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Config: config.Path(), State: appdir.State(), Journal: journal.DefaultPath(), Context: a.flags.Name,
		Role: a.flags.Role, Actor: a.localActor(), ReadOnly: !a.mayChange(), Schemas: append(profiles.Names(), a.reader.UserProfiles()...),
	}}
	list := examineTerminal(a)
	f, err := a.configuration()
	if err == nil {
		d.Contexts, d.Theme = f.Names(), cmp.Or(f.Theme.Name, widget.DefaultTheme)
	}
	list = append(list, doctor.Configuration(config.Path(), err == nil && f.Found, err)...)
	list = append(list, examineConnection(ctx, a, &d.Setup)...)
	folders := []doctor.Folder{
		{Name: "state", Path: appdir.State(), Private: true},
		{Name: "config folder", Path: appdir.Config()},
	}
	if d.Store == "embedded" {
		folders = append(folders, doctor.Folder{Name: "database", Path: appdir.RealPath(d.Endpoint), Private: true})
	}
	list = append(list, doctor.Folders(folders...)...)
	var sink journal.Sink
	if err == nil {
		sink = openSink(a, f)
	}
	list = append(list, doctor.Journal(journal.DefaultPath(), sink)...)
	if err == nil { // otherwise the error names the schemas
		userProfiles, err := a.everyProfile()
		userProfiles = slices.DeleteFunc(userProfiles, func(p *profiles.Profile) bool { return slices.Contains(profiles.Names(), p.Name) })
		list = append(list, doctor.Profiles(ctx, userProfiles, err)...)
	}
	d.Healthy, d.Checks = doctor.Healthy(list), list
	return d
}

// colors is the number of colors by terminal kind.
var colors = map[colorprofile.Profile]int{colorprofile.ANSI: 16, colorprofile.ANSI256: 256, colorprofile.TrueColor: 1 << 24}

func examineTerminal(a *app) []doctor.Finding {
	t := doctor.Terminal{Getenv: os.Getenv, Clipboard: doctor.HasClipboard()}
	for _, w := range []io.Writer{a.Stdout, a.Stderr} {
		if f, ok := cli.FileOf(w); ok && cli.IsTerminal(w) { // below the filter
			t.IsTerminal, t.Colors = true, colors[colorprofile.Detect(f, os.Environ())]
			break
		}
	}
	return t.Findings()
}

// examineConnection checks the endpoint only if flags or a context name it. It never asks for an MFA code.
func examineConnection(ctx context.Context, a *app, d *doctor.Setup) []doctor.Finding {
	if dir := a.flags.FromExport; dir != "" {
		d.Store, d.Endpoint = "export", dir
		return []doctor.Finding{doctor.EmbeddedStore("")}
	}
	if dir, ok := a.embeddedDir(); ok {
		d.Store, d.Endpoint = "embedded", dir
		reason := ""
		if a.usesDefaultStore() {
			reason = defaultStoreReason
		}
		return []doctor.Finding{doctor.EmbeddedStore(reason)}
	}
	d.Store = "aws"
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	c, err := store.Connect(ctx, store.Options{Profile: a.flags.Profile, Region: a.flags.Region, EndpointURL: a.flags.EndpointURL})
	if err != nil {
		return append(doctor.Chain(store.ChainOf(a.flags.Profile)), doctor.ConnectionProblem(err))
	}
	t := c.Describe()
	d.Region, d.Endpoint = t.Region, t.Endpoint
	if t.Loopback {
		d.Store = "local endpoint"
	}
	list := append(doctor.Chain(c.Chain()), doctor.Credentials(ctx, c, time.Now()))
	if a.isRedirected() || a.flags.Name != "" {
		list = append(list, doctor.Endpoint(ctx, c)...)
	}
	return list
}
