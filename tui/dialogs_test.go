package tui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
)

// A multiContextOpener is an opener with several contexts.
type multiContextOpener struct {
	*openerFixture
	mu             sync.Mutex
	current        string
	failingContext string // context whose connection fails
}

var testContexts = []connection.Context{
	{Role: "developer", ReadOnly: true, Endpoint: "embedded database in /home/kagiso/.local/state/ddbdesk/embedded"},
	{
		Name: "staging", Profile: "zentriq-staging", Region: "af-south-1", Role: "developer", ReadOnly: true,
		Environment: "staging", Color: "blue",
	},
	{
		Name: "prod-af", Profile: "zentriq-prod", Region: "af-south-1", Role: "support", ReadOnly: true,
		Environment: "prod", Color: "green", Flags: []string{"--role"},
	},
}

func (o *multiContextOpener) Contexts() ([]connection.Context, string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return testContexts, o.current
}

func (o *multiContextOpener) Use(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.current = name
	return nil
}

func (o *multiContextOpener) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	_, current := o.Contexts()
	if current == o.failingContext && current != "" {
		return nil, errors.New("staging cannot be reached")
	}
	d := *o.openerFixture
	d.context = current
	for _, c := range testContexts {
		if c.Name == current {
			d.environment = c.Environment
		}
	}
	return d.Open(ctx, p)
}

func TestContexts(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		b := &multiContextOpener{openerFixture: newOpenerFixture(t, "authbridge")}
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: b, Start: "authbridge"}), size)
			tt.WaitFor("Patterns")
			tt.Reach("Change the connection", "o", "C")
			tt.Press("down", "down")
			tt.Golden("contexts")
			tt.Reach("context: staging", "up", "enter")
			tt.WaitFor("Patterns")
			if !strings.Contains(tt.Line(0), "staging") {
				t.Errorf("the top line lacks the context: %q", tt.Line(0))
			}
			tt.Reach("no screen to go forward to", "alt+right")
			tt.Press(":")
			tt.Enter("connect prod")
			tt.WaitFor("context: prod-af")
			tt.WaitFor("Patterns")
			if got := tt.Line(0); !strings.Contains(got, "PRODUCTION") || !strings.Contains(got, "prod-af") {
				t.Errorf("the top line lacks PRODUCTION: %q", got)
			}
			tt.Reach("Needs attention", "esc")
			if !strings.Contains(tt.Line(0), "PRODUCTION") {
				t.Errorf("the top line of home lacks PRODUCTION: %q", tt.Line(0))
			}
			tt.Reach("Patterns", "alt+right")
			tt.Click(size.W-20, 0)
			tt.WaitFor("Change the connection ─")
			tt.Press("esc")
			tt.WaitForRemoval("Change the connection ─")
		})
	})
}

// The dialog opens for a connection without contexts, and its field accepts the URL of an endpoint at once.
func TestContextsAcceptEndpoint(t *testing.T) {
	b := &noContextsOpener{&multiContextOpener{openerFixture: newOpenerFixture(t, "authbridge")}}
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: b, Start: "authbridge"}), wideSize)
		tt.WaitFor("Patterns")
		tt.Reach("Change the connection ─", "o", "C")
		tt.Type("http://127.0.0.1:8000")
		tt.Reach("context: http://127.0.0.1:8000", "enter")
	})
}

// Home shows the stage that the sessions on its connection have.
func TestHomeShowsStageOfConnection(t *testing.T) {
	for _, stage := range []session.Stage{session.Production, session.Unclassified} {
		b := stagedConnection{newOpenerFixture(t, "authbridge"), stage}
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: b}), wideSize)
			tt.WaitFor(strings.ToUpper(string(stage)))
		})
	}
}

type stagedConnection struct {
	*openerFixture
	stage session.Stage
}

func (b stagedConnection) Connect(context.Context, bool) (*Connection, error) {
	return &Connection{
		List:  func(context.Context, []*profiles.Profile) ([]tables.ListedTable, error) { return nil, nil },
		Stage: func(*profiles.Profile) session.Stage { return b.stage },
	}, nil
}

// A noContextsOpener has no configured contexts.
type noContextsOpener struct{ *multiContextOpener }

func (b *noContextsOpener) Contexts() ([]connection.Context, string) {
	_, current := b.multiContextOpener.Contexts()
	return testContexts[:1], current
}

// A contextsFinder has two more contexts: staging, whose credentials are expired, and prod-af.
type contextsFinder struct{ *multiContextOpener }

func (o contextsFinder) FindIn() []find.Source {
	var list []find.Source
	for _, c := range testContexts[1:] {
		list = append(list, find.Source{
			Place: find.Place{Profile: o.profile, Context: c.Name},
			Open: func(ctx context.Context) (*workspace.Workspace, error) {
				if c.Name == "staging" {
					return nil, errors.New("the sign-in expired")
				}
				d := *o.openerFixture
				d.context, d.environment = c.Name, c.Environment
				return d.Open(ctx, o.profile)
			},
		})
	}
	return list
}

// Each hit names its context, each failing context shows its error, and enter opens the context and the item.
func TestFindSearchesSeveralContexts(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, _ tuitest.Size) {
		b := contextsFinder{&multiContextOpener{openerFixture: d}}
		id, _ := sampleText(t, "authbridge", "Verification", "verificationId")
		tt := tuitest.New(t, New(Options{Opener: b}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste(id)
		tt.WaitFor("2 items")
		tt.WaitFor("Not searched: authbridge in staging: the sign-in expired")
		if _, y, ok := tt.Find("prod-af"); !ok || !strings.Contains(tt.Line(y), "Verification case") {
			t.Errorf("no hit shows its context:\n%s", tt.Screen())
		}
		tt.Press("down", "enter")
		tt.WaitFor("1 Overview")
		if got := tt.Line(0); !strings.Contains(got, "PRODUCTION") || !strings.Contains(got, "prod-af") || !strings.Contains(tt.Line(1), id) {
			t.Errorf("enter opened another item:\n%s", tt.Screen())
		}
	})
}

// If Find does not find an ID, it explains the format of the ID, and can search another context.
func TestAbsentIDIsSearchedElsewhere(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, _ tuitest.Size) {
		tt := tuitest.New(t, New(Options{Opener: &multiContextOpener{openerFixture: d, current: "staging"}}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste("ver_00000000-0000-4000-8000-000000000000")
		tt.WaitFor("No item in staging has this Verification case ID.")
		for range 6 {
			if strings.Contains(tt.Screen(), "› Search in prod-af?") {
				break
			}
			tt.Press("down")
		}
		tt.Reach("No item in prod-af has this", "enter")
	})
}

// After a switch to a context that fails, the user cannot reach data of the previous context.
func TestFailedContextHidesPreviousData(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		b := &multiContextOpener{openerFixture: d, failingContext: "staging"}
		tt := tuitest.New(t, New(Options{Opener: b, Start: "authbridge"}), size)
		tt.WaitFor("Patterns ─")
		tt.Reach("staging cannot be reached", "o", "C", "down", "enter")
		tt.Reach("no screen to go forward to", "alt+right")
		tt.Reach("context: none", "ctrl+o", "C", "up", "enter")
		tt.Reach("Patterns ─", "enter")
	})
}

// mfaOpener is an opener that asks for an MFA code before it opens a session.
type mfaOpener struct {
	*openerFixture
	questions chan Question
}

func (o *mfaOpener) Open(ctx context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	q := NewQuestion("MFA code", "The role of AWS profile prod asks for the code that your MFA device shows now.", "six digits", func(code string) string {
		if len(code) != 6 {
			return "a code is six digits"
		}
		return ""
	})
	o.questions <- q
	answers, ok := q.Wait()
	switch {
	case !ok:
		return nil, &store.Error{Class: store.NoCredentials, Problem: "not connected: no MFA code given", Err: store.ErrNoMFACode}
	case answers[0] != "123456":
		return nil, errors.New("the code was " + answers[0])
	}
	return o.openerFixture.Open(ctx, p)
}

func TestMFACodeIsEnteredInConsole(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		c := &mfaOpener{openerFixture: d, questions: make(chan Question)}
		defer close(c.questions)
		tt := tuitest.New(t, New(Options{Opener: c, Start: "authbridge", Questions: c.questions}), size)
		tt.WaitFor("MFA code")
		tt.Type("12345")
		for _, text := range []string{"The role of AWS profile prod asks for the code", "MFA code*  12345", "Cancel   [ Continue ]"} {
			if !tt.Has(text) {
				t.Errorf("%q is missing in the dialog:\n%s", text, tt.Screen())
			}
		}
		tt.Reach("a code is six digits", "enter")
		tt.Reach("no MFA code given", "esc")
		tt.Reach("asks for the code", "enter")
		tt.Paste("123456")
		tt.Reach("Patterns", "enter")
	})
}

// If the program ends, an operation that waits for a code ends too.
func TestQuittingCancelsPrompt(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		c := &mfaOpener{openerFixture: d, questions: make(chan Question)}
		m := New(Options{Opener: c, Questions: c.questions})
		q := NewQuestion("MFA code", "", "", func(string) string { return "" })
		m.enqueuePrompt(q)
		m.enqueuePrompt(NewQuestion("another", "", "", nil))
		m.close()
		if _, ok := q.Wait(); ok {
			t.Error("the canceled prompt returned an answer")
		}
	})
}

// fakeAWS puts a fake aws program first in the path, and returns the file that the program writes.
func fakeAWS(t *testing.T) (output string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("requires a shell for the fake AWS CLI")
	}
	dir := t.TempDir()
	output = filepath.Join(dir, "ran")
	script := "#!/bin/sh\necho \"$@\" > " + output + "\n"
	if err := os.WriteFile(filepath.Join(dir, "aws"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return output
}

func expiredError() error {
	return &store.Error{
		Class: store.ExpiredCredentials, Problem: "credentials expired", Advice: "run aws sso login --profile prod",
		Err:    errors.New("expired"),
		SignIn: []string{"aws", "sso", "login", "--profile", "prod"},
	}
}

func TestExpiredCredentialsAreRenewedInConsole(t *testing.T) {
	ran := fakeAWS(t)
	d := newOpenerFixture(t, "authbridge")
	d.err = expiredError()
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Opener: d, Start: "authbridge"})
		m.external.exec = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				err := c.Run()
				d.err = nil
				return done(err)
			}
		}
		tt := tuitest.New(t, m, tuitest.Size{W: 80, H: 24})
		tt.WaitFor("Sign in to AWS")
		for _, text := range []string{"│ aws sso login --profile prod", "run this command", "[ Cancel ]   Sign in"} {
			if !tt.Has(text) {
				t.Errorf("%q is missing in the dialog:\n%s", text, tt.Screen())
			}
		}
		tt.Press("enter")
		if _, err := os.Stat(ran); err == nil {
			t.Fatal("enter ran the sign-in, although Cancel has the focus")
		}
		tt.Reach("Sign in to AWS", "enter")
		tt.Reach("signed in; retrying", "tab", "enter")
		tt.WaitFor("Patterns")
		if got, err := os.ReadFile(ran); err != nil || string(got) != "sso login --profile prod\n" {
			t.Errorf("the sign-in ran with %q, %v", got, err)
		}
	})
}

func TestMissingSignInProgramIsNotOffered(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.err = expiredError()
		tt := tuitest.New(t, New(Options{Opener: d, Start: "authbridge"}), size)
		tt.WaitFor("run aws sso login")
		if tt.Has("Sign in") {
			t.Error("the dialog offers a missing program")
		}
	})
}

func TestFailedSignInOpensNoSchema(t *testing.T) {
	fakeAWS(t)
	d := newOpenerFixture(t, "authbridge")
	d.err = expiredError()
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Opener: d, Start: "authbridge"})
		m.external.exec = func(_ *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg { return done(errors.New("no such file")) }
		}
		tt := tuitest.New(t, m, wideSize)
		tt.WaitFor("Sign in to AWS")
		tt.Reach("cannot start aws sso login --profile prod", "tab", "enter")
		if tt.Has("Patterns ─") {
			t.Error("the failed sign-in opened the profile")
		}
	})
}

// After a sign-in, a read that stopped because of expired credentials continues where it was.
func TestReadingContinuesAfterSignIn(t *testing.T) {
	fakeAWS(t)
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		inner, broken := d.store, true
		d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
			if broken {
				return accesspatterns.Page{}, expiredError()
			}
			return inner.Fetch(ctx, leg, start, limit)
		}}
		m := New(Options{Opener: d, Start: "authbridge"})
		m.external.exec = func(_ *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				broken = false
				return done(nil)
			}
		}
		tt := tuitest.New(t, m, size)
		tt.WaitFor("Patterns")
		selectPattern(tt, "Verifications by date")
		tt.Reach("Sign in to AWS", "enter")
		tt.Reach("signed in; retrying", "tab", "enter")
		tt.WaitFor("1 page")
	})
}

// The console requests the AWS identity in the background. The answer replaces the local user name. A store that does
// not answer has no effect. Expired credentials are reported before the first read.
func TestAWSIdentityReplacesLocalUser(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.identity = func(context.Context) (string, error) {
			return "arn:aws:sts::123456789012:assumed-role/Support/bob@example.com", nil
		}
		tt, _ := open(t, d, size)
		tt.WaitFor("bob@e")
		if tt.Has("123456789012") {
			t.Error("the screen shows an account number")
		}
	})
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.identity = func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		tt, _ := open(t, d, size)
		tt.Advance(identityTimeout)
		tt.WaitFor("kagiso")
	})
	fakeAWS(t)
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.identity = func(context.Context) (string, error) { return "", expiredError() }
		tt, _ := open(t, d, size)
		tt.WaitFor("Sign in to AWS")
	})
}
