package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/local"
)

func open(t *testing.T, path string) *local.Store {
	t.Helper()
	m := local.Open(path)
	t.Cleanup(func() { finish(t, m) })
	return m
}

func finish(t *testing.T, m *local.Store) {
	t.Helper()
	if err := m.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func ids(m *local.Store, list string) []string {
	out := []string{}
	for _, e := range m.List(list) {
		out = append(out, e.ID)
	}
	return out
}

func TestHistoryPersistsAndKeepsNewest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "local.db")
	m := open(t, path)
	for i := range 5 {
		m.Add("l", fmt.Sprint(i), i, 3, false)
	}
	m.Add("l", "3", "again", 3, false)
	m.Add("l", "2", nil, 3, false)
	m.SetFact("f", json.RawMessage(`{"a":1}`))
	m.SetFact("gone", json.RawMessage(`1`))
	m.SetFact("gone", nil)
	finish(t, m)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	for name, m := range map[string]*local.Store{"now": m, "next time": open(t, path)} {
		if diff := cmp.Diff([]string{"2", "3", "4"}, ids(m, "l")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := string(m.List("l")[1].Value); got != `"again"` {
			t.Errorf("%s: the moved entry is %s", name, got)
		}
		if string(m.Fact("f")) != `{"a":1}` || m.Fact("gone") != nil || m.Notice() != "" {
			t.Errorf("%s: got facts %s and %s", name, m.Fact("f"), m.Fact("gone"))
		}
	}
}

func TestPrivateEntriesStayInRAM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	m := open(t, path)
	m.Add("l", "canary", "canary", 9, false)
	finish(t, m)
	m.Add("l", "canary", "canary", 9, true) // the entry becomes private
	m.Add("l", "canary2", "canary2", 9, true)
	m.Add("l", "plain", "plain", 9, false)
	finish(t, m)
	if diff := cmp.Diff([]string{"plain", "canary2", "canary"}, ids(m, "l")); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "canary") || !strings.Contains(string(text), "plain") {
		t.Errorf("the file contains %s, %v", text, err)
	}
}

// Two consoles that write concurrently keep each other's entries, and see them after their next write.
func TestConcurrentConsolesKeepAllWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	consoles := []*local.Store{open(t, path), open(t, path), open(t, path)}
	var all sync.WaitGroup
	for n, m := range consoles {
		all.Go(func() {
			for i := range 20 {
				m.Add("shared", fmt.Sprintf("%d.%d", n, i), i, 100, false)
				m.SetFact(fmt.Sprintf("fact %d.%d", n, i), json.RawMessage("true"))
			}
		})
	}
	all.Wait()
	for _, m := range consoles {
		finish(t, m)
	}
	got := open(t, path)
	if n := len(got.List("shared")); n != 60 {
		t.Errorf("got %d of 60 entries", n)
	}
	for n := range consoles {
		for i := range 20 {
			if got.Fact(fmt.Sprintf("fact %d.%d", n, i)) == nil {
				t.Errorf("fact %d.%d is missing", n, i)
			}
		}
	}
	consoles[0].SetFact("fact 1.1", nil)
	finish(t, consoles[0])
	if n := len(consoles[0].List("shared")); n != 60 || consoles[0].Fact("fact 1.1") != nil {
		t.Errorf("the writing console has %d entries, want 60", n)
	}
}

func TestUnusableFileIsReplaced(t *testing.T) {
	good := filepath.Join(t.TempDir(), "local.db")
	first := open(t, good)
	first.SetFact("f", json.RawMessage("1"))
	finish(t, first)
	written, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{
		"half": written[:len(written)/2], "other": []byte("hello"), "empty": {}, "value": changed(t, written, `"value":1`, `"value":!`),
		"format": changed(t, written, "format1", "format0"), "binary": []byte("\x00\xff"),
		"list": changed(t, written, `[{"id":`, `7{"id":`),
	}
	for name, text := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "local.db")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			m := open(t, path)
			if notice := m.Notice(); !strings.Contains(notice, "renamed") || m.Notice() != "" {
				t.Errorf("got notice %q, want one about the renamed file", notice)
			}
			m.SetFact("g", json.RawMessage("1"))
			finish(t, m)
			if string(open(t, path).Fact("g")) != "1" {
				t.Error("the store did not replace the renamed file")
			}
			damaged, err := filepath.Glob(path + ".damaged-*")
			if err != nil || len(damaged) != 1 {
				t.Fatalf("got renamed files %v, %v, want 1", damaged, err)
			}
			if content, err := os.ReadFile(damaged[0]); err != nil || !bytes.Equal(content, text) {
				t.Errorf("the renamed file has %d bytes, %v", len(content), err)
			}
		})
	}
	t.Run("damaged while running", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "local.db")
		m := open(t, path)
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		m.SetFact("f", json.RawMessage("1"))
		finish(t, m)
		if string(open(t, path).Fact("f")) != "1" || !strings.Contains(m.Notice(), "renamed") {
			t.Error("the store did not replace the corrupted file")
		}
	})
	t.Run("newer", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "local.db")
		text := changed(t, written, "format1", "format2")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		m := open(t, path)
		m.SetFact("f", json.RawMessage("1"))
		finish(t, m)
		content, err := os.ReadFile(path)
		if notice := m.Notice(); !strings.Contains(notice, "newer") || !bytes.Equal(content, text) || err != nil || m.Fact("f") == nil {
			t.Errorf("got notice %q, %v, want one about the newer version", notice, err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		path := t.TempDir()
		m := local.Open(path)
		if m.Notice() == "" {
			t.Error("got no notice for a folder instead of a file")
		}
		m.SetFact("f", json.RawMessage("1"))
		if err := m.Close(t.Context()); err == nil || m.Notice() == "" || m.Fact("f") == nil {
			t.Errorf("a folder instead of a file: got %v, want an error and the fact in memory", err)
		}
	})
	t.Run("not writable", func(t *testing.T) {
		dir := t.TempDir()
		m := local.Open(filepath.Join(dir, "file", "local.db"))
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		m.SetFact("f", json.RawMessage("1"))
		if err := m.Close(t.Context()); err == nil || m.Notice() == "" || m.Fact("f") == nil {
			t.Errorf("an unwritable file: got %v, want an error and the fact in memory", err)
		}
	})
}

// changed returns the file with becomes in place of every occurrence of old.
func changed(t *testing.T, file []byte, old, becomes string) []byte {
	t.Helper()
	if !bytes.Contains(file, []byte(old)) {
		t.Fatalf("the file does not contain %q", old)
	}
	return bytes.ReplaceAll(file, []byte(old), []byte(becomes))
}

// The store survives damage anywhere in its file, and stores the next change.
func TestDamagedPagesReturnErrors(t *testing.T) {
	good := filepath.Join(t.TempDir(), "local.db")
	first := open(t, good)
	for i := range 40 {
		first.Add("l", strings.Repeat(fmt.Sprint(i%10), 300)+fmt.Sprint(i), nil, 50, false)
		first.SetFact(fmt.Sprint("fact ", i), json.RawMessage(fmt.Sprint(i)))
	}
	finish(t, first)
	written, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	dir, runs := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		text := bytes.Clone(written)
		at := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		for i := range rapid.IntRange(1, 64).Draw(rt, "bytes") {
			text[min(at+i, len(text)-1)] = rapid.Byte().Draw(rt, "byte")
		}
		path := filepath.Join(dir, fmt.Sprint(runs))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			rt.Fatal(err)
		}
		m := local.Open(path)
		m.SetFact("new", json.RawMessage("1"))
		if err := m.Close(t.Context()); err != nil && !strings.Contains(m.Notice(), "newer") {
			rt.Fatal(err)
		}
		if second := local.Open(path); second.Fact("new") == nil && !strings.Contains(second.Notice(), "newer") {
			rt.Fatal("the new fact is missing")
		}
	})
}

// The entries are sorted by their last use, in memory and after reading the file.
func TestEntriesAreSortedByLastUse(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		path := filepath.Join(dir, fmt.Sprint(runs))
		m, want := local.Open(path), []string{}
		for _, id := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 12).Draw(rt, "ids") {
			next := []string{id}
			for _, old := range want {
				if old != id && len(next) < 4 {
					next = append(next, old)
				}
			}
			want = next
			m.Add("l", id, id, 4, false)
		}
		if err := m.Close(t.Context()); err != nil {
			rt.Fatal(err)
		}
		for _, m := range []*local.Store{m, local.Open(path)} {
			if diff := cmp.Diff(want, ids(m, "l")); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

// Consoles in several processes share the file. A process that is killed while it writes does not damage it.
func TestProcessesShareFile(t *testing.T) {
	const places, entries = "LOCAL_TEST_FILE", 30
	if path := os.Getenv(places); path != "" {
		m := local.Open(path)
		for i := range entries {
			m.Add("shared", fmt.Sprintf("%d.%d", os.Getpid(), i), i, 1000, false)
			if i%10 == 0 {
				finish(t, m)
			}
		}
		finish(t, m)
		return
	}
	path := filepath.Join(t.TempDir(), "local.db")
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesShareFile$")
		cmd.Env = append(os.Environ(), places+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	killed, others := start(), []*exec.Cmd{start(), start()}
	store := open(t, path)
	for i := range entries {
		store.Add("shared", fmt.Sprintf("%d.%d", os.Getpid(), i), i, 1000, false)
		finish(t, store)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // Wait returns the error of a killed process.
	for _, cmd := range others {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	m := open(t, path)
	entriesOf := map[string]int{}
	for _, id := range ids(m, "shared") {
		pid, _, _ := strings.Cut(id, ".")
		entriesOf[pid]++
	}
	for _, pid := range []int{os.Getpid(), others[0].Process.Pid, others[1].Process.Pid} {
		if n := entriesOf[fmt.Sprint(pid)]; n != entries {
			t.Errorf("process %d: got %d of %d entries", pid, n, entries)
		}
	}
	if notice := m.Notice(); notice != "" {
		t.Error(notice)
	}
}

// If another process holds the lock of the file, the console does not wait for it. It stores its entries when the lock
// is free.
func TestLockedFileDoesNotBlockConsole(t *testing.T) { synctest.Test(t, lockedFileDoesNotBlockConsole) }

func lockedFileDoesNotBlockConsole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	m := open(t, path)
	unlock, err := appdir.Lock(t.Context(), path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	m.Add("l", "1", 1, 9, false)
	if len(m.List("l")) != 1 {
		t.Error("the entry is missing while the file is locked")
	}
	if err := m.Close(t.Context()); err == nil || !strings.Contains(m.Notice(), "another ddbdesk process") {
		t.Errorf("closing with a locked file: got %v, want an error", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	finish(t, m)
	if second := open(t, path); len(second.List("l")) != 1 || second.Notice() != "" {
		t.Error("the entry is missing after the unlock")
	}
}

// If the file would become too large, the store removes the lists that were not used for the longest time.
func TestOldestListsAreEvicted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "local.db")
	m := open(t, path)
	now := time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)
	m.SetClock(func() time.Time { now = now.Add(time.Second); return now })
	large := json.RawMessage(`"` + strings.Repeat("x", 60<<10) + `"`)
	for i := range 80 {
		m.SetFact(fmt.Sprint("fact ", i), large)
	}
	finish(t, m)
	second := open(t, path)
	if second.Fact("fact 0") != nil || second.Fact("fact 79") == nil || second.Notice() != "" {
		t.Error("the store keeps the oldest fact or drops the newest")
	}
}
