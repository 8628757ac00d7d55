package cases

import (
	"cmp"
	cryptorand "crypto/rand"
	"encoding/json"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
)

// A pseudonymizer creates random pseudonyms and remembers them, so that equal values get equal pseudonyms.
type pseudonymizer struct {
	*rand.Rand
	source   *rand.ChaCha8
	prefixes []string             // longest first
	given    map[[2]string]string // pseudonyms by kind and value
	taken    map[[2]string]bool   // kinds with their pseudonyms
}

// newPseudonymizer returns a pseudonymizer. Pseudonyms keep the prefixes of IDs, such as ver_.
func newPseudonymizer(prefixes []string) *pseudonymizer {
	var seed [32]byte
	_, _ = cryptorand.Read(seed[:]) // never fails; see crypto/rand
	sorted := slices.DeleteFunc(slices.Clone(prefixes), func(p string) bool { return p == "" })
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	source := rand.NewChaCha8(seed)
	return &pseudonymizer{rand.New(source), source, slices.Compact(sorted), map[[2]string]string{}, map[[2]string]bool{}}
}

// maxTries is the number of random pseudonyms after which two values may share one, because almost all are in use.
const maxTries = 100_000

// unique returns the pseudonym of a value: always the same one, and not that of another value of the same kind.
func (m *pseudonymizer) unique(kind, value string, random func() string) string {
	known, ok := m.given[[2]string{kind, value}]
	if ok {
		return known
	}
	text := random()
	for tries := 1; m.taken[[2]string{kind, text}] && tries < maxTries; tries++ {
		text = random()
	}
	m.given[[2]string{kind, value}], m.taken[[2]string{kind, text}] = text, true
	return text
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
	matches := func(form models.Format) bool { return form.Check(value) == nil }
	switch {
	case value == "":
		return ""
	case matches(models.Email):
		return m.email(value)
	case matches(models.E164):
		return m.phone(value)
	case matches(models.UUID):
		return m.digits(value, crockford[:16], 14, 19) // The version and the variant stay.
	case matches(models.ULID) && strings.ContainsFunc(value, unicode.IsLetter): // otherwise it is a number
		return m.digits(value, crockford, 0)
	case isHex(value):
		return m.digits(value, crockford[:16])
	case matches(models.IP):
		return m.ip(netip.MustParseAddr(value))
	case matches(models.URL):
		return m.url(value)
	case f == models.Domain && matches(models.Domain):
		return m.domain(value)
	case (value[0] == '{' || value[0] == '[') && json.Valid([]byte(value)):
		return m.document(value)
	case len(value) > maxWordLength || strings.ContainsAny(value, " \t\r\n"):
		return m.prose(value)
	}
	return m.shape(value, false)
}

// opaque returns a pseudonym that does not keep the form of the value, for secrets in keys.
func (m *pseudonymizer) opaque(value string) string {
	for _, p := range m.prefixes {
		if rest, ok := strings.CutPrefix(value, p); ok {
			return p + m.opaque(rest)
		}
	}
	return m.word("opaque", value, lengthClass(len(value)))
}

// number keeps the number of digits, the sign, point and exponent. Without an exponent, it equals the result of text.
func (m *pseudonymizer) number(value string, f models.Format) string {
	if text, ok := m.time(value, f); ok {
		return text
	}
	return m.shape(value, true)
}

func (m *pseudonymizer) bytes(value []byte) []byte {
	return []byte(m.unique("bytes", string(value), func() string { return m.random(len(value)) }))
}

// choice returns the pseudonym of a value from a small set: a value from the same set, possibly the same value.
func (m *pseudonymizer) choice(value string, values []string) string {
	if !slices.Contains(values, value) {
		return m.text(value, models.NoFormat)
	}
	return m.unique("one of "+strings.Join(values, "\x00"), value, func() string { return values[m.IntN(len(values))] })
}

func (m *pseudonymizer) random(n int) string {
	out := make([]byte, n)
	_, _ = m.source.Read(out) // never fails
	return string(out)
}

const letters = "abcdefghijkmnpqrstuvwxyz23456789"

func (m *pseudonymizer) word(kind, value string, n int) string {
	return m.unique(kind, value, func() string {
		out := make([]byte, n)
		for i := range out {
			out[i] = letters[m.IntN(len(letters))]
		}
		return string(out)
	})
}
