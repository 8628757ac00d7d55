package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Writes that continue when the console ends must not keep the demo's folder.
func TestDemoFolderIsRemovedDuringWrites(t *testing.T) {
	path, ended := filepath.Join(t.TempDir(), "demo"), make(chan struct{})
	go func() {
		defer close(ended)
		for range 500 {
			_ = os.MkdirAll(path, 0o700)
			_ = os.WriteFile(filepath.Join(path, "journal.lock"), nil, 0o600)
		}
	}()
	if err := removeFolder(path); err != nil {
		t.Fatal(err)
	}
	<-ended
	if err := removeFolder(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder still exists: %v", err)
	}
}
