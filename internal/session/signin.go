// This file says how to get credentials again that have expired.

package session

import (
	"errors"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// SignIn returns the command that renews the credentials whose end is the reason
// for err, such as aws sso login. It is nil for every other error, and when no
// command is known to.
func SignIn(err error) []string {
	var e *store.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.SignIn
}
