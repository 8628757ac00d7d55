// This file invents values for sample items: by type, format, and what the
// name of an attribute suggests.

package profiles

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// invent makes the text of a scalar attribute.
func (m *maker) invent(a *samplePart) string {
	ownWords := !m.fresh || len(a.Enum) > 0 || a.Type == models.TypeBOOL
	switch {
	case len(a.deck) > 0 && ownWords:
		return a.draw(m.rng)
	case len(a.Enum) > 0:
		return m.one(a.Enum)
	}
	switch a.Type {
	case models.TypeBOOL:
		return strconv.FormatBool(m.rng.IntN(4) > 0)
	case models.TypeN:
		return m.number(a)
	default:
		return a.Prefix + m.string(a)
	}
}

func (m *maker) number(a *samplePart) string {
	pick := func(lo, hi int) string { return strconv.Itoa(lo + m.rng.IntN(hi-lo+1)) }
	switch {
	case a.isTime():
		return spell(a, m.moment(a))
	case a.Format == models.Cents:
		return pick(5, 2000) + m.one([]string{"00", "50", "95", "99"})
	case a.Format == models.Bytes:
		return pick(18_000, 9_400_000)
	case a.Format == models.Seconds:
		return pick(20, 7200)
	case a.Format == models.Score && strings.Contains(a.Description, "0 to 1"):
		return "0." + pick(52, 99)
	case a.Format == models.Score || a.says("percent", "percentage"):
		return pick(35, 100)
	case a.says("score"):
		return pick(310, 840)
	case a.says("delta", "impact", "change"):
		return pick(-40, 45)
	case a.says("amount", "price", "balance", "limit", "total", "credit", "payment") && !a.says("count", "rate"):
		return pick(20, 4800)
	case a.says("retry", "attempts", "retries"):
		return pick(0, 3)
	case a.says("version", "days"):
		return pick(1, 9)
	case a.says("count", "remaining", "requests"):
		return pick(3, 900)
	case m.fresh:
		return pick(61, 999_999_999)
	default:
		return pick(1, 60)
	}
}

// string makes the text of a string by its format, or by its name.
func (m *maker) string(a *samplePart) string {
	if a.isTime() {
		return spell(a, m.moment(a))
	}
	switch a.Format {
	case models.UUID:
		return m.uuid()
	case models.UUID7:
		return m.uuid7()
	case models.SHA256:
		return m.hex(32)
	case models.E164:
		return m.phone()
	case models.Email:
		return m.someone().email
	case models.URL:
		return "https://" + m.domain() + "/" + m.one(plainWords) + "/" + m.letters(8)
	case models.IP:
		return m.ip()
	case models.Domain:
		return m.domain()
	case models.MIME:
		return m.one([]string{"image/jpeg", "image/png", "application/pdf"})
	case models.Version:
		return fmt.Sprintf("%d.%d.%d", 1+m.rng.IntN(6), m.rng.IntN(10), m.rng.IntN(10))
	case models.Text:
		return m.prose(a)
	default:
		return m.named(a)
	}
}

// prose makes the text of an attribute that people write or read.
func (m *maker) prose(a *samplePart) string {
	if a.last() == "name" {
		return m.company()
	}
	return m.one(sentences)
}

var uuidWord = regexp.MustCompile(`(?i)\buuid\b`)

// named makes a text that fits the name of the attribute.
func (m *maker) named(a *samplePart) string {
	switch last := a.last(); {
	case a.says("s3", "path", "file") && a.says("key", "path"):
		return m.clock.start.Format("2006/01/02/") + m.hex(16)
	case a.says("idempotency") || uuidWord.MatchString(a.Description):
		return m.uuid()
	case a.says("hash", "digest", "checksum"):
		return m.hex(32)
	case a.Sensitive == models.Secret || a.says("secret", "token", "password"):
		return "sample-" + m.letters(32)
	case has([]string{"id", "key", "identifier", "number", "ref", "reference"}, last):
		return m.id(a)
	case a.says("phone", "mobile", "telephone"):
		return m.phone()
	case a.says("email", "mail"):
		return m.someone().email
	case a.says("timezone"):
		return m.one(zones)
	case a.says("agent"):
		return m.one(agents)
	case last == "name" && a.says("given", "first"):
		return m.someone().given
	case last == "name" && a.says("family", "surname", "last"):
		return m.someone().family
	case last == "name" && a.says("file"):
		return m.one(plainWords) + "_" + m.letters(4) + ".jpg"
	case last == "name" && a.says("company", "organization", "organisation", "agency", "client", "product"):
		return m.company()
	case last == "name":
		return m.someone().given + " " + m.someone().family
	case a.says("reason", "note", "notes", "comment", "message", "body", "description", "title", "text"):
		return m.one(sentences)
	case a.says("error", "failure"):
		return m.one(failures)
	case a.says("ip", "address"):
		return m.ip()
	case last == "uid":
		return m.letters(28)
	default:
		return m.one(plainWords) + "-" + m.letters(4)
	}
}

// id makes an id that says what it is of: cardId is card_ and twelve letters.
func (m *maker) id(a *samplePart) string {
	if a.Prefix != "" {
		return m.letters(14)
	}
	stem := strings.Join(a.words[:max(len(a.words)-1, 0)], "_")
	if stem == "" {
		stem = strings.ToLower(m.plan.e.Name)
	}
	return stem + "_" + m.letters(12)
}

func (m *maker) one(list []string) string { return list[m.rng.IntN(len(list))] }

// letters returns n small letters and digits that cannot be mistaken for each
// other.
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

// uuid7 is ordered by the time at which the item came to be.
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

// ip returns an address of the networks that are kept for documentation.
// Source: RFC 5737.
func (m *maker) ip() string {
	return m.one([]string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+m.rng.IntN(254))
}

// domain returns a name below the domains that are kept for examples.
// Source: RFC 2606.
func (m *maker) domain() string {
	name := m.one(plainWords) + "-" + m.one(nouns)
	if m.rng.IntN(2) == 0 || m.fresh {
		name += strconv.Itoa(2 + m.rng.IntN(9000))
	}
	return name + m.one([]string{".example.com", ".example.net", ".example.org"})
}

// phone returns a number of the ranges that are kept for fiction.
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

// company returns the name of a firm.
func (m *maker) company() string {
	word, noun := m.one(plainWords), m.one(nouns)
	return strings.ToUpper(word[:1]) + word[1:] + " " + strings.ToUpper(noun[:1]) + noun[1:]
}

// A person is who an item is about: names and address belong together.
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
