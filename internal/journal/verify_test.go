package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writtenJournal appends n entries and returns the path and the lines with their newlines.
func writtenJournal(t *testing.T, n int) (string, [][]byte) {
	t.Helper()
	j := open(t)
	for range n {
		appendEntry(t, j, intent("approve"))
	}
	data, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return j.Path(), bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// forgedLine returns a line with another subject and its correct hash.
func forgedLine(t *testing.T, text []byte) []byte {
	t.Helper()
	e, _, err := parse(bytes.TrimSuffix(text, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	e.Subject = "reject"
	_, sealed, err := encodeEntry(e)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestVerifyNamesModifiedLines(t *testing.T) {
	changed := func(l []byte) []byte { return bytes.Replace(l, []byte("approve"), []byte("reject"), 1) }
	for name, test := range map[string]struct {
		tamper func(t *testing.T, l [][]byte) [][]byte // gets six lines
		line   int
		name   string
	}{
		"changed": {func(_ *testing.T, l [][]byte) [][]byte {
			l[2] = changed(l[2])
			return l
		}, 3, "entry 3 was changed"},
		"changed only in spelling": {func(_ *testing.T, l [][]byte) [][]byte {
			l[2] = bytes.Replace(l[2], []byte(`"kind":`), []byte(`"kind" :`), 1)
			return l
		}, 3, "entry 3 was changed"},
		"hash changed": {func(_ *testing.T, l [][]byte) [][]byte {
			at := len(l[3]) - 5
			l[3][at] ^= 1
			return l
		}, 4, "entry 4 was changed"},
		"changed with its hash": {func(t *testing.T, l [][]byte) [][]byte {
			l[2] = forgedLine(t, l[2])
			return l
		}, 3, "entry 3 and its hash were replaced"},
		"first changed with its hash": {func(t *testing.T, l [][]byte) [][]byte {
			l[0] = forgedLine(t, l[0])
			return l
		}, 1, "entry 1 and its hash were replaced"},
		"last changed with its hash": {func(t *testing.T, l [][]byte) [][]byte {
			l[5] = forgedLine(t, l[5])
			return l
		}, 6, "entry 6 differs from the one"},
		"one line removed": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Delete(l, 2, 3)
		}, 3, "entry 3 is missing"},
		"two lines removed": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Delete(l, 2, 4)
		}, 3, "entries 3 to 4 are missing"},
		"first removed": {func(_ *testing.T, l [][]byte) [][]byte {
			return l[1:]
		}, 1, "entry 1 is missing"},
		"last removed": {func(_ *testing.T, l [][]byte) [][]byte {
			return l[:5]
		}, 6, "entry 6 is missing at the end"},
		"all removed": {func(*testing.T, [][]byte) [][]byte {
			return nil
		}, 1, "entries 1 to 6 are missing at the end"},
		"truncated inside a line": {func(_ *testing.T, l [][]byte) [][]byte {
			l[5] = l[5][:10]
			return l
		}, 6, "entry 6 is missing at the end"},
		"copy inserted": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Insert(l, 4, l[1])
		}, 5, "entry 2 does not belong here"},
		"forged line inserted": {func(t *testing.T, l [][]byte) [][]byte {
			return slices.Insert(l, 2, forgedLine(t, l[2]))
		}, 3, "entry 3 and its hash were replaced"},
		"copy appended": {func(_ *testing.T, l [][]byte) [][]byte {
			return append(l, l[5])
		}, 7, "entry 6 does not belong here"},
		"invalid line inserted": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Insert(l, 2, []byte("hello\n"))
		}, 3, "does not end with a hash"},
		"empty line inserted": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Insert(l, 2, []byte("\n"))
		}, 3, "does not end with a hash"},
		"two swapped": {func(_ *testing.T, l [][]byte) [][]byte {
			l[2], l[3] = l[3], l[2]
			return l
		}, 3, "lines were moved"},
		"moved to the end": {func(_ *testing.T, l [][]byte) [][]byte {
			return append(slices.Delete(slices.Clone(l), 1, 2), l[1])
		}, 2, "lines were moved"},
		"two lines joined": {func(_ *testing.T, l [][]byte) [][]byte {
			l[2] = bytes.TrimSuffix(l[2], []byte("\n"))
			return l
		}, 3, "not a journal entry"},
		"line longer than any entry": {func(_ *testing.T, l [][]byte) [][]byte {
			return slices.Insert(l, 1, append(bytes.Repeat([]byte("x"), maxLine+1), '\n'))
		}, 2, "more than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path, text := writtenJournal(t, 6)
			text[5] = append(text[5], '\n')
			if err := os.WriteFile(path, bytes.Join(test.tamper(t, text), nil), 0o600); err != nil {
				t.Fatal(err)
			}
			report := verify(t, path)
			found := slices.ContainsFunc(report.Problems, func(p Problem) bool {
				return p.Line == test.line && strings.Contains(p.Description, test.name)
			})
			if !found {
				t.Errorf("got %v, want line %d: …%s…", report.Problems, test.line, test.name)
			}
		})
	}
}

func TestVerifyFindsModifiedHead(t *testing.T) {
	for name, test := range map[string]struct {
		tamper func(path string) error
		name   string
	}{
		"head removed":                   {func(path string) error { return os.Remove(headPath(path)) }, "is missing"},
		"head rewritten":                 {func(path string) error { return position{Seq: 3, Hash: "00"}.write(path) }, "differs from the one that was written"},
		"head reset to an earlier entry": {func(path string) error { return position{Seq: 2, Hash: "00"}.write(path) }, "differs from the one in the head file"},
		"head is not a position":         {func(path string) error { return os.WriteFile(headPath(path), []byte("{}"), 0o600) }, "was changed"},
		"journal removed":                {os.Remove, "the journal is missing; according to its head file it had 3 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := writtenJournal(t, 3)
			if err := test.tamper(path); err != nil {
				t.Fatal(err)
			}
			report := verify(t, path)
			if len(report.Problems) != 1 || !strings.Contains(report.Problems[0].String(), test.name) {
				t.Errorf("got %v, want one problem with %q", report.Problems, test.name)
			}
		})
	}
}

// Append must not hide damage at the end of the journal.
func TestAppendRejectsDamagedEnd(t *testing.T) {
	for name, tamper := range map[string]func(path string, text [][]byte) error{
		"end truncated": func(path string, text [][]byte) error {
			return os.WriteFile(path, bytes.Join(text[:2], nil), 0o600)
		},
		"journal removed": func(path string, _ [][]byte) error { return os.Remove(path) },
		"head removed":    func(path string, _ [][]byte) error { return os.Remove(headPath(path)) },
		"head damaged":    func(path string, _ [][]byte) error { return os.WriteFile(headPath(path), nil, 0o600) },
		"last line changed": func(path string, text [][]byte) error {
			text[2] = bytes.Replace(text[2], []byte("ana"), []byte("bob"), 1)
			return os.WriteFile(path, append(bytes.Join(text, nil), '\n'), 0o600)
		},
		"last line invalid": func(path string, text [][]byte) error {
			return os.WriteFile(path, append(bytes.Join(text, nil), "\nhello\n"...), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, text := writtenJournal(t, 3)
			if err := tamper(path, text); err != nil {
				t.Fatal(err)
			}
			j, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Append(t.Context(), intent("approve")); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
}

func TestVerifyMissingJournal(t *testing.T) {
	if report := verify(t, filepath.Join(t.TempDir(), "journal.jsonl")); !report.OK() || report.Entries != 0 {
		t.Errorf("a journal that never started: got %+v", report)
	}
	for _, path := range []string{t.TempDir(), os.DevNull} { // a read of a device such as /dev/full would never end
		if _, err := Verify(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestEverySingleByteChangeIsFound(t *testing.T) {
	path, _ := writtenJournal(t, 5)
	files := map[string][]byte{}
	for _, file := range []string{path, headPath(path)} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[file] = data
	}
	rapid.Check(t, func(rt *rapid.T) {
		file := rapid.SampledFrom([]string{path, path, path, headPath(path)}).Draw(rt, "file")
		data := bytes.Clone(files[file])
		at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
		to := rapid.Byte().Filter(func(b byte) bool { return b != data[at] }).Draw(rt, "to")
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		data[at] = to
		if err := os.WriteFile(file, data, 0o600); err != nil {
			rt.Fatal(err)
		}
		defer os.WriteFile(file, files[file], 0o600) //nolint:errcheck // The next round fails loudly.

		report, err := Verify(path)
		if err != nil && file == headPath(path) && strings.Contains(err.Error(), "format") {
			return // the head has the format of a newer version
		}
		if err != nil {
			rt.Fatal(err)
		}
		if report.OK() {
			rt.Fatalf("byte %d of %s changed to %q: Verify found no damage", at, file, to)
		}
		if file == path && report.Problems[0].Line != line {
			rt.Fatalf("byte %d in line %d changed to %q: got %v", at, line, to, report.Problems)
		}
	})
}

// For any content, Read and Verify report the damaged lines and continue.
func FuzzVerifyAnyFile(f *testing.F) {
	_, valid, err := encodeEntry(Entry{Seq: 1, Kind: Intent, Subject: "approve"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add(append(valid, valid...))
	f.Add([]byte("{\"hash\":\"\"}\n\n\xff"))
	path := filepath.Join(f.TempDir(), "journal.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		report := verify(t, path)
		var read, bad int
		for _, err := range Read(path) {
			if err != nil {
				bad++
			} else {
				read++
			}
		}
		if read != report.Entries {
			t.Errorf("Read found %d entries, Verify %d", read, report.Entries)
		}
		if report.OK() && (bad > 1 || bad == 1 && report.Torn == 0) {
			t.Errorf("%d lines are not entries, but Verify reports none", bad)
		}
	})
}

// The lines before and after a damaged line are valid, so Verify reports one problem.
func TestOneDamagedLineIsOneProblem(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for at := range n {
			path, lines := writtenJournal(t, n)
			lines[at] = bytes.Replace(lines[at], []byte("approve"), []byte("reject"), 1)
			if err := os.WriteFile(path, append(bytes.Join(lines, nil), '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
			if n == 1 { // after a crash, the head may be missing only for the first entry
				if err := os.Remove(headPath(path)); err != nil {
					t.Fatal(err)
				}
			}
			r := verify(t, path)
			if want := (Problem{Line: at + 1, Description: fmt.Sprintf("entry %d was changed", at+1)}); len(r.Problems) != 1 || r.Problems[0] != want {
				t.Errorf("line %d of %d: got %+v", at+1, n, r.Problems)
			}
		}
	}
}

// Between sealing and the next entry there is no active file. Verify must still find a damaged segment.
func TestDamagedSegmentWithoutNextFile(t *testing.T) {
	j, _ := segmentedJournal(t, 6)
	next, err := nextSegment(j.Path())
	if err == nil {
		err = os.Rename(j.Path(), next)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, j.Path()); !r.OK() || r.Entries != 6 {
		t.Fatalf("before the damage: got %+v", r)
	}
	rewrite(t, next, func(text []byte) []byte { return bytes.Replace(text, []byte("approve"), []byte("reject"), 1) })
	r := verify(t, j.Path())
	if len(r.Problems) != 1 || r.Problems[0].File != filepath.Base(next) || !strings.HasSuffix(r.Problems[0].Description, "was changed") {
		t.Errorf("got problems %+v, want 1 in the next file", r.Problems)
	}
}
