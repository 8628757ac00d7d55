package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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
)

// How long doctor waits for the terminal, and for credentials and the endpoint.
const (
	terminalTimeout = 2 * time.Second
	networkTimeout  = 10 * time.Second
)

// doctorJSON is the document of doctor.
type doctorJSON struct {
	Healthy bool             `json:"healthy"` // no check found a problem
	Checks  []doctor.Finding `json:"checks"`
	settingsJSON
}

// doctorCommand returns `ddbdesk doctor`.
func doctorCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Show paths and the connection, and check the setup", Args: cli.Exactly(),
		Long: "Prints the version, the folders and the connection that the flags resolve to, and checks the terminal, the configuration, the credentials, the folders, the journal and the\n" +
			"profiles. It asks the endpoint, and compares its clock, if a flag or --context names a database. It changes nothing.\n\n" +
			"Exit codes: 0 without a problem, 10 otherwise. Warnings are not problems.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := examine(cmd.Context(), a)
			d := doctorJSON{doctor.Healthy(list), list, settingsOf(cmd.Context(), a)}
			if err := a.Print(output, d, func(w io.Writer) error {
				return errors.Join(cli.WriteLines(w, append(d.lines(), "")...), writeFindings(w, list))
			}); err != nil {
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

// writeFindings writes a line for each finding.
func writeFindings(w io.Writer, list []doctor.Finding) error {
	var lines []string
	for _, f := range list {
		lines = append(lines, fmt.Sprintf("%-8s %-16s %s", f.State, f.Check, f))
	}
	return cli.WriteLines(w, lines...)
}

// examine makes all checks.
func examine(ctx context.Context, a *app) []doctor.Finding {
	list := examineTerminal(ctx, a)
	f, err := a.configuration()
	list = append(list, doctor.Configuration(config.Path(), err == nil && f.Found, err))
	list = append(list, examineConnection(ctx, a)...)
	folders := []doctor.Folder{
		{Name: "state", Path: appdir.State(), Private: true},
		{Name: "config folder", Path: appdir.Config()},
	}
	if dir, ok := a.embeddedDir(); ok {
		folders = append(folders, doctor.Folder{Name: "database", Path: appdir.RealPath(dir), Private: true})
	}
	list = append(list, doctor.Folders(folders...)...)
	list = append(list, doctor.Journal(journal.DefaultPath())...)
	if err != nil {
		return list // it names the profiles
	}
	own, err := a.everyProfile()
	own = slices.DeleteFunc(own, func(p *profiles.Profile) bool { return slices.Contains(profiles.Names(), p.Name) })
	return append(list, doctor.Profiles(own, err)...)
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

// examineConnection checks the credentials, and the endpoint if flags or a context name it. It never asks for an MFA code.
func examineConnection(ctx context.Context, a *app) []doctor.Finding {
	if a.flags.FromExport != "" {
		return []doctor.Finding{doctor.Local("")}
	}
	if _, ok := a.embeddedDir(); ok {
		why := ""
		if a.storeByDefault() {
			why = whyByDefault
		}
		return []doctor.Finding{doctor.Local(why)}
	}
	ctx, cancel := context.WithTimeout(ctx, networkTimeout)
	defer cancel()
	c, err := store.Connect(ctx, store.Options{Profile: a.flags.Profile, Region: a.flags.Region, EndpointURL: a.flags.EndpointURL})
	if err != nil {
		return []doctor.Finding{doctor.Unconnected(err)}
	}
	list := []doctor.Finding{doctor.Credentials(ctx, c, time.Now())}
	if a.redirected() || a.flags.Name != "" {
		list = append(list, doctor.Endpoint(ctx, c)...)
	}
	return list
}
