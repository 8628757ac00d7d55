// This file seals what must be kept but not read: page tokens whose keys hold
// personal data, and the records of changes in the journal. The key stays on
// this machine.

package session

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

// errSealed is wrapped by unseal for text that this machine did not seal, or
// that was changed.
var errSealed = errors.New("sealed on another machine, or damaged")

// seal encrypts text (AES-GCM, a fresh nonce first). purpose must be given
// again to read it.
func (s *Session) seal(text []byte, purpose string) ([]byte, error) {
	gcm, err := s.sealer()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	return gcm.Seal(nonce, nonce, text, []byte(purpose)), nil
}

// unseal decrypts what seal made.
func (s *Session) unseal(sealed []byte, purpose string) ([]byte, error) {
	gcm, err := s.sealer()
	if err != nil {
		return nil, err
	}
	if len(sealed) < gcm.NonceSize() {
		return nil, errSealed
	}
	text, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], []byte(purpose))
	if err != nil {
		return nil, errSealed
	}
	return text, nil
}

func (s *Session) sealer() (cipher.AEAD, error) {
	dir := s.o.StateDir
	if dir == "" {
		dir = appdir.State()
	}
	key, err := sealingKey(dir)
	if err != nil {
		return nil, fmt.Errorf("the key that seals: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sealing: %w", err)
	}
	return cipher.NewGCM(block)
}

// sealingKey reads the key, or makes it. Of two programs that make it at once,
// the first to link its file wins and both use that one.
func sealingKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "token.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) == 32 {
		return key, nil
	}
	if err == nil {
		return nil, fmt.Errorf("%s is damaged: remove it; older page tokens and records of changes are lost", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := appdir.Make(dir); err != nil {
		return nil, err
	}
	key = make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
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
		return nil, fmt.Errorf("%s is damaged: remove it; older page tokens and records of changes are lost", path)
	}
	return stored, nil
}
