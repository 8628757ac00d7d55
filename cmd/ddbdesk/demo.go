// The console: for one schema, for all of them, or as a demo on sample data.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/memory"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// needTerminal refuses to start the console where nobody can see it.
func (a *app) needTerminal() error {
	if os.Getenv("TERM") == "dumb" {
		return usageErrorf("the console cannot draw on a dumb terminal (TERM=dumb); commands such as `ddbdesk run` work here (ddbdesk --help)")
	}
	out, ok := fileOf(a.stdout)
	if !ok || !term.IsTerminal(out.Fd()) || a.stdin == nil || !term.IsTerminal(a.stdin.Fd()) {
		return usageErrorf("the console needs a terminal; commands such as `ddbdesk run` work in pipes (ddbdesk --help)")
	}
	return nil
}

func (a *app) console(ctx context.Context, args []string) error {
	start := ""
	switch {
	case len(args) == 1 && len(a.flags.vars)+len(a.context.Vars) == 0 && slices.Contains(profiles.Names(), args[0]):
		start = args[0] // It has no faults to be told of, and is read behind the first frame.
	case len(args) == 1:
		p, err := a.schema(args[0])
		if err != nil {
			return err
		}
		start = p.Name
	}
	if err := a.needTerminal(); err != nil {
		return err
	}
	a.questions = make(chan tui.Question)
	return a.runConsole(ctx, &opener{app: a, file: args}, start)
}

func (a *app) runConsole(ctx context.Context, open *opener, start string) error {
	o, err := a.consoleOptions()
	if err != nil {
		return err
	}
	a.quiet = true
	tidy()
	a.memory = memory.New()
	if a.passing = open.demo != nil; !a.passing {
		a.memory = memory.Open(memory.DefaultPath())
	}
	defer a.remember()
	o.Opener, o.Start = open, start
	if d := open.demo; d != nil && d.tour {
		defer a.offerTour(&o, memory.DefaultPath(), d.again)()
	}
	if consoleSeam != nil {
		consoleSeam(&o)
	}
	drawn := make(chan struct{})
	o.Drawn = func() { close(drawn) }
	defer a.guardTerminal(drawn)()
	if !a.passing {
		defer a.leftOpen(time.Now())
	}
	err = tui.Run(ctx, o)
	if errors.Is(err, context.Canceled) {
		return &codeError{exitInterrupted}
	}
	return err
}

// consoleOptions is what the configuration says about the console.
func (a *app) consoleOptions() (tui.Options, error) {
	f, err := a.configuration()
	if err != nil {
		return tui.Options{}, err
	}
	theme, err := a.theme(f)
	if err != nil {
		return tui.Options{}, err
	}
	return tui.Options{
		NoColor: a.plain(a.stdout), Theme: theme, Signs: signs(f.Options.ASCII, os.Getenv), Keys: widget.NewKeymap(f.Keys),
		NoMouse: f.Options.Mouse != nil && !*f.Options.Mouse, Questions: a.questions, Lent: a.lent.Store,
	}, nil
}

// themeFlag adds --theme to a command that starts the console.
func (a *app) themeFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.flags.theme, "theme", "", "colours of the console: "+strings.Join(widget.ThemeNames(), ", "))
}

// rememberWithin is how long the end of the console waits for its memory.
const rememberWithin = 2 * time.Second

// remember waits until what the console remembers is in its file.
func (a *app) remember() {
	ctx, cancel := context.WithTimeout(context.Background(), rememberWithin)
	defer cancel()
	if err := a.memory.Close(ctx); err != nil {
		fmt.Fprintln(a.stderr, "ddbdesk: "+models.Printable(err.Error()))
	}
}

func (a *app) demoCommand() *cobra.Command {
	tour := true
	cmd := &cobra.Command{
		Use: "demo", Short: "The console on sample data for every built-in schema, without AWS", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := leadsNowhere(cmd); err != nil {
				return err
			}
			if err := a.needTerminal(); err != nil {
				return err
			}
			db, err := a.stores.get(embedded.Options{NoSync: true})
			if err != nil {
				return err
			}
			a.enterDemo()
			again := cmd.Flags().Changed("tour")
			tour, err = a.takesTour(tour, again)
			if err != nil {
				return err
			}
			return a.runConsole(cmd.Context(), &opener{app: a, demo: &demo{
				store: db, filled: map[string]bool{}, tour: tour, again: again,
			}}, "")
		},
	}
	a.themeFlag(cmd)
	cmd.Flags().BoolVar(&tour, "tour", true, "begin with the tour; without the flag only the first time")
	return cmd
}

// leadsNowhere refuses flags that name a database: the demo has its own, and who
// gives one means another.
func leadsNowhere(cmd *cobra.Command) error {
	for _, name := range []string{"profile", "region", "endpoint-url", "embedded", "context"} {
		if f := cmd.Flag(name); f != nil && f.Changed {
			return usageErrorf("demo: --%s names a database, and the demo has one of its own: leave it out, or open a schema with it", name)
		}
	}
	return nil
}

// enterDemo leaves the contexts, for the demo leads nowhere else. Who names no
// role may try everything there.
func (a *app) enterDemo() {
	a.enterContext(config.Context{})
	if a.flags.role == "" {
		a.flags.role = string(session.Admin)
	}
}

// takesTour reports whether the demo begins with the tour. It ends with a change
// and its undo, so it is for those who may make one.
func (a *app) takesTour(wanted, asked bool) (bool, error) {
	switch {
	case !wanted || a.mayChange():
		return wanted, nil
	case asked:
		return false, usageErrorf("--tour shows a change and its undo, which --role %s or --read-only leave out: start it without them", a.flags.role)
	}
	return false, nil
}

// opener gives the console its profiles, and a session when one is entered.
type opener struct {
	mu   sync.Mutex
	app  *app     // in the context in use; see now
	file []string // the schema named on the command line
	demo *demo    // nil outside of it
}

// A demo is a store in memory. A profile's tables are filled when it is first
// entered; one profile is opened at a time.
type demo struct {
	store  *embedded.Store
	filled map[string]bool
	tour   bool // begin with the tour, if it was not seen
	again  bool // or even if it was
}

// Profiles lists the built-in profiles, and the file that was named.
func (o *opener) Profiles() ([]*profiles.Profile, error) {
	names := profiles.Names()
	if len(o.file) == 1 && !builtIn(o.file[0]) {
		names = append([]string{o.file[0]}, names...)
	}
	vars, err := o.now().variables()
	if err != nil {
		return nil, err
	}
	list, errs := make([]*profiles.Profile, len(names)), make([]error, len(names))
	var read sync.WaitGroup
	for i, n := range names { // Each takes milliseconds, and somebody waits for all.
		read.Add(1)
		crash.Go("reading the profiles", func() {
			defer read.Done()
			list[i], errs[i] = profiles.Open(n, known(n, vars))
		})
	}
	read.Wait()
	return list, cmp.Or(errs...)
}

func builtIn(name string) bool {
	for _, n := range profiles.Names() {
		if n == name {
			return true
		}
	}
	return false
}

// known keeps the variables that a profile has: --var may name one of another.
func known(name string, vars map[string]string) map[string]string {
	if len(vars) == 0 {
		return nil
	}
	p, err := profiles.Open(name, nil)
	if err != nil {
		return vars
	}
	mine := map[string]string{}
	for _, v := range p.Variables {
		if value, ok := vars[v.Name]; ok {
			mine[v.Name] = value
		}
	}
	return mine
}

// Open connects the session of a profile.
func (o *opener) Open(ctx context.Context, p *profiles.Profile) (*session.Session, error) {
	a := o.now()
	switch {
	case o.demo == nil && a.mayChange():
		return a.changing(ctx, p)
	case o.demo == nil:
		return a.session(ctx, p)
	}
	conn, err := store.Connect(ctx, store.Options{Embedded: o.demo.store})
	if err != nil {
		return nil, err
	}
	if !o.demo.filled[p.Name] {
		if _, err := a.seed(ctx, p, conn, sample.Options{Seed: 1, At: demoMoment()}); err != nil {
			return nil, err
		}
		o.demo.filled[p.Name] = true
	}
	return a.newSession(p, conn, a.actor()), nil
}

// demoMoment is now, to the minute: what just happened is in the demo's data.
func demoMoment() time.Time {
	t, err := models.ParseTime("now", time.Now())
	if err != nil {
		return time.Now()
	}
	return t.Truncate(time.Minute)
}
