package cases

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// email uses the reserved domain .example. Source: RFC 2606, section 2.
func (m *pseudonymizer) email(value string) string {
	low := strings.ToLower(value)
	at := strings.LastIndexByte(low, '@')
	return m.word("email", low, lengthClass(at)+2) + "@" + m.domain(low[at+1:])
}

func (m *pseudonymizer) domain(value string) string {
	host, port, found := strings.Cut(strings.ToLower(value), ":")
	if found {
		port = ":" + port
	}
	return m.word("domain", host, 10) + ".example" + port
}

// maxPhoneDigits is the maximum number of digits of a telephone number. Source: ITU-T E.164.
const maxPhoneDigits = 15

// phone uses the unassigned country code 999, so that no message can reach the number.
func (m *pseudonymizer) phone(value string) string {
	return m.unique("phone", value, func() string {
		text := "+999"
		for range min(len(value)-1, maxPhoneDigits-len("999")) {
			text += strconv.Itoa(m.IntN(10))
		}
		return text
	})
}

func isHex(value string) bool {
	hasOnlyDigits := strings.Trim(value, "0123456789abcdef") == "" || strings.Trim(value, "0123456789ABCDEF") == ""
	return hasOnlyDigits && len(value) >= 16 && strings.ContainsAny(value, "abcdefABCDEF")
}

// crockford contains the digits of ULIDs. Source: github.com/ulid/spec.
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

func (m *pseudonymizer) digits(value, all string, kept ...int) string {
	low := strings.ToLower(value)
	text := m.unique("digits "+all, low, func() string {
		out := []byte(low)
		for i, c := range out {
			if c != '-' && !slices.Contains(kept, i) {
				out[i] = all[m.IntN(len(all))]
			}
		}
		return string(out)
	})
	if value != low {
		text = strings.ToUpper(text)
	}
	return text
}

// ip returns an arbitrary IPv4 address, or an IPv6 address from the documentation range. Source: RFC 3849.
func (m *pseudonymizer) ip(value netip.Addr) string {
	return m.unique("ip", value.String(), func() string {
		out := []byte(m.random(4))
		if value.Is6() {
			out = append([]byte{0x20, 0x01, 0x0d, 0xb8}, m.random(12)...)
		}
		addr, _ := netip.AddrFromSlice(out) // The length is that of an address.
		return addr.String()
	})
}

func (m *pseudonymizer) url(value string) string {
	u, err := url.Parse(value)
	if err != nil {
		return m.shape(value, false)
	}
	out := strings.ToLower(u.Scheme) + "://" + m.domain(u.Host)
	if rest := strings.TrimPrefix(u.RequestURI(), "/") + u.Fragment; rest != "" || u.User != nil {
		out += "/" + m.word("url", value, lengthClass(len(rest)))
	}
	return out
}

func (m *pseudonymizer) document(value string) string {
	text := `"` + m.word("document", value, 16) + `"`
	if value[0] == '[' {
		return "[" + text + "]"
	}
	return `{"pseudonym":` + text + "}"
}

const (
	// maxWordLength is the maximum length in bytes of text that is treated as a word or an ID.
	maxWordLength = 64
	// shortest and longest are the limits of the length classes.
	shortest, longest = 8, 64 << 10
)

func lengthClass(length int) int {
	n := shortest
	for n < length && n < longest {
		n *= 2
	}
	return n
}

func (m *pseudonymizer) prose(value string) string {
	size := lengthClass(len(value))
	return m.unique("prose", strings.ToLower(value), func() string {
		var b strings.Builder
		for b.Len() < size {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			for range 3 + m.IntN(6) {
				b.WriteByte(byte('a' + m.IntN(26)))
			}
		}
		return strings.TrimRight(b.String()[:size], " ") + "."
	})
}
