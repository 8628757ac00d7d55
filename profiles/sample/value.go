package sample

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

// invent returns the text of a scalar attribute.
func (m *maker) invent(a *part) string {
	if i := slices.IndexFunc(m.plan.e.Is, func(q models.Equality) bool { return q.Path == a.Path }); i >= 0 {
		return m.invents.one(m.plan.e.Is[i].Values)
	}
	ownWords := !m.fresh || len(a.Enum) > 0 || a.Type == models.TypeBOOL
	switch {
	case len(a.deck) > 0 && ownWords:
		return a.draw(m.rng)
	case len(a.Enum) > 0:
		return m.invents.one(a.Enum)
	}
	switch a.Type {
	case models.TypeBOOL:
		return strconv.FormatBool(m.rng.IntN(4) > 0)
	case models.TypeN:
		return m.number(a)
	default:
		return m.fitted(a, a.Prefix+m.string(a))
	}
}

// fitted returns a text that the keys of the item can contain: of the width that their
// templates give and, in the primary key, without the literal after its placeholder.
func (m *maker) fitted(a *part, text string) string {
	if a.isTime() {
		return text
	}
	primary := m.plan.e.Table.PrimaryKeys()
	for _, k := range m.plan.e.Table.KeyAttributes() {
		t, _ := m.plan.e.KeyTemplate(k.Name)
		for i, s := range t.Segments() {
			if s.Name != a.Path {
				continue
			}
			if width, ok := s.Format.Width(); ok {
				return m.invents.letters(width)
			}
			if (a.KeyOnly || slices.Contains(primary, k)) && t.Unsplit(i) {
				text = strings.ReplaceAll(text, t.After(i), m.invents.letters(1))
			}
		}
	}
	return text
}

// number returns the text of a number in a range that fits the format, or the words of the name. Identifiers of
// fresh items have their own range, so that they do not collide.
func (m *maker) number(a *part) string {
	pick := func(lo, hi int) string { return strconv.Itoa(lo + m.rng.IntN(hi-lo+1)) }
	switch {
	case a.isTime():
		return timeText(a, m.clock.moment(a))
	case a.Format == models.Cents:
		return pick(5, 2000) + m.invents.one([]string{"00", "50", "95", "99"})
	case a.Format == models.Bytes:
		return pick(18_000, 9_400_000)
	case a.Format == models.Seconds:
		return pick(20, 7200)
	case a.Format == models.Score && strings.Contains(a.Description, "0 to 1"):
		return strings.TrimRight("0."+pick(52, 99), "0")
	case a.Format == models.Score || a.hasWord("percent", "percentage"):
		return pick(35, 100)
	case a.hasWord("score"):
		return pick(310, 840)
	case a.hasWord("delta", "impact", "change"):
		return pick(-40, 45)
	case a.hasWord("amount", "price", "balance", "limit", "total", "credit", "payment") && !a.hasWord("count", "rate"):
		return pick(20, 4800)
	case a.hasWord("retry", "attempts", "retries"):
		return m.retries()
	case a.hasWord("version", "days"):
		return pick(1, 9)
	case a.hasWord("count", "remaining", "requests"):
		return pick(3, 900)
	case m.fresh:
		return pick(61, 999_999_999)
	default:
		return pick(1, 60)
	}
}

// retries returns 0 for a new item and at least 1 for a failed one.
func (m *maker) retries() string {
	switch {
	case m.failed():
		return strconv.Itoa(1 + m.rng.IntN(4))
	case m.plan.life != nil && len(m.r.path) == 1:
		return "0"
	default:
		return strconv.Itoa(m.rng.IntN(6) / 4)
	}
}

// string returns the text of a string by its format, or by its name.
func (m *maker) string(a *part) string {
	if a.isTime() {
		return timeText(a, m.clock.moment(a))
	}
	switch a.Format {
	case models.UUID:
		return m.invents.uuid()
	case models.UUID7:
		return m.invents.uuid7()
	case models.SHA256:
		return m.invents.hex(32)
	case models.E164:
		return m.invents.phone()
	case models.Email:
		return m.invents.subject().email
	case models.URL:
		return "https://" + m.invents.domain() + "/" + m.invents.one(plainWords) + "/" + m.invents.letters(8)
	case models.IP:
		return m.invents.ip()
	case models.Domain:
		return m.invents.domain()
	case models.MIME:
		return m.invents.one([]string{"image/jpeg", "image/png", "application/pdf"})
	case models.Version:
		return fmt.Sprintf("%d.%d.%d", 1+m.rng.IntN(6), m.rng.IntN(10), m.rng.IntN(10))
	case models.Text:
		return m.prose(a)
	default:
		return m.named(a)
	}
}

// prose returns text that people write or read.
func (m *maker) prose(a *part) string {
	if a.last() == "name" {
		return m.invents.company()
	}
	return m.invents.one(sentences)
}

var uuidWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\buuid\b`) })

// named returns text that matches the name of the attribute.
func (m *maker) named(a *part) string {
	switch last := a.last(); {
	case a.hasWord("s3", "path", "file") && a.hasWord("key", "path"):
		return m.clock.start.Format("2006/01/02/") + m.invents.hex(16)
	case a.hasWord("idempotency") || uuidWord().MatchString(a.Description):
		return m.invents.uuid()
	case a.hasWord("hash", "digest", "checksum"):
		return m.invents.hex(32)
	case a.Sensitive == models.Secret || a.hasWord("secret", "token", "password"):
		return "sample-" + m.invents.letters(32)
	case last == "uid":
		return m.invents.letters(28)
	case slices.Contains([]string{"id", "key", "identifier", "number", "ref", "reference"}, last):
		return m.id(a)
	case last == "name":
		return m.name(a)
	default:
		return m.worded(a)
	}
}

// name returns the name of a file, a company or a person.
func (m *maker) name(a *part) string {
	switch {
	case a.hasWord("given", "first"):
		return m.invents.subject().given
	case a.hasWord("family", "surname", "last"):
		return m.invents.subject().family
	case a.hasWord("file"):
		return m.invents.one(plainWords) + "_" + m.invents.letters(4) + ".jpg"
	case a.hasWord("company", "organization", "organisation", "agency", "client", "product"):
		return m.invents.company()
	default:
		return m.invents.subject().given + " " + m.invents.subject().family
	}
}

// worded returns text that matches the words of the attribute's name.
func (m *maker) worded(a *part) string {
	switch {
	case a.hasWord("phone", "mobile", "telephone"):
		return m.invents.phone()
	case a.hasWord("email", "mail"):
		return m.invents.subject().email
	case a.hasWord("timezone"):
		return m.invents.one(zones)
	case a.hasWord("agent"):
		return m.invents.one(agents)
	case a.hasWord("reason", "note", "notes", "comment", "message", "body", "description", "title", "text"):
		return m.invents.one(sentences)
	case a.hasWord("error", "failure"):
		return m.invents.one(failures)
	case a.hasWord("ip", "address"):
		return m.invents.ip()
	default:
		return m.invents.one(plainWords) + "-" + m.invents.letters(4)
	}
}

// id returns an ID prefixed with its kind: card_ and twelve letters for cardId.
func (m *maker) id(a *part) string {
	if a.Prefix != "" {
		return m.invents.letters(14)
	}
	stem := strings.Join(a.words[:max(len(a.words)-1, 0)], "_")
	if stem == "" {
		stem = strings.ToLower(m.plan.e.Name)
	}
	return stem + "_" + m.invents.letters(12)
}
