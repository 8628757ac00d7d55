package lookup

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/idna"

	"github.com/ddbdesk/ddbdesk/models"
)

// textPatterns returns patterns for IDs, addresses and times in any text. It compiles them on the first call.
var textPatterns = sync.OnceValue(func() (l struct {
	uuid, ulid, email, phone, domain, time, at, dot, chat, escape, quoted, national, labeled, decimal *regexp.Regexp
},
) {
	// Without hyphens, the version and variant digits distinguish it from other hashes.
	l.uuid = regexp.MustCompile(`(?i)\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
		`[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}\b)`)
	l.ulid = regexp.MustCompile(`(?i)\b[0-7][0-9a-hjkmnp-tv-z]{25}\b`)
	l.email = regexp.MustCompile(`[\pL\pN._%+\-]+@[\pL\pN\-]+(\.[\pL\pN\-]+)+`)
	l.phone = regexp.MustCompile(`(?:\+|\b00)[1-9](?:[ ().\-/\x{a0}]{0,3}[0-9]){6,14}\b`)
	l.national = regexp.MustCompile(`(?:^|[\s:])\(?(0[1-9](?:[ ().\-/]{0,3}[0-9]){6,12}|[2-9][0-9]{2}\)?[ .\-][0-9]{3}[ .\-][0-9]{4})\b`)
	l.domain = regexp.MustCompile(`[\pL\pN](?:[\pL\pN\-]*\.)+[\pL\pN\-]*\pL[\pL\pN]*`)
	l.time = regexp.MustCompile(`^[0-9][0-9.:/TZ+\-]*$`) // A number, a date or a time: any log contains them, and no user searches for them.
	l.escape = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[_#*~\-]`)
	l.quoted = regexp.MustCompile(`=[2-7][0-9A-F]`) // ASCII
	l.at = regexp.MustCompile(`(?i)\s*[\[({]\s*at\s*[\])}]\s*`)
	l.dot = regexp.MustCompile(`(?i)\s*[\[({]\s*dot\s*[\])}]\s*`)
	l.chat = regexp.MustCompile(`(?i)\bwa\.me/\+?([1-9][0-9]{6,14})\b`)
	l.decimal = regexp.MustCompile(`Decimal\(('[^']*')\)`) // a number in Python
	l.labeled = regexp.MustCompile("([A-Za-z][A-Za-z0-9_.-]*)[\"'`]?\\s*(?:=>?|:)\\s*[\"'`]?([^\\s\"'`,;&|<>(){}\\[\\]]{1,200})")
	return l
})

func (p *pastedText) addCanonical(text string) {
	text = textPatterns().at.ReplaceAllString(text, "@")
	text = strings.ReplaceAll(textPatterns().dot.ReplaceAllString(text, "."), "(0)", "") // (0) in a phone number
	for _, id := range textPatterns().uuid.FindAllString(text, maxPieces) {
		hex := strings.ToLower(strings.ReplaceAll(id, "-", ""))
		hyphenated := hex[:8] + "-" + hex[8:12] + "-" + hex[12:16] + "-" + hex[16:20] + "-" + hex[20:]
		p.add(hyphenated, false)
		p.add(id, false)
		for _, prefix := range p.schema.idPrefixes() {
			p.addGuessedID(prefix + hyphenated)
			p.addGuessedID(prefix + strings.ToLower(id))
		}
	}
	for _, id := range textPatterns().ulid.FindAllString(text, maxPieces) {
		p.add(strings.ToUpper(id), false)
		p.add(id, false)
	}
	for _, at := range textPatterns().email.FindAllStringIndex(text, maxPieces) {
		address := text[at[0]:at[1]]
		if path := strings.TrimPrefix(text[at[1]:], ":"); path != text[at[1]:] && path != "" && !strings.ContainsFunc(path[:1], isEnd) {
			continue // git@host:path
		}
		p.add(address, false)
		p.add(strings.ToLower(address), coversMost(address, text))
		name, domain, _ := strings.Cut(address, "@")
		p.addDomainSpellings(name+"@", domain)
	}
	if p.schema.hasDomains() {
		for _, domain := range textPatterns().domain.FindAllString(text, maxHosts) {
			p.add(strings.ToLower(strings.TrimPrefix(domain, "www.")), false)
			p.add(strings.ToLower(domain), false)
			p.addDomainSpellings("", domain)
		}
	}
	for _, link := range textPatterns().chat.FindAllStringSubmatch(text, maxPieces) {
		p.add("+"+link[1], true)
	}
	for _, number := range textPatterns().phone.FindAllString(text, maxPieces) {
		p.add("+"+strings.TrimPrefix(digits(number), "00"), coversMost(number, text))
	}
	codes, hasPhones := p.schema.callingCodes()
	for _, number := range textPatterns().national.FindAllStringSubmatch(text, maxPieces) {
		p.lacksCountryCode = p.lacksCountryCode || hasPhones && coversMost(number[1], text)
		for _, code := range codes {
			p.add("+"+code+strings.TrimPrefix(digits(number[1]), "0"), coversMost(number[1], text))
		}
	}
}

func digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
}

// twoDigitCodes lists the calling codes of two digits. The codes 1 and 7 have one digit, and all others have three.
// Source: ITU-T E.164.
const twoDigitCodes = " 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 " +
	"81 82 84 86 90 91 92 93 94 95 98 "

func (s Schema) callingCodes() (codes []string, hasPhones bool) {
	for _, e := range s.Entities {
		for _, a := range e.Attributes {
			if !isPhone(a) {
				continue
			}
			if hasPhones = true; s.Examples == nil {
				continue
			}
			for _, x := range s.Examples(e, a.Path) {
				x = digits(x)
				n := 3
				switch {
				case len(x) <= n:
					continue
				case x[0] == '1' || x[0] == '7':
					n = 1
				case strings.Contains(twoDigitCodes, " "+x[:2]+" "):
					n = 2
				}
				codes = models.AppendOnce(codes, x[:n])
			}
		}
	}
	return codes, hasPhones
}

// coversMost reports whether a text contains little more than the part, such as tel: or a name.
func coversMost(part, text string) bool {
	return len(strings.Fields(text))-len(strings.Fields(part)) <= 1
}

func (s Schema) idPrefixes() []string {
	var list []string
	for _, e := range s.Entities {
		if a := e.Attribute(e.IDName()); a != nil && a.Prefix != "" && !slices.Contains(list, a.Prefix) {
			list = append(list, a.Prefix)
		}
	}
	return list
}

func (p *pastedText) addDomainSpellings(before, domain string) {
	for _, convert := range []func(string) (string, error){idna.Punycode.ToASCII, idna.Punycode.ToUnicode} {
		if converted, err := convert(strings.ToLower(domain)); err == nil && converted != domain {
			p.add(before+converted, false)
		}
	}
}

func (s Schema) hasDomains() bool {
	return slices.ContainsFunc(s.Entities, func(e *models.Entity) bool {
		return slices.ContainsFunc(e.Attributes, func(a *models.Attribute) bool { return a.Format == models.Domain })
	})
}
