package agefile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"
)

// pair returns a new public key and the text of its identity file.
func pair(t *testing.T) (public string, identity []byte) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id.Recipient().String(), []byte("# created: today\n" + id.String() + "\n")
}

// keyOf returns the key of an identity file.
func keyOf(t *testing.T, identity []byte) Key {
	t.Helper()
	k, err := ReadIdentities(identity)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestEachRecipientOpensAFileAndNoOneElse(t *testing.T) {
	t.Parallel()
	one, oneID := pair(t)
	two, twoID := pair(t)
	_, otherID := pair(t)
	text := bytes.Repeat([]byte("kabo@modise.bw\n"), 10_000)
	l, err := ForRecipients([]string{one, " " + two + "\n"})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := l.Seal(text)
	if err != nil {
		t.Fatal(err)
	}
	if !IsSealed(sealed) || NeedsPassphrase(sealed) || bytes.Contains(sealed, []byte("modise")) {
		t.Errorf("the file begins with %q", sealed[:60])
	}
	for _, id := range [][]byte{oneID, twoID} {
		if got, err := keyOf(t, id).Open(sealed); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	if got, err := keyOf(t, otherID).Open(sealed); !errors.Is(err, ErrKey) || got != nil {
		t.Errorf("another identity reads %q, %v", got, err)
	}
}

func TestPassphraseOpensAFile(t *testing.T) {
	t.Parallel()
	if _, err := ForPassphrase("short"); err == nil {
		t.Error("a short passphrase seals")
	}
	l, err := ForPassphrase("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := l.Seal([]byte("text"))
	if err != nil || !NeedsPassphrase(sealed) {
		t.Fatalf("%q, %v", sealed, err)
	}
	for text, want := range map[string]error{"correct horse battery": nil, "correct horse": ErrKey} {
		k, err := PassphraseKey(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.Open(sealed)
		if !errors.Is(err, want) || (want == nil) != (string(got) == "text") {
			t.Errorf("%q reads %q, %v", text, got, err)
		}
	}
	_, id := pair(t)
	if _, err := keyOf(t, id).Open(sealed); !errors.Is(err, ErrKey) {
		t.Errorf("an identity in place of the passphrase: %v", err)
	}
}

// A file that was cut or changed at any byte has no text.
func TestDamagedFileHasNoText(t *testing.T) {
	t.Parallel()
	public, id := pair(t)
	l, err := ForRecipients([]string{public})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := l.Seal([]byte("0123456789"))
	if err != nil {
		t.Fatal(err)
	}
	k := keyOf(t, id)
	for i := range sealed {
		if got, err := k.Open(sealed[:i]); err == nil || got != nil {
			t.Errorf("cut after %d of %d bytes: %q, %v", i, len(sealed), got, err)
		}
		edited := bytes.Clone(sealed)
		edited[i] ^= 1
		if got, err := k.Open(edited); err == nil || got != nil {
			t.Errorf("changed at %d of %d bytes: %q, %v", i, len(sealed), got, err)
		}
	}
	if _, err := k.Open(append(bytes.Clone(sealed), 'x')); !errors.Is(err, ErrDamaged) {
		t.Errorf("text after the end: %v", err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	_, id := pair(t)
	secret := strings.Fields(string(id))[3]
	for _, text := range []string{"", "age1", "kabo@modise.bw", "# comment", secret, strings.ToLower(secret)} {
		if _, err := ForRecipients([]string{text}); err == nil {
			t.Errorf("%q is a recipient", text)
		} else if strings.Contains(strings.ToUpper(err.Error()), secret) {
			t.Errorf("the error repeats the secret key: %v", err)
		}
	}
	for _, text := range []string{"", "# comment\n", "AGE-SECRET-KEY-1", header} {
		if _, err := ReadIdentities([]byte(text)); err == nil {
			t.Errorf("%q is an identity file", text)
		}
	}
	if _, err := PassphraseKey(""); err == nil {
		t.Error("an empty passphrase is a key")
	}
}
