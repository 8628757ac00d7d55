package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// lastToken is the value of --next for the last token that the pattern printed on this machine. The token itself
// identifies its parameters and database.
const lastToken = "@last"

// tokenPath hashes the pattern ID, because it may contain characters that are not allowed in file names.
func tokenPath(state, pattern string) string {
	sum := sha256.Sum256([]byte(pattern))
	return filepath.Join(state, "next", hex.EncodeToString(sum[:12]))
}

// storeToken returns the token and the value of --next for it, which is the token itself if it cannot be stored.
func storeToken(state string, run *reading.Run) (token, next string, err error) {
	if token, err = run.Token(); err != nil || run.Request().PageToken != "" {
		return token, token, err
	}
	path, next := tokenPath(state, run.Request().Pattern.FullID()), lastToken
	if appdir.Make(filepath.Dir(path)) != nil || appdir.Replace(path, []byte(token), 0o600) != nil {
		next = token
	}
	return token, next, nil
}

func deleteToken(state, pattern string) { _ = os.Remove(tokenPath(state, pattern)) } // An old token only repeats a page.

func readToken(state, pattern string) (string, error) {
	token, err := appdir.ReadFile(tokenPath(state, pattern))
	if errors.Is(err, fs.ErrNotExist) {
		return "", session.InputErrorf(
			"--next %s: this machine has no page token for %s; omit --next to start from the first page", lastToken, pattern,
		)
	}
	return string(token), err
}
