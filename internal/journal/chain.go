package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
)

// A chain is a position in the journal up to which it is valid.
type chain struct {
	Seq    uint64 `json:"seq"`              // number of the last entry, 0 before the first
	Hash   string `json:"hash"`             // of the last entry
	Before string `json:"before,omitempty"` // hash of the entry before the last one
}

// A chainReader verifies lines as this version writes them, without the time and memory that parsing them takes. A
// line that it rejects may be valid nevertheless; inspect decides.
type chainReader struct {
	chain
	text []byte // the last line
}

// file moves to the last complete line of a file if every one follows the line before. Lines is their number, and rest
// what follows the last newline.
func (c *chainReader) file(r io.Reader) (lines int, rest []byte, ok bool, err error) {
	reader := bufio.NewReaderSize(r, bufferSize)
	for {
		var long bool
		c.text, long, err = readLine(reader, c.text[:0])
		switch {
		case errors.Is(err, io.EOF):
			return lines, c.text, !long, nil
		case err != nil:
			return lines, nil, false, err
		case long || !c.follow(c.text[:len(c.text)-1]):
			return lines, nil, false, nil
		}
		lines++
	}
}

// follow moves to the entry of a line if it is intact and follows the last one.
func (c *chainReader) follow(text []byte) bool {
	cut := len(text) - hashTail
	if cut < 0 || !bytes.HasPrefix(text[cut:], []byte(hashOpen)) || !bytes.HasSuffix(text, []byte(hashClose)) {
		return false
	}
	begin := strconv.AppendUint([]byte(`{"seq":`), c.Seq+1, 10)
	if !bytes.HasPrefix(text, append(begin, ',')) || !bytes.HasSuffix(text[:cut], []byte(`,"prev":"`+c.Hash+`"`)) {
		return false
	}
	sum := sha256.New()
	sum.Write(text[:cut])
	sum.Write([]byte("}"))
	hash := string(text[cut+len(hashOpen) : cut+len(hashOpen)+hashLen])
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return false
	}
	c.chain = chain{Seq: c.Seq + 1, Hash: hash, Before: c.Hash}
	return true
}

// endsAt reports whether the position is the end of a journal with this head. The journal may be one entry ahead.
func (c chain) endsAt(h head) bool {
	if h.Seq == c.Seq {
		return h.Hash == c.Hash
	}
	return h.Seq+1 == c.Seq && h.Hash == c.Before
}
