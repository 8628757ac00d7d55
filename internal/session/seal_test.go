package session_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// keyFile returns the path of the key in a folder.
func keyFile(dir string) string { return filepath.Join(dir, "token.key") }

func TestOpenReturnsSealedText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	for _, text := range []string{"", "omang 448211907", strings.Repeat("x", 1<<20)} {
		sealed, err := session.NewSealer(dir).Seal([]byte(text), "undo")
		if err != nil {
			t.Fatal(err)
		}
		if text != "" && bytes.Contains(sealed, []byte(text)) {
			t.Error("the sealed text contains the clear text")
		}
		got, err := session.NewSealer(dir).Open(sealed, "undo")
		if err != nil || string(got) != text {
			t.Errorf("Open returned %d of %d bytes, %v", len(got), len(text), err)
		}
	}
	if info, err := os.Stat(keyFile(dir)); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Errorf("got key file %v, %v, want 32 bytes with mode 0600", info, err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) != 1 {
		t.Errorf("got files %v, %v, want only the key", files, err)
	}
}

func TestSealOutputsDiffer(t *testing.T) {
	s := session.NewSealer(t.TempDir())
	previous := map[string]bool{}
	for range 100 {
		sealed, err := s.Seal([]byte("same"), "")
		if err != nil {
			t.Fatal(err)
		}
		if previous[string(sealed)] {
			t.Fatal("two sealed texts are equal")
		}
		previous[string(sealed)] = true
	}
}

func TestOpenRejectsForeignText(t *testing.T) {
	s := session.NewSealer(t.TempDir())
	sealed, err := s.Seal([]byte("text"), "token")
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, c := range map[string]struct {
		s       session.Sealer
		sealed  []byte
		purpose string
	}{
		"another key":          {session.NewSealer(t.TempDir()), sealed, "token"},
		"another purpose":      {s, sealed, "undo"},
		"modified":             {s, changed, "token"},
		"truncated":            {s, sealed[:len(sealed)-1], "token"},
		"only a nonce":         {s, sealed[:12], "token"},
		"shorter than a nonce": {s, sealed[:3], "token"},
		"empty":                {s, nil, "token"},
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := c.s.Open(c.sealed, c.purpose); !errors.Is(err, session.ErrForeign) || text != nil {
				t.Errorf("got %q, %v, want ErrForeign", text, err)
			}
		})
	}
}

// Earlier versions sealed tokens and records in this format.
func TestOpenReadsKnownText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(keyFile(dir), append(bytes.Repeat([]byte{7}, 32), "\n2026-01-19T10:00:00Z\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	sealed := []byte{
		0x6e, 0x6f, 0x6e, 0x63, 0x65, 0x2d, 0x6e, 0x6f, 0x6e, 0x63, 0x65, 0x21, 0x04, 0xde, 0x29, 0x8a, 0x7c, 0xc8, 0x98, 0x02, 0xbe, 0x61, 0xa3, 0xa1, 0x72, 0x2b, 0x59, 0x92, 0xc4, 0xfc, 0xd1, 0x2e, 0xd8, 0x75, 0x2a,
	}
	text, err := session.NewSealer(dir).Open(sealed, "undo")
	if err != nil || string(text) != "earlier" {
		t.Errorf("got %q, %v, want earlier", text, err)
	}
}

func TestUnusableKeyIsReportedAndKept(t *testing.T) {
	const remedy = "; restore it from a backup, or delete it, which makes existing page tokens and change records unreadable"
	for content, want := range map[string]string{
		"":                           "token.key is empty, possibly after a power loss" + remedy,
		strings.Repeat("\x00", 32):   "token.key is empty, possibly after a power loss" + remedy,
		"short":                      "token.key is corrupt" + remedy,
		strings.Repeat("long", 1000): "token.key is corrupt" + remedy,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(keyFile(dir), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := session.NewSealer(dir)
		_, sealErr := s.Seal(nil, "")
		_, openErr := s.Open(make([]byte, 40), "")
		for _, err := range []error{sealErr, openErr} {
			if err == nil || errors.Is(err, session.ErrForeign) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		if text, err := os.ReadFile(keyFile(dir)); err != nil || string(text) != content {
			t.Errorf("the key file contains %q, %v", text, err)
		}
	}
}

func TestKeyIsPrivate(t *testing.T) {
	dir := t.TempDir()
	s := session.NewSealer(dir)
	if _, err := s.Seal(nil, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(keyFile(dir), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seal(nil, ""); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(keyFile(dir)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.Rename(keyFile(dir), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("moved", keyFile(dir)); err != nil {
		t.Skip("requires symbolic links: ", err)
	}
	if _, err := s.Seal(nil, ""); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("a link as key file: got %v", err)
	}
}

func TestUnusableFolderIsReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.NewSealer(filepath.Join(file, "state")).Seal(nil, ""); err == nil || !strings.HasPrefix(err.Error(), "encryption key: ") {
		t.Errorf("got %v, want an encryption key error", err)
	}
}

func TestConcurrentSealersUseOneKey(t *testing.T) {
	dir := t.TempDir()
	sealed, errs := make([][]byte, 16), make([]error, 16)
	var all sync.WaitGroup
	for i := range sealed {
		all.Go(func() { sealed[i], errs[i] = session.NewSealer(dir).Seal([]byte("text"), "") })
	}
	all.Wait()
	for i := range sealed {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if text, err := session.NewSealer(dir).Open(sealed[i], ""); err != nil || string(text) != "text" {
			t.Errorf("sealer %d used another key: %q, %v", i, text, err)
		}
	}
}

func TestDefaultFolderIsState(t *testing.T) {
	t.Setenv(appdir.StateEnv, filepath.Join(t.TempDir(), "state"))
	if _, err := session.NewSealer("").Seal(nil, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(keyFile(appdir.State())); err != nil {
		t.Error(err)
	}
}
