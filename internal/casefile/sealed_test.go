package casefile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/ddbdesk/ddbdesk/internal/agefile"
	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// newLock returns a lock and a function that returns its key.
func newLock(t *testing.T) (agefile.Lock, func() (agefile.Key, error)) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	l, err := agefile.ForRecipients([]string{id.Recipient().String()})
	if err != nil {
		t.Fatal(err)
	}
	return l, func() (agefile.Key, error) { return agefile.ReadIdentities([]byte(id.String())) }
}

// A sealed case has every declared attribute as stored, but no secret, and its file has no value in clear.
func TestSealedCaseHasItemsAsStoredWithoutSecrets(t *testing.T) {
	fixture.EachSchema(t, session.Developer, func(t *testing.T, f *fixture.Fixture, samples []sample.Item) {
		l, key := newLock(t)
		s, limits := f.Workspace.Session, casefile.DefaultLimits()
		checked := 0
		for _, one := range firsts(samples) {
			tree, err := f.Workspace.Cases.Explore(t.Context(), startAt(one.Entity, one.Item), limits, func(*casefile.Tree) {})
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := f.Workspace.Cases.TakeReal(t.Context(), s, tree, casefile.Purpose{Reason: "OPS-7"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Encode(); !errors.Is(err, session.ErrRefused) {
				t.Errorf("a file that is not sealed: %v", err)
			}
			sealed, err := c.Seal(l)
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range sensitiveValues(samples) {
				if bytes.Contains(sealed, []byte(value)) {
					t.Errorf("the sealed file has %q", value)
				}
			}
			file, err := casefile.Read(sealed, key)
			if err != nil {
				t.Fatal(err)
			}
			again, err := file.Open(f.Profile)
			if err != nil || !again.Real || len(again.Records) != len(c.Records) {
				t.Fatalf("%+v, %v", file.Header, err)
			}
			for _, r := range again.Records {
				i := slices.IndexFunc(samples, func(o sample.Item) bool {
					return o.Table == r.Table && o.Table.KeyText(o.Item) == r.Table.KeyText(r.Item)
				})
				if i < 0 {
					continue // A part of its key is a secret.
				}
				for name, v := range samples[i].Item {
					a := samples[i].Entity.Attribute(name)
					switch {
					case a == nil || len(a.Attributes) > 0:
					case a.Sensitive == models.Secret && r.Item[name] != nil && models.EqualItems(models.Item{"": v}, models.Item{"": r.Item[name]}):
						t.Errorf("%s.%s is a secret and in the case", samples[i].Entity.Name, name)
					case a.Sensitive == models.PII && !models.EqualItems(models.Item{"": v}, models.Item{"": r.Item[name]}):
						t.Errorf("%s.%s is %v, stored as %v", samples[i].Entity.Name, name, r.Item[name], v)
					case a.Sensitive == models.PII:
						checked++
					}
				}
			}
		}
		if checked == 0 {
			t.Error("no personal data was compared")
		}
	})
}

// Who may not reveal takes and opens no case with personal data, and nothing is done without a reason and the journal.
func TestRealCaseNeedsRoleReasonAndJournal(t *testing.T) {
	f := fixture.New(t, "authbridge", session.Developer)
	e, it := f.SampleCase(t, "approved")
	w := f.Workspace
	tree, err := w.Cases.Explore(t.Context(), startAt(e, it), casefile.DefaultLimits(), func(*casefile.Tree) {})
	if err != nil {
		t.Fatal(err)
	}
	support := f.With(session.Support)
	if _, _, err := support.Cases.TakeReal(t.Context(), support.Session, tree, casefile.Purpose{Reason: "x"}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("support: %v", err)
	}
	if _, _, err := w.Cases.TakeReal(t.Context(), w.Session, tree, casefile.Purpose{Reason: " "}); !errors.Is(err, session.ErrInput) {
		t.Errorf("without a reason: %v", err)
	}
	c, report, err := w.Cases.TakeReal(t.Context(), w.Session, tree, casefile.Purpose{Reason: "late", Ticket: "OPS-7"})
	if err != nil {
		t.Fatal(err)
	}
	if casefile.Total(report.Real) == 0 || !slices.ContainsFunc(report.Lines(), func(s string) bool { return strings.HasPrefix(s, "real ") }) {
		t.Errorf("the report has no personal data: %v", report.Lines())
	}
	for who, want := range map[*session.Session]error{support.Session: session.ErrRefused, w.Session: nil} {
		if err := c.Reveal(t.Context(), who, "put", "test of OPS-7"); !errors.Is(err, want) {
			t.Errorf("%s: %v", who.Role(), err)
		}
	}
	if err := c.Reveal(t.Context(), w.Session, "put", ""); !errors.Is(err, session.ErrInput) {
		t.Errorf("without a reason: %v", err)
	}
	var got []string
	for entry, err := range journal.Read(w.Session.JournalPath()) {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Kind == journal.Reveal {
			d := entry.Detail
			got = append(got, strings.Join([]string{entry.Subject, d.Reason, d.Items, d.Shown, d.Entities}, "|"))
		}
	}
	counts := journal.Counts(casefile.Entities(f.Profile, c.Records))
	n := len(c.Records)
	want := []string{
		"take Verification|OPS-7 late|" + strconv.Itoa(n) + "|revealed|" + counts, "put|test of OPS-7|" + strconv.Itoa(n) + "|revealed|" + counts,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the journal has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	path := w.Session.JournalPath()
	if err := errors.Join(os.Rename(path, path+".old"), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Cases.TakeReal(t.Context(), w.Session, tree, casefile.Purpose{Reason: "x"}); err == nil {
		t.Error("a case was taken without the journal")
	}
}

// A file that someone decrypted is no case file any more, and a damaged one has no items.
func TestUnsealedAndDamagedFilesAreRefused(t *testing.T) {
	f, c, text := taken(t)
	l, key := newLock(t)
	sealed, err := c.Seal(l)
	if err != nil {
		t.Fatal(err)
	}
	personal := *c
	personal.Real = true
	opened, err := personal.Seal(l)
	if err != nil {
		t.Fatal(err)
	}
	k, err := key()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := k.Open(opened)
	if err != nil {
		t.Fatal(err)
	}
	edited := bytes.Clone(sealed)
	edited[len(edited)-1] ^= 1
	_, other := newLock(t)
	for name, tt := range map[string]struct {
		text []byte
		key  func() (agefile.Key, error)
		want error
	}{
		"plain":         {text, nil, nil},
		"sealed":        {sealed, key, nil},
		"decrypted":     {plain, nil, session.ErrRefused},
		"edited":        {edited, key, session.ErrRefused},
		"cut payload":   {sealed[:len(sealed)-40], key, session.ErrRefused},
		"cut header":    {sealed[:60], key, session.ErrInput},
		"another key":   {sealed, other, agefile.ErrKey},
		"no case in it": {must(l.Seal([]byte("hello"))), key, session.ErrInput},
	} {
		file, err := casefile.Read(tt.text, tt.key)
		if !errors.Is(err, tt.want) || (file == nil) != (tt.want != nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if file != nil && file.Match(f.Profile) != nil {
			t.Errorf("%s: the profile does not match", name)
		}
	}
}

// The digest of a case file is made of what the file shows, so that it confirms no guess about the values that pseudonyms replaced:
// with another key, two cases of the same items have nothing of them in common but what is not sensitive.
func TestDigestConfirmsNoOriginalValue(t *testing.T) {
	var digests, lines []string
	for _, b := range []byte{7, 8} {
		f := fixture.New(t, "authbridge", session.Support)
		if err := os.WriteFile(filepath.Join(f.Dir, "token.key"), bytes.Repeat([]byte{b}, 32), 0o600); err != nil {
			t.Fatal(err)
		}
		e, it := f.SampleCase(t, "approved")
		_, c, _ := take(t, f.Workspace, e, it, 1)
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		file, err := casefile.Parse(text) // The digest is checked without the key, so it depends on the file only.
		if err != nil {
			t.Fatal(err)
		}
		digests, lines = append(digests, file.Digest), append(lines, string(text))
	}
	if digests[0] == digests[1] || lines[0] == lines[1] {
		t.Error("the key changes nothing")
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
