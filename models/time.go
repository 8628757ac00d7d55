package models

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// minMillis is the smallest epoch number that is read as milliseconds (1973) instead of seconds (year 5138).
const minMillis = 100_000_000_000

// A Time is a point in time with a precision.
type Time struct {
	time.Time
	// Day is set if the time is only a calendar day. As the upper bound of an inclusive range, it includes the whole
	// day.
	Day bool
}

// End returns the last moment of t. DynamoDB has no time type, so the caller writes the moment in the attribute's
// format, which may truncate it to seconds.
func (t Time) End() time.Time {
	if t.Day {
		return t.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return t.Time
}

var relative = LazyRegexp(`^(now|today|yesterday|tomorrow)?\s*(?:([+-])\s*(\d{1,9})\s*(ms|s|m|h|d|w))?$`)

var timeLayouts = []struct {
	layout string
	day    bool
}{
	{time.RFC3339Nano, false},
	{"2006-01-02T15:04:05.999999999", false},
	{"2006-01-02 15:04:05.999999999Z07:00", false},
	{"2006-01-02 15:04:05.999999999", false},
	{"2006-01-02T15:04Z07:00", false},
	{"2006-01-02T15:04", false},
	{"2006-01-02 15:04", false},
	{"20060102T150405Z", false},
	{"2006-01-02", true},
	{"20060102", true},
}

// ParseTime reads a time: relative to now (now, now-7d, -24h, today, yesterday, today-1d; units ms s m h d w), ISO 8601
// with or without fraction and zone, a date (2026-01-14, 20260114), compact ISO (20260114T100000Z), or epoch seconds,
// milliseconds, microseconds or nanoseconds, distinguished by their size. A time without a zone is in UTC. Epoch
// numbers below 100,000,000,000 are seconds. The result is in UTC and in the years 1 to 9999. A day-based expression
// keeps Day while only days and weeks are added.
func ParseTime(s string, now time.Time) (Time, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return Time{}, errors.New("time is empty; use 2026-01-14, today, yesterday, or now-7d")
	}
	if m := relative().FindStringSubmatch(strings.ToLower(text)); m != nil {
		return relativeTime(m, now)
	}
	return absoluteTime(text, "epoch seconds, today, yesterday, or now-7d")
}

func absoluteTime(text, otherForms string) (Time, error) {
	for _, l := range timeLayouts {
		if t, err := time.Parse(l.layout, text); err == nil {
			return Time{Time: t.UTC(), Day: l.day}, checkYear(text, t)
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		t := time.Unix(n, 0).UTC()
		switch {
		case n >= 10_000_000*minMillis:
			t = time.Unix(0, n).UTC()
		case n >= 10_000*minMillis:
			t = time.UnixMicro(n).UTC()
		case n >= minMillis:
			t = time.UnixMilli(n).UTC()
		}
		return Time{Time: t}, checkYear(text, t)
	}
	if t, ok := EpochDecimal.ReadTime(text); ok && 1000*t.Unix() >= minMillis { // not a price
		return Time{Time: t}, nil
	}
	return Time{}, fmt.Errorf("%q is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, %s", Printable(text), otherForms)
}

func checkYear(s string, t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("%q is outside the years 1 to 9999", Printable(s))
	}
	return nil
}

func relativeTime(m []string, now time.Time) (Time, error) {
	t := Time{Time: now.UTC()}
	switch m[1] {
	case "today", "yesterday", "tomorrow":
		y, mo, d := t.Date()
		t = Time{Time: time.Date(y, mo, d, 0, 0, 0, 0, time.UTC), Day: true}
	case "", "now":
	}
	switch m[1] {
	case "yesterday":
		t.Time = t.AddDate(0, 0, -1)
	case "tomorrow":
		t.Time = t.AddDate(0, 0, 1)
	}
	if m[2] == "" {
		return t, nil
	}
	n, err := strconv.ParseInt(m[2]+m[3], 10, 64)
	if err != nil {
		return Time{}, fmt.Errorf("relative time %s%s%s: %w", m[2], m[3], m[4], err)
	}
	units := map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
	unit := units[m[4]]
	if limit := 1 << 62 / int64(unit); n > limit || n < -limit {
		return Time{}, fmt.Errorf("relative time %s%s%s is out of range", m[2], m[3], m[4])
	}
	if m[4] != "d" && m[4] != "w" {
		t.Day = false
	}
	t.Time = t.Add(time.Duration(n) * unit)
	return t, checkYear(m[0], t.Time)
}

// FormatTime returns t in UTC as format f stores it; ok is false if f is not a time format. t may be in any zone.
// FormatTime truncates parts that the format lacks, and never rounds.
func (f Format) FormatTime(t time.Time) (s string, ok bool) {
	if e, ok := f.epoch(); ok {
		return e.write(t), true
	}
	l := f.layout()
	if l == nil {
		return "", false
	}
	return l.write(t.UTC()), true
}

// An epoch is a format that counts from 1970.
type epoch struct {
	digits   int    // digits of the fraction of a second
	decimal  bool   // the fraction follows a point
	constant string // constant from which to subtract the time, so that later times come first; or ""
}

var epochs = map[Format]epoch{
	EpochSeconds: {}, EpochMillis: {digits: 3}, EpochMicros: {digits: 6}, EpochNanos: {digits: 9},
	EpochDecimal: {digits: 9, decimal: true},
}

// epoch also accepts formats such as 9999999999 - epoch-seconds.
func (f Format) epoch() (epoch, bool) {
	if e, ok := epochs[f]; ok {
		return e, true
	}
	from, format, reversed := strings.Cut(string(f), " - ")
	e, ok := epochs[Format(format)]
	if !reversed || !ok || e.decimal || !isDigits(from) || from[0] == '0' || len(from) < 10+e.digits {
		return epoch{}, false
	}
	_, err := strconv.ParseUint(from, 10, 64)
	e.constant = from
	return e, err == nil
}

// fraction returns the number of digits after the second in times of f.
func (f Format) fraction() int {
	if e, ok := f.epoch(); ok {
		return e.digits
	}
	if l := f.layout(); l != nil {
		return l.fractionDigits
	}
	return 0
}

// IsReversed reports whether f subtracts a time, as 9999999999 - epoch-seconds does, so that later times come first.
func (f Format) IsReversed() bool {
	e, ok := f.epoch()
	return ok && e.constant != ""
}

// write never overflows: a time in nanoseconds has 19 digits until 2286, and the constant has at least as many.
func (e epoch) write(t time.Time) string {
	fraction := fmt.Sprintf("%09d", t.Nanosecond())[:e.digits]
	whole := strconv.FormatInt(t.Unix(), 10)
	switch {
	case e.decimal:
		return strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), ".")
	case t.Unix() < 0 && e.digits > 0:
		fraction = "" // the number before 1970 cannot be read back
		whole = strconv.FormatInt(t.UnixNano()/int64(pow10(9-e.digits)), 10)
	}
	text := strings.TrimLeft(whole+fraction, "0")
	if text == "" {
		text = "0"
	}
	if e.constant == "" {
		return text
	}
	from, _ := strconv.ParseUint(e.constant, 10, 64)
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > from {
		n = from
	}
	return fmt.Sprintf("%0*d", len(e.constant), from-n)
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// read accepts only the output of write, and zeros before a number.
func (e epoch) read(s string) (time.Time, bool) {
	fraction := ""
	if e.decimal {
		s, fraction, _ = strings.Cut(s, ".")
		if len(fraction) > 9 || fraction != "" && !isDigits(fraction) {
			return time.Time{}, false
		}
	}
	if !isDigits(s) {
		return time.Time{}, false
	}
	if e.constant != "" {
		from, _ := strconv.ParseUint(e.constant, 10, 64)
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil || n > from || len(s) != len(e.constant) {
			return time.Time{}, false
		}
		s = strconv.FormatUint(from-n, 10)
	}
	if !e.decimal {
		at := max(len(s)-e.digits, 0)
		s, fraction = s[:at], strings.Repeat("0", max(e.digits-len(s), 0))+s[at:]
	}
	seconds, err := strconv.ParseInt("0"+s, 10, 64)
	nanos, _ := strconv.Atoi((fraction + "000000000")[:9])
	t := time.Unix(seconds, int64(nanos)).UTC()
	return t, err == nil && checkYear(s, t) == nil
}

// ReadableText returns a stored value of format f in readable form. It converts seconds and milliseconds to ISO 8601
// and returns other text unchanged.
func (f Format) ReadableText(text string) string {
	e, epoch := f.epoch()
	t, ok := f.ReadTime(text)
	switch {
	case !ok || !epoch:
		return text
	case e.digits == 0:
		text, _ = ISO8601.FormatTime(t)
	case e.digits == 3:
		text, _ = ISO8601Millis.FormatTime(t)
	default:
		text = t.Format(time.RFC3339Nano)
	}
	return text
}

// ReadTime reads a stored value of format f. Unlike ParseTime, it accepts only values that the format can write, in any
// precision, and does not guess units: it reads seconds in a milliseconds attribute as a time in 1970.
func (f Format) ReadTime(s string) (time.Time, bool) {
	if e, ok := f.epoch(); ok {
		return e.read(s)
	}
	switch f {
	case ISO8601, ISO8601Millis, ISO8601Any:
		t, err := absoluteTime(s, "")
		return t.Time, err == nil && !t.Day && len(s) > len("2026-01-14") && s[4] == '-'
	default:
		l := f.layout()
		if l == nil {
			return time.Time{}, false
		}
		return l.read(s)
	}
}

// A unit is a part of a time, such as an hour. The order of the constants is the order in which parts must appear for
// texts to sort by time.
type unit int

const (
	noUnit unit = iota
	inYear
	inMonth
	inWeek
	inDay
	inHour
	inMinute
	inSecond
	inFraction
)

// A directive is a layout letter for a part of a time.
type directive struct {
	unit     unit
	length   int
	number   func(time.Time) int
	requires string // the directive that it requires, or ""
}

// These layout directives use the notation of strftime. Most languages support it, and, unlike in a sample date, text
// between directives needs no escapes.
var directives = map[byte]directive{
	'Y': {inYear, 4, time.Time.Year, ""},
	'm': {inMonth, 2, func(t time.Time) int { return int(t.Month()) }, "Y"},
	'b': {inMonth, 3, func(t time.Time) int { return int(t.Month()) }, "Y"},
	'd': {inDay, 2, time.Time.Day, "mb"},
	'j': {inDay, 3, time.Time.YearDay, "Y"},
	'G': {inYear, 4, func(t time.Time) int { y, _ := t.ISOWeek(); return y }, ""},
	'V': {inWeek, 2, func(t time.Time) int { _, w := t.ISOWeek(); return w }, "G"},
	'H': {inHour, 2, time.Time.Hour, "dj"},
	'M': {inMinute, 2, time.Time.Minute, "H"},
	'S': {inSecond, 2, time.Time.Second, "M"},
	'L': {inFraction, 3, func(t time.Time) int { return t.Nanosecond() / 1_000_000 }, "S"},
	'f': {inFraction, 6, func(t time.Time) int { return t.Nanosecond() / 1_000 }, "S"},
	'N': {inFraction, 9, time.Time.Nanosecond, "S"},
}

const directiveWords = "%Y %m %b %d %j %H %M %S %L %f %N, or %G with %V"

// A layout writes a time as text in which every part has a fixed length.
type layout struct {
	parts          []layoutPart
	length         int
	smallest       unit
	fractionDigits int  // number of digits of the fraction of a second
	sorts          bool // texts sort by time
	digits         bool // texts are numbers
}

// A layoutPart is text, or a directive.
type layoutPart struct {
	text   string
	letter byte // 0 for text
}

// layoutOf contains the layouts of formats that write a time as text. Times of unknown precision have milliseconds, as
// in JavaScript's toISOString.
var layoutOf = map[Format]string{
	ISO8601: "%Y-%m-%dT%H:%M:%SZ", ISO8601Millis: "%Y-%m-%dT%H:%M:%S.%LZ", ISO8601Any: "%Y-%m-%dT%H:%M:%S.%LZ",
	ISOLocal: "%Y-%m-%dT%H:%M:%S", ISOLocalMilli: "%Y-%m-%dT%H:%M:%S.%L", Compact: "%Y%m%dT%H%M%SZ",
	Date: "%Y-%m-%d", Day: "%Y%m%d", Hour: "%Y-%m-%dT%H", Week: "%G-W%V", Month: "%Y-%m", Year: "%Y",
}

// compiledLayouts caches layouts for the life of the program. Formats come from schemas, not from items, so the cache
// stays small.
var compiledLayouts sync.Map // maps Format to *layout

// IsLayout reports whether f is a layout, such as %Y-%m-%d %H:%M, and not the name of a format.
func (f Format) IsLayout() bool { return strings.ContainsRune(string(f), '%') }

func (f Format) layout() *layout {
	text, named := layoutOf[f]
	if !named && !f.IsLayout() {
		return nil
	}
	if l, ok := compiledLayouts.Load(f); ok {
		return l.(*layout)
	}
	if !named {
		text = string(f)
	}
	l, err := compileLayout(text)
	if err != nil {
		return nil
	}
	compiledLayouts.Store(f, l)
	return l
}

// CheckLayout returns an error if f is not a time layout. If it returns nil, FormatTime and ReadTime accept f. The
// error quotes the layout and lists the directives.
func (f Format) CheckLayout() error {
	_, err := compileLayout(string(f))
	return err
}

func compileLayout(source string) (*layout, error) {
	l := &layout{sorts: true, digits: true}
	var letters string
	for rest := source; rest != ""; {
		if text, _, _ := strings.Cut(rest, "%"); text != "" {
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("{}[]", r) }) {
				return nil, fmt.Errorf("layout %q contains a bracket or a character that is not ASCII", Printable(source))
			}
			l.parts, l.length, l.digits = append(l.parts, layoutPart{text: text}), l.length+len(text), l.digits && isDigits(text)
			rest = rest[len(text):]
			continue
		}
		d, ok := directive{}, false
		if len(rest) > 1 {
			d, ok = directives[rest[1]]
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("layout %q: %q is not a directive; use %s", Printable(source),
				Printable(rest[:min(2, len(rest))]), directiveWords)
		case strings.IndexByte(letters, rest[1]) >= 0:
			return nil, fmt.Errorf("layout %q has %s twice; write it once", Printable(source), rest[:2])
		}
		l.sorts = l.sorts && d.unit > l.smallest && rest[1] != 'b'
		l.digits = l.digits && rest[1] != 'b'
		l.smallest = max(l.smallest, d.unit)
		if d.unit == inFraction {
			l.fractionDigits = d.length
		}
		l.parts, l.length = append(l.parts, layoutPart{letter: rest[1]}), l.length+d.length
		letters += rest[1:2]
		rest = rest[2:]
	}
	return l, checkLetters(source, letters)
}

// checkLetters rejects a directive without the one that it requires, and a mix of months, days of the year and weeks.
func checkLetters(source, letters string) error {
	if letters == "" {
		return errors.New("layout has no directive; use " + directiveWords)
	}
	seen := map[unit]bool{}
	for i := range len(letters) {
		d := directives[letters[i]]
		if d.requires != "" && !strings.ContainsAny(letters, d.requires) {
			return fmt.Errorf("layout %q has %%%c without %%%s", Printable(source), letters[i],
				strings.Join(strings.Split(d.requires, ""), " or %"))
		}
		if seen[d.unit] {
			return fmt.Errorf("layout %q has two directives for the same part of a time; keep one", Printable(source))
		}
		seen[d.unit] = true
	}
	if strings.Contains(letters, "G") && !seen[inWeek] {
		return fmt.Errorf("layout %q has %%G, the year of a week, without %%V; use %%Y", Printable(source))
	}
	if strings.Contains(letters, "j") && seen[inMonth] {
		return fmt.Errorf("layout %q has the day of the year and a month; keep one", Printable(source))
	}
	return nil
}

func (l *layout) write(t time.Time) string {
	out := make([]byte, 0, l.length)
	for _, p := range l.parts {
		switch p.letter {
		case 0:
			out = append(out, p.text...)
		case 'b':
			out = append(out, months[3*t.Month()-3:][:3]...)
		default:
			d := directives[p.letter]
			digits := strconv.Itoa(d.number(t))
			for range d.length - len(digits) {
				out = append(out, '0')
			}
			out = append(out, digits...)
		}
	}
	return string(out)
}

// read accepts only the output of write, because otherwise a key made from the time would differ from the stored one.
func (l *layout) read(s string) (time.Time, bool) {
	if len(s) != l.length {
		return time.Time{}, false
	}
	n := map[byte]int{'m': 1, 'd': 1}
	rest := s
	for _, p := range l.parts {
		length := len(p.text)
		if p.letter != 0 {
			length = directives[p.letter].length
		}
		text := rest[:length]
		rest = rest[length:]
		switch {
		case p.letter == 0:
		case p.letter == 'b':
			n['m'] = 1 + strings.Index(months, text)/3
		case !isDigits(text):
			return time.Time{}, false
		default:
			n[p.letter], _ = strconv.Atoi(text)
		}
	}
	t := time.Date(n['Y'], time.Month(n['m']), n['d'], n['H'], n['M'], n['S'], n['L']*1_000_000+n['f']*1_000+n['N'], time.UTC)
	switch {
	case n['j'] > 0:
		t = t.AddDate(0, 0, n['j']-1)
	case n['V'] > 0:
		t = weekStart(n['G'], n['V'])
	}
	return t, checkYear(s, t) == nil && l.write(t) == s
}

// months contains the names that %b writes.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// weekStart returns the first moment of an ISO 8601 week. The fourth of January is always in week 1.
func weekStart(year, week int) time.Time {
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	return fourth.AddDate(0, 0, 7*(week-1)-(int(fourth.Weekday())+6)%7)
}

// SortsByTime reports whether values of the time format f sort by time, as text or as stored numbers. ddbdesk rejects
// ranges and comparisons over other formats, because they would silently return wrong items. It reads a range of
// reversed times with its ends exchanged, because they sort in reverse. SortsByTime returns true for formats that are
// not times.
func (f Format) SortsByTime() bool {
	l := f.layout()
	return !f.IsReversed() && (l == nil || l.sorts)
}

// IsNumber reports whether values of the time format f can be stored as numbers. The first part must be a directive,
// because a number must start with a digit.
func (f Format) IsNumber() bool {
	l := f.layout()
	return l == nil || l.digits && l.parts[0].text == ""
}

func (f Format) unit() unit {
	if l := f.layout(); l != nil {
		return l.smallest
	}
	return noUnit
}

// Period returns the period that values of f represent: hour, day, week, month or year. It returns "" for points in
// time and for formats that are not times.
func (f Format) Period() string {
	return [inFraction + 1]string{inYear: "year", inMonth: "month", inWeek: "week", inDay: "day", inHour: "hour"}[f.unit()]
}
