package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/team"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A console contains the state that only the interactive program needs.
type console struct {
	ctx        context.Context   // ends with the console
	questions  chan tui.Question // dialogs for connections that need an MFA code
	localStore *local.Store      // state saved between runs
	purposes   purposes
	ephemeral  bool   // the demo, which saves nothing
	state      string // the demo's temporary folder, for example for the journal that an undo needs
}

// rejectMistypedCommand rejects a name that is close to a command, without a request. Users can write table:NAME.
func (a *app) rejectMistypedCommand(root *cobra.Command, name string) error {
	if _, _, err := a.reader.Source(name); err == nil || a.coveringSchema(name) != nil {
		return nil
	}
	maximum := 1 // the maximum edit distance
	if len(name) > 4 {
		maximum = 2
	}
	similar := slices.DeleteFunc(cli.Subcommands(root), func(c string) bool { return models.Edits(name, c) > maximum })
	if c, ok := models.Nearest(name, similar); ok {
		return session.InputErrorf("no schema named %q; did you mean \"ddbdesk %s\"? To open a table with this name, use table:%[1]s",
			op.Short(name), c)
	}
	return nil
}

func (a *app) startConsole(root *cobra.Command, args []string) error {
	start := ""
	open := &opener{app: a, file: args}
	terminalErr := needTerminal(a.Streams)
	switch {
	case len(args) == 1 && a.readsAfterFirstFrame(args[0], terminalErr == nil):
		start, open.schemaUnread = args[0], true
	case len(args) == 1:
		if err := a.rejectMistypedCommand(root, args[0]); err != nil {
			return err
		}
		p, err := a.Profile(args[0])
		if err != nil {
			return err
		}
		start = p.Name
		if _, _, err := a.reader.Source(args[0]); err != nil { // The argument is the name of a table.
			open.file, open.table = nil, p
		}
	}
	if terminalErr != nil {
		return terminalErr
	}
	return a.runConsole(root.Context(), open, start)
}

// readsAfterFirstFrame reports whether the console shows its first frame before it reads a schema. It returns false if
// the schema may have errors that the user must see first: in variables, or in a file if there is no terminal.
func (a *app) readsAfterFirstFrame(name string, hasTerminal bool) bool {
	if len(a.flags.typedVars)+len(a.flags.Vars) > 0 {
		return false
	}
	_, _, err := a.reader.Source(name)
	return err == nil && (hasTerminal || slices.Contains(profiles.Names(), name))
}

func needTerminal(s cli.Streams) error {
	if os.Getenv("TERM") == "dumb" {
		return session.InputErrorf("the console cannot run on a dumb terminal (TERM=dumb); " +
			"use a command such as ddbdesk run (see ddbdesk --help)")
	}
	if !cli.IsTerminal(s.Stdout) || s.Stdin == nil || !cli.IsTerminal(s.Stdin) {
		return session.InputErrorf("the console needs a terminal; use a command such as ddbdesk run in scripts (see ddbdesk --help)")
	}
	return nil
}

// releaseDelay is the time after the start at which ddbdesk releases memory that only the start needed.
const releaseDelay = 5 * time.Second

func (a *app) runConsole(ctx context.Context, open *opener, start string) (err error) {
	o, err := a.consoleOptions()
	if err != nil {
		return err
	}
	ctx, open.cancel = context.WithCancelCause(ctx)
	defer open.cancel(nil)
	a.inConsole = true
	a.console = &console{ctx: ctx, questions: make(chan tui.Question), localStore: local.New(), ephemeral: open.demo != nil}
	if a.console.ephemeral {
		if a.console.state, err = os.MkdirTemp("", "ddbdesk-demo-"); err != nil {
			return fmt.Errorf("cannot create a temporary folder: %w; set TMPDIR to a folder that you can write to", err)
		}
		defer func() { err = errors.Join(err, removeFolder(a.console.state)) }()
	} else {
		a.args = nil
		a.console.localStore = local.Open(local.DefaultPath())
	}
	defer saveLocalStore(a.Streams, a.console.localStore)
	defer func() { // before the folder of the demo is removed
		open.cancel(nil)
		open.stopOpening()
	}()
	open.useLastConnection()
	o.Opener, o.Start, o.Link, o.Questions = open, start, open.link, a.console.questions
	if d := open.demo; d != nil {
		o.TourID = "client_xyz789"
		o.ConflictingChange = func(ctx context.Context, w *workspace.Workspace, p *change.Plan) error {
			return d.changeAsColleague(ctx, a, w, p)
		}
		if d.tour {
			defer offerTour(a.Streams, &o, local.DefaultPath(), d.repeatTour)()
		}
	}
	if testConsoleOptions != nil {
		testConsoleOptions(&o)
	}
	ended := make(chan struct{})
	defer close(ended)
	defer time.AfterFunc(releaseDelay, debug.FreeOSMemory).Stop()
	if open.demo == nil {
		ticker := time.NewTicker(profileCheckInterval)
		defer ticker.Stop()
		o.Edits = open.watchProfiles(ended, ticker.C)
	}
	if !a.console.ephemeral {
		defer a.noteOpenChanges(time.Now())
	}
	err = tui.Run(ctx, o)
	switch cause := context.Cause(ctx); {
	case cause != nil && !errors.Is(cause, context.Canceled):
		return cause
	case errors.Is(err, context.Canceled):
		return op.Interrupted
	}
	return err
}

// removeFolder retries, because a read that outlives the console may create the journal's lock in the folder.
func removeFolder(path string) (err error) {
	const tries, pause = 100, 20 * time.Millisecond
	for range tries {
		err = os.RemoveAll(path)
		time.Sleep(pause)
		if _, statErr := os.Lstat(path); err == nil && errors.Is(statErr, fs.ErrNotExist) {
			return nil
		}
	}
	return err
}

// testConsoleOptions lets a test replace parts of the console.
var testConsoleOptions func(*tui.Options)

func (a *app) consoleOptions() (tui.Options, error) {
	f, err := a.configuration()
	if err != nil {
		return tui.Options{}, err
	}
	theme, err := chooseTheme(f.Theme, a.flags.theme)
	if err != nil {
		return tui.Options{}, err
	}
	limits, err := findOptions(&a.settings)
	if err != nil {
		return tui.Options{}, err
	}
	return tui.Options{
		Find: limits, ScanLimit: limits.ScanLimit(), NoColor: a.flags.noColor || a.Plain(), Theme: theme,
		Signs: signs(f.Options.ASCII, os.Getenv), Keys: widget.NewKeymap(f.Keys),
		Zone:    cmp.Or(f.Options.Zone, time.Local),
		NoMouse: f.Options.Mouse != nil && !*f.Options.Mouse, TerminalInUse: a.suspended.Store,
	}, nil
}

// chooseTheme returns the theme that the flag names, or else the configured theme. A flag with a background keeps the
// configured theme. The configured colors apply only to the configured theme.
func chooseTheme(configured config.Theme, flag string) (widget.Theme, error) {
	background := configured.Background
	if slices.Contains(widget.Backgrounds(), flag) {
		background, flag = flag, ""
	}
	name := cmp.Or(flag, configured.Name)
	t, ok := widget.ThemeNamed(name)
	t = t.On(background)
	switch {
	case !ok:
		return t, cli.InvalidChoice("--theme", "theme", name, themeNames())
	case name != configured.Name:
		return t, nil
	}
	return t.WithColors(configured.Colors, configured.Dark, configured.Light), nil
}

func signs(ascii *bool, getenv func(string) string) widget.Signs {
	switch {
	case ascii != nil && !*ascii:
		return widget.SignsAll
	case !isUTF8Locale(getenv):
		return widget.SignsASCII
	case ascii != nil:
		return widget.SignsFew
	}
	return widget.SignsAll
}

// isUTF8Locale uses the first variable that is set. Without a locale it returns true, because most terminals use UTF-8.
func isUTF8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// askMFACode blocks until the user answers, so never call it from the goroutine that draws.
func (c *console) askMFACode(profile string, repeated bool) (string, error) {
	q := tui.NewQuestion("MFA code", mfaPrompt(profile, repeated), "six digits", mfaCodeFault)
	answers, ok := c.ask(c.ctx, q)
	if !ok {
		return "", store.ErrNoMFACode
	}
	return answers[0], nil
}

// localStoreTimeout limits the wait for saving the console's memory when the console ends.
const localStoreTimeout = 2 * time.Second

func saveLocalStore(s cli.Streams, localStore *local.Store) {
	ctx, cancel := context.WithTimeout(context.Background(), localStoreTimeout)
	defer cancel()
	if err := localStore.Close(ctx); err != nil {
		s.Note(err.Error())
	}
}

// tourFact is the local store's key for the fact that the user has seen the tour.
const tourFact = "tour"

// offerTour opens its own local store, because the demo does not have one. Call done after the console ends.
func offerTour(s cli.Streams, o *tui.Options, path string, always bool) (done func()) {
	localStore := local.Open(path)
	o.Tour = always || localStore.Fact(tourFact) == nil
	o.TourSeen = func() { localStore.SetFact(tourFact, json.RawMessage(`"seen"`)) }
	return func() { saveLocalStore(s, localStore) }
}

// An opener gives the console its schemas, contexts and sessions.
type opener struct {
	mu         sync.Mutex
	app        *app     // app of the current context; read it with current
	lastChoice string   // the connection name of the last call of Use
	file       []string // the schema on the command line
	// schemaUnread is true until the opener has read that schema. cancel ends the console if reading fails.
	schemaUnread bool
	cancel       context.CancelCauseFunc
	// table is the schema of the table named on the command line, or nil.
	table *profiles.Profile
	demo  *demo     // nil outside the demo
	link  link.Link // the first screen
	// drafts contains unsaved schemas drafted from tables.
	drafts []*draftProfile

	opening sync.WaitGroup // sessions that the opener is opening
	ended   bool
}

func (o *opener) current() *app {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.app
}

// Profile returns one of [opener.Profiles] without reading the others.
func (o *opener) Profile(name string) (*profiles.Profile, error) {
	a := o.current()
	if o.demo != nil && o.demo.onlyProfile != nil {
		return o.demo.onlyProfile, nil
	}
	for _, p := range o.draftProfiles() {
		if p.Name == name {
			return p, nil
		}
	}
	if o.table != nil && o.table.Name == name {
		return o.table, nil
	}
	if len(o.file) == 1 { // a file may have the name of a built-in schema
		p, err := a.readProfiles(o.file)
		o.mu.Lock()
		isFirst := o.schemaUnread
		o.schemaUnread = false
		o.mu.Unlock()
		switch {
		case err == nil && (isFirst || p[0].Name == name):
			return p[0], nil
		case isFirst:
			o.cancel(err)
			return nil, err
		}
	}
	if !slices.Contains(profiles.Names(), name) {
		return nil, &profiles.UnknownError{Name: name}
	}
	p, err := a.readProfiles([]string{name})
	if err != nil {
		return nil, err
	}
	return p[0], nil
}

// Profiles returns the schema on the command line, the built-in schemas and the user's schemas. The demo has only
// schemas with demo data. The error names the schemas that have faults; the list contains all others.
func (o *opener) Profiles() ([]*profiles.Profile, error) {
	a := o.current()
	switch {
	case o.demo != nil && o.demo.onlyProfile != nil:
		return []*profiles.Profile{o.demo.onlyProfile}, nil
	case o.demo != nil:
		return a.readProfiles(profiles.Names())
	}
	list, err := a.everyProfile(o.file...)
	if t := o.table; t != nil && !slices.ContainsFunc(list, func(p *profiles.Profile) bool { return p.Name == t.Name }) {
		list = slices.Insert(list, 0, t)
	}
	return append(list, o.draftProfiles()...), err
}

// Open connects and returns the session of a schema.
func (o *opener) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	if !o.beginOpening() {
		return nil, context.Canceled
	}
	defer o.opening.Done()
	a := o.current()
	switch {
	case o.demo != nil:
		return o.demo.open(ctx, a, p)
	case a.mayChange() || a.flags.Requests.Table != "" || p.Requests != "": // a change request names its user, like a change
		return a.changeSession(ctx, p)
	}
	return a.readSession(ctx, p)
}

func (o *opener) beginOpening() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.opening.Add(1)
	}
	return !o.ended
}

// stopOpening waits for sessions that are still opening, because the demo may be writing its data and journal.
func (o *opener) stopOpening() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.opening.Wait()
}

// Source describes the database for the schemas. It does not open the default store, because that would create the
// store without a request from the user.
func (o *opener) Source() tui.Source {
	a := o.current()
	source := tui.Source{Access: a.accessOf(a.typedTarget()), HasRequests: a.flags.Requests.Table != ""}
	_, embedded := a.embeddedDir()
	switch {
	case o.demo != nil:
		source.Place, source.Local = "sample data", true
	case embedded:
		source.Place, source.Local = "embedded", true
	}
	if o.demo == nil && a.lacksDatabase() {
		source.Place, source.Local, source.Missing = "", false, noDatabase
	}
	return source
}

func (a *app) accessOf(t store.Target) tui.Access {
	access := tui.Access{
		Who: a.localActor(), Role: a.flags.Role, Place: t.Profile, Account: t.Account, Region: t.Region, ReadOnly: !a.mayChange(),
	}
	switch {
	case t.Embedded:
		access.Place, access.Region = "embedded", ""
	case t.Custom:
		access.Place = t.Endpoint
	}
	return access
}

// Connect opens the connection for the home screen's tables. The demo lacks tables until the user opens a schema.
func (o *opener) Connect(ctx context.Context, requested bool) (*tui.Connection, error) {
	a := *o.current()
	if o.demo != nil {
		return nil, nil
	}
	a.quiet = !requested
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return nil, err
	}
	if t := conn.Describe(); !t.IsLocal() && !t.Custom {
		a.findAccount(ctx, conn)
	}
	c := &tui.Connection{
		Access:   a.accessOf(conn.Describe()),
		Describe: func(ctx context.Context, list []tables.ListedTable) { tables.Describe(ctx, conn.Reader(), list) },
		List: func(ctx context.Context, known []*profiles.Profile) ([]tables.ListedTable, error) {
			return tables.List(ctx, conn.Reader(), known)
		},
		Schemaless: func(ctx context.Context, table string) (*profiles.Profile, error) {
			return a.schemalessOn(ctx, conn, table)
		},
		Stage: func(p *profiles.Profile) session.Stage { return a.access(p, conn.Describe()).Stage() },
	}
	if arn := conn.ARN(); arn != "" {
		c.Who = arn[strings.LastIndexByte(arn, '/')+1:]
	}
	return c, nil
}

const noDatabase = "No AWS configuration was found, and the embedded database does not exist yet. ddbdesk demo opens sample data; " +
	"--profile NAME or --region REGION connects to AWS; ddbdesk seed SCHEMA --embedded creates tables with sample data."

// Others returns the names of all contexts except the current one, or nil in the demo.
func (o *opener) Others() []string {
	list, current := o.Contexts()
	var names []string
	for _, c := range list {
		if c.Name != current && c.Name != "" && c.Kind == "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// OpenIn returns a read-only session of a schema in another context.
func (o *opener) OpenIn(ctx context.Context, name string, p *profiles.Profile) (*workspace.Workspace, error) {
	schema := p.File
	if strings.HasPrefix(schema, "builtin:") {
		schema = p.Name
	}
	other, err := o.current().inContext(name)
	if err != nil {
		return nil, err
	}
	return other.openSchema(ctx, schema, other.readSession)
}

// FindIn returns the schemas in the other contexts that the configuration adds to a search. These connections never
// prompt for a code or a reason.
func (o *opener) FindIn() []find.Source {
	a := o.current()
	list, current := o.Contexts()
	if a.namesDatabase() || len(list) == 0 {
		return nil
	}
	var sources []find.Source
	for _, name := range a.file.Find {
		other, err := a.inContext(name)
		if err != nil || name == current {
			continue
		}
		other.quiet = true
		schemas, _ := other.everyProfile() // The current connection shows this error.
		for _, p := range schemas {
			open := func(ctx context.Context) (*workspace.Workspace, error) {
				if !o.beginOpening() {
					return nil, context.Canceled
				}
				defer o.opening.Done()
				return other.readSession(ctx, p)
			}
			sources = append(sources, find.Source{Place: find.Place{Profile: p, Context: name}, Open: open})
		}
	}
	return sources
}

// withContext returns the app for another context, with the flags of the command line.
func (a *app) withContext(c config.Context) *app {
	next := *a
	next.applyContext(c)
	next.flags.Role = cmp.Or(next.flags.Role, string(session.Support))
	return &next
}

// noteOpenChanges ignores an unreadable journal, because the next change reports it.
func (a *app) noteOpenChanges(since time.Time) {
	if !a.mayChange() {
		return
	}
	pending, _ := journal.Pending(journal.DefaultPath())
	openCounts, counted := map[string]int{}, map[string]bool{}
	for _, e := range pending {
		if !counted[e.ID] && !e.Time.Before(since.Truncate(time.Millisecond)) {
			counted[e.ID] = true
			openCounts[e.Profile]++
		}
	}
	team.NoteUnresolved(a.Note, openCounts)
}
