// This file makes and reads page tokens: where a run stopped, and of which
// request. A token names keys; where keys can hold personal data it is sealed.

package session

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// tokenDecl is the JSON inside a token.
type tokenDecl struct {
	Pattern string     `json:"p"`
	Args    string     `json:"a"` // digest of the parameters
	Now     int64      `json:"n"` // what relative times were taken from, in ms
	Taken   int        `json:"t,omitempty"`
	Legs    []tokenLeg `json:"l"`
}

type tokenLeg struct {
	Key  json.RawMessage `json:"k,omitempty"`
	Done bool            `json:"d,omitempty"`
}

// savedPosition is a position with the time that its request was bound at.
type savedPosition struct {
	accesspatterns.Position
	now time.Time
}

// The first byte of a token says how the rest is written.
const (
	plainToken  = 'p'
	sealedToken = 's'
)

// A page token is given as a flag, or as a parameter of a pattern that has one.
// Errors name it as it was given.
const nextFlag = "--next"

func damagedToken(given string) error {
	return inputErrorf("%s: not a token of this program, or a damaged one", given)
}

// Token returns where the next page starts.
func (r *Run) Token() (string, error) {
	at := r.cursor.Position()
	p := r.request.Pattern
	d := tokenDecl{Pattern: p.FullID(), Args: digest(r.request.Values, p), Now: r.request.Now.UnixMilli(), Taken: at.Taken}
	for _, l := range at.Legs {
		leg := tokenLeg{Done: l.Done}
		if l.Key != nil {
			leg.Key = l.Key.AppendDynamoDBJSON(nil)
		}
		d.Legs = append(d.Legs, leg)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("writing the page token: %w", err)
	}
	if !r.s.holdsSecrets(p.Table, at) {
		return base64.RawURLEncoding.EncodeToString(append([]byte{plainToken}, text...)), nil
	}
	gcm, err := r.s.tokenCipher()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("sealing the page token: %w", err)
	}
	sealed := gcm.Seal(append([]byte{sealedToken}, nonce...), nonce, text, nil)
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// position reads a token; nil for none. given is what errors call it.
func (s *Session) position(p *accesspatterns.Pattern, args map[string]string, token, given string) (*savedPosition, error) {
	if token == "" {
		return nil, nil
	}
	text, err := s.openToken(token, given)
	if err != nil {
		return nil, err
	}
	var d tokenDecl
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, damagedToken(given)
	}
	if d.Pattern != p.FullID() {
		return nil, inputErrorf("%s: the token belongs to %s", given, models.Printable(d.Pattern))
	}
	at := &savedPosition{now: time.UnixMilli(d.Now).UTC()}
	request, err := p.Bind(without(args, p), at.now)
	if err != nil {
		return nil, err
	}
	if digest(request.Values, p) != d.Args {
		return nil, inputErrorf("%s: the token belongs to other parameters of %s", given, p.FullID())
	}
	at.Taken = d.Taken
	for _, l := range d.Legs {
		leg := accesspatterns.LegPosition{Done: l.Done}
		if len(l.Key) > 0 {
			if leg.Key, err = models.ParseKeyJSON(l.Key); err != nil {
				return nil, damagedToken(given)
			}
		}
		at.Legs = append(at.Legs, leg)
	}
	return at, nil
}

func (s *Session) openToken(token, given string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < 2 {
		return nil, damagedToken(given)
	}
	if raw[0] == plainToken {
		return raw[1:], nil
	}
	if raw[0] != sealedToken {
		return nil, damagedToken(given)
	}
	gcm, err := s.tokenCipher()
	if err != nil {
		return nil, err
	}
	if len(raw) < 1+gcm.NonceSize() {
		return nil, damagedToken(given)
	}
	nonce, sealed := raw[1:1+gcm.NonceSize()], raw[1+gcm.NonceSize():]
	text, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, inputErrorf("%s: the token was sealed on another machine, or is damaged", given)
	}
	return text, nil
}

// digest identifies the parameters of a request.
func digest(values map[string]accesspatterns.Value, p *accesspatterns.Pattern) string {
	names := make([]string, 0, len(values))
	for n := range values {
		if q := p.Param(n); q != nil && q.Type != accesspatterns.Token && n != p.PageParam {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	h := sha256.New()
	for _, n := range names {
		fmt.Fprintf(h, "%d:%s%d:%s", len(n), n, len(values[n].Text), values[n].Text)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// holdsSecrets reports whether a key of the position is shown masked: what may
// not be read on a screen may not be read in a token.
func (s *Session) holdsSecrets(table *models.Table, at accesspatterns.Position) bool {
	masker := models.NewMasker(s.o.Profile.Entities, false)
	for _, l := range at.Legs {
		if l.Key == nil {
			continue
		}
		if shown := masker.Item(table, l.Key); !bytes.Equal(shown.AppendJSON(nil), l.Key.AppendJSON(nil)) {
			return true
		}
	}
	return false
}

// tokenCipher seals tokens with a key that stays on this machine.
func (s *Session) tokenCipher() (cipher.AEAD, error) {
	dir := s.o.StateDir
	if dir == "" {
		dir = appdir.State()
	}
	key, err := tokenKey(dir)
	if err != nil {
		return nil, fmt.Errorf("a page token of this pattern is sealed, because its keys hold personal data: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sealing the page token: %w", err)
	}
	return cipher.NewGCM(block)
}

// tokenKey reads the key, or makes it. Of two programs that make it at once,
// the first to link its file wins and both use that one.
func tokenKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "token.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) == 32 {
		return key, nil
	}
	if err == nil {
		return nil, fmt.Errorf("%s is damaged: remove it, older tokens are lost", path)
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
	tmp, err := os.CreateTemp(dir, "token-*")
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
		return nil, fmt.Errorf("%s is damaged: remove it, older tokens are lost", path)
	}
	return stored, nil
}
