package reading

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// tokenDecl is the JSON form of a token.
type tokenDecl struct {
	Pattern string     `json:"p"`
	Args    string     `json:"a"`           // digest of the parameters
	Sent    string     `json:"r"`           // digest of the request
	Target  string     `json:"e"`           // digest of the endpoint and the region
	Now     int64      `json:"n"`           // time of the request in ms, for relative times
	Taken   int        `json:"t,omitempty"` // rows returned, for a limit of the pattern
	Scanned int        `json:"s,omitempty"` // items read, for the progress of a scan
	Legs    []tokenLeg `json:"l"`
}

// A tokenLeg is the position within one leg: after a key, or at the end.
type tokenLeg struct {
	Key  json.RawMessage `json:"k,omitempty"` // DynamoDB JSON; absent at the beginning
	Done bool            `json:"d,omitempty"`
}

// The first byte of a token specifies the encoding.
const (
	plainToken  = 'p'
	sealedToken = 's'
)

// nextFlag is the name of a page token in errors, unless a parameter of the pattern contains the token.
const nextFlag = "--next"

func invalidTokenError(flag string) error {
	return session.InputErrorf("%s: invalid page token; use the token that the last page printed, or start without one", flag)
}

// Token returns the token for the next page, in base64 without padding, which is safe in URLs and shells. If it
// contains personal data, Token encrypts it for this machine. A token is valid only for this pattern, these parameters
// and this database, without an expiry. Its length grows with the number of parts. Do not call Token at the end.
func (r *Run) Token() (string, error) {
	at := r.cursor.Position()
	p := r.request.Pattern
	d := tokenDecl{
		Pattern: p.FullID(), Args: digest(r.request.Values, p), Sent: r.fingerprint, Target: r.rd.target(), Now: r.request.Now.UnixMilli(),
		Taken: at.Taken, Scanned: at.Scanned,
	}
	for _, l := range at.Legs {
		leg := tokenLeg{Done: l.Done}
		if l.Key != nil {
			leg.Key = l.Key.AppendDynamoDBJSON(nil)
		}
		d.Legs = append(d.Legs, leg)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("write the page token: %w", err)
	}
	if !r.rd.masksKeys(p.Table, at) && !r.rd.hasPersonalArgs(r.request) {
		return base64.RawURLEncoding.EncodeToString(append([]byte{plainToken}, text...)), nil
	}
	sealed, err := r.rd.s.Sealer().Seal(text, "")
	if err != nil {
		return "", fmt.Errorf("encrypt the page token, whose keys contain personal data: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte{sealedToken}, sealed...)), nil
}

// ContinueCommand returns the command that continues after a token.
func (r *Run) ContinueCommand(token string) string {
	if r.request.PageToken != "" {
		return r.rd.s.Again(r.request.TokenParam, token)
	}
	return r.rd.s.Again(nextFlag, token)
}

// resume restores the relative times of the first request. flag is the token's name in errors.
func (rd *Reader) resume(r *accesspatterns.Request, token, flag string) (*accesspatterns.Request, *accesspatterns.Position, error) {
	text, sealed, err := rd.openToken(token, flag)
	if err != nil {
		return nil, nil, err
	}
	p := r.Pattern
	var d tokenDecl
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, nil, invalidTokenError(flag)
	}
	if d.Pattern != p.FullID() {
		return nil, nil, session.InputErrorf("%s: the page token belongs to %s; start from the first page", flag,
			models.Printable(d.Pattern))
	}
	if r, err = r.At(time.UnixMilli(d.Now).UTC()); err != nil {
		return nil, nil, err
	}
	if digest(r.Values, p) != d.Args {
		return nil, nil, session.InputErrorf("%s: the page token belongs to other parameters of %s; start from the first page", flag,
			p.Term())
	}
	if err := rd.checkSent(r, d, flag); err != nil {
		return nil, nil, err
	}
	if r = r.Split(len(d.Legs)); len(r.Legs) != len(d.Legs) {
		return nil, nil, session.InputErrorf("%s: the page token belongs to another request; start from the first page", flag)
	}
	at := &accesspatterns.Position{Taken: d.Taken, Scanned: d.Scanned}
	for _, l := range d.Legs {
		leg := accesspatterns.LegPosition{Done: l.Done}
		if len(l.Key) > 0 {
			if leg.Key, err = models.ParseKeyJSON(l.Key); err != nil {
				return nil, nil, invalidTokenError(flag)
			}
		}
		at.Legs = append(at.Legs, leg)
	}
	if !sealed && (rd.masksKeys(p.Table, *at) || rd.hasPersonalArgs(r)) {
		return nil, nil, invalidTokenError(flag) // Continuing after a key that the user chose would reveal masked keys.
	}
	return r, at, nil
}

func (rd *Reader) openToken(token, flag string) (text []byte, sealed bool, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	switch {
	case err != nil || len(raw) < 2 || raw[0] != plainToken && raw[0] != sealedToken:
		return nil, false, invalidTokenError(flag)
	case raw[0] == plainToken:
		return raw[1:], false, nil
	}
	text, err = rd.s.Sealer().Open(raw[1:], "")
	if errors.Is(err, session.ErrForeign) {
		err = session.InputErrorf("%s: the page token was created on another machine or is corrupt; start from the first page", flag)
	}
	return text, true, err
}

func digest(values map[string]accesspatterns.Value, p *accesspatterns.Pattern) string {
	h := sha256.New()
	for _, n := range slices.Sorted(maps.Keys(values)) {
		if q := p.Param(n); q != nil && q.Type != accesspatterns.Token && n != p.PageParam {
			fmt.Fprintf(h, "%d:%s%d:%s", len(n), n, len(values[n].Text), values[n].Text)
		}
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// checkSent rejects a token for another table, order or database, where its position is meaningless.
func (rd *Reader) checkSent(r *accesspatterns.Request, d tokenDecl, flag string) error {
	subject := ""
	switch {
	case shortFingerprint(r) != d.Sent:
		subject = "another table, condition or order"
	case rd.s.Store() != nil && rd.target() != d.Target:
		subject = "another endpoint or region"
	default:
		return nil
	}
	return session.InputErrorf("%s: the page token belongs to %s of %s; start from the first page", flag, subject, r.Pattern.Term())
}

func shortFingerprint(r *accesspatterns.Request) string { return shortDigest(r.Fingerprint()) }

func (rd *Reader) target() string {
	t := rd.s.Target()
	return shortDigest(fmt.Appendf(nil, "%q %q", t.Endpoint, t.Region))
}

func shortDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// hasPersonalArgs reports whether an argument is personal: a digest in the token would not protect a phone number.
func (rd *Reader) hasPersonalArgs(r *accesspatterns.Request) bool {
	for name := range r.Values {
		if q := r.Pattern.Param(name); q != nil && rd.s.Sensitivity(q) != models.NotSensitive {
			return true
		}
	}
	return false
}

// masksKeys reports whether a key attribute is masked, for the item at the position or for any entity of the table: a
// user who writes a token can claim that a key belongs to an entity that masks nothing.
func (rd *Reader) masksKeys(table *models.Table, at accesspatterns.Position) bool {
	masker := rd.s.FullMasker()
	for _, l := range at.Legs {
		if l.Key == nil {
			continue
		}
		if shown := masker.Item(table, l.Key); !bytes.Equal(shown.AppendJSON(nil), l.Key.AppendJSON(nil)) {
			return true
		}
		for _, e := range rd.s.Profile().EntitiesOf(table) {
			for name := range l.Key {
				if masker.Hides(e.Stricter(models.NotSensitive, []string{name})) {
					return true
				}
			}
		}
	}
	return false
}
