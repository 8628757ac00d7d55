package sample

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

func (m *maker) one(list []string) string { return list[m.rng.IntN(len(list))] }

// letters returns n lowercase letters and digits that are easy to distinguish.
func (m *maker) letters(n int) string {
	const alphabet = "abcdefghjkmnpqrstvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.rng.IntN(len(alphabet))]
	}
	return string(b)
}

func (m *maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	return b
}

func (m *maker) hex(n int) string { return hex.EncodeToString(m.bytes(n)) }

func (m *maker) uuid() string {
	u := m.bytes(16)
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return uuidText(u)
}

// uuid7 returns a UUIDv7 with the time of the item's creation.
func (m *maker) uuid7() string {
	u := m.bytes(16)
	ms := m.clock.start.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return uuidText(u)
}

func uuidText(u []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// ip returns an address of the networks reserved for documentation.
// Source: RFC 5737.
func (m *maker) ip() string {
	return m.one([]string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+m.rng.IntN(254))
}

// domain returns a subdomain of the domains reserved for examples.
// Source: RFC 2606.
func (m *maker) domain() string {
	name := m.one(plainWords) + "-" + m.one(nouns)
	if m.rng.IntN(2) == 0 || m.fresh {
		name += strconv.Itoa(2 + m.rng.IntN(9000))
	}
	return name + m.one([]string{".example.com", ".example.net", ".example.org"})
}

// phone returns a number of the ranges reserved for fiction.
// Sources: NANPA 555-0100 to 0199, Ofcom 07700 900, ACMA 0491 570, ARCEP 01 99 00.
func (m *maker) phone() string {
	switch m.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("+1%s55501%02d", m.one([]string{"202", "312", "415", "617"}), m.rng.IntN(100))
	case 1:
		return fmt.Sprintf("+447700900%03d", m.rng.IntN(1000))
	case 2:
		return fmt.Sprintf("+6149157%04d", m.rng.IntN(10000))
	default:
		return fmt.Sprintf("+331990%05d", m.rng.IntN(100000))
	}
}

// company returns a company name.
func (m *maker) company() string {
	word, noun := m.one(plainWords), m.one(nouns)
	return strings.ToUpper(word[:1]) + word[1:] + " " + strings.ToUpper(noun[:1]) + noun[1:]
}

// A person is the subject of an item. Names and email address belong together.
type person struct{ given, family, email string }

func (m *maker) someone() *person {
	if m.person == nil {
		p := person{given: m.one(givenNames), family: m.one(familyNames)}
		fold := func(s string) string { return strings.ToLower(strings.NewReplacer(" ", "", "'", "").Replace(s)) }
		p.email = fmt.Sprintf("%s.%s%d@%s", fold(p.given), fold(p.family), 1+m.rng.IntN(9999),
			m.one([]string{"example.com", "example.net", "example.org"}))
		m.person = &p
	}
	return m.person
}
