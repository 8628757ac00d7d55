//go:build linux || darwin

package embedded

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// limitFiles limits the size of every file of the process until the returned function is called, which simulates a full
// disk.
func limitFiles(t *testing.T, size int64) (restore func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skipf("requires file size limits: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(size), Max: before.Max}); err != nil {
		t.Skipf("requires file size limits: %v", err)
	}
	restore = sync.OnceFunc(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(restore)
	return restore
}

func TestFullDiskLosesNoData(t *testing.T) {
	const writers, each = 8, 40
	dir := t.TempDir()
	s := filledStoreIn(t, dir, 100)
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	restore := limitFiles(t, max(info.Size(), 1<<20)+1<<20)
	var acknowledged [writers][]int // numbers of the acknowledged items by writer
	refusals := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				status, out := call(t, s, "PutItem", `{"TableName":"bench","Item":`+largeItem(w, n)+`}`)
				mu.Lock()
				switch {
				case status == http.StatusOK:
					acknowledged[w] = append(acknowledged[w], n)
				case status == http.StatusInternalServerError && strings.Contains(
					string(out), "InternalServerError",
				) && strings.Contains(string(out), "file too large"):
					refusals++
				default:
					t.Errorf("writing to a full disk: got %d %s", status, out)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if refusals == 0 {
		t.Fatal("no write filled the disk")
	}
	check := func(label string, more int) {
		t.Helper()
		want := 100 + more
		for w := range acknowledged {
			want += len(acknowledged[w])
			for _, n := range acknowledged[w] {
				got := string(mustCall(
					t, s, "GetItem",
					fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"large%d"},"SK":{"S":"%03d"}}}`, w, n),
				))
				if len(got) < 20000 {
					t.Errorf("%s: item %d/%d is missing: %s", label, w, n, got)
				}
			}
		}
		if got := countAll(t, s, ""); got != want {
			t.Errorf("%s: the table has %d items, want %d", label, got, want)
		}
		if got := countAll(t, s, `,"IndexName":"byG1"`); got != want {
			t.Errorf("%s: the index has %d items, want %d", label, got, want)
		}
	}
	check("full", 0)
	restore()
	mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+largeItem(writers, 0)+`}`)
	check("with space again", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Path: dir})
	check("opened again", 1)
}
