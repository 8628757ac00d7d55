//go:build linux || darwin

package crash

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart keeps the signals of the terminal from the watcher.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ignoreSignals lets only the end of the console, or a kill, end the watcher. One
// that is not in the terminal's foreground may change it only when it ignores
// SIGTTOU.
func ignoreSignals() {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
}

// readModes reads the modes of a terminal's line.
func readModes(f *os.File) ([]byte, error) {
	modes, err := unix.IoctlGetTermios(int(f.Fd()), getModes)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = binary.Write(&b, binary.NativeEndian, modes)
	return b.Bytes(), err
}

// writeModes sets the modes that readModes read, if the line is still raw: a shell
// may have taken it over meanwhile.
func writeModes(f *os.File, text []byte) error {
	now, err := unix.IoctlGetTermios(int(f.Fd()), getModes)
	if err != nil || now.Oflag&unix.OPOST != 0 || now.Lflag&unix.ISIG != 0 {
		return err
	}
	var modes unix.Termios
	if err := binary.Read(bytes.NewReader(text), binary.NativeEndian, &modes); err != nil {
		return err
	}
	return unix.IoctlSetTermios(int(f.Fd()), setModes, &modes)
}
