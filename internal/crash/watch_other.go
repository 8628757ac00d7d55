//go:build !linux && !darwin

package crash

import (
	"errors"
	"os"
	"syscall"
)

// errNoModes keeps the watcher away where a terminal cannot be handed to it.
var errNoModes = errors.New("this system has no modes of a terminal's line")

func apart() *syscall.SysProcAttr { return nil }

func ignoreSignals() {}

func readModes(*os.File) ([]byte, error) { return nil, errNoModes }

func writeModes(*os.File, []byte) error { return errNoModes }
