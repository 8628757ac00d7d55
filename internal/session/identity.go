// This file says who works here, as people call them.

package session

import (
	"context"
	"strings"
)

// Who asks the store whose credentials the session uses and returns what people
// call them: the name of the session, user or role. It may wait for the network.
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

// ActorName is the actor as people call them: of an ARN its last part. It knows
// at once, but without an identity it is the user of this machine.
func (s *Session) ActorName() string { return shortName(s.o.Actor) }

// shortName is the last part of an ARN, and any other name as it is.
func shortName(name string) string {
	if !strings.HasPrefix(name, "arn:") {
		return name
	}
	return name[strings.LastIndexAny(name, "/:")+1:]
}
