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

// lastPage is what --next takes for the token that the pattern printed last on this machine. Whether it belongs to the
// same parameters and database, the token says.
const lastPage = "@last"

// pagePath is the file with the last token of a pattern in the folder of the state. The ID can hold what no file name can.
func pagePath(state, pattern string) string {
	sum := sha256.Sum256([]byte(pattern))
	return filepath.Join(state, "next", hex.EncodeToString(sum[:12]))
}

// keepToken stores the token of the next page and returns what --next takes for it: the token itself if there is no
// place for it.
func keepToken(state string, run *reading.Run) (token, next string, err error) {
	if token, err = run.Token(); err != nil || run.Request().PageToken != "" {
		return token, token, err
	}
	path, next := pagePath(state, run.Request().Pattern.FullID()), lastPage
	if appdir.Make(filepath.Dir(path)) != nil || appdir.Replace(path, []byte(token), 0o600) != nil {
		next = token
	}
	return token, next, nil
}

// noPage forgets the token after the last page.
func noPage(state, pattern string) { _ = os.Remove(pagePath(state, pattern)) } // An old token only repeats a page.

func keptToken(state, pattern string) (string, error) {
	token, err := appdir.ReadFile(pagePath(state, pattern))
	if errors.Is(err, fs.ErrNotExist) {
		return "", session.InputErrorf(
			"--next %s: no page of %s is left to continue on this machine; start from the first page", lastPage, pattern,
		)
	}
	return string(token), err
}
