package rows

import (
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/ddbdesk/ddbdesk/models"
)

// A block contains consecutive items, each preceded by its length. It is immutable.
type block struct {
	data       string        // packed items; compressed unless size is 0
	size       int32         // length of the uncompressed items
	rows       int32         // number of items
	unpackable models.Item   // the only item, if it cannot be packed
	reader     *zstd.Decoder // nil for an uncompressed block
}

// blockBytes is the memory of a block in addition to its data, including its entry in the store.
const blockBytes = int(unsafe.Sizeof(block{})) + 4

// spareBytes is extra capacity that saves the decoder another copy.
const spareBytes = 32

func (b *block) expand() string {
	text, err := b.reader.DecodeAll(unsafe.Slice(unsafe.StringData(b.data), len(b.data)), make([]byte, 0, int(b.size)+spareBytes))
	if err != nil {
		panic("rows: corrupt block: " + err.Error()) // the data never left this process
	}
	return unsafe.String(unsafe.SliceData(text), len(text)) // the buffer no longer changes
}

func (b *block) row(text string, k int) string {
	for {
		n, used := readLength(text)
		text = text[used:]
		if k == 0 {
			return text[:n]
		}
		text = text[n:]
		k--
	}
}

func readLength(text string) (n, used int) {
	for i := range len(text) {
		c := text[i]
		n |= int(c&0x7f) << (7 * i)
		if c < 0x80 {
			return n, i + 1
		}
	}
	return 0, len(text)
}

// cachedBlocks is the number of expanded blocks to keep, about a megabyte. This is enough for two screens of rows from
// distant blocks.
const cachedBlocks = 128

// A blockCache keeps the most recently expanded blocks. Copies of a store share it.
type blockCache struct {
	mu     sync.Mutex
	blocks map[int]expanded
	order  [cachedBlocks]int // block numbers in order of arrival, as a ring
	next   int
}

// expanded contains the block's data too, because a block in another state of the store may have the same number.
type expanded struct{ data, text string }

func (c *blockCache) find(at int, b *block) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.blocks[at]
	if !ok || unsafe.StringData(e.data) != unsafe.StringData(b.data) {
		return "", false
	}
	return e.text, true
}

// maxCachedText is the length at which a block is no longer cached. Such a block contains a single item.
const maxCachedText = 64 << 10

func (c *blockCache) add(at int, b *block, text string) {
	if len(text) > maxCachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocks == nil {
		c.blocks = make(map[int]expanded, cachedBlocks)
	}
	if _, cached := c.blocks[at]; !cached {
		if len(c.blocks) >= cachedBlocks {
			delete(c.blocks, c.order[c.next])
		}
		c.order[c.next] = at
		c.next = (c.next + 1) % cachedBlocks
	}
	c.blocks[at] = expanded{b.data, text}
}
