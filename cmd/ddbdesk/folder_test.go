package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What is still written when the console ends does not keep the folder of the demo.
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
		t.Errorf("it is still there: %v", err)
	}
}
