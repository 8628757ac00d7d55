//go:build linux || darwin

package crash

import (
	"bytes"
	"encoding/binary"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts the watcher in its own process group, without the signals of the
// terminal.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// readModes returns the termios modes of a terminal.
func readModes(f *os.File) ([]byte, error) {
	modes, err := unix.IoctlGetTermios(int(f.Fd()), getModes)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = binary.Write(&b, binary.NativeEndian, modes)
	return b.Bytes(), err
}

// writeModes sets modes that readModes returned, if the terminal is still in raw mode:
// a shell may have set its own modes since.
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
