// Durability of acknowledged writes: reopening, damaged files, two processes, failing writes.

package embedded

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
	for range 2 { // the second time does nothing
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c = clientOf(openStore(t, Options{Path: dir}))
	wantItem(t, read1(t, c, "a", "1"), want)
	in := query("G1 = :g", av{":g": str("g")})
	in.IndexName = aws.String("byStatus")
	if out, err := c.Query(t.Context(), in); err != nil || out.Count != 1 {
		t.Errorf("the index: %v %v", out, err)
	}
	out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
	if err != nil || *out.Table.ItemCount != 1 {
		t.Errorf("the count: %v %v", out, err)
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
		t.Errorf("%s would remain after a kill: %v", dir, err)
	}
	fill(t, s, 1000) // The file grows as any other.
	if n := countAll(t, s, ""); n != 1000 {
		t.Errorf("the store holds %d items, want 1000", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

func TestSecondOpenReportsTheDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	openStore(t, Options{Path: dir})
	if _, err := Open(Options{Path: dir}); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(
		err.Error(), "in use by another process",
	) {
		t.Errorf("got %v", err)
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
				t.Fatal("the store opened")
			}
			if !strings.Contains(err.Error(), file) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func TestWriteThatFailsIsNotAcknowledged(t *testing.T) {
	s := openStore(t, Options{})
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	put(t, c, orderKey("kept"))
	if err := s.storage.db.Close(); err != nil { // as when the disk has gone away
		t.Fatal(err)
	}
	status, out := call(t, s, "PutItem", `{"TableName":"orders","Item":{"PK":{"S":"lost"},"SK":{"S":"1"}}}`)
	if status != http.StatusInternalServerError || !strings.Contains(string(out), "InternalServerError") {
		t.Errorf("got %d %s", status, out)
	}
}

func TestClosedStoreReturnsAnError(t *testing.T) {
	s := openStore(t, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	status, out := call(t, s, "ListTables", `{}`)
	if status != http.StatusInternalServerError || !strings.Contains(string(out), "embedded store is closed") {
		t.Errorf("got %d %s", status, out)
	}
}

func TestCanceledRequestsReturnTheContextError(t *testing.T) {
	s := filled(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := clientOf(s).Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("bench")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// Canceled while it runs: the body is read after the request was accepted.
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
		t.Errorf("got %v, %v", resp, err)
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
