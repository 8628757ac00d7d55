package canary

import (
	"crypto/md5"  //nolint:gosec // Weak hashes of sensitive values must be found as well.
	"crypto/sha1" //nolint:gosec // See above.
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Watch finds the markers of a MarkedData. Once prepared, it is safe for concurrent use.
type Watch struct {
	markers []Marker
	needles []needle
	hashes  map[string]int // first letters of each marker's hashes, in hex and base64
	twin    bool
}

// A Sighting is a marker in a text.
type Sighting struct {
	Marker   Marker // without Value and Where if only the common stem was found
	Encoding string // form or encoding
	Context  string // surrounding text
}

// String describes the marker for the log of a test.
func (s Sighting) String() string {
	subject := "personal data"
	if s.Marker.Secret {
		subject = "a secret"
	}
	return fmt.Sprintf("%s %s (%s): …%s…", subject, s.Marker.Where, s.Encoding, models.Printable(s.Context))
}

// A needle is one form or encoding of a stem.
type needle struct {
	text      string
	encoding  string
	stem      stem
	folded    bool // compared in lower case
	compacted bool // also compared with the text without spaces and punctuation
	number    func(rest string) int
}

// addMarker adds a marker and returns its value.
func (w *Watch) addMarker(location string, s models.Sensitivity, format func(stem, int) string) string {
	n := len(w.markers)
	if w.twin {
		n = maxMarkers - 1 - n // the order of the markers is reversed too
	}
	value := format(stemOf(s), n)
	w.markers = append(w.markers, Marker{value, location, s == models.Secret})
	return value
}

// Markers returns all markers.
func (w *Watch) Markers() []Marker { return w.markers }

// prepare prepares the search.
func (w *Watch) prepare() error {
	if len(w.markers) > maxMarkers {
		return fmt.Errorf("%d markers, but only %d can be distinguished", len(w.markers), maxMarkers)
	}
	for _, s := range stems {
		w.needles = append(w.needles, s.needles()...)
	}
	w.hashes = map[string]int{}
	for i, m := range w.markers {
		for _, text := range []string{m.Value, strings.TrimPrefix(m.Value, "+"), strconv.Quote(m.Value)} {
			for _, sum := range digests(text) {
				w.hashes[hex.EncodeToString(sum)[:hashLetters]] = i
				w.hashes[base64.RawStdEncoding.EncodeToString(sum)[:hashLetters]] = i
				w.hashes[base64.RawURLEncoding.EncodeToString(sum)[:hashLetters]] = i
			}
		}
	}
	return nil
}

// hashLetters is the number of letters that identify a hash.
const hashLetters = 10

func digests(text string) [][]byte {
	b := []byte(text)
	s1, s2, s5, m := sha1.Sum(b), sha256.Sum256(b), sha512.Sum512(b), md5.Sum(b) //nolint:gosec // See the imports.
	return [][]byte{s1[:], s2[:], s5[:], m[:]}
}

// needles returns the forms and encodings of the stem.
func (s stem) needles() []needle {
	const partLength = 6 // letters that identify a truncated marker
	byLetters := func(rest string) int {
		n := 0
		for i := range 3 {
			if i >= len(rest) || rest[i] < 'a' || rest[i] > 'j' {
				return -1
			}
			n = 10*n + int(rest[i]-'a')
		}
		return n
	}
	byDigits := func(rest string) int {
		if len(rest) < 3 {
			return -1
		}
		n, err := strconv.Atoi(rest[:3])
		if err != nil {
			return -1
		}
		return n
	}
	list := []needle{
		{s.letters, "as it is", s, true, false, byLetters},
		{s.letters[:partLength], "its beginning", s, true, true, nil},
		{s.tail, "its end", s, true, true, nil},
		{s.digits, "as it is", s, true, true, byDigits},
		{s.digits[:partLength+1], "its beginning", s, true, false, nil},
		{s.address + "::", "as it is", s, true, false, byDigits},
		{s.hex, "as it is", s, true, false, byDigits},
		{s.hex[:12], "its beginning", s, true, false, nil},
		{s.hex[:8] + "-" + s.hex[8:12], "as it is", s, true, false, nil},
	}
	for _, text := range []string{s.letters, s.digits, s.address} {
		list = append(list, s.encodings(text)...)
	}
	return list
}

// encodings returns the encodings of a text.
func (s stem) encodings(text string) []needle {
	list := []needle{
		{hex.EncodeToString([]byte(text)), "in hex", s, true, false, nil},
		{formatBytes(text, "%%%02x"), "URL encoded", s, true, false, nil},
		{formatBytes(text, `\u%04x`), "JSON escaped", s, true, false, nil},
		{formatBytes(text, "&#%d;"), "as HTML", s, true, false, nil},
		{formatBytes(text, "%c\x00"), "UTF-16", s, true, false, nil},
		{formatBytes(text, "%d "), "as byte values", s, true, false, nil},
		{formatBytes(text, "%d,"), "as byte values", s, true, false, nil},
	}
	for shift := range 3 {
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := e.EncodeToString([]byte("\x00\x00\x00"[:shift] + text))
			from := (8*shift + 5) / 6
			to := 8 * (shift + len(text)) / 6
			list = append(list, needle{encoded[from:to], fmt.Sprintf("base64, shifted by %d", shift), s, false, false, nil})
		}
	}
	return list
}

func formatBytes(text, verb string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, verb, c)
	}
	return b.String()
}

// encryptedText matches long encrypted or random data in base64. Human text has no such long runs of letters.
var encryptedText = regexp.MustCompile(`[A-Za-z0-9+/_=-]{256,}`)

// Find returns the markers in a text, one for each form.
func (w *Watch) Find(text string) []Sighting {
	folded := strings.ToLower(text)
	compacted := compact(folded)
	readable := strings.ToLower(encryptedText.ReplaceAllString(text, " "))
	var list []Sighting
	reported := map[string]bool{}
	add := func(s Sighting) {
		if id := s.Marker.Value + "\x00" + s.Encoding; !reported[id] {
			reported[id] = true
			list = append(list, s)
		}
	}
	for _, n := range w.needles {
		target, compactedTarget := text, compacted
		switch {
		case n.folded && len(n.text) <= 8: // random letters can contain these by chance
			target, compactedTarget = readable, compact(readable)
		case n.folded:
			target = folded
		}
		w.findNeedle(n, target, add)
		if n.compacted {
			w.findNeedle(n, compactedTarget, add)
		}
	}
	w.findHashes(text, add)
	return list
}

// findNeedle finds all occurrences of a needle in a text.
func (w *Watch) findNeedle(n needle, text string, add func(Sighting)) {
	for from := 0; ; {
		i := strings.Index(text[from:], n.text)
		if i < 0 {
			return
		}
		at := from + i
		from = at + len(n.text)
		m := Marker{Secret: n.stem.secret}
		if n.number != nil {
			if k := n.number(text[from:]); k >= 0 && k < len(w.markers) && w.markers[k].Secret == m.Secret {
				m = w.markers[k]
			}
		} else if n.encoding == "its beginning" && (strings.HasPrefix(text[at:], n.stem.letters) ||
			strings.HasPrefix(text[at:], n.stem.digits) || strings.HasPrefix(text[at:], n.stem.hex)) {
			continue // the text without compacting contains it too
		} else if n.encoding == "its end" && at >= len(n.stem.letters)+3 && strings.HasPrefix(text[at-len(n.stem.letters)-3:], n.stem.letters) {
			continue
		}
		add(Sighting{m, n.encoding, excerpt(text, at, len(n.text))})
	}
}

func excerpt(text string, at, n int) string {
	const context = 60
	return text[max(0, at-context):min(len(text), at+n+context)]
}

// findHashes finds the hashes of markers.
func (w *Watch) findHashes(text string, add func(Sighting)) {
	for _, run := range hashRun.FindAllStringIndex(text, -1) {
		word := text[run[0]:run[1]]
		for _, key := range []string{word[:hashLetters], strings.ToLower(word[:hashLetters])} {
			if i, ok := w.hashes[key]; ok {
				add(Sighting{w.markers[i], "hashed", excerpt(text, run[0], len(word))})
			}
		}
	}
}

var hashRun = regexp.MustCompile(`[0-9A-Za-z+/_-]{10,}`)

// compact removes the characters that wrapping, frames or grouping insert into a word.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}
