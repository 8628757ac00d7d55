package models

import (
	"crypto/md5"  //nolint:gosec // Keys of other programs hold such digests.
	"crypto/sha1" //nolint:gosec // Likewise.
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math/big"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
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
	EpochMicros   Format = "epoch-micros"
	EpochNanos    Format = "epoch-nanos"
	EpochDecimal  Format = "epoch-decimal"    // seconds with a fraction: 1768384800.25
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
		return regexp.MustCompile(`^[\pL\pN]([\pL\pN-]*[\pL\pN])?(\.[\pL\pN]([\pL\pN-]*[\pL\pN])?)*(:\d+)?$`)
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

// A computation is a format that makes a part of a key from which the value cannot be
// computed: a digest, a shard, which spreads items over a number of partitions, the first
// characters, or a whole-number quotient.
type computation struct {
	head    int    // the number of first characters that the key has, 0 for another computation
	divisor string // of a quotient, "" for another computation
	digest  string // md5, sha1 or sha256; "" for a shard
	hash    string // of a shard; "" for the number itself
	count   int    // of shards
	first   int    // the number of the first shard
	width   int    // number of digits, 0 for as many as needed
}

// maxShards bounds the shards of a format. Each one is a partition to read. A format with more
// of them is not a format, and the loader says so.
const maxShards = 100_000

var (
	shardText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([a-z0-9]+) )?mod ([1-9][0-9]{0,5})(?: \+ ([0-9]{1,6}))?(?: 0([1-9])d)?$`)
	})
	divText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^div ([1-9][0-9]{0,17})(?: 0([1-9]|[12][0-9]|3[0-8])d)?$`)
	})
	firstText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^first ([1-9][0-9]{0,2})$`) })

	digestLengths = map[string]int{"md5": 32, "sha1": 40, "sha256": 64}
	shardHashes   = []string{"crc32", "fnv1a", "java", "md5", "sha256"}
)

func (f Format) computation() (c computation, ok bool) {
	if _, ok := digestLengths[string(f)]; ok {
		return computation{digest: string(f)}, true
	}
	switch word, _, _ := strings.Cut(string(f), " "); {
	case word == "first":
		if m := firstText().FindStringSubmatch(string(f)); m != nil {
			c.head, _ = strconv.Atoi(m[1])
		}
		return c, c.head > 0
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
	known := c.hash == ""
	for _, h := range shardHashes {
		known = known || c.hash == h
	}
	fits := c.width == 0 || len(strconv.Itoa(c.first+c.count-1)) <= c.width
	return c, known && fits && c.count <= maxShards
}

// IsComputed reports whether f makes a digest, a shard, the first characters or a quotient of a value, from which the value
// cannot be read. Such a part is made and compared, but decoding a key gives the part and not
// the value.
func (f Format) IsComputed() bool {
	_, ok := f.computation()
	return ok
}

// Shards lists the shards of a format such as crc32 mod 10, in their order; nil for another
// format. A fan-out over shards reads one partition for each, so the length is at most
// maxShards.
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

// NeedsNumber reports whether f computes shards or quotients of whole numbers only. The value must be a
// non-negative whole number of any length; a hash accepts every text.
func (f Format) NeedsNumber() bool {
	c, ok := f.computation()
	return ok && (c.divisor != "" || c.count > 0 && c.hash == "")
}

// IsNumeric reports whether every part of a key that f makes is a number: a time as a number, a padded number, a shard or a
// quotient.
func (f Format) IsNumeric() bool {
	if c, ok := f.computation(); ok {
		return c.count > 0 || c.divisor != ""
	}
	_, padded := padWidth(f)
	return padded || f.IsTime() && f.IsNumber()
}

// KeepsOrder reports whether greater values make greater parts of a key: the first characters of a text, and a quotient with a
// width, or in a key that is a number.
func (f Format) KeepsOrder(number bool) bool {
	c, computed := f.computation()
	return !computed || c.head > 0 || c.divisor != "" && (number || c.width > 0)
}

// Digests lists the digests of keys.
func Digests() []string { return []string{"md5", "sha1", "sha256"} }

func (c computation) shard(n int) string { return fmt.Sprintf("%0*d", c.width, c.first+n) }

// of hashes a value as UTF-8 bytes, except by Java's hash, which is defined over UTF-16. The remainder is
// never negative, as with Java's Math.floorMod: a program that uses the sign of the hash would not find the
// partition.
func (c computation) of(value string) (string, error) {
	switch {
	case c.head > 0:
		return value[:charactersEnd(value, c.head)], nil
	case c.divisor != "":
		return c.quotient(value)
	}
	data := []byte(value)
	switch c.digest {
	case "md5":
		sum := md5.Sum(data) //nolint:gosec // See above.
		return hex.EncodeToString(sum[:]), nil
	case "sha1":
		sum := sha1.Sum(data) //nolint:gosec // See above.
		return hex.EncodeToString(sum[:]), nil
	case "sha256":
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:]), nil
	}
	n := new(big.Int)
	switch c.hash {
	case "":
		if !isDigits(value) {
			return "", fmt.Errorf("%q is not a non-negative whole number, so it has no shard", Printable(value))
		}
		n.SetString(value, 10)
	case "crc32":
		n.SetUint64(uint64(crc32.ChecksumIEEE(data)))
	case "fnv1a":
		h := fnv.New32a()
		h.Write(data)
		n.SetUint64(uint64(h.Sum32()))
	case "java":
		n.SetInt64(int64(javaHash(value)))
	case "md5":
		sum := md5.Sum(data) //nolint:gosec // See above.
		n.SetBytes(sum[:])
	case "sha256":
		sum := sha256.Sum256(data)
		n.SetBytes(sum[:])
	}
	return c.shard(int(n.Mod(n, big.NewInt(int64(c.count))).Int64())), nil
}

func (c computation) quotient(value string) (string, error) {
	if !isDigits(value) {
		return "", fmt.Errorf("%q is not a non-negative whole number, so it cannot be divided", Printable(value))
	}
	n, by := new(big.Int), new(big.Int)
	n.SetString(value, 10)
	by.SetString(c.divisor, 10)
	text := n.Div(n, by).String()
	if c.width > 0 && len(text) > c.width {
		return "", fmt.Errorf("%s has more than %d digits", text, c.width)
	}
	return strings.Repeat("0", max(c.width-len(text), 0)) + text, nil
}

// javaHash is Java's String.hashCode, including its overflow, on which the programs of the schema depend.
func javaHash(s string) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(unit)
	}
	return h
}

func (c computation) check(text string) error {
	switch {
	case c.head > 0 && utf8.RuneCountInString(text) > c.head:
		return fmt.Errorf("%q has more than %d characters", Printable(text), c.head)
	case c.head > 0:
		return nil
	case c.divisor != "":
		short := c.width == 0 && (text == "0" || !strings.HasPrefix(text, "0"))
		if !isDigits(text) || !short && len(text) != c.width {
			return fmt.Errorf("%q is not a whole number of the format of the key", Printable(text))
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
	if c.head > 0 || c.divisor != "" {
		return c.width
	}
	if last := c.shard(c.count - 1); len(last) == len(c.shard(0)) {
		return len(last)
	}
	return 0
}

// Computed reports whether the placeholder makes a digest, a shard, the first characters or a quotient of its value.
func (s Segment) Computed() bool { return s.computed != nil }

// Part returns the name of what the key has of the placeholder: that of the placeholder,
// or, for a computed part, of which the value is not known, the whole text in the braces,
// such as orderId:mod 10. Values of that name stand for the part itself.
func (s Segment) Part() string {
	if s.computed != nil {
		return s.Name + ":" + string(s.Format)
	}
	return s.Name
}

// Cuts reports whether the key has only the beginning of the value, or of the number or time that it is.
func (s Segment) Cuts() bool {
	if s.of != nil && s.Format.IsTime() && s.Format.fraction() < s.of.Format.fraction() {
		return true
	}
	return s.Format.Lossy() && s.Format != "lower" && s.Format != "upper"
}

func (s Segment) whole() bool { return s.computed != nil || !s.Format.Lossy() }

// Spelled returns the name of values that are the part of a key as it is spelled, where the whole value may not be
// known: of a digest, a shard, or the period of a time, such as createdAt:hour.
func (s Segment) Spelled() (name string, ok bool) {
	return s.Name + ":" + string(s.Format), s.computed != nil || s.Format.IsTime() && s.Format.Lossy()
}

// Filled reports whether there is a value for the placeholder, or for its part of the key.
func (s Segment) Filled(values Values) bool {
	_, _, ok := s.value(values)
	return s.Name != "" && ok
}

func (s Segment) value(values Values) (v string, spelled, ok bool) {
	if v, ok = values(s.Name); ok {
		return v, false, true
	}
	if part, can := s.Spelled(); can {
		v, ok = values(part)
		return v, true, ok
	}
	return "", false, false
}
