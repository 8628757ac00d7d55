package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"go.etcd.io/bbolt"
)

type av = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// clock is a time that tests set.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Path == "" {
		o.Path = t.TempDir()
	}
	o.NoSync = true
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func clientOf(s *Store) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		HTTPClient: s, BaseEndpoint: aws.String("http://embedded.invalid"), Region: "us-east-1",
		RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
}

// ordersTable returns a table with a sort key, a sparse global index that projects all attributes ("byStatus"), a
// global index that projects keys ("keysOnly"), and a local index on a number that projects one more attribute
// ("byAmount").
func ordersTable() *dynamodb.CreateTableInput {
	key := func(name string, kt types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kt}
	}
	attr := func(name string, at types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: at}
	}
	return &dynamodb.CreateTableInput{
		TableName: aws.String("orders"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attr("PK", "S"), attr("SK", "S"), attr("G1", "S"), attr("G2", "N"), attr("amount", "N"),
		},
		KeySchema: []types.KeySchemaElement{key("PK", "HASH"), key("SK", "RANGE")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{
				IndexName: aws.String("byStatus"), KeySchema: []types.KeySchemaElement{key("G1", "HASH"), key("G2", "RANGE")},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			},
			{
				IndexName: aws.String("keysOnly"), KeySchema: []types.KeySchemaElement{key("G1", "HASH")},
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			},
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("byAmount"), KeySchema: []types.KeySchemaElement{key("PK", "HASH"), key("amount", "RANGE")},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"note"}},
		}},
	}
}

func withOrders(t testing.TB) *dynamodb.Client {
	t.Helper()
	c := clientOf(openStore(t, Options{}))
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, c *dynamodb.Client, it av) {
	t.Helper()
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: it}); err != nil {
		t.Fatal(err)
	}
}

// wantError checks an error's code and message.
func wantError(t testing.TB, err error, code, message string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) {
		t.Fatalf("got error %v, want %s: %s", err, code, message)
	}
	if api.ErrorCode() != code || api.ErrorMessage() != message {
		t.Fatalf("got  %s: %s\nwant %s: %s", api.ErrorCode(), api.ErrorMessage(), code, message)
	}
}

func TestNewDatabaseSyncsItsDirectories(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "new", "store")
	var synced []string
	o := Options{Path: dir, syncDir: func(dir string) error {
		if _, err := os.Stat(filepath.Join(dir, fileName)); err == nil {
			dir = filepath.Join(dir, fileName) // the file is already in the directory when it is synced
		}
		synced = append(synced, dir)
		return nil
	}}
	for _, want := range [][]string{{root, filepath.Join(root, "new"), filepath.Join(dir, fileName)}, {filepath.Join(dir, fileName)}} {
		synced = nil
		s, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(synced, want) {
			t.Errorf("synced %q, want %q", synced, want)
		}
	}
}

func TestOpenRestrictsFileToItsOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not keep file modes")
	}
	dir := t.TempDir()
	s := openStore(t, Options{Path: dir})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, fileName)
	for before, want := range map[os.FileMode]os.FileMode{0o666: 0o600, 0o640: 0o600, 0o600: 0o600} {
		if err := os.Chmod(file, before); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, Options{Path: dir})
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("the file with mode %o has mode %v after Open: %v", before, info.Mode().Perm(), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// changeFile applies a change to the file of a closed store.
func changeFile(t *testing.T, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, fileName), fileMode, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// toFormat returns a change that sets the file's format.
func toFormat(format string) func(*bbolt.Tx) error {
	return func(b *bbolt.Tx) error { return b.Bucket(bucketMeta).Put(keyFormat, []byte(format)) }
}

func TestOpenRejectsOtherFormats(t *testing.T) {
	for name, change := range map[string]func(*bbolt.Tx) error{
		`newer version of ddbdesk: it has format "6"`:      toFormat("6"),
		`before its first release: it has format "4", and`: toFormat("4"),
		`invalid format version ""`:                        toFormat(""),
		`invalid format version "-1"`:                      toFormat("-1"),
		"format is missing":                                func(b *bbolt.Tx) error { return b.DeleteBucket(bucketMeta) },
		"data is missing":                                  func(b *bbolt.Tx) error { return b.DeleteBucket(bucketTables) },
	} {
		dir := t.TempDir()
		fillAgedStore(t, dir)
		changeFile(t, dir, change)
		before, err := os.ReadFile(filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Open(Options{Path: dir}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error with %q, got %v", name, err)
			if s != nil {
				_ = s.Close()
			}
		}
		if after, err := os.ReadFile(filepath.Join(dir, fileName)); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: Open changed the file: %v", name, err)
		}
	}
}

// largeItem returns an item of 20 KB.
func largeItem(writer, n int) string {
	return fmt.Sprintf(`{"PK":{"S":"large%d"},"SK":{"S":"%03d"},"G1":{"S":"g"},"note":{"S":"%s"}}`, writer, n, strings.Repeat("x", 20000))
}

func TestCompactPreservesResponses(t *testing.T) {
	dir := t.TempDir()
	fillAgedStore(t, dir)
	s := openStore(t, Options{Path: dir})
	var want [][]byte
	for _, q := range checkedRequests() {
		want = append(want, mustCall(t, s, q.target, q.body))
	}
	for i := range 40 {
		mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+largeItem(0, i)+`}`)
	}
	for i := range 40 {
		mustCall(t, s, "DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"large0"},"SK":{"S":"%03d"}}}`, i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := Compact(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Size() != c.After || c.After >= c.Before {
		t.Errorf("got %+v, file size %v, %v", c, info, err)
	}
	if report, err := Check(dir); err != nil || !report.Sound() || report.Format != strconv.Itoa(formatVersion) {
		t.Errorf("got report %+v, %v", report, err)
	}
	s = openStore(t, Options{Path: dir})
	for i, q := range checkedRequests() {
		if got := mustCall(t, s, q.target, q.body); !sameJSON(t, got, want[i]) {
			t.Errorf("%s %s: got %.200s, want %.200s", q.target, q.body, got, want[i])
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFailedCompactLeavesFileUnchanged(t *testing.T) {
	dir := t.TempDir()
	if _, err := Compact(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory: got %v", err)
	}
	fillAgedStore(t, dir)
	file := filepath.Join(dir, fileName)
	s := openStore(t, Options{Path: dir})
	if _, err := Compact(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("an open database: got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+compactSuffix, []byte("left by a process that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file + compactSuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Compact left a temporary file: %v", err)
	}
}
