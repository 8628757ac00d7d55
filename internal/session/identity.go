package session

import (
	"context"
	"errors"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// Actor returns who acts, as journal and audit entries name them.
func (s *Session) Actor() string { return s.o.Actor }

// Who asks the database whose credentials the session uses and returns the short name: that of the session,
// the user or the role. It may wait for the network.
func (s *Session) Who(ctx context.Context) (string, error) {
	if s.o.Identity == nil {
		return s.ActorName(), nil
	}
	name, err := s.o.Identity(ctx)
	if err != nil {
		return "", err
	}
	return shortName(name), nil
}

// ActorName is the short name of the actor: the last part of an ARN. It does no I/O.
func (s *Session) ActorName() string { return shortName(s.o.Actor) }

// shortName is the last part of an ARN, and any other name as it is.
func shortName(name string) string {
	if !strings.HasPrefix(name, "arn:") {
		return name
	}
	return name[strings.LastIndexAny(name, "/:")+1:]
}

// SignIn returns the command that renews expired credentials, such as aws sso login, when their expiry caused
// err. It is nil for every other error, and when no command is known.
func SignIn(err error) []string {
	var e *store.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.SignIn
}
