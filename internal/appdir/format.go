package appdir

import (
	"errors"
	"fmt"
)

// ErrNewer is wrapped by the error about a file in a format that a later version of ddbdesk introduced.
var ErrNewer = errors.New("written by a newer version of ddbdesk")

// InstallNewer gives the fix for such a file. The error ends with it, after a semicolon.
const InstallNewer = "install the newer version"

// CheckFormat compares the format of a file with the latest one that this version knows. ddbdesk neither reads nor
// changes a newer file, because its additions would be lost.
func CheckFormat(found, latest int) error {
	if found <= latest {
		return nil
	}
	return fmt.Errorf("%w: it has format %d, and this version reads up to %d; %s", ErrNewer, found, latest, InstallNewer)
}
