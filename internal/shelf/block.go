// This file is a block of items that lie beside each other, and the few blocks
// that were opened last.

package shelf

import (
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/ddbdesk/ddbdesk/models"
)

// A block holds some items, one after the other, each behind its length. It does
// not change.
type block struct {
	data   string        // as it is when size is 0, else compressed
	size   int32         // of the text that data was made of
	rows   int32         // items
	odd    models.Item   // the only item, when it cannot be packed
	reader *zstd.Decoder // nil for what is not compressed
}

// blockBytes is what a block takes beside its data, its place in the shelf
// included.
const blockBytes = int(unsafe.Sizeof(block{})) + 4

// spare is how much room behind a text lets the reader work without another copy.
const spare = 32

// expand is the text of a compressed block.
func (b *block) expand() string {
	text, err := b.reader.DecodeAll(unsafe.Slice(unsafe.StringData(b.data), len(b.data)), make([]byte, 0, int(b.size)+spare))
	if err != nil {
		// The data never left this program's memory: that is broken.
		panic("shelf: a block cannot be expanded: " + err.Error())
	}
	return unsafe.String(unsafe.SliceData(text), len(text)) // Nobody writes to it any more.
}

// row is the packed text of the k-th item of the block whose text is given.
func (b *block) row(text string, k int) string {
	for {
		n, used := length(text)
		text = text[used:]
		if k == 0 {
			return text[:n]
		}
		text = text[n:]
		k--
	}
}

// length reads a number of the encoding/binary kind from the start of a text.
func length(text string) (n, used int) {
	for i := range len(text) {
		c := text[i]
		n |= int(c&0x7f) << (7 * i)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, len(text)
}

// openBlocks is how many expanded blocks are kept: a screenful of rows that lie
// far from each other, and the next one. It is about a megabyte.
const openBlocks = 128

// opened are the blocks that were expanded last. Copies of a shelf share them.
type opened struct {
	mu    sync.Mutex
	text  map[int]kept
	order [openBlocks]int // the blocks in the order in which they came, as a ring
	next  int
}

// kept is an expanded block. A block of the same place in another state of the
// shelf has other data.
type kept struct{ data, text string }

func (o *opened) find(at int, b *block) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k, ok := o.text[at]
	if !ok || unsafe.StringData(k.data) != unsafe.StringData(b.data) {
		return "", false
	}
	return k.text, true
}

// bigText is too much to be kept: such a block holds one item.
const bigText = 64 << 10

func (o *opened) keep(at int, b *block, text string) {
	if len(text) > bigText {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text == nil {
		o.text = make(map[int]kept, openBlocks)
	}
	if _, there := o.text[at]; !there {
		if len(o.text) >= openBlocks {
			delete(o.text, o.order[o.next])
		}
		o.order[o.next] = at
		o.next = (o.next + 1) % openBlocks
	}
	o.text[at] = kept{b.data, text}
}
