package session

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// ErrForeign is the error of Open for text that was modified, or sealed with another key or for another purpose.
var ErrForeign = errors.New("encrypted on another machine, or corrupt")

// A Sealer seals and opens texts that ddbdesk stores outside of the journal and the database, such as page tokens with
// personal data and the records for undoing a change. It uses the key of one folder, so other machines cannot read the
// texts. Each call reads the key from its file, so a Sealer is cheap to copy and safe for concurrent use.
type Sealer struct {
	dir string
}

// NewSealer returns a sealer with the key in a folder; "" means ddbdesk's state folder. The first Seal or Open creates
// the key.
func NewSealer(dir string) Sealer { return Sealer{dir: cmp.Or(dir, appdir.State())} }

// Seal encrypts text with AES-256-GCM and returns the nonce followed by the ciphertext, which is 28 bytes longer than
// the text. The purpose is authenticated but not encrypted: Open needs the same purpose, so text for one use is invalid
// in another. Sealing the same text twice returns different bytes.
func (s Sealer) Seal(text []byte, purpose string) ([]byte, error) {
	gcm, err := s.cipher()
	if err != nil {
		return nil, err
	}
	return gcm.Seal(nil, nil, text, []byte(purpose)), nil
}

// Open decrypts the result of Seal. The error is ErrForeign if the key or the purpose is different, or a key error.
func (s Sealer) Open(sealed []byte, purpose string) ([]byte, error) {
	gcm, err := s.cipher()
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, ErrForeign
	}
	return text, nil
}

// cipher returns AES-256-GCM. Its random nonces are safe for 2³² texts. Source: NIST SP 800-38D, section 8.3.
func (s Sealer) cipher() (cipher.AEAD, error) {
	key, err := readKey(s.dir)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// keySize selects AES-256.
const keySize = appdir.KeySize

func readKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, appdir.KeyFile)
	f, err := appdir.OpenPrivate(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createKey(dir, path); err != nil {
			return nil, err
		}
		f, err = appdir.OpenPrivate(path, os.O_RDONLY)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	key, err := io.ReadAll(io.LimitReader(f, keySize+1))
	if err != nil {
		return nil, err
	}
	switch {
	case len(bytes.Trim(key[:min(len(key), keySize)], "\x00")) == 0: // Zeros of the right length are not a key.
		return nil, fmt.Errorf("%s is empty, possibly after a power loss; %s", path, keyRemedy)
	case len(key) < keySize || len(key) > keySize && key[keySize] != appdir.KeyMark:
		return nil, fmt.Errorf("%s is corrupt; %s", path, keyRemedy)
	}
	return key[:keySize], nil
}

// keyRemedy is the end of the error for an unusable key.
const keyRemedy = "restore it from a backup, or delete it, which makes existing page tokens and change records unreadable"

// createKey writes the key to disk before its first use, because the journal's records are unreadable without it.
func createKey(dir, path string) error {
	if err := appdir.Make(dir); err != nil {
		return err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails; see crypto/rand
	if err := appdir.Create(path, key); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// MAC returns the HMAC-SHA-256 of text with the folder's key, 32 bytes. The purpose separates the uses of the key: a
// MAC for one use is invalid in another. The same text and purpose give the same result on this machine only.
func (s Sealer) MAC(text []byte, purpose string) ([]byte, error) {
	key, err := readKey(s.dir)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	return sum(sum(key, []byte("ddbdesk mac key: "+purpose)), text), nil
}

func sum(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text) // never fails; see hash.Hash
	return h.Sum(nil)
}
