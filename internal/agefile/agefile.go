// Package agefile seals files with personal data: it encrypts them in the age format for the keys of recipients or for a
// passphrase, and decrypts them. Every file can also be decrypted with the age command. It knows nothing of what the files
// contain; texts for this machine only belong to package seal.
package agefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
)

// The errors of reading. Errors of Open wrap one of them.
var (
	ErrKey       = errors.New("the key does not decrypt the file")
	ErrDamaged   = errors.New("the file is truncated or was edited")
	ErrMalformed = errors.New("the file is not a complete age file")
)

// header begins every file.
const header = "age-encryption.org/v1\n"

// passphraseStanza begins the second line of a file that a passphrase decrypts.
const passphraseStanza = "-> scrypt "

// minPassphrase is the fewest bytes of a passphrase that Seal accepts. Sealed files are copied, and then anyone can try.
const minPassphrase = 12

// scrypt costs: about a second to seal, and at most some seconds to open, whatever the file says.
const (
	workFactor    = 18
	maxWorkFactor = 20
)

// IsSealed reports whether a text begins like an age file.
func IsSealed(text []byte) bool { return bytes.HasPrefix(text, []byte(header)) }

// NeedsPassphrase reports whether a passphrase decrypts a sealed file, and not a key.
func NeedsPassphrase(text []byte) bool {
	return IsSealed(text) && bytes.HasPrefix(text[len(header):], []byte(passphraseStanza))
}

// A Lock is what a file is sealed for. The zero value is for nothing.
type Lock struct{ to []age.Recipient }

// ForRecipients returns the lock for public keys of age. The error does not repeat a secret key that was given in place of one.
func ForRecipients(keys []string) (Lock, error) {
	var l Lock
	for _, key := range keys {
		key = strings.TrimSpace(key)
		if strings.HasPrefix(strings.ToUpper(key), "AGE-SECRET-KEY-") {
			return Lock{}, errors.New("this is a secret key; use its public key, which begins with age1")
		}
		list, err := age.ParseRecipients(strings.NewReader(key))
		if err != nil || len(list) != 1 {
			return Lock{}, errors.New("not the public key of an age recipient; age-keygen prints one that begins with age1")
		}
		l.to = append(l.to, list[0])
	}
	return l, nil
}

// ForPassphrase returns the lock for a passphrase.
func ForPassphrase(text string) (Lock, error) {
	if len(text) < minPassphrase {
		return Lock{}, fmt.Errorf("the passphrase needs at least %d characters", minPassphrase)
	}
	r, err := age.NewScryptRecipient(text)
	if err != nil {
		return Lock{}, err
	}
	r.SetWorkFactor(workFactor)
	return Lock{[]age.Recipient{r}}, nil
}

// Seal encrypts a text.
func (l Lock) Seal(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, l.to...)
	if err != nil {
		return nil, fmt.Errorf("encrypt for the recipients: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// A Key decrypts sealed files.
type Key struct{ ids []age.Identity }

// ReadIdentities returns the key of an identity file, as age-keygen writes it.
func ReadIdentities(text []byte) (Key, error) {
	if IsSealed(text) {
		return Key{}, errors.New("the identity file is encrypted; decrypt it with age --decrypt")
	}
	ids, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil {
		return Key{}, errors.New("not an identity file; age-keygen writes one, with a line that begins with AGE-SECRET-KEY-")
	}
	return Key{ids}, nil
}

// PassphraseKey returns the key that a passphrase is.
func PassphraseKey(text string) (Key, error) {
	id, err := age.NewScryptIdentity(text)
	if err != nil {
		return Key{}, errors.New("the passphrase is empty")
	}
	id.SetMaxWorkFactor(maxWorkFactor)
	return Key{[]age.Identity{id}}, nil
}

// Open decrypts a sealed file. It returns nothing of a file that is not complete and unchanged.
func (k Key) Open(sealed []byte) ([]byte, error) {
	if _, err := age.ExtractHeader(bytes.NewReader(sealed)); err != nil {
		return nil, ErrMalformed
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), k.ids...)
	switch {
	case errors.Is(err, age.ErrIncorrectIdentity):
		return nil, ErrKey
	case err != nil:
		return nil, ErrDamaged
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, ErrDamaged
	}
	return text, nil
}
