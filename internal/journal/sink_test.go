package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// newConnection returns a connection to a new database.
func newConnection(t *testing.T) *store.Connection {
	t.Helper()
	db, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := store.Connect(t.Context(), store.Options{Embedded: db})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func sinkEntries(id string, seqs ...uint64) (list []journal.SinkEntry) {
	for _, seq := range seqs {
		list = append(list, journal.SinkEntry{
			Origin: "here", Journal: id, Seq: seq, Hash: "ab", Entry: json.RawMessage(`{"subject":"a<b>"}`),
		})
	}
	return list
}

func copiedNumbers(t *testing.T, s journal.Sink, origin string) (seqs []uint64) {
	t.Helper()
	for k, err := range s.Copies(t.Context(), journal.Part{Origin: origin}) {
		if err != nil {
			t.Fatal(err)
		}
		if string(k.Entry) != `{"subject":"a<b>"}` || k.Hash != "ab" {
			t.Errorf("got entry %+v", k)
		}
		seqs = append(seqs, k.Seq)
	}
	return seqs
}

const first, second = "0123456789abcdef", "fedcba9876543210"

func TestFileKeepsEntries(t *testing.T) {
	f := journal.FileSink{Path: filepath.Join(t.TempDir(), "kept.jsonl")}
	if err := f.Send(t.Context(), sinkEntries(first, 1, 2)); err != nil {
		t.Fatal(err)
	}
	// This simulates an interrupted write.
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, append(text, `{"origin":"he`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Send(t.Context(), sinkEntries(first, 3)); err != nil {
		t.Fatal(err)
	}
	if got := copiedNumbers(t, f, "here"); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("got entries %v, want 1, 2, 3", got)
	}
	if got := copiedNumbers(t, f, "elsewhere"); len(got) > 0 {
		t.Errorf("got entries %v of another journal", got)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	missing := journal.FileSink{Path: filepath.Join(t.TempDir(), "not mounted", "kept.jsonl")}
	if err := missing.Send(t.Context(), sinkEntries(first, 1)); err == nil {
		t.Error("Send created a folder")
	}
}

// A sink reports damaged lines, with the number of the entry if it is readable. It ignores an interrupted write if the
// entry follows again.
func TestDamagedFileLinesAreReported(t *testing.T) {
	f := journal.FileSink{Path: filepath.Join(t.TempDir(), "kept.jsonl")}
	if err := f.Send(t.Context(), sinkEntries(first, 1, 2, 3, 4)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[1] = strings.Replace(lines[1], "a<b>", "a\"b>", 1)
	lines[2] = "\x00" + lines[2][1:]
	torn := lines[3][:20] + "\n"
	if err := os.WriteFile(f.Path, []byte(lines[0]+lines[1]+lines[2]+torn+lines[3]), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for k, err := range f.Copies(t.Context(), journal.Part{Origin: "here"}) {
		if err != nil {
			got = append(got, err.Error())
		} else {
			got = append(got, strconv.FormatUint(k.Seq, 10))
		}
	}
	if want := []string{"1", "4", "entry 2 is damaged (line 2)", "line 3 is damaged"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, err := range f.Copies(t.Context(), journal.Part{Origin: "elsewhere"}) {
		if err == nil || err.Error() != "line 3 is damaged" {
			t.Errorf("another journal: got %v, want damage in line 3", err)
		}
	}
}

func TestTablePutsEachNumberOnce(t *testing.T) {
	conn := newConnection(t)
	s := journal.NewTableSink("kept", func(context.Context) (*store.Connection, error) { return conn, nil })
	if err := s.Send(t.Context(), sinkEntries(first, 1)); err == nil {
		t.Error("Send accepted a missing table")
	}
	if err := conn.Admin().CreateTable(t.Context(), s.Model()); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]journal.SinkEntry{sinkEntries(first, 1, 2), sinkEntries(first, 2, 3), sinkEntries(second, 1)} { // 2 was sent before
		if err := s.Send(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	if got := copiedNumbers(t, s, "here"); !slices.Equal(got, []uint64{1, 2, 3, 1}) {
		t.Errorf("got entries %v", got)
	}
	if got := copiedNumbers(t, s, "elsewhere"); len(got) > 0 {
		t.Errorf("got entries %v of another journal", got)
	}
	for _, c := range []struct {
		of   journal.Part
		want []uint64
	}{
		{journal.Part{}, []uint64{1, 2, 3, 1}},
		{journal.Part{Origin: "here", Journal: first}, []uint64{1, 2, 3}},
		{journal.Part{Origin: "here", Journal: first, First: 2, Last: 2}, []uint64{2}},
		{journal.Part{Origin: "here", Journal: second, First: 2, Last: 9}, nil},
	} {
		var got []uint64
		for k, err := range s.Copies(t.Context(), c.of) {
			if err != nil || k.Origin != "here" {
				t.Error(k, err)
			}
			got = append(got, k.Seq)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.of, got, c.want)
		}
	}
	other := sinkEntries(first, 3)
	other[0].Entry = json.RawMessage(`{"subject":"forged"}`)
	if err := s.Send(t.Context(), other); err == nil || !strings.Contains(err.Error(), "has a different entry") {
		t.Errorf("Send replaced an entry: %v", err)
	}
	broken := journal.NewTableSink("kept", func(context.Context) (*store.Connection, error) { return nil, errors.New("no route") })
	if err := broken.Send(t.Context(), other); err == nil {
		t.Error("Send succeeded without a connection")
	}
}

// The copies contain the same bytes as the journal.
func TestCopiesAreExact(t *testing.T) {
	conn := newConnection(t)
	table := journal.NewTableSink("kept", func(context.Context) (*store.Connection, error) { return conn, nil })
	if err := conn.Admin().CreateTable(t.Context(), table.Model()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []journal.Sink{table, journal.FileSink{Path: filepath.Join(t.TempDir(), "kept.jsonl")}} {
		j, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		j.SetShipper(&journal.Shipper{Sink: s, Required: true})
		for _, text := range []string{"plain", hostile.Text, "\u2028<&>\xff\U0001f600", strings.Repeat("long ", 2000), strings.Repeat("ж", 900<<10)} {
			e := journal.Entry{Kind: journal.Reveal, Subject: text, Detail: journal.Detail{Reason: change.Reason(text)}}
			if _, err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		var c journal.Checker
		last := ""
		for k, err := range s.Copies(t.Context(), journal.Part{}) {
			if err != nil {
				t.Fatal(err)
			}
			c.Check(k)
			last = k.Journal
		}
		for k, err := range s.Copies(t.Context(), journal.Part{Origin: journal.Origin(j.Path()), Journal: last, First: 5, Last: 5}) {
			if _, ok := c.Check(k); err != nil || !ok || k.Seq != 5 {
				t.Errorf("%s: got entry %d, intact %t, %v", s.Name(), k.Seq, ok, err)
			}
			last = ""
		}
		if n, _ := c.Entries(); last != "" || n != 5 || len(c.Problems()) > 0 {
			t.Errorf("%s: got %d entries, %q", s.Name(), n, c.Problems())
		}
	}
}
