package sweep

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// ErrNoManifest is wrapped by the error about a file that does not claim to be a manifest, of any version.
var ErrNoManifest = errors.New("not the file of a sweep; create one with ddbdesk change .. --over PATTERN --plan FILE")

const (
	// longestLine bounds a line of a manifest, in bytes: DynamoDB rejects keys of a fraction of it.
	longestLine = 1 << 20
	// groupSize is how many lines are read, and compared with what was verified, before the first of them is applied.
	groupSize = 64
)

// A manifestFile reads the lines of the items of a manifest that was verified.
type manifestFile struct {
	file   *os.File
	begin  int64               // of the first item
	groups [][sha256.Size]byte // digest of each group of lines, so that a file that changes later is not applied
}

// OpenManifest opens a manifest and verifies it, without a connection; Close it after use. The error wraps ErrNoManifest, is
// about a newer version, or is the *session.Refusal of a file that was edited or truncated. The
// file stays open. A digest of each 64 lines stays in memory: half a byte for each item.
func OpenManifest(path string) (*Manifest, error) {
	f, err := appdir.OpenFile(path)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// Close closes the file of the manifest.
func (m *Manifest) Close() error { return m.file.file.Close() }

// DecodeManifest reads the opening and the closing of a manifest as a document, without its items, and verifies them.
func DecodeManifest(text []byte) (*Manifest, error) {
	if err := checkFormat(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := changes.DecodeSigned(text, m); err != nil {
		return nil, err
	}
	return m, m.check()
}

func checkFormat(r io.Reader) error {
	var in struct {
		Format string `json:"format"`
	}
	version := 0
	if err := json.NewDecoder(io.LimitReader(r, longestLine)).Decode(&in); err != nil || !strings.HasPrefix(in.Format, "ddbdesk sweep ") {
		return ErrNoManifest
	}
	if in.Format == manifestFormat {
		return nil
	}
	if _, err := fmt.Sscanf(in.Format, "ddbdesk sweep %d", &version); err != nil {
		return ErrNoManifest
	}
	if err := appdir.CheckFormat(version, manifestVersion); err != nil {
		return session.InputErrorf("the file of the sweep was %v", err)
	}
	return ErrNoManifest
}

func (m *Manifest) check() error {
	if digest, err := m.digest(); err != nil || digest != m.Digest || m.MAC == "" || m.Machine == "" || m.Sweep == "" {
		return changes.Edited()
	}
	return nil
}

func readManifest(f *os.File) (*Manifest, error) {
	if err := checkFormat(f); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	lines := newLines(f)
	if !lines.Scan() {
		return nil, changes.Edited()
	}
	m := &Manifest{file: &manifestFile{file: f, begin: int64(len(lines.Bytes()))}}
	if err := changes.DecodeSigned(lines.Bytes(), &m.opening); err != nil {
		return nil, changes.Edited() // The format says that ddbdesk wrote the file.
	}
	items, all, group := 0, sha256.New(), sha256.New()
	var last []byte
	for lines.Scan() {
		if last != nil {
			_, _ = all.Write(last) // never fails
			_, _ = group.Write(last)
			if items++; items%groupSize == 0 {
				m.file.groups = append(m.file.groups, [sha256.Size]byte(group.Sum(nil)))
				group.Reset()
			}
		}
		last = append(last[:0], lines.Bytes()...)
	}
	if lines.Err() != nil || last == nil {
		return nil, changes.Edited()
	}
	m.file.groups = append(m.file.groups, [sha256.Size]byte(group.Sum(nil)))
	if err := changes.DecodeSigned(last, &m.closing); err != nil {
		return nil, changes.Edited()
	}
	if m.Items != items || m.Parts != hex.EncodeToString(all.Sum(nil)) {
		return nil, changes.Edited()
	}
	return m, m.check()
}

func newLines(f io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 1<<16), longestLine)
	lines.Split(func(text []byte, _ bool) (int, []byte, error) {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			return 0, nil, nil // The last line of a truncated file has no end, and is not returned.
		}
		return n, text[:n], nil
	})
	return lines
}

// all compares each group of lines with what was verified before it yields the first of them: another program may
// have changed the file since. It can be called once at a time.
func (m *Manifest) all() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		if _, err := m.file.file.Seek(m.file.begin, io.SeekStart); err != nil {
			yield(Part{}, err)
			return
		}
		lines, left := newLines(m.file.file), m.Items
		for _, want := range m.file.groups {
			group, err := readGroup(lines, min(left, groupSize), want)
			if err != nil {
				yield(Part{}, err)
				return
			}
			left -= len(group)
			for _, p := range group {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func readGroup(lines *bufio.Scanner, n int, want [sha256.Size]byte) ([]Part, error) {
	sum, group := sha256.New(), make([]Part, n)
	for i := range group {
		if !lines.Scan() {
			return nil, changes.Edited()
		}
		_, _ = sum.Write(lines.Bytes()) // never fails
		if err := changes.DecodeSigned(lines.Bytes(), &group[i]); err != nil {
			return nil, changes.Edited()
		}
	}
	if [sha256.Size]byte(sum.Sum(nil)) != want {
		return nil, changes.Edited()
	}
	return group, nil
}
