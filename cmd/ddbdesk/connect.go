package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An app contains the state of one run of the program: its streams, settings, connections and sessions.
type app struct {
	cli.Streams
	settings

	stores    *stores
	retries   *cli.RetryNotes
	console   *console     // nil in commands
	suspended *atomic.Bool // another program has the console's terminal
	progress  bool         // a progress line shows retries
	onlyReads bool         // the command only reads, so it does not create an embedded database
	quiet     bool         // the user did not request this connection, so ddbdesk does not prompt for a code or a reason
}

func (a *app) connect(ctx context.Context, regions []string) (*store.Connection, error) {
	o := store.Options{
		Profile: a.flags.Profile, Region: a.flags.Region, EndpointURL: a.flags.EndpointURL, Regions: regions,
		OnRetry: a.noteRetry,
	}
	var conn *store.Connection
	switch {
	case a.quiet:
		o.CredentialsFrom = a.stores.mfaConnection(o.Profile)
		o.MFAToken = func() (string, error) { return "", store.ErrNoMFACode }
	case a.console != nil:
		o.CredentialsFrom = a.stores.mfaConnection(o.Profile)
		repeated := false
		o.MFAToken = func() (string, error) {
			code, err := a.console.askMFACode(a.flags.Profile, repeated)
			if err == nil {
				repeated = true
				a.stores.setMFAConnection(o.Profile, conn)
			}
			return code, err
		}
	case a.Interactive():
		o.MFAToken = func() (string, error) { return a.promptMFACode(ctx) }
	}
	var err error
	if dir := a.flags.FromExport; dir != "" {
		o.EmbeddedDir = appdir.RealPath(dir)
		if o.Embedded, err = a.stores.openAs(exportPrefix+o.EmbeddedDir, caseStoreOptions()); err != nil {
			return nil, err
		}
	} else if dir, ok := a.embeddedDir(); ok {
		o.EmbeddedDir = appdir.RealPath(dir)
		path, onlyReads := o.EmbeddedDir, a.onlyReads || a.isCompleting()
		if _, err := os.Stat(path); a.console != nil && a.lacksDatabase() {
			path = "" // Temporary, so that ddbdesk seed can create the database while the console is open.
		} else if onlyReads && dir != appdir.EmbeddedStore() && errors.Is(err, fs.ErrNotExist) {
			path = "" // In memory, because a read must not create a folder with a mistyped name.
			// A search connects once per schema.
			if _, noted := a.stores.missing.LoadOrStore(dir, true); !noted {
				a.Note("folder " + dir + " does not exist, so the embedded database is empty; check the path")
			}
		}
		if o.Embedded, err = a.stores.open(embedded.Options{Path: path}); err != nil {
			return nil, err
		}
		if a.console == nil && a.usesDefaultStore() && store.RunsOnEC2() {
			a.Note("using the embedded database: " + defaultStoreReason)
		}
	}
	if conn, err = store.Connect(ctx, o); err != nil {
		return nil, err
	}
	// If the endpoint does not answer, the first request reports it. Until then, the server is unknown.
	_ = conn.FindServer(ctx)
	return conn, nil
}

// connectFor returns nil if there is no connection. Set the session's purpose before you call it.
func (a *app) connectFor(ctx context.Context, p *profiles.Profile) (*store.Connection, error) {
	o := a.access(p, store.Target{})
	var err error
	if a.console != nil && !a.quiet {
		err = a.console.requirePurpose(ctx, o)
	} else if err = o.CheckPurpose(); err == nil && o.Purpose.BreakGlass {
		a.Note("break glass: the journal records this session as an emergency")
	}
	if err != nil {
		return nil, err
	}
	if _, err := newShipper(a); err != nil {
		return nil, err
	}
	var regions []string
	if p != nil {
		regions = p.Guardrails.Regions
	}
	conn, err := a.connect(ctx, regions)
	if err == nil && a.flags.FromExport != "" {
		err = a.loadExport(ctx, p, conn)
	}
	return conn, err
}

func (a *app) promptMFACode(ctx context.Context) (string, error) {
	a.stores.promptMu.Lock() // A search queries several contexts at the same time.
	defer a.stores.promptMu.Unlock()
	fmt.Fprint(a.Stderr, "MFA code: ")
	code, err := a.ReadLine(ctx)
	if err != nil {
		return "", fmt.Errorf("read the MFA code: %w", err)
	}
	if code = strings.TrimSpace(code); code == "" {
		return "", store.ErrNoMFACode
	}
	return code, nil
}

func (a *app) openSchema(
	ctx context.Context, schema string, open func(context.Context, *profiles.Profile) (*workspace.Workspace, error),
) (*workspace.Workspace, error) {
	p, err := a.Profile(schema)
	if err != nil {
		return nil, err
	}
	return open(ctx, p)
}

func (a *app) inContext(name string) (*app, error) {
	c, err := a.contextNamed(name)
	if err != nil {
		return nil, err
	}
	return a.withContext(c), nil
}

// readSession asks AWS for the account only if that decides whether the database is production.
func (a *app) readSession(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	conn, err := a.connectFor(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(a.access(p, conn.Describe()).ProductionAccounts()) > 0 {
		a.findAccount(ctx, conn)
	}
	if err := a.checkSchemaless(p, conn); err != nil {
		return nil, err
	}
	return a.newSession(p, conn, a.localActor()), nil
}

func (a *app) changeSession(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	conn, err := a.connectFor(ctx, p)
	if err != nil {
		return nil, err
	}
	actor, err := a.identity(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := a.checkSchemaless(p, conn); err != nil {
		return nil, err
	}
	return a.newSession(p, conn, actor), nil
}

// newSession keeps the writer only if the session may change items.
func (a *app) newSession(p *profiles.Profile, conn *store.Connection, actor string) *workspace.Workspace {
	w := workspace.NewWriting(a.sessionOptions(p, conn, actor), conn.Writer())
	if a.console != nil {
		return w.WithLocalStore(a.console.localStore)
	}
	return w
}

func (a *app) sessionOptions(p *profiles.Profile, conn *store.Connection, actor string) session.Options {
	budget, _ := reading.ParseBudget(a.flags.Budget) // prepare validated it
	o := a.access(p, conn.Describe())
	o.Store, o.Actor, o.Budget, o.Shipper = conn.Reader(), actor, budget, a.stores.shipper
	o.Person.ARN = conn.ARN()
	o.Identity = func(ctx context.Context) (string, error) { return a.identity(ctx, conn) }
	if a.console != nil {
		o.Purpose = a.console.currentPurpose(o)
	}
	switch {
	case a.console != nil && a.console.ephemeral:
		o.StateDir, o.JournalPath = a.console.state, filepath.Join(a.console.state, "journal.jsonl")
	case p != nil:
		o.BookmarkPath = bookmarks.DefaultPath(p)
	}
	return o
}

// accountTimeout limits the wait for the account if a command can run without it.
const accountTimeout = 3 * time.Second

func (a *app) identity(ctx context.Context, conn *store.Connection) (string, error) {
	if a.flags.Actor != "" {
		a.findAccount(ctx, conn) // needed to select the journal entries of this connection
		return a.flags.Actor, nil
	}
	id, err := conn.Identity(ctx)
	if err == nil {
		return id.Actor(), nil
	}
	switch class := store.ClassOf(err); {
	case ctx.Err() != nil, class == store.NoCredentials, class == store.ExpiredCredentials, class == store.Config:
		return "", err
	}
	return "", &store.Error{
		Class: store.Config, Operation: "GetCallerIdentity", Problem: "cannot determine the actor: " + strings.TrimRight(err.Error(), ".?"),
		Advice: "set it with --actor ID", Err: err,
	}
}

// findAccount waits only briefly for AWS. If AWS does not answer, the account stays unknown.
func (a *app) findAccount(ctx context.Context, conn *store.Connection) {
	limited, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	_, _ = conn.Identity(limited)
}

func (a *app) close() {
	for _, err := range a.stores.close() {
		a.Note("close the embedded database: " + err.Error())
	}
}

func (a *app) noteRetry(r store.Retry) {
	if a.console == nil && !a.progress && a.retries.Due(time.Now()) {
		a.Notef("%s: attempt %d failed: %s; retrying in %s", r.Operation, r.Attempt, r.Class, r.Wait)
	}
}

// stores keeps connections that the console opens only once, even if the user changes the profile or the context:
// embedded databases, and connections with an MFA code. It is safe for concurrent use.
type stores struct {
	promptMu sync.Mutex          // allows one prompt at a time
	loadMu   sync.Mutex          // allows one export to load at a time
	loaded   map[string][]string // tables of profiles with loaded exports, by the folder of the exports

	missing sync.Map // folders that a note has reported as missing

	mu             sync.Mutex
	embedded       map[string]*embedded.Store   // stores by folder; "" is in memory
	mfaConnections map[string]*store.Connection // connections by AWS profile
	shipper        *journal.Shipper             // sends the journal's entries to the sink, or nil
}

func (s *stores) setMFAConnection(profile string, c *store.Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mfaConnections == nil {
		s.mfaConnections = map[string]*store.Connection{}
	}
	s.mfaConnections[profile] = c
}

func (s *stores) mfaConnection(profile string) *store.Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mfaConnections[profile]
}

func (s *stores) open(o embedded.Options) (*embedded.Store, error) { return s.openAs(o.Path, o) }

func (s *stores) openAs(name string, o embedded.Options) (*embedded.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if db := s.embedded[name]; db != nil {
		return db, nil
	}
	db, err := embedded.Open(o)
	if err != nil {
		return nil, &store.Error{Class: store.Config, Problem: err.Error(), Err: err}
	}
	if s.embedded == nil {
		s.embedded = map[string]*embedded.Store{}
	}
	s.embedded[name] = db
	return db, nil
}

func (s *stores) close() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for path, db := range s.embedded {
		if err := db.Close(); err != nil {
			errs = append(errs, err)
		}
		delete(s.embedded, path)
	}
	return errs
}

// mfaCodeFault returns "" for a valid code. Source: AWS STS API Reference, AssumeRole, TokenCode.
func mfaCodeFault(code string) string {
	if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
		return "the code must have six digits"
	}
	return ""
}

// mfaPrompt asks for a new code if repeated is set, because a code works only once.
func mfaPrompt(profile string, repeated bool) string {
	source := "the AWS configuration"
	if profile != "" {
		source = "AWS profile " + models.Printable(profile)
	}
	if repeated {
		return "The previous code did not produce credentials, or they expired. The role of " + source +
			" needs another code: wait until your MFA device shows the next one."
	}
	return "The role of " + source + " needs the current code of your MFA device."
}
