package session_test

import (
	"encoding/base64"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// decodeToken returns the bytes behind a token's base64.
func decodeToken(t *testing.T, token string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// start binds the parameters of a pattern and starts to read the request.
func start(s *session.Session, p *accesspatterns.Pattern, args map[string]string, o session.RunOptions) (*session.Run, error) {
	request, err := s.Bind(p, args)
	if err != nil {
		return nil, err
	}
	return s.Run(request, o)
}
