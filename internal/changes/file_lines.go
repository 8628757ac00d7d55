package changes

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
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	// fileFormat and fileVersion identify the format of plan files.
	fileFormat  = models.PlanFormat
	fileVersion = 4
	// maxLine limits a line, in bytes. A transaction has at most 4 MB of items before the change and 4 MB after it.
	maxLine = 16 << 20
	// groupSize is the number of lines to read and verify together before ddbdesk applies the first of them.
	groupSize = 64
)

// parts reads the item lines of a verified file.
type parts struct {
	from   io.ReadSeeker
	begin  int64               // offset of the first item
	groups [][sha256.Size]byte // digest of each group of lines, to detect later changes of the file
}

// OpenFile opens a file and verifies it, without a connection; Close it after use. The error wraps session.ErrInput if
// the file is not a plan file or has another version, and is a *session.Refusal if a user edited or truncated it.
// Memory grows by half a byte for each item, because OpenFile keeps a digest for each 64 lines.
func OpenFile(path string) (*File, error) {
	from, err := appdir.OpenFile(path)
	if err != nil {
		return nil, err
	}
	f, err := read(from)
	if err == nil && f.parts == nil {
		err = editedRefusal()
	}
	if errors.Is(err, session.ErrInput) {
		err = fmt.Errorf("%s: %w", models.Printable(path), err)
	}
	if err != nil {
		from.Close() //nolint:errcheck // It was only read.
		return nil, err
	}
	return f, nil
}

// ReadFile is like OpenFile, but for text. It also accepts the Summary of a file, and then returns a file without
// items.
func ReadFile(text []byte) (*File, error) {
	f, err := read(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.parts != nil {
		if c, ok := f.parts.from.(io.Closer); ok {
			return c.Close()
		}
	}
	return nil
}

// Single returns the single item of a file, or an error if the file does not have exactly one.
func (f *File) Single() (Part, error) {
	if f.Items == 1 && f.parts != nil {
		for part, err := range f.verifiedParts() {
			return part, err
		}
	}
	return Part{}, session.InputErrorf("the plan file contains %d items instead of one", f.Items)
}

func checkFormat(text []byte) error {
	var in struct {
		Format string `json:"format"`
	}
	formatErr := session.InputErrorf("the file is not a plan file; to create one, run ddbdesk change ... --plan FILE")
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&in); err != nil {
		return formatErr
	}
	version := 0
	if _, err := fmt.Sscanf(in.Format, "ddbdesk sweep %d", &version); err == nil {
		return session.InputErrorf("this version of ddbdesk cannot read the plan file, which has sweep format %d; create the plan again", version)
	}
	if _, err := fmt.Sscanf(in.Format, fileFormat+"%d", &version); err != nil {
		return formatErr
	}
	if err := appdir.CheckFormat(version, fileVersion); err != nil {
		return session.InputErrorf("the plan file was %v", err)
	}
	if version != fileVersion {
		return session.InputErrorf("this version of ddbdesk cannot read the plan file, which has format %d; create the plan again", version)
	}
	return nil
}

func read(from io.ReadSeeker) (*File, error) {
	const beginning = 64 << 10 // contains the format, even of earlier versions, which consist of one document
	head, err := io.ReadAll(io.LimitReader(from, beginning))
	if err == nil {
		_, err = from.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(head, ','); i > 0 { // The format is the first member. The rest may be truncated.
		head = append(head[:i], '}')
	}
	if err := checkFormat(head); err != nil {
		return nil, err
	}
	lines := newLines(from)
	if !lines.Scan() {
		return nil, editedRefusal()
	}
	f := &File{parts: &parts{from: from, begin: int64(len(lines.Bytes()))}}
	if !decodeLine(lines.Bytes(), &f.Head) {
		return nil, editedRefusal()
	}
	count, all, group := 0, sha256.New(), sha256.New()
	var last []byte
	for lines.Scan() {
		if last != nil {
			_, _ = all.Write(last) // never fails
			_, _ = group.Write(last)
			if count++; count%groupSize == 0 {
				f.parts.groups = append(f.parts.groups, [sha256.Size]byte(group.Sum(nil)))
				group.Reset()
			}
		}
		last = append(last[:0], lines.Bytes()...)
	}
	if lines.Err() != nil || lines.incomplete || last == nil || !decodeLine(last, &f.Trailer) {
		return nil, editedRefusal()
	}
	f.parts.groups = append(f.parts.groups, [sha256.Size]byte(group.Sum(nil)))
	if count == 0 && f.Many() && f.Items > 0 {
		f.parts = nil
	} else if f.Items != count || f.Parts != hex.EncodeToString(all.Sum(nil)) || !f.Many() && count != 1 {
		return nil, editedRefusal()
	}
	if digest, err := f.digest(); err != nil || digest != f.Digest || f.MAC == "" || f.Machine == "" {
		return nil, editedRefusal()
	}
	return f, nil
}

// fileLines scans whole lines. incomplete is set if text without a line ending follows the last line.
type fileLines struct {
	*bufio.Scanner
	incomplete bool
}

func newLines(f io.Reader) *fileLines {
	lines := &fileLines{Scanner: bufio.NewScanner(f)}
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	lines.Split(func(text []byte, end bool) (int, []byte, error) {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			lines.incomplete = end && len(text) > 0
			return 0, nil, nil
		}
		return n, text[:n], nil
	})
	return lines
}

// verifiedParts verifies each group of lines again, because the file may have changed. Iterations must not overlap.
func (f *File) verifiedParts() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		if f.parts == nil {
			yield(Part{}, session.InputErrorf("the items are in the plan file of %s", models.Printable(f.Actor)))
			return
		}
		if _, err := f.parts.from.Seek(f.parts.begin, io.SeekStart); err != nil {
			yield(Part{}, err)
			return
		}
		lines, remaining := newLines(f.parts.from), f.Items
		for _, expected := range f.parts.groups {
			group, err := readGroup(lines, min(remaining, groupSize), expected)
			if err != nil {
				yield(Part{}, err)
				return
			}
			remaining -= len(group)
			for _, p := range group {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func readGroup(lines *fileLines, n int, expected [sha256.Size]byte) ([]Part, error) {
	sum, group := sha256.New(), make([]Part, n)
	for i := range group {
		if !lines.Scan() {
			return nil, editedRefusal()
		}
		_, _ = sum.Write(lines.Bytes()) // never fails
		if !decodeLine(lines.Bytes(), &group[i]) {
			return nil, editedRefusal()
		}
	}
	if [sha256.Size]byte(sum.Sum(nil)) != expected {
		return nil, editedRefusal()
	}
	return group, nil
}

// decodeLine rejects unknown members, and members that a person may interpret differently.
func decodeLine(text []byte, into any) bool {
	d, names := json.NewDecoder(bytes.NewReader(text)), json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	names.UseNumber()
	return d.Decode(into) == nil && !d.More() && hasUniqueNames(names, strings.ToLower)
}

// hasUniqueNames rejects repeated members: the decoder ignores case and uses the last, but a person may read the first.
func hasUniqueNames(d *json.Decoder, normalize func(string) string) bool {
	token, err := d.Token()
	if _, isDelim := token.(json.Delim); err != nil || !isDelim {
		return err == nil
	}
	previous := map[string]bool{}
	for d.More() {
		if token == json.Delim('{') {
			t, err := d.Token()
			text, _ := t.(string)
			name := normalize(text)
			if err != nil || previous[name] {
				return false
			}
			previous[name] = true
		}
		if !hasUniqueNames(d, strings.Clone) {
			return false
		}
	}
	_, err = d.Token()
	return err == nil
}
