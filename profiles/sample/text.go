package sample

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

func (in *inventor) one(list []string) string { return list[in.m.rng.IntN(len(list))] }

func (in *inventor) letters(n int) string {
	const alphabet = "abcdefghjkmnpqrstvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[in.m.rng.IntN(len(alphabet))]
	}
	return string(b)
}

func (in *inventor) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(in.m.rng.Uint32())
	}
	return b
}

func (in *inventor) hex(n int) string { return hex.EncodeToString(in.bytes(n)) }

// uuid returns a UUIDv4. Source: RFC 9562, section 5.4.
func (in *inventor) uuid() string {
	u := in.bytes(16)
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return uuidText(u)
}

func (in *inventor) uuid7() string {
	u := in.bytes(16)
	ms := in.m.clock.start.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return uuidText(u)
}

// ulid returns 48 bits of milliseconds and 80 random bits in Crockford's base 32. Source: github.com/ulid/spec.
func (in *inventor) ulid() string {
	ms := big.NewInt(in.m.clock.start.UnixMilli())
	return based(ms.Or(ms.Lsh(ms, 80), new(big.Int).SetBytes(in.bytes(10))), "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26)
}

// ksuid returns 32 bits of seconds since 2014-05-13 and 128 random bits in base 62. Source:
// github.com/segmentio/ksuid.
func (in *inventor) ksuid() string {
	const epoch = 1_400_000_000
	seconds := big.NewInt(in.m.clock.start.Unix() - epoch)
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return based(seconds.Or(seconds.Lsh(seconds, 128), new(big.Int).SetBytes(in.bytes(16))), digits, 27)
}

func based(number *big.Int, digits string, n int) string {
	text := make([]byte, n)
	base, rest := big.NewInt(int64(len(digits))), new(big.Int)
	for i := range n {
		number.DivMod(number, base, rest)
		text[n-1-i] = digits[rest.Int64()]
	}
	return string(text)
}

func uuidText(u []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// ip returns an address of the networks reserved for documentation. Source: RFC 5737.
func (in *inventor) ip() string {
	return in.one([]string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+in.m.rng.IntN(254))
}

// domain returns a subdomain of the domains reserved for examples. Source: RFC 2606.
func (in *inventor) domain() string {
	name := in.one(plainWords) + "-" + in.one(nouns)
	if in.m.rng.IntN(2) == 0 || in.m.fresh {
		name += strconv.Itoa(2 + in.m.rng.IntN(9000))
	}
	return name + in.one([]string{".example.com", ".example.net", ".example.org"})
}

// phone returns a number of the ranges reserved for fiction. Sources: NANPA 555-0100 to 0199, Ofcom 07700 900, ACMA
// 0491 570, ARCEP 01 99 00.
func (in *inventor) phone() string {
	switch in.m.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("+1%s55501%02d", in.one([]string{"202", "312", "415", "617"}), in.m.rng.IntN(100))
	case 1:
		return fmt.Sprintf("+447700900%03d", in.m.rng.IntN(1000))
	case 2:
		return fmt.Sprintf("+6149157%04d", in.m.rng.IntN(10000))
	default:
		return fmt.Sprintf("+331990%05d", in.m.rng.IntN(100000))
	}
}

func (in *inventor) company() string {
	word, noun := in.one(plainWords), in.one(nouns)
	return strings.ToUpper(word[:1]) + word[1:] + " " + strings.ToUpper(noun[:1]) + noun[1:]
}

// A person is the subject of an item. Names and email address belong together.
type person struct{ given, family, email string }

func (in *inventor) subject() *person {
	if in.person == nil {
		p := person{given: in.one(givenNames), family: in.one(familyNames)}
		fold := func(s string) string { return strings.ToLower(strings.NewReplacer(" ", "", "'", "").Replace(s)) }
		p.email = fmt.Sprintf("%s.%s%d@%s", fold(p.given), fold(p.family), 1+in.m.rng.IntN(9999),
			in.one([]string{"example.com", "example.net", "example.org"}))
		in.person = &p
	}
	return in.person
}
