package seal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/seal"
)

func newKeyring(t *testing.T) (seal.Keyring, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	return seal.New(filepath.Dir(path)).Keyring(path), path
}

func keep(t *testing.T, k seal.Keyring, id string, subjects ...string) []byte {
	t.Helper()
	sealed, err := k.Seal(t.Context(), id, []byte("record "+id), "undo", subjects)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestErasedRecordsAreUnreadable(t *testing.T) {
	k, path := newKeyring(t)
	one, two, both := keep(t, k, "1", "case 1"), keep(t, k, "2", "case 2", "user"), keep(t, k, "3", "case 1", "case 2")
	for id, sealed := range map[string][]byte{"1": one, "2": two, "3": both} {
		if text, err := k.Open(id, sealed, "undo"); err != nil || string(text) != "record "+id {
			t.Errorf("record %s: %q, %v", id, text, err)
		}
		if bytes.Contains(sealed, []byte("record")) {
			t.Error("the record is readable")
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "case") {
		t.Errorf("the file names its subjects: %s, %v", text, err)
	}
	if n, err := k.Erase(t.Context(), []string{"case 9"}); n != 0 || err != nil {
		t.Errorf("erased %d, %v", n, err)
	}
	if n, err := k.Erase(t.Context(), []string{"case 1", "other"}); n != 2 || err != nil {
		t.Errorf("erased %d, %v", n, err)
	}
	for id, sealed := range map[string][]byte{"1": one, "3": both} {
		if text, err := k.Open(id, sealed, "undo"); !errors.Is(err, seal.ErrErased) || text != nil {
			t.Errorf("record %s is %q, %v", id, text, err)
		}
	}
	if text, err := k.Open("2", two, "undo"); err != nil || string(text) != "record 2" {
		t.Errorf("the other record: %q, %v", text, err)
	}
	if now, err := os.ReadFile(path); err != nil || strings.Count(string(now), "\n") != 1 {
		t.Errorf("%d keys are left, %v", strings.Count(string(now), "\n"), err)
	}
}

func TestKeyringRejectsForeignRecords(t *testing.T) {
	k, path := newKeyring(t)
	sealed := keep(t, k, "1", "x")
	other := seal.New(t.TempDir()).Keyring(path)
	if _, err := other.Open("1", sealed, "undo"); !errors.Is(err, seal.ErrForeign) {
		t.Errorf("another machine: %v", err)
	}
	if _, err := k.Open("1", sealed, "plan"); !errors.Is(err, seal.ErrForeign) {
		t.Errorf("another purpose: %v", err)
	}
	if _, err := k.Open("1", sealed[:len(sealed)-1], "undo"); !errors.Is(err, seal.ErrForeign) {
		t.Errorf("truncated: %v", err)
	}
	if _, err := k.Open("2", sealed, "undo"); !errors.Is(err, seal.ErrErased) {
		t.Errorf("another record: %v", err)
	}
}

// A line that an interruption cut off damages neither the keys before it nor those after it.
func TestKeyringContinuesAfterAnInterruption(t *testing.T) {
	k, path := newKeyring(t)
	one := keep(t, k, "1", "a")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, text[:len(text)/2]...), 0o600); err != nil {
		t.Fatal(err)
	}
	two := keep(t, k, "2", "b")
	for id, sealed := range map[string][]byte{"1": one, "2": two} {
		if text, err := k.Open(id, sealed, "undo"); err != nil || string(text) != "record "+id {
			t.Errorf("record %s: %q, %v", id, text, err)
		}
	}
}

func TestConcurrentKeysAreAllKept(t *testing.T) {
	k, _ := newKeyring(t)
	sealed := make([][]byte, 20)
	var all sync.WaitGroup
	for i := range sealed {
		all.Go(func() {
			var err error
			if sealed[i], err = k.Seal(t.Context(), fmt.Sprint(i), []byte("x"), "undo", []string{fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
			if i%5 == 0 {
				if n, err := k.Erase(t.Context(), []string{fmt.Sprint(i)}); n != 1 || err != nil {
					t.Errorf("erased %d, %v", n, err)
				}
			}
		})
	}
	all.Wait()
	for i := range sealed {
		if _, err := k.Open(fmt.Sprint(i), sealed[i], "undo"); errors.Is(err, seal.ErrErased) != (i%5 == 0) {
			t.Errorf("record %d: %v", i, err)
		}
	}
}

func TestUnusableKeyringIsReported(t *testing.T) {
	k, path := newKeyring(t)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Seal(t.Context(), "1", nil, "undo", nil); err == nil {
		t.Error("a folder took a key")
	}
	if _, err := k.Open("1", nil, "undo"); err == nil || errors.Is(err, seal.ErrErased) {
		t.Errorf("got %v", err)
	}
	if _, err := k.Erase(t.Context(), []string{"x"}); err == nil {
		t.Error("nothing was erased, and no error")
	}
}
