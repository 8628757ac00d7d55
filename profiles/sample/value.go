package sample

import (
	"cmp"
	"embed"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func (m *itemMaker) generate(a *part) string {
	if i := slices.IndexFunc(m.plan.e.Is, func(q models.Equality) bool { return q.Path == a.Path }); i >= 0 {
		return m.texts.one(m.plan.e.Is[i].Values)
	}
	if values := m.combination[a.Path]; len(values) > 0 {
		return m.texts.one(values)
	}
	canRepeat := !m.generatesKeys || len(a.Enum) > 0 || a.Type == models.TypeBOOL
	switch {
	case len(a.values) > 0 && canRepeat:
		return a.nextValue(m.rng)
	case len(a.Enum) > 0:
		return m.texts.one(a.Enum)
	}
	switch a.Type {
	case models.TypeBOOL:
		return strconv.FormatBool(m.rng.IntN(4) > 0)
	case models.TypeN:
		return m.number(a)
	default:
		return m.fitToKey(a, a.Prefix+m.texts.string(a))
	}
}

// fitToKey returns text with the width that keys require, without the literal that follows in a primary key.
func (m *itemMaker) fitToKey(a *part, text string) string {
	if a.isTime() {
		return text
	}
	primaryKeys := m.plan.e.Table.PrimaryKeys()
	for _, k := range m.plan.e.Table.KeyAttributes() {
		t, _ := m.plan.e.KeyTemplate(k.Name)
		for i, s := range t.Segments() {
			if s.Name != a.Path {
				continue
			}
			if width, ok := s.Format.Width(); ok {
				return m.texts.letters(width)
			}
			for _, after := range t.After(i) {
				if a.KeyOnly || slices.Contains(primaryKeys, k) {
					text = strings.ReplaceAll(text, after, m.texts.letters(1))
				}
			}
		}
	}
	return text
}

// ranges lists the numeric ranges of attributes by format or by the words of their names; the first match applies.
var ranges = []struct {
	format models.Format
	words  []string
	lo, hi int
}{
	{models.Bytes, nil, 18_000, 9_400_000},
	{models.Seconds, nil, 20, 7200},
	{models.Score, []string{"percent", "percentage"}, 35, 100},
	{"", []string{"score"}, 310, 840},
	{"", []string{"delta", "impact", "change"}, -40, 45},
	{"", []string{"version", "days"}, 1, 9},
	{"", []string{"count", "remaining", "requests"}, 3, 900},
	{"", []string{"amount", "price", "balance", "limit", "total", "credit", "payment"}, 20, 4800},
}

// number gives the identifiers of retried items a separate range, so that they do not collide.
func (m *itemMaker) number(a *part) string {
	numberBetween := func(lo, hi int) string { return strconv.Itoa(lo + m.rng.IntN(hi-lo+1)) }
	switch {
	case a.isTime():
		return timeText(a, m.clock.timeOf(a))
	case a.Format == models.Cents:
		return numberBetween(5, 2000) + m.texts.one([]string{"00", "50", "95", "99"})
	case a.Format == models.Score && strings.Contains(a.Description, "0 to 1"):
		return strings.TrimRight("0."+numberBetween(52, 99), "0")
	case a.hasWord("retry", "attempts", "retries"):
		return m.retries()
	}
	for _, r := range ranges {
		if r.format != "" && a.Format == r.format || a.hasWord(r.words...) {
			return numberBetween(r.lo, r.hi)
		}
	}
	if m.generatesKeys {
		return numberBetween(61, 999_999_999)
	}
	return numberBetween(1, 60)
}

func (m *itemMaker) retries() string {
	switch {
	case m.hasFailed():
		return strconv.Itoa(1 + m.rng.IntN(4))
	case m.plan.lifecycle != nil && len(m.r.path) == 1:
		return "0"
	default:
		return strconv.Itoa(m.rng.IntN(6) / 4)
	}
}

// formatGenerators maps formats to generators of their texts.
var formatGenerators = map[models.Format]func(*textGenerator) string{
	models.UUID: (*textGenerator).uuid, models.UUID7: (*textGenerator).uuid7, models.ULID: (*textGenerator).ulid,
	models.KSUID: (*textGenerator).ksuid,
	models.E164:  (*textGenerator).phone, models.IP: (*textGenerator).ip, models.Domain: (*textGenerator).domain,
	models.SHA256: func(in *textGenerator) string { return in.hex(32) },
	models.Email:  func(in *textGenerator) string { return in.subject().email },
	models.URL: func(in *textGenerator) string {
		return "https://" + in.domain() + "/" + in.one(plainWords) + "/" + in.letters(8)
	},
	models.MIME: func(in *textGenerator) string { return in.one([]string{"image/jpeg", "image/png", "application/pdf"}) },
	models.Version: func(in *textGenerator) string {
		return fmt.Sprintf("%d.%d.%d", 1+in.m.rng.IntN(6), in.m.rng.IntN(10), in.m.rng.IntN(10))
	},
}

func (g *textGenerator) string(a *part) string {
	if a.isTime() {
		return timeText(a, g.m.clock.timeOf(a))
	}
	if text := formatGenerators[a.Format]; text != nil {
		return text(g)
	}
	if a.Format == models.Text {
		if a.last() == "name" {
			return g.company()
		}
		return g.one(sentences)
	}
	return g.named(a)
}

var uuidWord = models.LazyRegexp(`(?i)\buuid\b`)

// A nameRule generates the text of attributes whose name contains, or ends with, a word.
type nameRule struct {
	words []string
	last  bool
	text  func(*textGenerator, *part) string
}

func oneOf(words []string) func(*textGenerator, *part) string {
	return func(in *textGenerator, _ *part) string { return in.one(words) }
}

func (g *textGenerator) secret(*part) string { return "sample-" + g.letters(32) }

var namings = []nameRule{
	{words: []string{"secret", "token", "password"}, text: (*textGenerator).secret},
	{words: []string{"uid"}, last: true, text: func(in *textGenerator, _ *part) string { return in.letters(28) }},
	{words: []string{"id", "key", "identifier", "number", "ref", "reference"}, last: true, text: (*textGenerator).id},
	{words: []string{"name"}, last: true, text: (*textGenerator).name},
	{words: []string{"phone", "mobile", "telephone"}, text: func(in *textGenerator, _ *part) string { return in.phone() }},
	{words: []string{"email", "mail"}, text: func(in *textGenerator, _ *part) string { return in.subject().email }},
	{words: []string{"timezone"}, text: oneOf(zones)},
	{words: []string{"agent"}, text: oneOf(agents)},
	{words: []string{"reason", "note", "notes", "comment", "message", "body", "description", "title", "text"}, text: oneOf(sentences)},
	{words: []string{"error", "failure"}, text: oneOf(failures)},
	{words: []string{"ip", "address"}, text: func(in *textGenerator, _ *part) string { return in.ip() }},
}

func (g *textGenerator) named(a *part) string {
	switch {
	case a.hasWord("s3", "path", "file") && a.hasWord("key", "path"):
		return g.m.clock.at[timeStart].Format("2006/01/02/") + g.hex(16)
	case a.hasWord("idempotency") || uuidWord().MatchString(a.Description):
		return g.uuid()
	case a.hasWord("hash", "digest", "checksum"):
		return g.hex(32)
	case a.Sensitive == models.Secret:
		return g.secret(a)
	}
	for _, n := range namings {
		if n.last && slices.Contains(n.words, a.last()) || !n.last && a.hasWord(n.words...) {
			return n.text(g, a)
		}
	}
	return g.one(plainWords) + "-" + g.letters(4)
}

func (g *textGenerator) name(a *part) string {
	switch {
	case a.hasWord("given", "first"):
		return g.subject().given
	case a.hasWord("family", "surname", "last"):
		return g.subject().family
	case a.hasWord("file"):
		return g.one(plainWords) + "_" + g.letters(4) + ".jpg"
	case a.hasWord("company", "organization", "organisation", "agency", "client", "product"):
		return g.company()
	default:
		return g.subject().given + " " + g.subject().family
	}
}

func (g *textGenerator) id(a *part) string {
	if a.Prefix != "" {
		return g.letters(14)
	}
	stem := strings.Join(a.words[:max(len(a.words)-1, 0)], "_")
	stem = cmp.Or(stem, strings.ToLower(g.m.plan.e.Name))
	return stem + "_" + g.letters(12)
}

func (g *textGenerator) one(list []string) string { return list[g.m.rng.IntN(len(list))] }

func (g *textGenerator) letters(n int) string {
	const alphabet = "abcdefghjkmnpqrstvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.m.rng.IntN(len(alphabet))]
	}
	return string(b)
}

func (g *textGenerator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.m.rng.Uint32())
	}
	return b
}

func (g *textGenerator) hex(n int) string { return hex.EncodeToString(g.bytes(n)) }

// uuid returns a UUIDv4. Source: RFC 9562, section 5.4.
func (g *textGenerator) uuid() string {
	u := g.bytes(16)
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return uuidText(u)
}

func (g *textGenerator) uuid7() string {
	u := g.bytes(16)
	ms := g.m.clock.at[timeStart].UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6], u[8] = u[6]&0x0f|0x70, u[8]&0x3f|0x80
	return uuidText(u)
}

// ulid returns 48 bits of milliseconds and 80 random bits in Crockford's base 32. Source: github.com/ulid/spec.
func (g *textGenerator) ulid() string {
	ms := big.NewInt(g.m.clock.at[timeStart].UnixMilli())
	return encodeBase(ms.Or(ms.Lsh(ms, 80), new(big.Int).SetBytes(g.bytes(10))), "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26)
}

// ksuid returns 32 bits of seconds since 2014-05-13 and 128 random bits. Source: github.com/segmentio/ksuid.
func (g *textGenerator) ksuid() string {
	const epoch = 1_400_000_000
	seconds := big.NewInt(g.m.clock.at[timeStart].Unix() - epoch)
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return encodeBase(seconds.Or(seconds.Lsh(seconds, 128), new(big.Int).SetBytes(g.bytes(16))), digits, 27)
}

func encodeBase(number *big.Int, digits string, n int) string {
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

// ip returns an address in the networks reserved for documentation. Source: RFC 5737.
func (g *textGenerator) ip() string {
	return g.one([]string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+g.m.rng.IntN(254))
}

// domain returns a subdomain of the domains reserved for examples. Source: RFC 2606.
func (g *textGenerator) domain() string {
	name := g.one(plainWords) + "-" + g.one(nouns)
	if g.m.rng.IntN(2) == 0 || g.m.generatesKeys {
		name += strconv.Itoa(2 + g.m.rng.IntN(9000))
	}
	return name + g.one([]string{".example.com", ".example.net", ".example.org"})
}

// phone returns a number in the ranges reserved for fiction. Sources: NANPA 555-0100 to 0199, Ofcom 07700 900, ACMA
// 0491 570, ARCEP 01 99 00.
func (g *textGenerator) phone() string {
	switch g.m.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("+1%s55501%02d", g.one([]string{"202", "312", "415", "617"}), g.m.rng.IntN(100))
	case 1:
		return fmt.Sprintf("+447700900%03d", g.m.rng.IntN(1000))
	case 2:
		return fmt.Sprintf("+6149157%04d", g.m.rng.IntN(10000))
	default:
		return fmt.Sprintf("+331990%05d", g.m.rng.IntN(100000))
	}
}

func (g *textGenerator) company() string {
	word, noun := g.one(plainWords), g.one(nouns)
	return strings.ToUpper(word[:1]) + word[1:] + " " + strings.ToUpper(noun[:1]) + noun[1:]
}

// A person is the subject of an item, with matching names and email address.
type person struct{ given, family, email string }

func (g *textGenerator) subject() *person {
	if g.person == nil {
		p := person{given: g.one(givenNames), family: g.one(familyNames)}
		normalize := func(s string) string { return strings.ToLower(strings.NewReplacer(" ", "", "'", "").Replace(s)) }
		p.email = fmt.Sprintf("%s.%s%d@%s", normalize(p.given), normalize(p.family), 1+g.m.rng.IntN(9999),
			g.one([]string{"example.com", "example.net", "example.org"}))
		g.person = &p
	}
	return g.person
}

//go:embed words/*.txt
var wordFiles embed.FS

// These word lists are for generated texts. Changing a list changes the sample data of every seed.
var (
	givenNames  = readWords("given-names")
	familyNames = readWords("family-names")
	plainWords  = readWords("words")
	nouns       = readWords("nouns")
	sentences   = readWords("sentences")
	failures    = readWords("failures")
	zones       = readWords("time-zones")
	agents      = readWords("user-agents")
)

func readWords(name string) []string {
	text, err := wordFiles.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic("sample: a word list is not in the program: " + err.Error())
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// A part is an attribute with the settings for its sample values.
type part struct {
	*models.Attribute
	words      []string // words of the name, lower case
	examples   []string
	values     []string // shuffled values, each repeated as often as its weight
	usedValues int      // number of used values
	nested     []*part
	composed   bool // a key template makes it
	inKey      bool // part of the primary key
	lifecycle  *models.Lifecycle

	target           *entityPlan // entity that it refers to
	targetAt         string      // referenced attribute
	selectsOwnRecord bool        // selects its own record, because another attribute has the link
	preferred        [2]string   // attribute and value of the record implied by its name
	follows          *part       // another attribute whose record contains the value: adminEmail follows adminId

	role   timeRole
	state  string                   // lifecycle state in the attribute's name: cancelledAt
	sets   map[string]time.Duration // time from the transition to the value that it sets, by state
	always bool                     // present in every document that can have it
}

// maxWeightedValues is the maximum number of shuffled values. It limits memory use if a weight is mistyped.
const maxWeightedValues = 1000

// fillValues fills the list of values, which keeps the proportions of the weights even for a few items.
func (p *part) fillValues(weights []profiles.Weight, rng *rand.Rand) {
	for _, w := range weights {
		for range min(w.Times, maxWeightedValues) {
			p.values = append(p.values, w.Value)
		}
	}
	if len(p.values) == 0 {
		p.values = append(p.values, p.examples...)
	}
	rng.Shuffle(len(p.values), func(i, j int) { p.values[i], p.values[j] = p.values[j], p.values[i] })
}

func (p *part) nextValue(rng *rand.Rand) string {
	if p.usedValues == len(p.values) {
		p.usedValues = 0
		rng.Shuffle(len(p.values), func(i, j int) { p.values[i], p.values[j] = p.values[j], p.values[i] })
	}
	p.usedValues++
	return p.values[p.usedValues-1]
}

// words splits a name: createdAtRequestId becomes created, at, request, id.
func words(name string) []string {
	var list []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			list = append(list, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(r)
	}
	flush()
	return list
}

func (p *part) hasWord(list ...string) bool {
	return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(list, w) })
}

func (p *part) last() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[len(p.words)-1]
}

func (p *part) hasSeveral() bool {
	return p.Type == models.TypeL || p.Type == models.TypeSS || p.Type == models.TypeNS
}
