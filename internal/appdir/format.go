package appdir

import (
	"errors"
	"fmt"
)

// ErrNewer matches errors about files in a format that a later version of ddbdesk introduced.
var ErrNewer = errors.New("written by a newer version of ddbdesk")

// InstallNewer describes the fix for such a file. The error ends with it, after a semicolon.
const InstallNewer = "install the newer version"

// CheckFormat returns an error that wraps ErrNewer if found is greater than latest, the newest format that this version
// reads. Do not read or change such a file, because its additional data would be lost.
func CheckFormat(found, latest int) error {
	if found <= latest {
		return nil
	}
	return fmt.Errorf("%w: it has format %d, and this version reads up to %d; %s", ErrNewer, found, latest, InstallNewer)
}
