package sink_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/sink"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
)

// The test program is a sink: it appends its input to the file of its argument, and fails for some.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "keep" {
		text, err := os.ReadFile("/dev/stdin")
		if err == nil && os.Args[2] != "" {
			err = os.WriteFile(os.Args[2], text, 0o600)
		}
		if err != nil {
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func kept(id string, seqs ...uint64) (list []journal.Kept) {
	for _, seq := range seqs {
		list = append(list, journal.Kept{
			Origin: "here", Journal: id, Seq: seq, Hash: "ab", Entry: json.RawMessage(`{"subject":"a<b>"}`),
		})
	}
	return list
}

func copies(t *testing.T, s journal.Sink, origin string) (seqs []uint64) {
	t.Helper()
	for k, err := range s.Copies(t.Context(), origin) {
		if err != nil {
			t.Fatal(err)
		}
		if string(k.Entry) != `{"subject":"a<b>"}` || k.Hash != "ab" {
			t.Errorf("%+v", k)
		}
		seqs = append(seqs, k.Seq)
	}
	return seqs
}

const first, second = "0123456789abcdef", "fedcba9876543210"

func TestFileKeepsEntries(t *testing.T) {
	f := sink.File{Path: filepath.Join(t.TempDir(), "kept.jsonl")}
	if err := f.Send(t.Context(), kept(first, 1, 2)); err != nil {
		t.Fatal(err)
	}
	// A write was interrupted.
	text, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, append(text, `{"origin":"he`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Send(t.Context(), kept(first, 3)); err != nil {
		t.Fatal(err)
	}
	if got := copies(t, f, "here"); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("kept %v", got)
	}
	if got := copies(t, f, "elsewhere"); len(got) > 0 {
		t.Errorf("kept %v of another journal", got)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	missing := sink.File{Path: filepath.Join(t.TempDir(), "not mounted", "kept.jsonl")}
	if err := missing.Send(t.Context(), kept(first, 1)); err == nil {
		t.Error("a folder was created")
	}
}

func TestProgramReadsEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a; exit 7")
	p := sink.Program{Command: []string{os.Args[0], "keep", path}}
	if err := p.Send(t.Context(), kept(first, 1, 2)); err != nil {
		t.Fatal(err)
	}
	if got := copies(t, sink.File{Path: path}, "here"); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("read %v", got)
	}
	for _, err := range p.Copies(t.Context(), "here") {
		if !errors.Is(err, journal.ErrNoCopies) {
			t.Error(err)
		}
	}
	failing := sink.Program{Command: []string{os.Args[0], "keep", filepath.Join(path, "x")}}
	if err := failing.Send(t.Context(), kept(first, 1)); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

func TestTablePutsEachNumberOnce(t *testing.T) {
	conn := fixture.Connect(t, fixture.Database(t))
	s := sink.NewTable("kept", func(context.Context) (*store.Connection, error) { return conn, nil })
	if err := s.Send(t.Context(), kept(first, 1)); err == nil {
		t.Error("sent to a table that does not exist")
	}
	if err := conn.Admin().CreateTable(t.Context(), s.Model()); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]journal.Kept{kept(first, 1, 2), kept(first, 2, 3), kept(second, 1)} { // 2 was sent before
		if err := s.Send(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	if got := copies(t, s, "here"); !slices.Equal(got, []uint64{1, 2, 3, 1}) {
		t.Errorf("kept %v", got)
	}
	if got := copies(t, s, "elsewhere"); len(got) > 0 {
		t.Errorf("kept %v of another journal", got)
	}
	other := kept(first, 3)
	other[0].Entry = json.RawMessage(`{"subject":"forged"}`)
	if err := s.Send(t.Context(), other); err == nil || !strings.Contains(err.Error(), "has a different entry") {
		t.Errorf("an entry was replaced: %v", err)
	}
	broken := sink.NewTable("kept", func(context.Context) (*store.Connection, error) { return nil, errors.New("no route") })
	if err := broken.Send(t.Context(), other); err == nil {
		t.Error("sent without a connection")
	}
}
