package compare

import (
	"bufio"
	"bytes"
	"container/heap"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
)

// sortBytes is how many bytes of records a sorter holds before it writes them to a file.
const sortBytes = 8 << 20

// A record stands for one item.
type record struct {
	key    []byte // the primary key as DynamoDB JSON
	entity uint16 // index in the entities of the schema plus one, 0 when unknown
	digest [sha256.Size]byte
}

// A sorter sorts records by key. Those that do not fit its memory go to temporary files. Keys can be personal data, so the
// files are encrypted with a key that exists in the memory of this process only.
type sorter struct {
	limit   int // bytes of records in memory
	records []record
	held    int
	block   cipher.Block
	files   []*os.File
}

// newSorter returns a sorter; close removes what it writes.
func newSorter() *sorter { return &sorter{limit: sortBytes} }

// add adds a record, which the sorter keeps.
func (s *sorter) add(r record) error {
	s.records = append(s.records, r)
	s.held += len(r.key) + len(r.digest)
	if s.held < s.limit {
		return nil
	}
	if err := s.spill(); err != nil {
		return fmt.Errorf("sort the keys in a temporary file: %w", err)
	}
	return nil
}

// sort puts the records in memory in order.
func (s *sorter) sort() {
	slices.SortFunc(s.records, func(a, b record) int { return bytes.Compare(a.key, b.key) })
}

// spill writes the records in memory to a file.
func (s *sorter) spill() error {
	s.sort()
	if s.block == nil {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never returns an error; see crypto/rand
		var err error
		if s.block, err = aes.NewCipher(key); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp("", "ddbdesk-compare-")
	if err != nil {
		return err
	}
	// Where the system can remove an open file, nothing is left even after a kill. Elsewhere close removes it.
	_ = os.Remove(f.Name())
	s.files = append(s.files, f)
	w := bufio.NewWriterSize(&cipher.StreamWriter{S: s.stream(len(s.files) - 1), W: f}, 64<<10)
	var head [12]byte
	for _, r := range s.records {
		binary.BigEndian.PutUint32(head[:], uint32(len(r.key)))
		binary.BigEndian.PutUint16(head[4:], r.entity)
		for _, part := range [][]byte{head[:6], r.key, r.digest[:]} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	s.records, s.held = s.records[:0], 0
	return w.Flush()
}

// stream returns the cipher of a file. The key is used for this sorter only, so the number of the file makes it unique.
func (s *sorter) stream(file int) cipher.Stream {
	iv := make([]byte, aes.BlockSize)
	binary.BigEndian.PutUint32(iv, uint32(file))
	return cipher.NewCTR(s.block, iv)
}

// sorted yields all records in the order of their keys. An error ends it. It may be iterated
// once.
func (s *sorter) sorted() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		s.sort()
		m := merge{&run{next: sliceOf(s.records)}}
		for i, f := range s.files {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				yield(record{}, err)
				return
			}
			m = append(m, &run{next: fileOf(&cipher.StreamReader{S: s.stream(i), R: f})})
		}
		if err := m.begin(); err != nil {
			yield(record{}, err)
			return
		}
		for len(m) > 0 {
			if !yield(m[0].head, nil) {
				return
			}
			if err := m.advance(); err != nil {
				yield(record{}, fmt.Errorf("read the sorted keys: %w", err))
				return
			}
		}
	}
}

// close removes the files.
func (s *sorter) close() error {
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.Close())
		if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// sliceOf returns a function that returns one record after the other, then io.EOF.
func sliceOf(list []record) func() (record, error) {
	return func() (record, error) {
		if len(list) == 0 {
			return record{}, io.EOF
		}
		r := list[0]
		list = list[1:]
		return r, nil
	}
}

// fileOf is sliceOf for the records of a file.
func fileOf(in io.Reader) func() (record, error) {
	r := bufio.NewReaderSize(in, 16<<10)
	return func() (record, error) {
		var head [6]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return record{}, err
		}
		out := record{key: make([]byte, binary.BigEndian.Uint32(head[:])), entity: binary.BigEndian.Uint16(head[4:])}
		if _, err := io.ReadFull(r, out.key); err != nil {
			return record{}, fmt.Errorf("truncated record: %w", err)
		}
		if _, err := io.ReadFull(r, out.digest[:]); err != nil {
			return record{}, fmt.Errorf("truncated record: %w", err)
		}
		return out, nil
	}
}

// A run is records in order. head is the next one.
type run struct {
	head record
	next func() (record, error)
}

// A merge is a heap of runs by their next records.
type merge []*run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return bytes.Compare(m[i].head.key, m[j].head.key) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(any)          {} // runs are not added
func (m *merge) Pop() any {
	last := len(*m) - 1
	r := (*m)[last]
	*m = (*m)[:last]
	return r
}

// begin reads the first record of every run, and drops those that have none.
func (m *merge) begin() error {
	var runs merge
	for _, r := range *m {
		var err error
		if r.head, err = r.next(); err == nil {
			runs = append(runs, r)
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
	*m = runs
	heap.Init(m)
	return nil
}

// advance goes on to the next record.
func (m *merge) advance() error {
	var err error
	switch (*m)[0].head, err = (*m)[0].next(); {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		heap.Pop(m)
	case err != nil:
		return err
	default:
		heap.Fix(m, 0)
	}
	return nil
}
