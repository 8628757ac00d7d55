// Package memory keeps the temporary folders of tests in memory. Tests that write a journal would otherwise spend most
// of their time waiting for the disk.
package memory

import (
	"os"
	"testing"
)

// Run runs the tests. If the user has set a folder for temporary files, or the system has none in memory, it only runs
// the tests.
func Run(m *testing.M) int {
	const folder = "/dev/shm"
	if info, err := os.Stat(folder); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		if err := os.Setenv("TMPDIR", folder); err != nil {
			panic(err)
		}
	}
	return m.Run()
}
