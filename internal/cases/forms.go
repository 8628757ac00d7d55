package cases

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// email uses the reserved domain .example. Source: RFC 2606, section 2.
func (m *pseudonymizer) email(value string) string {
	low := strings.ToLower(value)
	at := strings.LastIndexByte(low, '@')
	return m.word("email", low, class(at)+2) + "@" + m.domain(low[at+1:])
}

func (m *pseudonymizer) domain(value string) string {
	host, port, found := strings.Cut(strings.ToLower(value), ":")
	if found {
		port = ":" + port
	}
	return m.word("domain", host, 10) + ".example" + port
}

// longestPhone is the maximum number of digits of a telephone number. Source: ITU-T E.164.
const longestPhone = 15

// phone uses the unassigned country code 999, so that no message can reach the number.
func (m *pseudonymizer) phone(value string) string {
	digits := m.permuteShape("0"+value[1:], true)[1:] // with a leading zero, the first digit can become any other digit
	return "+999" + digits[max(0, len(digits)-(longestPhone-len("999"))):]
}

func (m *pseudonymizer) uuid(value string) string {
	id := make([]byte, 16)
	m.stream("uuid", strings.ToLower(value)).read(id)
	text := fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	text = text[:14] + strings.ToLower(value[14:15]) + text[15:19] + strings.ToLower(value[19:20]) + text[20:]
	if value != strings.ToLower(value) {
		text = strings.ToUpper(text)
	}
	return text
}

func isHex(value string) bool {
	digits := strings.Trim(value, "0123456789abcdef") == "" || strings.Trim(value, "0123456789ABCDEF") == ""
	return digits && len(value) >= 16 && strings.ContainsAny(value, "abcdefABCDEF")
}

func (m *pseudonymizer) hex(value string) string {
	id := make([]byte, (len(value)+1)/2)
	m.stream("hex", strings.ToLower(value)).read(id)
	text := hex.EncodeToString(id)[:len(value)]
	if value != strings.ToLower(value) {
		text = strings.ToUpper(text)
	}
	return text
}

// ip returns an arbitrary IPv4 address, or an IPv6 address from the documentation range. Source: RFC 3849.
func (m *pseudonymizer) ip(value netip.Addr) string {
	if value.Is4() {
		b := value.As4()
		x := m.permute(1<<32, uint64(b[0])<<24|uint64(b[1])<<16|uint64(b[2])<<8|uint64(b[3]), "ipv4")
		return netip.AddrFrom4([4]byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)}).String()
	}
	b := value.As16()
	out := [16]byte{0x20, 0x01, 0x0d, 0xb8}
	m.stream("ipv6", string(b[:])).read(out[4:])
	return netip.AddrFrom16(out).String()
}

func (m *pseudonymizer) url(value string) string {
	u, err := url.Parse(value)
	if err != nil {
		return m.permuteShape(value, false)
	}
	out := strings.ToLower(u.Scheme) + "://" + m.domain(u.Host)
	if rest := strings.TrimPrefix(u.RequestURI(), "/") + u.Fragment; rest != "" || u.User != nil {
		out += "/" + m.word("url", value, class(len(rest)))
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
	// longestWord is the maximum length in bytes of text that is treated as a word or an ID.
	longestWord = 64
	// shortest and longest are the limits of the length classes.
	shortest, longest = 8, 64 << 10
)

func class(length int) int {
	n := shortest
	for n < length && n < longest {
		n *= 2
	}
	return n
}

func (m *pseudonymizer) prose(value string) string {
	in, size := m.stream("prose", strings.ToLower(value)), class(len(value))
	var b strings.Builder
	for b.Len() < size {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for range 3 + in.below(6) {
			b.WriteByte(byte('a' + in.below(26)))
		}
	}
	return strings.TrimRight(b.String()[:size], " ") + "."
}
