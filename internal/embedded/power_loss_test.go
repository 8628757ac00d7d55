package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.etcd.io/bbolt"
)

func TestDataSurvivesReopening(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	s, err := Open(Options{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the directory is %v, %v, want mode 0700", info.Mode(), err)
	}
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	want := av{"PK": str("a"), "SK": str("1"), "G1": str("g"), "G2": num("1.5")}
	put(t, c, want)
	for range 2 { // the second call does nothing
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c = clientOf(openStore(t, Options{Path: dir}))
	wantItem(t, getItem(t, c, "a", "1"), want)
	in := query("G1 = :g", av{":g": str("g")})
	in.IndexName = aws.String("byStatus")
	if out, err := c.Query(t.Context(), in); err != nil || out.Count != 1 {
		t.Errorf("the query of the index returned %v, %v", out, err)
	}
	out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
	if err != nil || *out.Table.ItemCount != 1 {
		t.Errorf("the item count is %v, %v", out, err)
	}
}

func TestTemporaryDirectoryIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := s.temporary
	if _, err := os.Stat(dir); runtime.GOOS != "windows" && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a kill would leave the directory %s: %v", dir, err)
	}
	fill(t, s, 1000) // the file grows like any other
	if n := countAll(t, s, ""); n != 1000 {
		t.Errorf("the store contains %d items, want 1000", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory %s still exists: %v", dir, err)
	}
}

func TestSecondOpenReportsDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	openStore(t, Options{Path: dir})
	if _, err := Open(Options{Path: dir}); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(
		err.Error(), "in use by another process",
	) {
		t.Errorf("got %v, want an error about the directory in use", err)
	}
}

func TestDamagedFileIsNotChanged(t *testing.T) {
	whole := t.TempDir()
	s, err := Open(Options{Path: whole, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		put(t, c, av{"PK": str("a"), "SK": str(strconv.Itoa(i)), "note": str(strings.Repeat("x", 2000))})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(whole, fileName))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"text": []byte("this is not a database"), "zeros": make([]byte, 1<<16), "cut": good[:len(good)/2], "one page": good[:4096],
		"overwritten": append(append([]byte{}, good[:2*4096]...), bytes.Repeat([]byte{0xff}, len(good)-2*4096)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, fileName)
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(Options{Path: dir})
			if err == nil {
				_ = s.Close()
				t.Fatal("Open accepted a damaged file")
			}
			if !strings.Contains(err.Error(), file) {
				t.Errorf("the error does not contain the file name: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
				t.Errorf("Open changed the file: %v", err)
			}
		})
	}
}

func TestFailedWriteIsNotAcknowledged(t *testing.T) {
	s := openStore(t, Options{})
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	put(t, c, orderKey("kept"))
	if err := s.storage.db.Close(); err != nil { // as if the disk had disappeared
		t.Fatal(err)
	}
	status, out := call(t, s, "PutItem", `{"TableName":"orders","Item":{"PK":{"S":"lost"},"SK":{"S":"1"}}}`)
	if status != http.StatusInternalServerError || !strings.Contains(string(out), "InternalServerError") {
		t.Errorf("got %d %s, want 500", status, out)
	}
}

func TestClosedStoreReturnsError(t *testing.T) {
	s := openStore(t, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	status, out := call(t, s, "ListTables", `{}`)
	if status != http.StatusInternalServerError || !strings.Contains(string(out), "embedded database is closed") {
		t.Errorf("got %d %s, want 500", status, out)
	}
}

func TestCanceledRequestsReturnContextError(t *testing.T) {
	s := filledStore(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := clientOf(s).Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("bench")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	// The context ends during the request, because the store reads the body after it accepts the request.
	ctx, cancel = context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, "http://embedded.invalid/", cancelReader{cancel, strings.NewReader(`{"TableName":"bench"}`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", targetPrefix+"Scan")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256")
	resp, err := s.Do(r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want context.Canceled", resp, err)
	}
	if resp != nil {
		_ = resp.Body.Close()
	}
}

// cancelReader cancels a request while its body is being read.
type cancelReader struct {
	cancel context.CancelFunc
	*strings.Reader
}

func (r cancelReader) Read(p []byte) (int, error) {
	r.cancel()
	return r.Reader.Read(p)
}

// The power loss tests derive the possible states of the disk at any moment from a recording of the file's writes.

const sector = 512 // bytes that a disk writes atomically

// pageWrite is a write to the file. size is the file's size, because bbolt grows and syncs the file before it writes.
type pageWrite struct {
	offset int64
	data   []byte
	size   int64
}

// isCommit reports whether a write makes a transaction valid, by writing one of the two meta pages. bbolt syncs the
// file before and after it.
func (w pageWrite) isCommit() bool { return w.offset < 2*int64(os.Getpagesize()) }

// recorder records the writes between bbolt and its file.
type recorder struct {
	mu     sync.Mutex
	writes []pageWrite
}

// record replaces bbolt's write function, which is not exported.
func record(t *testing.T, db *bbolt.DB) *recorder {
	t.Helper()
	r := &recorder{}
	field := reflect.ValueOf(db).Elem().FieldByName("ops").FieldByName("writeAt")
	if !field.IsValid() {
		t.Fatal("bbolt has no field ops.writeAt")
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

// image returns the file after a power loss during the writes before cut. Each write since the last sync is randomly
// lost, kept, or torn at sectors.
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

// version is an acknowledged write: all items of a writer have this version or a later one once this many page writes
// are synced.
type version struct{ writer, version, writes int }

// writeVersions writes versions of item pairs from several clients, each pair in a transaction.
func writeVersions(t *testing.T, s *Store, r *recorder, writers, versions int) []version {
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
	s := filledStoreIn(t, dir, 0)
	base, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	r := record(t, s.storage.db)
	acknowledged := writeVersions(t, s, r, writers, 25)
	seed, images := rand.Uint64(), 250
	if testing.Short() {
		images = 50
	}
	t.Logf("seed %d, %d page writes", seed, len(r.writes))
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

// comparePowerLoss opens the file after a power loss and compares it with the acknowledged writes.
func comparePowerLoss(t *testing.T, dir string, cut int, acknowledged []version) {
	t.Helper()
	report, err := Check(dir)
	if err != nil || !report.Sound() {
		t.Fatalf("cut at %d: %+v %v", cut, report, err)
	}
	s := openStore(t, Options{Path: dir})
	found := pairs(t, s, "")
	if indexed := pairs(t, s, `,"IndexName":"byG1"`); !reflect.DeepEqual(found, indexed) {
		t.Errorf("cut at %d: the table contains %v, but its index %v", cut, found, indexed)
	}
	for _, a := range acknowledged {
		first, second := found[fmt.Sprintf("w%da", a.writer)], found[fmt.Sprintf("w%db", a.writer)]
		if first != second {
			t.Errorf("cut at %d: part of a transaction is missing: %v", cut, found)
		}
		// The last write is a commit, and the acknowledgment waited for its sync.
		if a.writes < cut && first < a.version {
			t.Errorf("cut at %d: version %d of writer %d is missing: %v", cut, a.version, a.writer, found)
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
