package session

import (
	"context"
	"errors"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// Actor returns the user's name for journal and audit entries.
func (s *settings) Actor() string { return s.o.Actor }

// LookUpActor asks AWS for the identity of the credentials, and returns the short name of the role session, the user or
// the role. It may wait for the network.
func (s *settings) LookUpActor(ctx context.Context) (string, error) {
	if s.o.Identity == nil {
		return s.ActorName(), nil
	}
	name, err := s.o.Identity(ctx)
	if err != nil {
		return "", err
	}
	return shortName(name), nil
}

// ActorName returns the actor's short name, which is the last part of an ARN. It does not use the network.
func (s *settings) ActorName() string { return shortName(s.o.Actor) }

func shortName(name string) string {
	if !strings.HasPrefix(name, "arn:") {
		return name
	}
	return name[strings.LastIndexAny(name, "/:")+1:]
}

// SignInCommand returns the command that renews the credentials, such as aws sso login, if err reports that they expired. It
// returns nil if no command is known, and for any other error.
func SignInCommand(err error) []string {
	if e, ok := errors.AsType[*store.Error](err); ok {
		return e.SignIn
	}
	return nil
}
