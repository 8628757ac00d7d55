package models

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// KeyFormats lists the formats that a placeholder may name after its colon. It contains one example of each width,
// count and layout, so use the list for messages and completion, and not to validate a format.
func KeyFormats() []string {
	return []string{
		string(Date), string(Day), string(Compact), string(ISO8601), string(ISO8601Millis),
		string(EpochSeconds), string(EpochMillis), string(EpochMicros), string(EpochNanos), string(EpochDecimal),
		string(ISOLocal), string(ISOLocalMilli), string(Hour), string(Week), string(Month), string(Year), "lower", "upper", "05d", "26",
		"sha256", "md5", "sha1", "mod 10", "crc32 mod 10", "first 3", "div 100", "9999999999 - " + string(EpochSeconds),
	}
}

func isKeyFormat(f Format) bool {
	if _, ok := padWidth(f); ok {
		return true
	}
	if _, ok := f.Width(); ok {
		return true
	}
	return slices.Contains(KeyFormats(), string(f)) || f.IsComputed() || f.IsReversed() || f.IsLayout() && f.IsTime()
}

// padWidth returns the width of a zero-padding format, such as 5 for 05d.
func padWidth(f Format) (int, bool) {
	s := string(f)
	if len(s) < 3 || s[0] != '0' || !strings.HasSuffix(s, "d") || !isDigits(s[1:len(s)-1]) {
		return 0, false
	}
	n, err := strconv.Atoi(s[1 : len(s)-1])
	return n, err == nil && n > 0 && n <= 38
}

// Width returns the number of characters (code points) of a fixed-width format, such as 26 for {id:26}. The maximum is
// 1024, because a sort key has at most 1024 bytes.
func (f Format) Width() (int, bool) {
	if !isDigits(string(f)) || strings.HasPrefix(string(f), "0") {
		return 0, false
	}
	n, err := strconv.Atoi(string(f))
	return n, err == nil && n <= 1024
}

func (s Segment) length() (int, bool) {
	if n, ok := s.Format.Width(); ok {
		return n, true
	}
	if n, ok := padWidth(s.Format); ok {
		return n, true
	}
	if s.computed != nil {
		return s.computed.length(), s.computed.length() > 0
	}
	f := s.Format
	if f == NoFormat && s.attribute != nil && s.attribute.Prefix == "" {
		f = s.attribute.Format
	}
	if e, ok := f.epoch(); ok && e.constant != "" {
		return len(e.constant), true
	}
	if l := f.layout(); l != nil && f != ISO8601Any {
		return l.length, true
	}
	return 0, false
}

// TimeFormat returns the format in which the key contains a time, or NoFormat if the placeholder is not a time.
func (s Segment) TimeFormat() Format {
	switch {
	case s.Format.IsTime():
		return s.Format
	case s.Format == NoFormat && s.attribute != nil && s.attribute.Format.IsTime():
		return s.attribute.Format
	default:
		return NoFormat
	}
}

// MayBeEmpty reports whether the value can be "" if more of the key follows. This applies to plain text without a
// documented form. An empty value in an optional part omits the part.
func (s Segment) MayBeEmpty() bool {
	if s.Optional || s.values != nil || s.Format != NoFormat && s.Format != "lower" && s.Format != "upper" {
		return false
	}
	a := s.attribute
	return a == nil || (a.Type == TypeS || a.Type == "") && a.undocumentedReason("") == "" && (a.Format == NoFormat || a.Format == Text)
}

// mayEndEmpty reports whether an empty value may end here, because text follows it or the item has the empty value.
func (s *Segment) mayEndEmpty(key string, end int, known Values) bool {
	if end < len(key) || known == nil || !s.isStored() {
		return end < len(key) && s.MayBeEmpty()
	}
	v, ok := known(s.Name)
	return ok && v == "" && s.MayBeEmpty()
}

func (s Segment) isStored() bool { return s.attribute != nil && !s.attribute.KeyOnly }

func (s Segment) isPossible(value string) bool {
	if s.attribute == nil || s.Format != NoFormat {
		return true
	}
	if s.attribute.Format.IsTime() {
		return s.attribute.Format.storedDifference(value) == ""
	}
	return s.attribute.Type != TypeN || CheckNumber(value) == nil
}

func (s Segment) isLikely(value string) bool {
	return s.attribute == nil || s.Format.IsLossy() || s.attribute.Check(value) == nil
}

// Render returns value in the spelling of the segment's format. The result may be empty, and the template rejects it in
// that case. The error quotes the value but does not name the placeholder.
func (s Segment) Render(value string) (string, error) {
	if s.values != nil {
		text, ok := s.values[value]
		if !ok {
			return "", fmt.Errorf("%q is not in the map %s", Printable(value), s.Format)
		}
		return text, nil
	}
	if n, ok := padWidth(s.Format); ok {
		if !isDigits(value) {
			return "", fmt.Errorf("%q is not a non-negative whole number", Printable(value))
		}
		value = strings.TrimLeft(value, "0") // 007 and 7 are the same number, so they make the same key
		if len(value) > n {
			return "", fmt.Errorf("%s has more than %d digits", value, n)
		}
		return strings.Repeat("0", n-len(value)) + value, nil
	}
	if n, ok := s.Format.Width(); ok {
		if utf8.RuneCountInString(value) != n {
			return "", fmt.Errorf("%q does not have %d characters", Printable(value), n)
		}
		return value, nil
	}
	if s.computed != nil {
		if value == "" {
			return "", nil
		}
		return s.computed.compute(value)
	}
	switch s.Format {
	case NoFormat:
		return value, nil
	case "lower":
		return strings.ToLower(value), nil
	case "upper":
		return strings.ToUpper(value), nil
	default: // a time
	}
	if value == "" {
		return "", nil
	}
	t, err := s.time(value)
	if err != nil {
		return "", err
	}
	text, _ := s.Format.FormatTime(t)
	return text, nil
}

func (s Segment) time(value string) (time.Time, error) {
	if s.attribute != nil {
		if t, ok := s.attribute.Format.ReadTime(value); ok {
			return t, nil
		}
	}
	t, err := absoluteTime(value, "or epoch seconds")
	return t.Time, err
}

// read accepts only the output of Render. If it read 7 from 00007 and from 7, formatting would make another key.
func (s Segment) read(text string) (string, error) {
	if s.values != nil {
		for v, keyText := range s.values {
			if keyText == text {
				return v, nil
			}
		}
		return "", fmt.Errorf("%q is not a value of the map %s", Printable(text), s.Format)
	}
	if n, ok := padWidth(s.Format); ok {
		if len(text) != n || !isDigits(text) {
			return "", fmt.Errorf("%q is not a number of %d digits", Printable(text), n)
		}
		if text = strings.TrimLeft(text, "0"); text == "" {
			text = "0"
		}
		return text, nil
	}
	if _, ok := s.Format.Width(); ok {
		_, err := s.Render(text)
		return text, err
	}
	if s.computed != nil {
		return text, s.computed.check(text)
	}
	switch s.Format {
	case NoFormat:
		return text, nil
	case "lower", "upper":
		if rendered, _ := s.Render(text); rendered != text {
			return "", fmt.Errorf("%q is not in %s case", Printable(text), s.Format)
		}
		return text, nil
	default: // a time
	}
	t, ok := s.Format.ReadTime(text)
	if !ok {
		return "", fmt.Errorf("%q is not a time of the format %s", Printable(text), s.Format)
	}
	if formatted, _ := s.Format.FormatTime(t); formatted != text {
		return "", errors.New("it is not in the form " + formatted)
	}
	if s.Format.IsLossy() {
		return text, nil
	}
	if s.attribute != nil && s.attribute.Format.IsTime() && s.attribute.Format != ISO8601Any {
		text, _ = s.attribute.Format.FormatTime(t)
		return text, nil
	}
	if l := s.Format.layout(); l != nil && t.Nanosecond() == 0 && l.fractionDigits == 0 {
		text, _ = ISO8601.FormatTime(t)
	} else if s.Format.IsLayout() || s.Format.IsReversed() {
		text = t.Format(time.RFC3339Nano)
	}
	return text, nil
}
