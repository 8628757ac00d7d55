package journal

import (
	"bytes"
	"strconv"
)

// A position is the number and the hash of an entry in the journal. All entries up to it are valid.
type position struct {
	Seq  uint64 `json:"seq"`  // number of the last entry, 0 before the first
	Hash string `json:"hash"` // hash of the last entry
}

// A header contains the parts of a line that the chain needs.
type header struct {
	position
	id     string
	kind   Kind
	prev   string
	intact bool // the hash matches the line
}

// headerOf parses lines in the current form without a full JSON parser, which takes much longer.
func headerOf(text []byte) (header, error) {
	if l, ok := quickHeader(text); ok {
		return l, nil
	}
	e, intact, err := parse(text)
	return header{position{e.Seq, e.Hash}, e.ID, e.Kind, e.Prev, intact}, err
}

func quickHeader(text []byte) (l header, ok bool) {
	hashStart := len(text) - hashTail
	if hashStart < 0 {
		return l, false
	}
	l.Seq = seqOf(text)
	l.id, l.kind, ok = idAndKind(text)
	at := bytes.LastIndex(text[:hashStart], []byte(`,"prev":"`))
	if !ok || l.Seq == 0 || at < 0 || text[hashStart-1] != '"' {
		return l, false
	}
	l.prev = string(text[at+len(`,"prev":"`) : hashStart-1])
	l.Hash, l.intact = lineHash(text)
	return l, l.intact
}

// seqOf returns the entry number at the beginning of a line, or 0.
func seqOf(text []byte) uint64 {
	rest, _ := bytes.CutPrefix(text, []byte(`{"seq":`))
	digits, _, _ := bytes.Cut(rest, []byte(","))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func idAndKind(text []byte) (id string, kind Kind, ok bool) {
	const idOpen, kindOpen = `,"id":"`, `","kind":"`
	_, rest, found := bytes.Cut(text, []byte(idOpen)) // Only the number and the time precede the ID.
	if !found {
		return "", "", false
	}
	name, rest, found := bytes.Cut(rest, []byte(kindOpen))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 || bytes.ContainsAny(name, `"\\`) {
		return "", "", false
	}
	return string(name), Kind(rest[:end]), true
}
