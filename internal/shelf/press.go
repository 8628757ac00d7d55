// This file packs items into blocks.

package shelf

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// plainRows is how many items are not compressed: those of a small answer are
	// there without any work.
	plainRows = 1000
	// blockSize is how much text is compressed together. With 8 KB, about 20 items
	// of 400 bytes, a block takes an eighth more than with any more, and is there
	// again in 10 µs: a screenful from 50 blocks in half a millisecond.
	blockSize = 8 << 10
	// blockRows bounds the rows of a block, which are found by counting.
	blockRows = 64
	// window is how far back the compressor looks: large items repeat themselves.
	window = 256 << 10
)

// A Press packs items for one shelf. It is safe for concurrent use.
type Press struct {
	mu     sync.Mutex
	packer models.Packer
	rows   int // packed so far
	writer *zstd.Encoder
	reader *zstd.Decoder
	row    []byte // the item that is being packed
	text   []byte // the block that is being filled
	filled int32  // rows in text
}

// A Bundle is packed items, for the shelf whose Press packed them.
type Bundle struct {
	press  *Press
	packer models.Packer
	blocks []block
}

// Len is the number of items in the bundle.
func (b Bundle) Len() int {
	n := 0
	for i := range b.blocks {
		n += int(b.blocks[i].rows)
	}
	return n
}

// Pack packs items in their order.
func (p *Press) Pack(items []models.Item) Bundle {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := packing{Press: p}
	for _, it := range items {
		out.add(it)
	}
	out.close()
	out.shrink()
	return Bundle{press: p, packer: p.packer, blocks: out.blocks}
}

// packing is a bundle that is being made. The data of its blocks lies together.
type packing struct {
	*Press
	blocks []block
	data   []byte
	ends   []int // of the data of each block
}

func (p *packing) add(it models.Item) {
	row, ok := p.packer.AppendPacked(p.row[:0], it)
	p.row = row
	if !ok {
		p.close()
		p.rows++
		p.blocks, p.ends = append(p.blocks, block{rows: 1, odd: it.Clone()}), append(p.ends, len(p.data))
		return
	}
	if p.filled > 0 && len(p.text)+len(row) > blockSize {
		p.close()
	}
	p.text = append(binary.AppendUvarint(p.text, uint64(len(row))), row...)
	p.filled++
	p.rows++
	if p.filled == blockRows || p.rows == plainRows {
		p.close()
	}
}

// close ends the block that is being filled.
func (p *packing) close() {
	if p.filled == 0 {
		return
	}
	b := block{rows: p.filled}
	if p.rows > plainRows {
		p.compress(&b)
	}
	if b.size == 0 {
		p.data = append(p.data, p.text...)
	}
	p.blocks, p.ends = append(p.blocks, b), append(p.ends, len(p.data))
	p.text, p.filled = p.text[:0], 0
	if cap(p.text) > bigText {
		p.text, p.row = nil, nil // A large item is an exception.
	}
}

// compress writes the block's data, unless it is no shorter than the text.
func (p *packing) compress(b *block) {
	p.start()
	from := len(p.data)
	p.data = p.writer.EncodeAll(p.text, p.data)
	if len(p.data)-from >= len(p.text) {
		p.data = p.data[:from]
		return
	}
	b.size, b.reader = int32(len(p.text)), p.reader
}

// start makes what compresses, when there is something for the first time.
func (p *Press) start() {
	if p.writer != nil {
		return
	}
	var err error
	p.writer, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithAllLitEntropyCompression(true))
	if err == nil {
		p.reader, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(readers), zstd.WithDecoderLowmem(true))
	}
	if err != nil {
		panic("shelf: the options of the compressor are wrong: " + err.Error()) // They are constants.
	}
}

// readers is how many goroutines can expand blocks at once: the screen, a search
// or two, an export.
const readers = 4

// shrink gives every block its part of the data, which takes no more than it has
// to: bundles stay for as long as the rows.
func (p *packing) shrink() {
	p.blocks = slices.Clip(p.blocks)
	data, from := string(p.data), 0
	for i := range p.blocks {
		p.blocks[i].data = data[from:p.ends[i]]
		from = p.ends[i]
	}
}
