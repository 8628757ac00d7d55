package rows

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// plainRows is the number of items to store without compression, so that small results are fast.
	plainRows = 1000
	// blockSize is the length of the items to compress together. Blocks of 8 KB, about 20 items of 400 bytes, need an
	// eighth more memory than larger blocks, but expand in 10 µs. A screen of rows from 50 blocks takes half a
	// millisecond.
	blockSize = 8 << 10
	// blockRows is the maximum number of items in a block, because finding an item requires counting.
	blockRows = 64
	// window is the compressor's window for repetitions in large items.
	window = 256 << 10
	// readers is the number of goroutines that can expand blocks at once: the screen, two searches and an export.
	readers = 4
)

// A Packer packs items for one Store. It is safe for concurrent use.
type Packer struct {
	mu     sync.Mutex
	items  models.Packer
	rows   int // number of packed rows
	writer *zstd.Encoder
	reader *zstd.Decoder
	row    []byte // item that is being packed
	text   []byte // block that is being filled
	filled int32  // number of items in text
}

// A Batch contains packed items for the store of the Packer.
type Batch struct {
	packer *Packer
	items  models.Packer
	blocks []block
}

// Len returns the number of items in the batch.
func (b Batch) Len() int {
	n := 0
	for i := range b.blocks {
		n += int(b.blocks[i].rows)
	}
	return n
}

// Pack packs items in order. It retains only copies of items that cannot be packed. For an empty list it returns an
// empty batch.
func (p *Packer) Pack(items []models.Item) Batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := packing{Packer: p}
	for _, it := range items {
		out.add(it)
	}
	out.endBlock()
	return Batch{packer: p, items: p.items, blocks: out.finish()}
}

// packing is a batch in progress. The data of all its blocks is contiguous.
type packing struct {
	*Packer
	blocks []block
	data   []byte
	ends   []int // end of each block's data
}

func (p *packing) add(it models.Item) {
	row, ok := p.items.AppendPacked(p.row[:0], it)
	p.row = row
	if !ok {
		p.endBlock()
		p.rows++
		p.blocks, p.ends = append(p.blocks, block{rows: 1, unpackable: it.Clone()}), append(p.ends, len(p.data))
		return
	}
	if p.filled > 0 && len(p.text)+len(row) > blockSize {
		p.endBlock()
	}
	p.text = append(binary.AppendUvarint(p.text, uint64(len(row))), row...)
	p.filled++
	p.rows++
	if p.filled == blockRows || p.rows == plainRows {
		p.endBlock()
	}
}

func (p *packing) endBlock() {
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
	if cap(p.text) > maxCachedText {
		p.text, p.row = nil, nil // do not keep the buffers of large items, which are rare
	}
}

func (p *packing) compress(b *block) {
	p.startCompressor()
	from := len(p.data)
	p.data = p.writer.EncodeAll(p.text, p.data)
	if len(p.data)-from >= len(p.text) {
		p.data = p.data[:from]
		return
	}
	b.size, b.reader = int32(len(p.text)), p.reader
}

func (p *Packer) startCompressor() {
	if p.writer != nil {
		return
	}
	var err error
	p.writer, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithAllLitEntropyCompression(true))
	if err == nil {
		p.reader, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(readers), zstd.WithDecoderLowmem(true))
	}
	if err != nil {
		panic("rows: invalid compressor options: " + err.Error()) // the options are constants
	}
}

// finish gives every block its part without spare capacity, because a batch lives as long as its rows.
func (p *packing) finish() []block {
	data, from := string(p.data), 0
	for i := range p.blocks {
		p.blocks[i].data = data[from:p.ends[i]]
		from = p.ends[i]
	}
	return slices.Clip(p.blocks)
}
