package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// An answeringStore returns err from every request.
type answeringStore struct{ err error }

func (a *answeringStore) Fetch(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
	return accesspatterns.Page{}, a.err
}

func (a *answeringStore) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, a.err
}

func (a *answeringStore) DescribeTTL(context.Context, string) (string, bool, error) {
	return "", false, a.err
}

func (a *answeringStore) Follow(context.Context, string, time.Time) (store.Follower, error) {
	return nil, a.err
}

func (a *answeringStore) Lookback(context.Context, string) (store.Lookback, error) { return nil, a.err }

func (a *answeringStore) PointInTimeRecovery(context.Context, string) (bool, error) {
	return false, a.err
}

func (a *answeringStore) Tables(context.Context) ([]string, error) { return nil, a.err }

func (a *answeringStore) Commit(context.Context, change.Batch) (store.Committed, error) {
	return store.Committed{}, a.err
}

// deniedError returns the error for an operation that a policy does not allow.
func deniedError(operation, table, message string) error {
	return &store.Error{
		Class: store.AccessDenied, Operation: operation, Table: table, Problem: "access denied",
		Err: &smithy.GenericAPIError{Code: "AccessDeniedException", Message: message},
	}
}

// newAdminSession returns an admin's session on a store whose error the test sets.
func newAdminSession(t *testing.T) (*session.Session, *answeringStore) {
	t.Helper()
	a := &answeringStore{}
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	return session.NewWriting(session.Options{
		Profile: schemas.Open(t, "authbridge"), Store: a, Role: session.Admin, Clock: func() time.Time { return now },
	}, a), a
}

func TestDenialsFollowRequests(t *testing.T) {
	s, a := newAdminSession(t)
	table := s.Profile().Tables[0].Name
	describe := func(err error) {
		a.err = err
		_, _ = s.Store().DescribeTable(t.Context(), table)
	}
	version := s.Denials().Version()
	describe(deniedError("DescribeTable", table, "no identity-based policy allows it"))
	d := s.Denials().First(session.TablePermission("DescribeTable", table))
	if d == nil || d.Explicit || !d.At.Equal(s.Now()) || s.Denials().Version() == version {
		t.Fatalf("got denial %+v at version %d", d, s.Denials().Version())
	}
	if want := "no permission: dynamodb:DescribeTable"; !strings.HasPrefix(d.Problem(), want) || !strings.Contains(d.Advice(), "allow it") {
		t.Errorf("got problem %s and advice %s", d.Problem(), d.Advice())
	}
	version = s.Denials().Version()
	describe(deniedError("DescribeTable", table, "with an explicit deny in a service control policy"))
	if d := s.Denials().List(); len(d) != 1 || !d[0].Explicit || !strings.Contains(d[0].Advice(), "explicitly") {
		t.Errorf("after an explicit deny: got %+v", d)
	}
	if s.Denials().Version() != version {
		t.Error("a repeated denial changed the version")
	}
	if d := s.Denials().First(session.TablePermission("Scan", table)); d != nil {
		t.Errorf("another permission: got %+v, want no denial", d)
	}
	describe(errors.New("another error"))
	describe(&store.Error{Class: store.Throttled})
	if len(s.Denials().List()) != 1 {
		t.Error("another error removed the denial")
	}
	describe(nil)
	if d := s.Denials().List(); len(d) != 0 || s.Denials().Version() == version {
		t.Errorf("after success: got %+v at version %d", d, s.Denials().Version())
	}
}

func TestEveryRequestRecordsDenial(t *testing.T) {
	s, a := newAdminSession(t)
	table := s.Profile().Tables[0]
	leg, batch := accesspatterns.GetLeg(table, models.Item{}), accesspatterns.BatchLeg(table, nil)
	for operation, send := range map[string]func() error{
		"GetItem":                   func() error { _, err := s.Store().Fetch(t.Context(), leg, nil, 0); return err },
		"BatchGetItem":              func() error { _, err := s.Store().Fetch(t.Context(), batch, nil, 0); return err },
		"DescribeTable":             func() error { _, err := s.Store().DescribeTable(t.Context(), table.Name); return err },
		"DescribeTimeToLive":        func() error { _, _, err := s.Store().DescribeTTL(t.Context(), table.Name); return err },
		"DescribeContinuousBackups": func() error { _, err := s.Store().PointInTimeRecovery(t.Context(), table.Name); return err },
		"PutItem":                   func() error { _, err := s.Writer().Commit(t.Context(), change.Batch{}); return err },
	} {
		t.Run(operation, func(t *testing.T) {
			a.err = deniedError(operation, table.Name, "")
			if err := send(); !errors.Is(err, a.err) {
				t.Errorf("got %v, want the service error", err)
			}
			if s.Denials().First(session.TablePermission(operation, table.Name)) == nil {
				t.Error("the request recorded no denial")
			}
			a.err = &store.Error{Class: store.TableMissing, Problem: "x", Advice: "create it with ddbdesk table create SCHEMA"}
			if err := send(); !strings.HasSuffix(err.Error(), "ddbdesk table create authbridge --role admin") {
				t.Errorf("the advice does not contain the schema's command: %v", err)
			}
		})
	}
}

// ListTables concerns no single table, so its denial has an empty table name.
func TestListTablesDenialIsRecorded(t *testing.T) {
	s, a := newAdminSession(t)
	needed := session.TablePermission("ListTables", "")
	a.err = deniedError("ListTables", "", "")
	if _, err := s.Store().Tables(t.Context()); !errors.Is(err, a.err) {
		t.Errorf("got %v, want the service error", err)
	}
	if d := s.Denials().First(needed); d == nil || d.Problem() != "no permission: dynamodb:ListTables" {
		t.Errorf("the request recorded no denial: %+v", s.Denials().List())
	}
	a.err = nil
	if _, err := s.Store().Tables(t.Context()); err != nil || s.Denials().First(needed) != nil {
		t.Errorf("the denial remains after success: %v", err)
	}
}

func TestNewCredentialsClearAllDenials(t *testing.T) {
	for _, class := range []store.Class{store.ExpiredCredentials, store.NoCredentials} {
		s, a := newAdminSession(t)
		for _, operation := range []string{"Scan", "Query"} {
			a.err = deniedError(operation, "t", "")
			_, _ = s.Store().Fetch(t.Context(), accesspatterns.ScanLeg(&models.Table{Name: "t"}), nil, 0)
		}
		if len(s.Denials().List()) != 2 {
			t.Fatalf("got denials %+v, want 2", s.Denials().List())
		}
		a.err = &store.Error{Class: class}
		_, _ = s.Store().Fetch(t.Context(), accesspatterns.ScanLeg(&models.Table{Name: "t"}), nil, 0)
		if list := s.Denials().List(); len(list) != 0 {
			t.Errorf("after %s: got denials %+v", class, list)
		}
	}
}

func TestSchemaNameWorksInCommands(t *testing.T) {
	p := *schemas.Open(t, "authbridge")
	for file, want := range map[string]string{
		"": "authbridge", "builtin:authbridge.yaml": "authbridge", "my/profile.yaml": "my/profile.yaml",
	} {
		p.File = file
		if got := session.SchemaName(&p); got != want {
			t.Errorf("SchemaName(%q) = %s, want %s", file, got, want)
		}
	}
	other := errors.New("no SCHEMA here")
	if err := session.NameSchema(session.Options{Profile: &profiles.Profile{}}, other); err != other { //nolint:errorlint // the same value
		t.Errorf("got %v, want the unchanged error", err)
	}
}

func TestSignInNamesCommand(t *testing.T) {
	command := []string{"aws", "sso", "login"}
	if got := session.SignInCommand(errors.Join(&store.Error{SignIn: command})); !slices.Equal(got, command) {
		t.Errorf("SignIn() = %q, want the command", got)
	}
	if got := session.SignInCommand(errors.New("x")); got != nil {
		t.Errorf("SignIn() of another error = %q, want none", got)
	}
}
