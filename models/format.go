package models

import (
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// A Format defines what the text or number of an attribute represents. It is the name of one of
// the formats below, a layout of times (see IsLayout), or, in key templates, a width, a case, a
// shard or a digest. NoFormat says nothing about the value. What a format accepts is in Check.
type Format string

// The formats of the profile language.
const (
	NoFormat      Format = ""
	ISO8601       Format = "iso8601"     // 2026-01-14T10:00:00Z
	ISO8601Millis Format = "iso8601-ms"  // 2026-01-14T10:00:00.000Z
	ISO8601Any    Format = "iso8601-any" // precision not documented
	EpochSeconds  Format = "epoch-seconds"
	EpochMillis   Format = "epoch-millis"
	Date          Format = "date"             // 2026-01-14, a UTC day
	Day           Format = "day"              // 20260114, a UTC day
	Compact       Format = "compact"          // 20260114T100000Z
	ISOLocal      Format = "iso8601-local"    // 2026-01-14T10:00:00, in UTC without saying so
	ISOLocalMilli Format = "iso8601-local-ms" // 2026-01-14T10:00:00.000, likewise
	Hour          Format = "hour"             // 2026-01-14T10, an hour in UTC
	Week          Format = "week"             // 2026-W03, an ISO 8601 week
	Month         Format = "month"            // 2026-01
	Year          Format = "year"             // 2026
	UUID          Format = "uuid"
	UUID7         Format = "uuid7"
	ULID          Format = "ulid"  // 26 characters, the first 10 of which are its time
	KSUID         Format = "ksuid" // 27 characters, which begin with its time
	SHA256        Format = "sha256"
	E164          Format = "e164"
	Email         Format = "email"
	URL           Format = "url"
	IP            Format = "ip"
	Domain        Format = "domain"
	MIME          Format = "mime"
	Cents         Format = "cents"
	Bytes         Format = "bytes"
	Seconds       Format = "seconds"
	Score         Format = "score"
	Version       Format = "version"
	Text          Format = "text"
)

// Formats lists every format of an attribute, in the order of the language's documentation.
// Layouts are formats as well, but have no end; see IsLayout. The caller owns the slice.
func Formats() []Format {
	return []Format{
		ISO8601, ISO8601Millis, ISO8601Any, EpochSeconds, EpochMillis, Date, Day, Compact,
		ISOLocal, ISOLocalMilli, Hour, Week, Month, Year,
		UUID, UUID7, ULID, KSUID, SHA256, E164, Email, URL, IP, Domain, MIME, Cents, Bytes, Seconds, Score, Version, Text,
	}
}

// IsTime reports whether values of f are points in time or days.
func (f Format) IsTime() bool {
	return f == EpochSeconds || f == EpochMillis || f.layout() != nil
}

// IsTimedID reports whether values of f are IDs that sort by the time at which they were made.
func (f Format) IsTimedID() bool { return f == UUID7 || f == ULID || f == KSUID }

// IsDay reports whether values of f are calendar days. A day stands for 24 hours in UTC: as the
// end of a range it includes all of its moments.
func (f Format) IsDay() bool { return f.unit() == inDay }

// IsPeriod reports whether values of f are periods of time: an hour, a day, a week, a
// month or a year.
func (f Format) IsPeriod() bool { return f.Period() != "" }

// Finer reports whether times of f have a smaller unit than those of g, as hours have one than days.
func (f Format) Finer(g Format) bool { return f.unit() > g.unit() }

// Lossy reports whether writing a value into a key as f drops part of it, so that the value
// cannot be read back.
func (f Format) Lossy() bool {
	return f.IsPeriod() || f.unit() == inMinute || f == "lower" || f == "upper" || f.IsComputed()
}

var (
	uuidText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	})
	// The source of ULIDs is the specification of github.com/ulid/spec, that of KSUIDs github.com/segmentio/ksuid.
	ulidText   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^[0-7][0-9A-HJKMNP-TV-Z]{25}$`) })
	ksuidText  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]{27}$`) })
	e164Text   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+[1-9][0-9]{5,14}$`) })
	sha256Text = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$`) })
	domainText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d+)?$`)
	})
)

// Check returns how value differs from the format f, or nil. Schema documents
// break their own formats, with example IDs that are not UUIDs, so callers warn
// about the error and do not reject the value. Cents and bytes are whole numbers. Seconds,
// scores, versions and text have no form of their own, so every value fits, as it does for
// NoFormat.
func (f Format) Check(value string) error {
	if why := f.differs(value); why != "" {
		return fmt.Errorf("%q %s", Printable(value), why)
	}
	return nil
}

// differsAsStored also rejects another spelling of the same moment: it sorts elsewhere, so a range over the
// stored values would miss it. ISO8601Any has no single spelling.
func (f Format) differsAsStored(value string) string {
	if why := f.differs(value); why != "" || f == ISO8601Any || !f.IsTime() {
		return why
	}
	t, _ := f.ReadTime(value)
	if exact, _ := f.FormatTime(t); exact != value {
		return "is not a time in the format " + string(f)
	}
	return ""
}

// differs returns how value differs from the format f, "" if it does not.
func (f Format) differs(value string) string {
	ok, want := true, ""
	switch f {
	case UUID, UUID7:
		ok, want = uuidText().MatchString(value), "a UUID"
		if ok && f == UUID7 && value[14] != '7' {
			ok, want = false, "a version 7 UUID; IDs will not sort by time"
		}
	case ULID:
		ok, want = ulidText().MatchString(value), "a ULID"
	case KSUID:
		ok, want = ksuidText().MatchString(value), "a KSUID"
	case SHA256:
		ok, want = sha256Text().MatchString(value), "a SHA-256 hash"
	case E164:
		ok, want = e164Text().MatchString(value), "a phone number like +26771234567"
	case Email:
		a, err := mail.ParseAddress(value)
		ok, want = err == nil && a.Address == value, "an email address"
	case URL:
		u, err := url.Parse(value)
		ok, want = err == nil && u.Scheme != "" && u.Host != "", "a URL"
	case IP:
		_, err := netip.ParseAddr(value)
		ok, want = err == nil, "an IP address"
	case Domain:
		ok, want = domainText().MatchString(value), "a domain name"
	case Cents, Bytes:
		ok, want = isDigits(strings.TrimPrefix(value, "-")), "a whole number"
	case MIME:
		kind, sub, _ := strings.Cut(value, "/")
		ok, want = kind != "" && sub != "" && !strings.Contains(sub, "/"), "a MIME type"
	default:
		if f.IsTime() {
			_, ok = f.ReadTime(value)
			want = "a time in the format " + string(f)
		}
	}
	if ok {
		return ""
	}
	return "is not " + want
}
