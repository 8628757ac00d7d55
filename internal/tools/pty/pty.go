//go:build linux

// Package pty runs programs on pseudo-terminals, for the tools that drive the built program.
package pty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start runs a program with the environment env on a new terminal of w by h cells. It returns the controlling end of
// the terminal.
func Start(ctx context.Context, w, h int, env, args []string) (*os.File, *exec.Cmd, error) {
	controller, tty, err := open(w, h)
	if err != nil {
		return nil, nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	defer tty.Close() //nolint:errcheck // The program has its own handle.

	program := exec.CommandContext(ctx, args[0], args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = tty, tty, tty
	program.Env = env
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		return nil, nil, errors.Join(err, controller.Close())
	}
	return controller, program, nil
}

// open returns both ends of a new pseudo-terminal.
func open(w, h int) (controller, tty *os.File, err error) {
	controller, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, controller.Close())
		}
	}()
	fd := int(controller.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	size := unix.Winsize{Row: uint16(h), Col: uint16(w)}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size); err != nil {
		return nil, nil, err
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return controller, tty, err
}
