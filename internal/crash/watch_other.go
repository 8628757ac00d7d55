//go:build !linux && !darwin

package crash

import (
	"errors"
	"os"
	"syscall"
)

// errNoModes disables the watcher on systems without termios.
var errNoModes = errors.New("no termios on this system")

func ownGroup() *syscall.SysProcAttr { return nil }

func readModes(*os.File) ([]byte, error) { return nil, errNoModes }

func writeModes(*os.File, []byte) error { return errNoModes }
