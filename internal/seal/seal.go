// Package seal encrypts what must be kept but not read: page tokens whose keys hold personal data, and the
// journal's records of changes. The key stays on this machine. The package knows nothing about what it encrypts.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// ErrForeign is wrapped by the error of Open for text that this machine did not seal, or that was changed.
var ErrForeign = errors.New("encrypted on another machine, or corrupt")

// A Sealer seals and opens texts with the key of one state directory.
type Sealer struct {
	dir string
}

// New returns the sealer whose key is in the directory; "" is the directory of the program's state. The key is
// made when it is first needed.
func New(dir string) Sealer {
	if dir == "" {
		dir = appdir.State()
	}
	return Sealer{dir: dir}
}

// Seal encrypts text with AES-GCM, the nonce first. Open needs the same purpose.
func (s Sealer) Seal(text []byte, purpose string) ([]byte, error) {
	gcm, err := s.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce) // never fails; see crypto/rand
	return gcm.Seal(nonce, nonce, text, []byte(purpose)), nil
}

// Open decrypts what Seal returned. The error wraps ErrForeign when this key and purpose did not seal it.
func (s Sealer) Open(sealed []byte, purpose string) ([]byte, error) {
	gcm, err := s.cipher()
	if err != nil {
		return nil, err
	}
	if len(sealed) < gcm.NonceSize() {
		return nil, ErrForeign
	}
	text, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(purpose))
	if err != nil {
		return nil, ErrForeign
	}
	return text, nil
}

func (s Sealer) cipher() (cipher.AEAD, error) {
	key, err := readKey(s.dir)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encrypting: %w", err)
	}
	return cipher.NewGCM(block)
}

// readKey reads the key, or creates it. When two programs create it at once, the first to link its file wins
// and both use that key.
func readKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "token.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) == 32 {
		return key, nil
	}
	if err == nil {
		return nil, fmt.Errorf("%s is corrupt; delete it, which makes existing page tokens and change records unreadable", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := appdir.Make(dir); err != nil {
		return nil, err
	}
	key = make([]byte, 32)
	_, _ = rand.Read(key) // never fails; see crypto/rand
	tmp, err := os.CreateTemp(dir, "seal-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // its link, or another's, is what counts
	if _, err := tmp.Write(key); err != nil {
		return nil, errors.Join(err, tmp.Close())
	}
	if err := tmp.Close(); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(stored, key) && len(stored) != 32 {
		return nil, fmt.Errorf("%s is corrupt; delete it, which makes existing page tokens and change records unreadable", path)
	}
	return stored, nil
}
