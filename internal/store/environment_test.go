package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInstanceOfEC2(t *testing.T) {
	for vendor, want := range map[string]bool{"Amazon EC2\n": true, "Amazon EC2": true, "QEMU\n": false, "": false} {
		file := filepath.Join(t.TempDir(), "sys_vendor")
		if err := os.WriteFile(file, []byte(vendor), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := isInstance(file); got != want {
			t.Errorf("a machine of %q is an instance: %v", vendor, got)
		}
	}
	if isInstance(filepath.Join(t.TempDir(), "none")) {
		t.Error("a machine without a known maker is an instance")
	}
}
