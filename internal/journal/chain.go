package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
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
	want []byte // what a line has to contain
	sum  hash.Hash

	balance balance // of the entries since it was reset
}

func newChainReader() *chainReader { return &chainReader{sum: sha256.New()} }

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

func (c *chainReader) follow(text []byte) bool {
	cut := len(text) - hashTail
	if cut < 0 || !bytes.HasPrefix(text[cut:], []byte(hashOpen)) || !bytes.HasSuffix(text, []byte(hashClose)) {
		return false
	}
	c.want = append(strconv.AppendUint(append(c.want[:0], `{"seq":`...), c.Seq+1, 10), ',')
	if !bytes.HasPrefix(text, c.want) {
		return false
	}
	c.want = append(append(append(c.want[:0], `,"prev":"`...), c.Hash...), '"')
	if !bytes.HasSuffix(text[:cut], c.want) {
		return false
	}
	c.sum.Reset()
	c.sum.Write(text[:cut])
	c.sum.Write([]byte("}"))
	c.want = hex.AppendEncode(c.want[:0], c.sum.Sum(nil))
	hash := string(text[cut+len(hashOpen) : cut+len(hashOpen)+hashLen])
	if string(c.want) != hash {
		return false
	}
	if id, kind, ok := idAndKind(text); ok {
		c.balance.add(id, kind)
	}
	c.chain = chain{Seq: c.Seq + 1, Hash: hash, Before: c.Hash}
	return true
}

// endsAt allows the journal to be one entry ahead of its head.
func (c chain) endsAt(h head) bool {
	if h.Seq == c.Seq {
		return h.Hash == c.Hash
	}
	return h.Seq+1 == c.Seq && h.Hash == c.Before
}
