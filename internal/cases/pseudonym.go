package cases

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A pseudonymizer creates pseudonyms with one key. It is safe for concurrent use.
type pseudonymizer struct {
	key      []byte
	prefixes []string // longest first
}

// newPseudonymizer returns a pseudonymizer with a key of 32 random bytes. Pseudonyms keep the prefixes of IDs, such as
// ver_.
func newPseudonymizer(key []byte, prefixes []string) *pseudonymizer {
	own := slices.DeleteFunc(slices.Clone(prefixes), func(p string) bool { return p == "" })
	slices.SortFunc(own, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return &pseudonymizer{key: key, prefixes: slices.Compact(own)}
}

// text selects the method by the form of the value, so that equal values get equal pseudonyms in every attribute.
func (m *pseudonymizer) text(value string, f models.Format) string {
	for _, p := range m.prefixes {
		if len(value) > len(p) && strings.HasPrefix(value, p) {
			return p + m.text(value[len(p):], f)
		}
	}
	if text, ok := m.time(value, f); ok {
		return text
	}
	is := func(form models.Format) bool { return form.Check(value) == nil }
	switch {
	case value == "":
		return ""
	case is(models.Email):
		return m.email(value)
	case is(models.E164):
		return m.phone(value)
	case is(models.UUID):
		return m.uuid(value)
	case isHex(value):
		return m.hex(value)
	case is(models.IP):
		return m.ip(netip.MustParseAddr(value))
	case is(models.URL):
		return m.url(value)
	case f == models.Domain && is(models.Domain):
		return m.domain(value)
	case (value[0] == '{' || value[0] == '[') && json.Valid([]byte(value)):
		return m.document(value)
	case len(value) > longestWord || strings.ContainsAny(value, " \t\r\n"):
		return m.prose(value)
	}
	return m.permuteShape(value, false)
}

// opaque returns a pseudonym that not even the key can reverse, for secrets in keys.
func (m *pseudonymizer) opaque(value string) string {
	for _, p := range m.prefixes {
		if rest, ok := strings.CutPrefix(value, p); ok {
			return p + m.opaque(rest)
		}
	}
	return m.word("opaque", value, class(len(value)))
}

// number keeps the number of digits, the sign, point and exponent. Without an exponent, it equals the result of text.
func (m *pseudonymizer) number(value string, f models.Format) string {
	if text, ok := m.time(value, f); ok {
		return text
	}
	return m.permuteShape(value, true)
}

func (m *pseudonymizer) bytes(value []byte) []byte {
	out := make([]byte, len(value))
	m.stream("bytes", string(value)).read(out)
	return out
}

// choice returns the pseudonym of a value from a small set: a value from the same set, possibly the same value.
func (m *pseudonymizer) choice(value string, values []string) string {
	order := slices.Sorted(slices.Values(values))
	at, ok := slices.BinarySearch(order, value)
	if !ok {
		return m.text(value, models.NoFormat)
	}
	return order[m.permute(uint64(len(order)), uint64(at), "one of "+strings.Join(order, "\x00"))]
}

func (m *pseudonymizer) sum(use, value string) []byte {
	h := hmac.New(sha256.New, m.key)
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(use)))
	for _, part := range [][]byte{length[:], []byte(use), []byte(value)} {
		h.Write(part) // never returns an error; see hash.Hash
	}
	return h.Sum(nil)
}

var letters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

func (m *pseudonymizer) word(use, value string, n int) string {
	out := make([]byte, n)
	m.stream(use, value).read(out)
	return letters.EncodeToString(out)[:n]
}

// A stream is an endless sequence of bytes derived from a value.
type stream struct {
	m    *pseudonymizer
	seed string
	n    uint64
	rest []byte
}

func (m *pseudonymizer) stream(use, value string) *stream {
	return &stream{m: m, seed: string(m.sum(use, value))}
}

func (s *stream) read(out []byte) {
	for len(out) > 0 {
		if len(s.rest) == 0 {
			s.rest = s.m.sum("stream", string(binary.BigEndian.AppendUint64([]byte(s.seed), s.n)))
			s.n++
		}
		n := copy(out, s.rest)
		out, s.rest = out[n:], s.rest[n:]
	}
}

func (s *stream) below(n int) int {
	var b [8]byte
	s.read(b[:])
	return int(binary.BigEndian.Uint64(b[:]) % uint64(n))
}
