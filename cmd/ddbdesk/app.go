// This file holds what commands share: flags, the profile, the connection and
// the session they name.

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

type app struct {
	stdin          *os.File
	stdout, stderr io.Writer
	flags          globalFlags
	base           globalFlags     // as they were typed
	typed          map[string]bool // which of them, by name
	context        config.Context
	file           *config.File // nil until it is asked for
	stores         *stores
	questions      chan tui.Question // of the console to its person; nil elsewhere
	quiet          bool              // the console shows retries itself
	watched        bool              // a line of progress shows retries
	retries        *retries
	memory         *memory.Memory
	lent           *atomic.Bool // another program has the console's terminal
	passing        bool         // nothing that a person marks is kept: the demo
}

type globalFlags struct {
	profile, region, endpoint string
	embedded                  string
	context                   string
	role                      string
	actor                     string
	readOnly, noColor         bool
	theme                     string
	budget                    string
	vars                      []string
}

// defaultDir stands for the embedded store's own place: --embedded without a
// value.
const defaultDir = "(own folder)"

func (a *app) rootCommand() *cobra.Command {
	a.retries = &retries{}
	root := &cobra.Command{
		Use:   "ddbdesk [SCHEMA]",
		Short: "A terminal console for DynamoDB that knows your schema",
		Long: "ddbdesk opens a schema profile (a built-in one, or a YAML file) as a console: every documented\n" +
			"access pattern is a named screen and a command. Without SCHEMA it lists the profiles.\n" +
			"`ddbdesk demo` shows everything on sample data, without AWS.",
		Args:              oneSchema,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
		RunE:              func(cmd *cobra.Command, args []string) error { return a.console(cmd.Context(), args) },
		ValidArgsFunction: completeSchemas,
	}
	usage(root)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.profile, "profile", "", "AWS profile of the shared configuration")
	f.StringVar(&a.flags.region, "region", "", "AWS region")
	f.StringVar(&a.flags.endpoint, "endpoint-url", "", "another DynamoDB endpoint, such as http://127.0.0.1:8000")
	f.StringVar(&a.flags.embedded, "embedded", "", "the embedded store, in `DIR` or its own folder")
	f.Lookup("embedded").NoOptDefVal = defaultDir
	f.StringVar(&a.flags.context, "context", "", "a named set of these flags from the configuration file")
	f.StringVar(&a.flags.role, "role", "", "support, developer or admin (default support: reads, personal data masked)")
	f.StringVar(&a.flags.actor, "actor", "", "who acts, for journal and audit (default: the AWS identity, or the local user)")
	f.StringVar(&a.flags.budget, "budget", "", "read units per second for whole tables and long answers, or none (default: none, on production a quarter of what is provisioned)")
	f.BoolVar(&a.flags.readOnly, "read-only", false, "change nothing, whatever the role")
	f.BoolVar(&a.flags.noColor, "no-color", false, "no colour")
	f.StringArrayVar(&a.flags.vars, "var", nil, "a variable of the profile: name=value")
	a.themeFlag(root)
	root.AddCommand(a.demoCommand(), a.schemaCommand(), a.patternCommand(), a.runCommand(), a.decodeCommand(), a.changeCommand(), a.applyCommand(), a.driftCommand(),
		a.tableCommand(), a.seedCommand(), a.journalCommand(), a.iamCommand(), a.serveCommand(), a.infoCommand())
	a.completeFlags(root)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = unknownSubcommand, needSubcommand
		}
	}
	return root
}

// helpCommand is cobra's, but for words that name no command: those are an
// error like everywhere else.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usageErrorf("help: no command %q%s", models.Printable(strings.Join(args, " ")), models.DidYouMean(strings.Join(args, " "), subcommands(root)))
			}
			return c.Help()
		},
	}
}

// oneSchema takes a schema or nothing. More is a command that is not there.
func oneSchema(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	if _, _, err := profiles.ReadSource(args[0]); err == nil {
		return usageErrorf("unexpected argument %q", models.Printable(args[1]))
	}
	return usageErrorf("no command %q%s", models.Printable(args[0]), models.DidYouMean(args[0], subcommands(cmd)))
}

// prepare merges the context into the flags and checks them.
func (a *app) prepare(cmd *cobra.Command) error {
	if err := a.useContext(cmd); err != nil {
		return err
	}
	if err := a.checkActor(cmd); err != nil {
		return err
	}
	if _, err := session.ParseBudget(a.flags.budget); err != nil {
		return usageErrorf("--budget: %v", err)
	}
	roles := roleNames()
	if a.flags.role == "" {
		a.flags.role = string(session.Support)
	}
	for _, r := range roles {
		if r == a.flags.role {
			return nil
		}
	}
	return usageErrorf("--role: %q is none of %s%s", models.Printable(a.flags.role), strings.Join(roles, ", "), models.DidYouMean(a.flags.role, roles))
}

// checkActor refuses a name that could not stand in an audit entry, that a
// script left empty (nobody else's name takes its place), or that only looks
// like another one. Blanks around it are no part of it.
func (a *app) checkActor(cmd *cobra.Command) error {
	f := cmd.Flag("actor")
	given := a.flags.actor != "" || f != nil && f.Changed
	switch {
	case !given:
		return nil
	case !utf8.ValidString(a.flags.actor):
		return usageErrorf("--actor: not valid UTF-8")
	case strings.TrimSpace(a.flags.actor) == "":
		return usageErrorf("--actor: empty: leave it out, or say who acts")
	}
	a.flags.actor = strings.TrimSpace(a.flags.actor)
	if seen := models.Printable(a.flags.actor); seen != a.flags.actor {
		return usageErrorf("--actor: %s holds characters that cannot be seen", seen)
	}
	return nil
}

// maxTableName is the most bytes of a table's name. Source: Amazon DynamoDB
// Developer Guide, "Naming rules".
const maxTableName = 255

// tableName matches what may stand in a table's name, which is what variables
// are parts of.
var tableName = regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z0-9_.-]{1,%d}$`, maxTableName))

// maxShown is how many cells of a value messages repeat.
const maxShown = 48

// short is a value as messages repeat it.
func short(text string) string { return models.Truncate(models.Printable(text), maxShown) }

// variables reads --var.
func (a *app) variables() (map[string]string, error) {
	vars := map[string]string{}
	for k, v := range a.context.Vars {
		vars[k] = v
	}
	for _, v := range a.flags.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" || value == "" {
			return nil, usageErrorf("--var: expected name=value, found %q", models.Printable(v))
		}
		if !tableName.MatchString(value) {
			return nil, usageErrorf("--var: %s=%q cannot be part of a table name: letters, digits, _ . and - can, at most %d of them",
				models.Printable(name), short(value), maxTableName)
		}
		vars[name] = value
	}
	return vars, nil
}

// schema opens the profile that a command names. A context serves several
// profiles: of its variables each takes those that it has. One that --var names
// must be there.
func (a *app) schema(name string) (*profiles.Profile, error) {
	vars, err := a.variables()
	if err != nil {
		return nil, err
	}
	if len(a.context.Vars) > 0 {
		mine := known(name, vars)
		for _, v := range a.flags.vars {
			given, _, _ := strings.Cut(v, "=")
			mine[given] = vars[given]
		}
		vars = mine
	}
	p, err := profiles.Open(name, vars)
	if err != nil {
		return nil, err
	}
	for _, t := range p.Tables {
		if len(t.Name) > maxTableName && len(a.flags.vars) > 0 {
			return nil, usageErrorf("--var: the table name %q would be %d bytes; DynamoDB allows %d", short(t.Name), len(t.Name), maxTableName)
		}
	}
	return p, nil
}

// connect opens the connection that flags, context and environment name.
func (a *app) connect(ctx context.Context, regions []string) (*store.Connection, error) {
	o := store.Options{
		Profile: a.flags.profile, Region: a.flags.region, EndpointURL: a.flags.endpoint, Regions: regions,
		OnRetry: a.sayRetry,
	}
	var conn *store.Connection
	switch {
	case a.questions != nil:
		o.Like = a.stores.signedIn(o.Profile)
		given := false
		o.MFAToken = func() (string, error) {
			code, err := a.askInside(given)
			if err == nil {
				given = true
				a.stores.keep(o.Profile, conn)
			}
			return code, err
		}
	case a.asks():
		o.MFAToken = a.mfaToken
	}
	if dir, ok := a.embeddedDir(); ok {
		db, err := a.stores.get(embedded.Options{Path: realPath(dir)})
		if err != nil {
			return nil, err
		}
		o.Embedded, o.EmbeddedDir = db, realPath(dir)
	}
	var err error
	conn, err = store.Connect(ctx, o)
	return conn, err
}

// realPath is the one path of a folder that has several. What cannot be followed
// stays as it was named.
func realPath(dir string) string {
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		dir = p
	}
	if p, err := filepath.Abs(dir); err == nil {
		dir = p
	}
	return dir
}

// asks reports whether a person can be asked: never in a pipe, and not while
// the console has the terminal.
func (a *app) asks() bool {
	words, ok := fileOf(a.stderr)
	return ok && !a.quiet && a.stdin != nil && term.IsTerminal(a.stdin.Fd()) && term.IsTerminal(words.Fd())
}

// embeddedDir returns the folder of the embedded store when that is what is
// meant: asked for, or nothing of AWS is configured.
func (a *app) embeddedDir() (string, bool) {
	own := filepath.Join(appdir.State(), "embedded")
	switch {
	case a.flags.embedded == defaultDir:
		return own, true
	case a.flags.embedded != "":
		return a.flags.embedded, true
	case a.flags.profile != "" || a.flags.region != "" || a.flags.endpoint != "" || awsConfigured():
		return "", false
	default:
		return own, true
	}
}

// awsConfigured reports whether anything that the SDK reads names an account,
// a region or an endpoint.
func awsConfigured() bool {
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		if value == "" {
			continue
		}
		switch name {
		case "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID",
			"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_WEB_IDENTITY_TOKEN_FILE",
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
			"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE":
			return true
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	for _, f := range []string{"config", "credentials"} {
		if _, err := os.Stat(filepath.Join(home, ".aws", f)); err == nil {
			return true
		}
	}
	return false
}

// session opens the session of a command that reads.
func (a *app) session(ctx context.Context, p *profiles.Profile) (*session.Session, error) {
	conn, err := a.connect(ctx, p.Guardrails.Regions)
	if err != nil {
		return nil, err
	}
	return a.newSession(p, conn, a.actor()), nil
}

// changing opens the session of a command that changes items, or plans it: who
// acts stands in what it writes, so the identity is asked for.
func (a *app) changing(ctx context.Context, p *profiles.Profile) (*session.Session, error) {
	conn, err := a.connect(ctx, p.Guardrails.Regions)
	if err != nil {
		return nil, err
	}
	actor, err := a.identity(ctx, conn)
	if err != nil {
		return nil, err
	}
	return a.newSession(p, conn, actor), nil
}

// mayChange reports whether sessions are given the means to change items.
func (a *app) mayChange() bool {
	return session.Role(a.flags.role) == session.Admin && !a.flags.readOnly
}

func (a *app) newSession(p *profiles.Profile, conn *store.Connection, actor string) *session.Session {
	budget, _ := session.ParseBudget(a.flags.budget) // prepare has read it before
	o := session.Options{
		Profile: p, Store: conn.Reader(), Target: conn.Describe(), Role: session.Role(a.flags.role),
		ReadOnly: a.flags.readOnly, Context: a.flags.context, Actor: actor, Memory: a.memory,
		Environment: a.context.Environment, Budget: budget, Identity: a.whoami(conn),
	}
	if !a.passing {
		o.BookmarkPath = session.BookmarkPath(p)
	}
	if a.mayChange() {
		o.Writer = conn.Writer()
	}
	return session.New(o)
}

// whoami asks who works here, for the screen: the name that audit entries would
// bear.
func (a *app) whoami(conn *store.Connection) func(ctx context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return a.identity(ctx, conn) }
}

// accountWithin is how long the account is waited for when --actor says who acts.
const accountWithin = 3 * time.Second

// identity is who acts, as AWS knows them: an audit entry with another name
// would be of little use. --actor is taken as it is.
func (a *app) identity(ctx context.Context, conn *store.Connection) (string, error) {
	if a.flags.actor != "" {
		// The account is asked for all the same, to keep its journal apart from that
		// of others; who says who acts does not wait long for it.
		asked, cancel := context.WithTimeout(ctx, accountWithin)
		defer cancel()
		_, _ = conn.Identity(asked)
		return a.flags.actor, nil
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
		Class: store.Config, Operation: "GetCallerIdentity", What: "who acts is not known: " + strings.TrimRight(err.Error(), ".?"),
		Advice: "--actor ID says so instead", Err: err,
	}
}

// actor is who acts in a session that only reads: it does not wait for AWS to
// say who that is.
func (a *app) actor() string {
	if a.flags.actor != "" {
		return a.flags.actor
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// mayPrepare refuses to create tables or sample data where that is not one's
// own to do: an embedded or local store is, anything else needs an admin.
func (a *app) mayPrepare(p *profiles.Profile, t store.Target, what string) error {
	if a.flags.readOnly {
		return &session.Refusal{Why: "the session is read-only: " + what + " writes", Next: "leave out --read-only"}
	}
	if a.newSessionProduction(p) {
		return &session.Refusal{Why: what + " is refused on production"}
	}
	if t.Embedded || t.Loopback || session.Role(a.flags.role) == session.Admin {
		return nil
	}
	return &session.Refusal{Why: what + " writes to " + t.String(), Next: "add --role admin if that is meant"}
}

func (a *app) newSessionProduction(p *profiles.Profile) bool {
	names := []string{a.flags.context, a.context.Environment}
	for _, v := range p.Variables {
		names = append(names, v.Value)
	}
	return p.IsProduction(names...)
}

func (a *app) close() {
	for _, err := range a.stores.close() {
		fmt.Fprintln(a.stderr, "ddbdesk: closing the embedded store: "+models.Printable(err.Error()))
	}
}
