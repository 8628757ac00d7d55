package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

type globalFlags struct {
	config.Context // the flags that a context may set, and the current context's other settings

	typedVars  []string // --var name=value
	reason     string   // the session's reason, unless the command has its own
	ticket     string
	breakGlass bool            // --break-glass
	purpose    session.Purpose // built from these flags by prepare
	key        string          // key of a table that ddbdesk may not describe
	theme      string
	noColor    bool
}

// defaultDir is the value of --embedded without a folder.
const defaultDir = "(default folder)"

// contextFlags lists the flags that a context may set. A flag on the command line takes precedence over the context.
var contextFlags = []struct {
	name, usage string
	value       func(*config.Context) *string
}{
	{
		"profile", "use AWS profile `NAME` of the shared configuration files",
		func(c *config.Context) *string { return &c.Profile },
	},
	{"region", "use AWS region `REGION`, such as eu-west-1", func(c *config.Context) *string { return &c.Region }},
	{
		"endpoint-url", "use the DynamoDB endpoint `URL`, such as http://127.0.0.1:8000",
		func(c *config.Context) *string { return &c.EndpointURL },
	},
	{
		"embedded", "use the embedded database, in `DIR` or in its default folder",
		func(c *config.Context) *string { return &c.Embedded },
	},
	{
		"from-export", "read the export to S3 in `DIR` as a read-only database",
		func(c *config.Context) *string { return &c.FromExport },
	},
	{
		"role", "act as `ROLE`: support, developer or admin (default support: read-only, personal data masked)",
		func(c *config.Context) *string { return &c.Role },
	},
	{
		"actor", "act as `ID` in the journal and audit entries (default: the AWS identity, or the local user)",
		func(c *config.Context) *string { return &c.Actor },
	},
	{
		"budget", "limit scans and long reads to `RCU` (read capacity units) per second, or none\n" +
			"(default: none; on production, a quarter of the provisioned capacity)",
		func(c *config.Context) *string { return &c.Budget },
	},
}

// settings contains the flags of a command, completed by the context and the configuration file.
type settings struct {
	flags   globalFlags
	typed   config.Context   // the flags as they were on the command line
	changed map[string]bool  // which contextFlags were on the command line
	file    *config.File     // nil until configuration is called
	reader  *profiles.Reader // builds each schema once; nil each time
	args    []string         // the command line; nil in a console that can switch the context

	inConsole bool
}

// databaseFlags lists the contextFlags that select the database.
var databaseFlags = []string{"profile", "endpoint-url", "embedded", "from-export"}

// namesDatabase reports whether a flag on the command line selects the database for every context.
func (s *settings) namesDatabase() bool {
	return slices.ContainsFunc(databaseFlags, func(name string) bool { return s.changed[name] })
}

func (s *settings) isRedirected() bool { return s.namesDatabase() || s.changed["region"] }

func (s *settings) register(root *cobra.Command) {
	f := root.PersistentFlags()
	for _, flag := range contextFlags {
		f.StringVar(flag.value(&s.flags.Context), flag.name, "", flag.usage)
	}
	f.Lookup("embedded").NoOptDefVal = defaultDir
	f.StringVar(&s.flags.Name, "context", "", "use context `NAME` of the configuration file, which sets these flags")
	f.BoolVar(&s.flags.ReadOnly, "read-only", false, "refuse all writes regardless of the role")
	f.BoolVar(&s.flags.noColor, "no-color", false, "disable color")
	f.StringVar(&s.flags.reason, "reason", "", "record `TEXT` in the journal as the reason for access")
	f.StringVar(&s.flags.ticket, "ticket", "", "record ticket `ID` in the journal")
	f.BoolVar(&s.flags.breakGlass, "break-glass", false, "access data in an emergency without the required ticket; requires --reason")
	f.StringArrayVar(&s.flags.typedVars, "var", nil, "set a variable of the schema as `NAME=VALUE`; repeatable")
	f.StringVar(&s.flags.key, "key", "", "use `NAME[:TYPE],…` as the primary key if your IAM permissions do not include DescribeTable")
	s.registerConsole(root)
}

func (s *settings) registerConsole(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.flags.theme, "theme", "", "use theme `NAME` in the console, such as dark or high-contrast")
}

func (s *settings) prepare(cmd *cobra.Command) error {
	if err := checkEmpty(cmd); err != nil {
		return err
	}
	if f := cmd.Flags(); f.Changed("embedded") && (f.Changed("profile") || f.Changed("endpoint-url")) {
		return session.InputErrorf("--embedded cannot be used with --profile or --endpoint-url")
	}
	if err := s.useContext(cmd); err != nil {
		return err
	}
	if err := errors.Join(s.checkActor(), s.checkPurpose(cmd)); err != nil {
		return err
	}
	if f := s.flags; f.FromExport != "" && (f.Embedded != "" || f.Profile != "" || f.EndpointURL != "") {
		return session.InputErrorf("--from-export cannot be used with --embedded, --profile or --endpoint-url")
	}
	if _, err := reading.ParseBudget(s.flags.Budget); err != nil {
		return session.InputErrorf("--budget: %v", err)
	}
	if _, err := s.variables(); err != nil { // otherwise no schema would cover a table and mask its values
		return err
	}
	s.flags.Role = cmp.Or(s.flags.Role, string(session.Support))
	if !slices.Contains(roleNames(), s.flags.Role) {
		return cli.InvalidChoice("--role", "role", s.flags.Role, roleNames())
	}
	return nil
}

// checkEmpty rejects empty values, which an unset variable would pass. They would select another database.
func checkEmpty(cmd *cobra.Command) error {
	names := []string{"context"}
	for _, flag := range contextFlags {
		names = append(names, flag.name)
	}
	for _, name := range names {
		if f := cmd.Flag(name); f != nil && f.Changed && f.Value.String() == "" {
			return session.InputErrorf("--%s: the value is empty; omit the flag or add a value", name)
		}
	}
	return nil
}

// checkPurpose also uses a command's own reason as the reason of the session.
func (s *settings) checkPurpose(cmd *cobra.Command) (err error) {
	reason := s.flags.reason
	if f := cmd.Flag("reason"); f != nil {
		reason = f.Value.String()
	}
	if s.flags.purpose, err = session.NewPurpose(reason, s.flags.ticket, s.flags.breakGlass); err != nil {
		return session.InputErrorf("--%v", err)
	}
	return nil
}

// checkActor rejects an actor that looks like another one.
func (s *settings) checkActor() error {
	actor := strings.TrimSpace(s.flags.Actor)
	switch {
	case s.flags.Actor == "":
		return nil
	case !utf8.ValidString(actor):
		return session.InputErrorf("--actor: not valid UTF-8")
	case actor == "":
		return session.InputErrorf("--actor: the value is empty; omit the flag or add a value")
	case models.Printable(actor) != actor:
		return session.InputErrorf("--actor: %s contains invisible characters", models.Printable(actor))
	}
	s.flags.Actor = actor
	return nil
}

// configuration reads the file only when needed, so that an error in it does not stop commands that do not use it.
func (s *settings) configuration() (*config.File, error) {
	if s.file == nil {
		// Anyone with write access there can choose which programs run and change the journal.
		if err := appdir.CheckPermissions(appdir.Config(), config.Path(), appdir.State()); err != nil {
			return nil, err
		}
		f, err := config.Read(config.Path(), vocabulary())
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	return s.file, nil
}

func (s *settings) schemaPaths() ([]string, error) {
	f, err := s.configuration()
	if err != nil {
		return nil, err
	}
	return f.Profiles, nil
}

func vocabulary() config.Vocabulary {
	v := config.Vocabulary{
		Roles: roleNames(), Themes: widget.ThemeNames(), Backgrounds: widget.Backgrounds(),
		Colors: widget.ColorNames(), Marks: widget.ContextColors(),
		Budget: func(text string) error {
			_, err := reading.ParseBudget(text)
			return err
		},
		Conflicts: func(keys config.Bindings) []config.Conflict {
			return models.MapSlice(tui.Clashes(keys), func(c tui.Clash) config.Conflict { return config.Conflict(c) })
		},
	}
	for _, s := range tui.Scopes() {
		scope := config.Scope{Name: s.Name}
		for _, action := range s.Actions {
			if action.Run != nil { // the other actions belong to lists and grids
				scope.Actions = append(scope.Actions, action.Name)
			}
		}
		v.Scopes = append(v.Scopes, scope)
	}
	return v
}

func roleNames() []string {
	return models.MapSlice(session.Roles(), func(r session.Role) string { return string(r) })
}

// themeNames returns the values of --theme without deprecated spellings: the terminal kinds and the theme names.
func themeNames() []string { return append(widget.Backgrounds(), widget.ThemeNames()...) }

// contextNames returns the contexts for shell completion, each with its target. It returns nil without a readable file.
func (s *settings) contextNames() []string {
	f, err := s.configuration()
	if err != nil {
		return nil
	}
	return models.MapSlice(f.Contexts, func(c config.Context) string { return c.Name + "\t" + c.Target() })
}

func (s *settings) useContext(cmd *cobra.Command) error {
	s.typed, s.changed = s.flags.Context, map[string]bool{}
	for _, flag := range contextFlags {
		f := cmd.Flag(flag.name)
		s.changed[flag.name] = f != nil && f.Changed
	}
	name := s.flags.Name
	if name == "" {
		return nil
	}
	c, err := s.contextNamed(name)
	if err == nil {
		s.applyContext(c)
	}
	return err
}

func (s *settings) contextNamed(name string) (config.Context, error) {
	f, err := s.configuration()
	if err != nil {
		return config.Context{}, err
	}
	c, ok := f.Context(name)
	if !ok {
		hint := "; add it to the file"
		if !f.Found {
			hint = ", because the file does not exist; create it"
		}
		if names := f.Names(); len(names) > 0 {
			hint = cmp.Or(models.DidYouMean(name, names), "; its contexts are "+english.OxfordWordSeries(names, "and"))
		}
		err = session.InputErrorf("--context: %s has no context %q%s", f.Path, op.Short(name), hint)
	}
	return c, err
}

// applyContext gives the command line precedence over the context, except that either can turn read-only on.
func (s *settings) applyContext(c config.Context) {
	if s.changed["profile"] || s.changed["endpoint-url"] { // these flags select another database
		c.Embedded, c.FromExport = "", ""
	}
	if s.changed["embedded"] {
		c.FromExport = ""
	}
	for _, flag := range contextFlags {
		if s.changed[flag.name] {
			*flag.value(&c) = *flag.value(&s.typed)
		}
	}
	c.ReadOnly = c.ReadOnly || s.typed.ReadOnly
	s.flags.Context = c
}

func (s *settings) summary() tui.Context {
	f := s.flags
	c := tui.Context{
		Name: f.Name, Profile: f.Profile, Region: f.Region, Endpoint: f.EndpointURL, Role: f.Role, ReadOnly: !s.mayChange(),
		Environment: f.Environment, Declared: s.declaration(), Color: f.Color,
	}
	if dir, ok := s.embeddedDir(); ok {
		c.Profile, c.Region, c.Endpoint = "", "", "embedded database in "+dir
	} else if f.FromExport != "" {
		c.Profile, c.Region, c.Endpoint = "", "", "export in "+f.FromExport
	}
	for _, flag := range contextFlags {
		if s.changed[flag.name] && *flag.value(&s.typed) == *flag.value(&s.flags.Context) { // otherwise the connection replaces it
			c.Flags = append(c.Flags, "--"+flag.name)
		}
	}
	if s.typed.ReadOnly {
		c.Flags = append(c.Flags, "--read-only")
	}
	return c
}

func (s *settings) access(p *profiles.Profile, t store.Target) session.Options {
	edits := s.flags.RawEdits
	if s.declaration().Redirected { // A context's permissions apply only to its own database.
		edits = ""
	}
	return session.Options{
		Profile: p, Target: t, Role: session.Role(s.flags.Role), ReadOnly: s.flags.ReadOnly || s.flags.FromExport != "",
		Context: s.flags.Name, Environment: s.flags.Environment, Declared: s.declaration(), Requests: s.requests(),
		SessionRules: []profiles.SessionRules{profiles.SessionRules(s.flags.Session)}, Purpose: s.flags.purpose,
		JournalReads: s.flags.Reads, CommandLine: s.args, Console: s.inConsole,
		RawEdits: edits,
	}
}

func (s *settings) typedTarget() store.Target {
	f := s.flags
	if dir, _ := s.embeddedDir(); f.Embedded != "" {
		return store.Target{Embedded: true, Endpoint: appdir.RealPath(dir)}
	}
	return store.Target{Profile: f.Profile, Region: f.Region, Endpoint: f.EndpointURL, Custom: f.EndpointURL != ""}
}

func (s *settings) requests() session.Requests {
	c := s.flags.Requests
	return session.Requests{Table: c.Table, Valid: c.Valid, Notify: c.URL}
}

func (s *settings) declaration() session.Declaration {
	f := s.flags
	redirected := s.isRedirected() || f.EndpointURL == "" && f.Embedded == "" && f.FromExport == "" && store.HasEndpointVariable()
	return session.Declaration{Production: f.Production, Accounts: f.Accounts, Redirected: redirected}
}

func (s *settings) mayChange() bool { return s.access(nil, store.Target{}).MayChange() }

// localActor returns the actor of a read-only session, without waiting for AWS to identify the caller.
func (s *settings) localActor() string {
	return cmp.Or(s.flags.Actor, store.LocalUser())
}

func (s *settings) variables() (profiles.Values, error) {
	args := map[string]string{}
	for _, v := range s.flags.typedVars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" || value == "" {
			return profiles.Values{}, session.InputErrorf("--var: expected name=value, found %q", op.Short(v))
		}
		if !models.IsTableName(value) {
			return profiles.Values{},
				session.InputErrorf("--var: %s=%q cannot be part of a table name; use up to %d letters, digits, '_', '.' and '-'",
					op.Short(name), op.Short(value), models.MaxTableName)
		}
		args[name] = value
	}
	return profiles.Values{Given: args, Shared: s.flags.Vars, Environment: s.flags.Environment}, nil
}

// schema ignores variables of a context that the schema does not declare, but rejects such a variable in --var.
func (s *settings) schema(name string) (*profiles.Profile, error) {
	vars, err := s.variables()
	if err != nil {
		return nil, err
	}
	p, err := s.reader.Open(name, vars)
	if err != nil {
		return nil, err
	}
	for _, t := range p.Tables {
		if len(t.Name) > models.MaxTableName && len(s.flags.typedVars) > 0 {
			return nil, session.InputErrorf("--var: the table name %q has %d bytes; DynamoDB allows %d", op.Short(t.Name), len(t.Name),
				models.MaxTableName)
		}
	}
	return p, nil
}

// withFolderHint adds a hint to the error for an argument that is not name=value but may be the folder of --embedded.
func (s *settings) withFolderHint(err error) error {
	if cli.HasType[op.ValueError](err) && s.flags.Embedded == defaultDir {
		return fmt.Errorf("%w; write the folder of --embedded after =, as in --embedded=DIR", err)
	}
	return err
}

func findOptions(s *settings) (find.Options, error) {
	f, err := s.configuration()
	if err != nil || f.Options.ScanLimit == nil {
		return find.Options{}, err
	}
	if limit := *f.Options.ScanLimit; limit > 0 {
		return find.Options{ScanUnits: float64(limit)}, nil
	}
	return find.Options{ScanUnits: -1}, nil
}

// embeddedDir returns true if the user requests the embedded database or no AWS connection is configured.
func (s *settings) embeddedDir() (dir string, ok bool) {
	switch f := s.flags; {
	case f.Embedded == defaultDir:
		return appdir.EmbeddedStore(), true
	case f.Embedded != "":
		return f.Embedded, true
	case !s.usesDefaultStore():
		return "", false
	}
	return appdir.EmbeddedStore(), true
}

// usesDefaultStore reports whether ddbdesk uses the embedded database only because nothing selects AWS.
func (s *settings) usesDefaultStore() bool {
	f := s.flags
	return f.Embedded == "" && f.FromExport == "" && f.Profile == "" && f.Region == "" && f.EndpointURL == "" && !store.IsAWSConfigured()
}

// lacksDatabase reports whether the embedded database that ddbdesk uses by default does not exist.
func (s *settings) lacksDatabase() bool {
	_, err := os.Stat(appdir.EmbeddedStore())
	return err != nil && s.usesDefaultStore()
}

// defaultStoreReason explains the reason for usesDefaultStore and its remedy. ddbdesk does not query the metadata
// service for a role, because that takes seconds on other machines.
const defaultStoreReason = "no AWS region, profile or credentials are configured; to use this machine's IAM role, pass --region"
