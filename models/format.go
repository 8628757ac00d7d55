package models

import (
	"crypto/md5"  //nolint:gosec // Keys of other programs hold such digests.
	"crypto/sha1" //nolint:gosec // Likewise.
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/fnv"
	"math/big"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A Format defines what the text or number of an attribute represents: one of the formats below, a time layout (see
// IsLayout) or, in key templates, a width, a case, a shard or a digest. NoFormat accepts every value. See Check for the
// values that a format accepts.
type Format string

// These are the formats of the schema language.
const (
	NoFormat      Format = ""
	ISO8601       Format = "iso8601"     // 2026-01-14T10:00:00Z
	ISO8601Millis Format = "iso8601-ms"  // 2026-01-14T10:00:00.000Z
	ISO8601Any    Format = "iso8601-any" // precision not documented
	EpochSeconds  Format = "epoch-seconds"
	EpochMillis   Format = "epoch-millis"
	EpochMicros   Format = "epoch-micros"
	EpochNanos    Format = "epoch-nanos"
	EpochDecimal  Format = "epoch-decimal"    // seconds with a fraction: 1768384800.25
	Date          Format = "date"             // 2026-01-14, a UTC day
	Day           Format = "day"              // 20260114, a UTC day
	Compact       Format = "compact"          // 20260114T100000Z
	ISOLocal      Format = "iso8601-local"    // 2026-01-14T10:00:00, in UTC without a zone
	ISOLocalMilli Format = "iso8601-local-ms" // 2026-01-14T10:00:00.000, in UTC without a zone
	Hour          Format = "hour"             // 2026-01-14T10, an hour in UTC
	Week          Format = "week"             // 2026-W03, an ISO 8601 week
	Month         Format = "month"            // 2026-01
	Year          Format = "year"             // 2026
	UUID          Format = "uuid"
	UUID7         Format = "uuid7"
	ULID          Format = "ulid"  // 26 characters; the first 10 are its time
	KSUID         Format = "ksuid" // 27 characters; the first ones are its time
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

// Formats lists every attribute format, in the order of the language's documentation. It omits layouts, which are
// unlimited in number; see IsLayout. The caller owns the slice.
func Formats() []Format {
	return []Format{
		ISO8601, ISO8601Millis, ISO8601Any, EpochSeconds, EpochMillis, EpochMicros, EpochNanos, EpochDecimal,
		Date, Day, Compact,
		ISOLocal, ISOLocalMilli, Hour, Week, Month, Year,
		UUID, UUID7, ULID, KSUID, SHA256, E164, Email, URL, IP, Domain, MIME, Cents, Bytes, Seconds, Score, Version, Text,
	}
}

// IsTime reports whether values of f are points in time or days.
func (f Format) IsTime() bool {
	_, epoch := f.epoch()
	return epoch || f.layout() != nil
}

// IsTimedID reports whether values of f are IDs that sort by their creation time.
func (f Format) IsTimedID() bool { return f == UUID7 || f == ULID || f == KSUID }

// IsDay reports whether values of f are calendar days. A day has 24 hours in UTC. As the end of a range, it includes
// the whole day.
func (f Format) IsDay() bool { return f.unit() == inDay }

// IsPeriod reports whether values of f are periods of time: an hour, a day, a week, a month or a year.
func (f Format) IsPeriod() bool { return f.Period() != "" }

// IsFinerThan reports whether times of f have a smaller unit than times of g. For example, hours are finer than days.
func (f Format) IsFinerThan(g Format) bool { return f.unit() > g.unit() }

// IsLossy reports whether writing a value into a key as f drops part of the value, so that it cannot be read back.
func (f Format) IsLossy() bool {
	return f.IsPeriod() || f.unit() == inMinute || f == "lower" || f == "upper" || f.IsComputed()
}

// LazyRegexp returns a function that compiles an expression on first use, because most runs need only a few expressions.
func LazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func matching(expression string) func(value string) bool {
	compiled := LazyRegexp(expression)
	return func(value string) bool { return compiled().MatchString(value) }
}

func isWholeNumber(value string) bool { return isDigits(strings.TrimPrefix(value, "-")) }

// A form is what values of a format look like.
type form struct {
	fits func(value string) bool
	name string
}

var uuid = form{matching(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`), "a UUID"}

// forms contains the checked formats, except times.
var forms = map[Format]form{
	UUID: uuid, UUID7: uuid,
	// ULIDs are specified at github.com/ulid/spec, KSUIDs at github.com/segmentio/ksuid.
	ULID:   {matching(`(?i)^[0-7][0-9A-HJKMNP-TV-Z]{25}$`), "a ULID"},
	KSUID:  {matching(`^[0-9A-Za-z]{27}$`), "a KSUID"},
	SHA256: {matching(`^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$`), "a SHA-256 hash"},
	E164:   {matching(`^\+[1-9][0-9]{5,14}$`), "a phone number like +26771234567"},
	Domain: {matching(`^[\pL\pN]([\pL\pN-]*[\pL\pN])?(\.[\pL\pN]([\pL\pN-]*[\pL\pN])?)*(:\d+)?$`), "a domain name"},
	MIME:   {matching(`^[^/]+/[^/]+$`), "a MIME type"},
	Cents:  {isWholeNumber, "a whole number"},
	Bytes:  {isWholeNumber, "a whole number"},
	Email: {func(value string) bool {
		a, err := mail.ParseAddress(value)
		return err == nil && a.Address == value
	}, "an email address"},
	URL: {func(value string) bool {
		u, err := url.Parse(value)
		return err == nil && u.Scheme != "" && u.Host != ""
	}, "a URL"},
	IP: {func(value string) bool {
		_, err := netip.ParseAddr(value)
		return err == nil
	}, "an IP address"},
}

// Check returns an error if value differs from the format f. Callers should warn instead of rejecting the value,
// because schema documents contain examples that break their own formats. Cents and bytes must be whole numbers. Every
// value fits NoFormat, seconds, scores, versions and text.
func (f Format) Check(value string) error {
	if reason := f.difference(value); reason != "" {
		return fmt.Errorf("%q %s", Printable(value), reason)
	}
	return nil
}

// storedDifference rejects a different spelling of the same time, which a range over the stored values would miss.
func (f Format) storedDifference(value string) string {
	if reason := f.difference(value); reason != "" || f == ISO8601Any || !f.IsTime() {
		return reason
	}
	if !f.Reproduces(value) {
		return "is not a time in the format " + string(f)
	}
	return ""
}

// Reproduces reports whether value is a time in the one spelling that the format f writes.
func (f Format) Reproduces(value string) bool {
	t, ok := f.ReadTime(value)
	exact, canFormat := f.FormatTime(t)
	return ok && canFormat && exact == value
}

// difference describes how value differs from the format f. It returns "" if the value fits.
func (f Format) difference(value string) string {
	known, isChecked := forms[f]
	switch {
	case isChecked && !known.fits(value):
		return "is not " + known.name
	case f == UUID7 && value[14] != '7':
		return "is not a version 7 UUID; IDs will not sort by time"
	case isChecked || !f.IsTime():
		return ""
	}
	if _, ok := f.ReadTime(value); ok {
		return ""
	}
	return "is not a time in the format " + string(f)
}

// A computation is a format for a key part from which the value cannot be recovered: a digest, a shard (which spreads
// items over several partitions), the first characters, or a whole-number quotient.
type computation struct {
	prefixLength int    // number of leading characters in the key, 0 for another computation
	divisor      string // divisor of a quotient, "" for another computation
	digest       string // md5, sha1 or sha256; "" for a shard
	hash         string // hash of a shard; "" for the number itself
	count        int    // number of shards
	first        int    // the number of the first shard
	width        int    // number of digits, 0 for as many as needed
}

// maxShards is the maximum number of shards in a format, because each shard is a partition to read. The loader rejects
// formats with more shards.
const maxShards = 100_000

var (
	shardText = LazyRegexp(`^(?:([a-z0-9]+) )?mod ([1-9][0-9]{0,5})(?: \+ ([0-9]{1,6}))?(?: 0([1-9])d)?$`)
	divText   = LazyRegexp(`^div ([1-9][0-9]{0,17})(?: 0([1-9]|[12][0-9]|3[0-8])d)?$`)
	firstText = LazyRegexp(`^first ([1-9][0-9]{0,2})$`)

	digestLengths = map[string]int{"md5": 32, "sha1": 40, "sha256": 64}
	shardHashes   = []string{"crc32", "fnv1a", "java", "md5", "sha256"}
	hashes        = map[string]func() hash.Hash{ // all except Java's hash
		"crc32": func() hash.Hash { return crc32.NewIEEE() }, "fnv1a": func() hash.Hash { return fnv.New32a() },
		"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New,
	}
)

func (f Format) computation() (c computation, ok bool) {
	if _, ok := digestLengths[string(f)]; ok {
		return computation{digest: string(f)}, true
	}
	switch word, _, _ := strings.Cut(string(f), " "); {
	case word == "first":
		if m := firstText().FindStringSubmatch(string(f)); m != nil {
			c.prefixLength, _ = strconv.Atoi(m[1])
		}
		return c, c.prefixLength > 0
	case word == "div":
		if m := divText().FindStringSubmatch(string(f)); m != nil {
			c.divisor = m[1]
			c.width, _ = strconv.Atoi(m[2])
		}
		return c, c.divisor != ""
	case !strings.Contains(string(f), "mod "):
		return c, false
	}
	m := shardText().FindStringSubmatch(string(f))
	if m == nil {
		return c, false
	}
	c.hash = m[1]
	c.count, _ = strconv.Atoi(m[2])
	c.first, _ = strconv.Atoi(m[3])
	c.width, _ = strconv.Atoi(m[4])
	known := c.hash == "" || slices.Contains(shardHashes, c.hash)
	fits := c.width == 0 || len(strconv.Itoa(c.first+c.count-1)) <= c.width
	return c, known && fits && c.count <= maxShards
}

// IsComputed reports whether f is a digest, a shard, the first characters or a quotient of a value, from which the
// value cannot be recovered. Decoding a key returns only that part.
func (f Format) IsComputed() bool {
	_, ok := f.computation()
	return ok
}

// Shards lists the shards of a format such as crc32 mod 10, in order, or returns nil for any other format. A fan-out
// reads one partition for each shard, so there are at most maxShards.
func (f Format) Shards() []string {
	c, ok := f.computation()
	if !ok || c.count == 0 {
		return nil
	}
	list := make([]string, c.count)
	for i := range list {
		list[i] = c.shard(i)
	}
	return list
}

// NeedsNumber reports whether f computes shards or quotients, which need a non-negative whole number of any length. A
// hash accepts every text.
func (f Format) NeedsNumber() bool {
	c, ok := f.computation()
	return ok && (c.divisor != "" || c.count > 0 && c.hash == "")
}

// IsNumeric reports whether every key part that f makes is a number. This applies to numeric times, padded numbers,
// shards and quotients.
func (f Format) IsNumeric() bool {
	if c, ok := f.computation(); ok {
		return c.count > 0 || c.divisor != ""
	}
	_, padded := padWidth(f)
	return padded || f.IsTime() && f.IsNumber()
}

// KeepsOrder reports whether greater values make greater key parts. This applies to the first characters of a text, and
// to a quotient that has a width or is in a number key.
func (f Format) KeepsOrder(number bool) bool {
	c, computed := f.computation()
	return !computed || c.prefixLength > 0 || c.divisor != "" && (number || c.width > 0)
}

// Digests lists the digests that keys can use.
func Digests() []string { return []string{"md5", "sha1", "sha256"} }

func (c computation) shard(n int) string { return fmt.Sprintf("%0*d", c.width, c.first+n) }

// compute hashes UTF-8 bytes, or UTF-16 for Java's hash. The remainder is never negative, as with Math.floorMod.
func (c computation) compute(value string) (string, error) {
	switch {
	case c.prefixLength > 0:
		return value[:charactersEnd(value, c.prefixLength)], nil
	case c.divisor != "":
		return c.quotient(value)
	}
	if c.digest != "" {
		return hex.EncodeToString(hashSum(c.digest, value)), nil
	}
	n := new(big.Int)
	switch c.hash {
	case "":
		if !isDigits(value) {
			return "", fmt.Errorf("%q is not a non-negative whole number, so it has no shard", Printable(value))
		}
		n.SetString(value, 10)
	case "java":
		n.SetInt64(int64(javaHash(value)))
	default:
		n.SetBytes(hashSum(c.hash, value))
	}
	return c.shard(int(n.Mod(n, big.NewInt(int64(c.count))).Int64())), nil
}

func hashSum(name, value string) []byte {
	h := hashes[name]()
	h.Write([]byte(value))
	return h.Sum(nil)
}

func (c computation) quotient(value string) (string, error) {
	if !isDigits(value) {
		return "", fmt.Errorf("%q is not a non-negative whole number, so it cannot be divided", Printable(value))
	}
	n, divisor := new(big.Int), new(big.Int)
	n.SetString(value, 10)
	divisor.SetString(c.divisor, 10)
	text := n.Div(n, divisor).String()
	if c.width > 0 && len(text) > c.width {
		return "", fmt.Errorf("%s has more than %d digits", text, c.width)
	}
	return strings.Repeat("0", max(c.width-len(text), 0)) + text, nil
}

// javaHash is Java's String.hashCode, including its overflow, which programs that share the table depend on.
func javaHash(s string) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

func (c computation) check(text string) error {
	switch {
	case c.prefixLength > 0 && utf8.RuneCountInString(text) > c.prefixLength:
		return fmt.Errorf("%q has more than %d characters", Printable(text), c.prefixLength)
	case c.prefixLength > 0:
		return nil
	case c.divisor != "":
		short := c.width == 0 && (text == "0" || !strings.HasPrefix(text, "0"))
		if !isDigits(text) || !short && len(text) != c.width {
			return fmt.Errorf("%q is not a whole number in the key's format", Printable(text))
		}
		return nil
	}
	if n := digestLengths[c.digest]; n > 0 {
		if len(text) != n || strings.Trim(text, "0123456789abcdef") != "" {
			return fmt.Errorf("%q is not a %s digest of %d hexadecimal digits", Printable(text), c.digest, n)
		}
		return nil
	}
	n, err := strconv.Atoi(text)
	if n -= c.first; err != nil || n < 0 || n >= c.count || c.shard(n) != text {
		return fmt.Errorf("%q is not a shard from %s to %s", Printable(text), c.shard(0), c.shard(c.count-1))
	}
	return nil
}

func (c computation) length() int {
	if n := digestLengths[c.digest]; n > 0 {
		return n
	}
	if c.prefixLength > 0 || c.divisor != "" {
		return c.width
	}
	if last := c.shard(c.count - 1); len(last) == len(c.shard(0)) {
		return len(last)
	}
	return 0
}

// IsComputed reports whether the placeholder makes a digest, a shard, the first characters or a quotient of its value.
func (s Segment) IsComputed() bool { return s.computed != nil }

// PartName returns the name of the key's part: the placeholder's name or, for a computed part whose value is unknown,
// the whole text in the braces, such as orderId:mod 10. A value of that name is the computed part, not its source.
func (s Segment) PartName() string {
	if s.computed != nil {
		return s.Name + ":" + string(s.Format)
	}
	return s.Name
}

// IsTruncated reports whether the key contains only the beginning of the value, number or time.
func (s Segment) IsTruncated() bool {
	if s.attribute != nil && s.Format.IsTime() && s.Format.fraction() < s.attribute.Format.fraction() {
		return true
	}
	if a := s.attribute; a != nil && a.Format.layout() != nil && !a.Format.IsFinerThan(s.Format) {
		return false // the key has the same time in another format
	}
	return s.Format.IsLossy() && s.Format != "lower" && s.Format != "upper"
}

func (s Segment) isWhole() bool { return s.computed != nil || !s.Format.IsLossy() }

// SpelledName returns the name under which Values provides the part as the key spells it. ok is false unless the part
// may not reveal the whole value: a digest, a shard, or the period of a time, such as createdAt:hour.
func (s Segment) SpelledName() (name string, ok bool) {
	return s.Name + ":" + string(s.Format), s.computed != nil || s.Format.IsTime() && s.Format.IsLossy()
}

// HasValue reports whether there is a value for the placeholder or for its part of the key.
func (s Segment) HasValue(values Values) bool {
	_, _, ok := s.value(values)
	return s.Name != "" && ok
}

func (s Segment) value(values Values) (v string, isPart, ok bool) {
	if v, ok = values(s.Name); ok {
		return v, false, true
	}
	if part, hasName := s.SpelledName(); hasName {
		v, ok = values(part)
		return v, true, ok
	}
	return "", false, false
}
