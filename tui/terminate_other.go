//go:build !unix

package tui

import "os"

func terminate(p *os.Process) error { return p.Kill() }
