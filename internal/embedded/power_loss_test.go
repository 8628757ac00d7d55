// Power loss: what a disk holds when the power fails at any moment, from a recording of the
// writes of the file.

package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
)

const sector = 512 // bytes that a disk writes as a whole

// pageWrite is a write of the file. size is that of the file, which bbolt grows and syncs before
// it writes.
type pageWrite struct {
	offset int64
	data   []byte
	size   int64
}

// isCommit reports whether a write makes a transaction valid: that of one of the two meta pages.
// bbolt syncs the file before and after it.
func (w pageWrite) isCommit() bool { return w.offset < 2*int64(os.Getpagesize()) }

// recorder is between bbolt and its file.
type recorder struct {
	mu     sync.Mutex
	writes []pageWrite
}

// record replaces the function with which bbolt writes, which has no exported name.
func record(t *testing.T, db *bbolt.DB) *recorder {
	t.Helper()
	r := &recorder{}
	field := reflect.ValueOf(db).Elem().FieldByName("ops").FieldByName("writeAt")
	if !field.IsValid() {
		t.Fatal("bbolt has no ops.writeAt")
	}
	writeAt := (*func([]byte, int64) (int, error))(field.Addr().UnsafePointer())
	write := *writeAt
	*writeAt = func(data []byte, offset int64) (int, error) {
		info, err := os.Stat(db.Path())
		if err != nil {
			return 0, err
		}
		r.mu.Lock()
		r.writes = append(r.writes, pageWrite{offset, slices.Clone(data), info.Size()})
		r.mu.Unlock()
		return write(data, offset)
	}
	return r
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.writes)
}

// image returns the file after a power loss in the middle of the writes before cut. Those since
// the last sync are lost, kept, or torn at sectors, each by chance.
func image(base []byte, writes []pageWrite, cut int, random *rand.Rand) []byte {
	synced := cut
	if cut > 0 && writes[cut-1].isCommit() {
		synced--
	} else {
		for synced > 0 && !writes[synced-1].isCommit() {
			synced--
		}
	}
	file := slices.Clone(base)
	for i, w := range writes[:cut] {
		if grow := w.size - int64(len(file)); grow > 0 {
			file = append(file, make([]byte, grow)...)
		}
		keep := random.IntN(3)
		for at := 0; at < len(w.data); at += sector {
			end := min(at+sector, len(w.data))
			if i < synced || keep == 1 || keep == 2 && random.IntN(2) == 0 {
				copy(file[w.offset+int64(at):], w.data[at:end])
			}
		}
	}
	return file
}

// version is an acknowledged write: all items of a writer have this version or a later one once
// so many page writes are synced.
type version struct{ writer, version, writes int }

// powerLoad writes versions of pairs of items, each pair in a transaction, from several clients.
func powerLoad(t *testing.T, s *Store, r *recorder, writers, versions int) []version {
	t.Helper()
	var mu sync.Mutex
	var acknowledged []version
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for v := 1; v <= versions; v++ {
				item := func(part string) string {
					return fmt.Sprintf(`{"Put":{"TableName":"bench","Item":{"PK":{"S":"w%d"},"SK":{"S":"%s"},"G1":{"S":"g%d"},"version":{"N":"%d"},
						"fill":{"S":"%0*d"}}}}`, w, part, v%3, v, v*97%900+1, v)
				}
				mustCall(t, s, "TransactWriteItems", `{"TransactItems":[`+item("a")+`,`+item("b")+`]}`)
				mu.Lock()
				acknowledged = append(acknowledged, version{w, v, r.count()})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return acknowledged
}

// pairs returns the versions of the items by writer and sort key.
func pairs(t *testing.T, s *Store, index string) map[string]int {
	t.Helper()
	var page struct {
		Items []struct{ PK, SK, Version struct{ S, N string } }
	}
	if err := json.Unmarshal(mustCall(t, s, "Scan", `{"TableName":"bench"`+index+`}`), &page); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, it := range page.Items {
		n, err := strconv.Atoi(it.Version.N)
		if err != nil {
			t.Fatal(err)
		}
		found[it.PK.S+it.SK.S] = n
	}
	return found
}

func TestPowerLossKeepsAcknowledgedTransactions(t *testing.T) {
	const writers = 4
	dir := t.TempDir()
	s := filledIn(t, dir, 0)
	base, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	r := record(t, s.storage.db)
	acknowledged := powerLoad(t, s, r, writers, 25)
	seed, images := rand.Uint64(), 250
	if testing.Short() {
		images = 50
	}
	t.Logf("seed %d, %d writes of pages", seed, len(r.writes))
	random := rand.New(rand.NewPCG(seed, 0))
	for range images {
		cut := random.IntN(len(r.writes) + 1)
		lost := t.TempDir()
		if err := os.WriteFile(filepath.Join(lost, fileName), image(base, r.writes, cut, random), 0o600); err != nil {
			t.Fatal(err)
		}
		comparePowerLoss(t, lost, cut, acknowledged)
		if t.Failed() {
			return
		}
	}
}

// comparePowerLoss opens what a power loss has left.
func comparePowerLoss(t *testing.T, dir string, cut int, acknowledged []version) {
	t.Helper()
	report, err := Check(dir)
	if err != nil || !report.Sound() {
		t.Fatalf("cut at %d: %+v %v", cut, report, err)
	}
	s := openStore(t, Options{Path: dir})
	found := pairs(t, s, "")
	if indexed := pairs(t, s, `,"IndexName":"byG1"`); !reflect.DeepEqual(found, indexed) {
		t.Errorf("cut at %d: the table has %v, its index %v", cut, found, indexed)
	}
	for _, a := range acknowledged {
		first, second := found[fmt.Sprintf("w%da", a.writer)], found[fmt.Sprintf("w%db", a.writer)]
		if first != second {
			t.Errorf("cut at %d: half a transaction: %v", cut, found)
		}
		// The last of the writes is a commit, whose sync the acknowledgment has waited for.
		if a.writes < cut && first < a.version {
			t.Errorf("cut at %d: version %d of writer %d is lost: %v", cut, a.version, a.writer, found)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The recording relies on bbolt's syncs.
func TestFileIsSyncedUnlessDisabled(t *testing.T) {
	for _, noSync := range []bool{false, true} {
		s, err := Open(Options{Path: t.TempDir(), NoSync: noSync})
		if err != nil {
			t.Fatal(err)
		}
		if db := s.storage.db; db.NoSync != noSync || db.NoGrowSync {
			t.Errorf("NoSync %t: %t, NoGrowSync %t", noSync, db.NoSync, db.NoGrowSync)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
