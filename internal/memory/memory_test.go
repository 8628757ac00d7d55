package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/memory"
)

func open(t *testing.T, path string) *memory.Memory {
	t.Helper()
	m := memory.Open(path)
	t.Cleanup(func() { finish(t, m) })
	return m
}

func finish(t *testing.T, m *memory.Memory) {
	t.Helper()
	if err := m.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

func ids(m *memory.Memory, list string) []string {
	out := []string{}
	for _, e := range m.List(list) {
		out = append(out, e.ID)
	}
	return out
}

func TestMemoryLastsAndKeepsTheNewest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "memory.json")
	m := open(t, path)
	for i := range 5 {
		m.Add("l", fmt.Sprint(i), i, 3, false)
	}
	m.Add("l", "3", "again", 3, false)
	m.Add("l", "2", nil, 3, false)
	m.Drop("l", "4")
	m.SetFact("f", json.RawMessage(`{"a":1}`))
	m.SetFact("gone", json.RawMessage(`1`))
	m.SetFact("gone", nil)
	finish(t, m)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want one for its owner alone", info.Mode(), err)
	}
	for name, m := range map[string]*memory.Memory{"now": m, "next time": open(t, path)} {
		if diff := cmp.Diff([]string{"2", "3"}, ids(m, "l")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := string(m.List("l")[1].Value); got != `"again"` {
			t.Errorf("%s: the moved entry is %s", name, got)
		}
		if string(m.Fact("f")) != `{"a":1}` || m.Fact("gone") != nil || m.Notice() != "" {
			t.Errorf("%s: facts %s, %s", name, m.Fact("f"), m.Fact("gone"))
		}
	}
}

func TestPrivateEntriesStayInRAM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	m := open(t, path)
	m.Add("l", "canary", "canary", 9, false)
	finish(t, m)
	m.Add("l", "canary", "canary", 9, true) // It turned out to be private.
	m.Add("l", "canary2", "canary2", 9, true)
	m.Add("l", "plain", "plain", 9, false)
	finish(t, m)
	if diff := cmp.Diff([]string{"plain", "canary2", "canary"}, ids(m, "l")); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "canary") || !strings.Contains(string(text), "plain") {
		t.Errorf("the file holds %s, %v", text, err)
	}
}

// Two consoles that write at once lose nothing of each other, and see what the
// other one remembered when they write next.
func TestTwoConsolesLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	consoles := []*memory.Memory{open(t, path), open(t, path), open(t, path)}
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
		t.Errorf("%d of 60 entries are there", n)
	}
	for n := range consoles {
		for i := range 20 {
			if got.Fact(fmt.Sprintf("fact %d.%d", n, i)) == nil {
				t.Errorf("fact %d.%d is lost", n, i)
			}
		}
	}
	consoles[0].Drop("shared", "1.1")
	finish(t, consoles[0])
	if n := len(consoles[0].List("shared")); n != 59 {
		t.Errorf("a console that writes again sees %d entries; want 59", n)
	}
}

func TestFileThatCannotBeUsed(t *testing.T) {
	t.Run("damaged", func(t *testing.T) {
		for name, text := range map[string]string{
			"half": `{"version":1,"lists":{"l":[{"id"`, "other": "hello", "empty": "", "shape": `{"version":1,"lists":[1]}`,
			"version": `{"version":0}`, "binary": "\x00\xff",
		} {
			path := filepath.Join(t.TempDir(), "memory.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			m := open(t, path)
			if notice := m.Notice(); !strings.Contains(notice, "renamed") || m.Notice() != "" {
				t.Errorf("%s: notice %q", name, notice)
			}
			m.SetFact("f", json.RawMessage("1"))
			finish(t, m)
			if string(open(t, path).Fact("f")) != "1" {
				t.Errorf("%s: nothing is stored after the file was renamed", name)
			}
			aside, err := filepath.Glob(path + ".damaged-*")
			if err != nil || len(aside) != 1 {
				t.Fatalf("%s: renamed: %v, %v", name, aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != text {
				t.Errorf("%s: the renamed file is %q, %v", name, kept, err)
			}
		}
	})
	t.Run("damaged while running", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "memory.json")
		m := open(t, path)
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		m.SetFact("f", json.RawMessage("1"))
		finish(t, m)
		if string(open(t, path).Fact("f")) != "1" || !strings.Contains(m.Notice(), "renamed") {
			t.Error("nothing is stored after the file was corrupted")
		}
	})
	t.Run("newer", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "memory.json")
		text := `{"version":99,"new":true}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := open(t, path)
		m.SetFact("f", json.RawMessage("1"))
		finish(t, m)
		kept, err := os.ReadFile(path)
		if notice := m.Notice(); !strings.Contains(notice, "newer") || string(kept) != text || err != nil || m.Fact("f") == nil {
			t.Errorf("notice %q, file %s, %v", notice, kept, err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		path := t.TempDir()
		m := open(t, path)
		m.SetFact("f", json.RawMessage("1"))
		if m.Notice() == "" || m.Fact("f") == nil {
			t.Error("a folder in place of the file gives no notice, or stops the memory")
		}
	})
	t.Run("not writable", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "file", "memory.json")
		m := memory.Open(path)
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		m.SetFact("f", json.RawMessage("1"))
		if err := m.Close(t.Context()); err == nil || m.Notice() == "" || m.Fact("f") == nil {
			t.Errorf("an unwritable file: %v", err)
		}
	})
}

func TestNilRemembersNothing(t *testing.T) {
	var m *memory.Memory
	m.Add("l", "1", 1, 1, false)
	m.Drop("l", "1")
	m.SetFact("f", json.RawMessage("1"))
	if m.List("l") != nil || m.Fact("f") != nil || m.Notice() != "" || m.Close(t.Context()) != nil {
		t.Error("nothing came of nothing")
	}
}

// What was added in any order is there in the order of the last use, also after
// the way through the file.
func TestOrderProperty(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		path := filepath.Join(dir, fmt.Sprint(runs))
		m, want := memory.Open(path), []string{}
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
		for _, m := range []*memory.Memory{m, memory.Open(path)} {
			if diff := cmp.Diff(want, ids(m, "l")); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}
