package sample

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

func (in *inventor) string(a *part) string {
	if a.isTime() {
		return timeText(a, in.m.clock.moment(a))
	}
	switch a.Format {
	case models.UUID:
		return in.uuid()
	case models.UUID7:
		return in.uuid7()
	case models.ULID:
		return in.ulid()
	case models.KSUID:
		return in.ksuid()
	case models.SHA256:
		return in.hex(32)
	case models.E164:
		return in.phone()
	case models.Email:
		return in.subject().email
	case models.URL:
		return "https://" + in.domain() + "/" + in.one(plainWords) + "/" + in.letters(8)
	case models.IP:
		return in.ip()
	case models.Domain:
		return in.domain()
	case models.MIME:
		return in.one([]string{"image/jpeg", "image/png", "application/pdf"})
	case models.Version:
		return fmt.Sprintf("%d.%d.%d", 1+in.m.rng.IntN(6), in.m.rng.IntN(10), in.m.rng.IntN(10))
	case models.Text:
		return in.prose(a)
	default:
		return in.named(a)
	}
}

func (in *inventor) prose(a *part) string {
	if a.last() == "name" {
		return in.company()
	}
	return in.one(sentences)
}

var uuidWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\buuid\b`) })

func (in *inventor) named(a *part) string {
	switch last := a.last(); {
	case a.hasWord("s3", "path", "file") && a.hasWord("key", "path"):
		return in.m.clock.start.Format("2006/01/02/") + in.hex(16)
	case a.hasWord("idempotency") || uuidWord().MatchString(a.Description):
		return in.uuid()
	case a.hasWord("hash", "digest", "checksum"):
		return in.hex(32)
	case a.Sensitive == models.Secret || a.hasWord("secret", "token", "password"):
		return "sample-" + in.letters(32)
	case last == "uid":
		return in.letters(28)
	case slices.Contains([]string{"id", "key", "identifier", "number", "ref", "reference"}, last):
		return in.id(a)
	case last == "name":
		return in.name(a)
	default:
		return in.worded(a)
	}
}

func (in *inventor) name(a *part) string {
	switch {
	case a.hasWord("given", "first"):
		return in.subject().given
	case a.hasWord("family", "surname", "last"):
		return in.subject().family
	case a.hasWord("file"):
		return in.one(plainWords) + "_" + in.letters(4) + ".jpg"
	case a.hasWord("company", "organization", "organisation", "agency", "client", "product"):
		return in.company()
	default:
		return in.subject().given + " " + in.subject().family
	}
}

func (in *inventor) worded(a *part) string {
	switch {
	case a.hasWord("phone", "mobile", "telephone"):
		return in.phone()
	case a.hasWord("email", "mail"):
		return in.subject().email
	case a.hasWord("timezone"):
		return in.one(zones)
	case a.hasWord("agent"):
		return in.one(agents)
	case a.hasWord("reason", "note", "notes", "comment", "message", "body", "description", "title", "text"):
		return in.one(sentences)
	case a.hasWord("error", "failure"):
		return in.one(failures)
	case a.hasWord("ip", "address"):
		return in.ip()
	default:
		return in.one(plainWords) + "-" + in.letters(4)
	}
}

func (in *inventor) id(a *part) string {
	if a.Prefix != "" {
		return in.letters(14)
	}
	stem := strings.Join(a.words[:max(len(a.words)-1, 0)], "_")
	stem = cmp.Or(stem, strings.ToLower(in.m.plan.e.Name))
	return stem + "_" + in.letters(12)
}
