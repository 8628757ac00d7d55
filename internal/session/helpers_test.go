package session_test

import (
	"encoding/base64"
	"testing"
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
