package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
)

const (
	killWriters = 6
	// killWithin limits the lifetime of a process, which often ends before it has started.
	killWithin = 80 * time.Millisecond
)

// TestServeKeepsAcknowledgedWritesWhenKilled kills processes under load, even while they start. Each writer puts
// versions of a pair of items in transactions. The tests of internal/embedded cover power loss. DDBDESK_TEST_KILLS sets
// the number of processes; CI uses hundreds.
func TestServeKeepsAcknowledgedWritesWhenKilled(t *testing.T) {
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("DDBDESK_TEST_KILLS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	s := startServe(t, "--data", dir)
	s.must("CreateTable", `{"TableName":"ledger","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},
			{"AttributeName":"state","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"GlobalSecondaryIndexes":[{"IndexName":"byState","KeySchema":[{"AttributeName":"state","KeyType":"HASH"}],
			"Projection":{"ProjectionType":"ALL"}}]}`)
	var acknowledged [killWriters]int // last version of each writer
	for range rounds {
		var load sync.WaitGroup
		for w := range killWriters {
			load.Go(func() { acknowledged[w] = putUntilKilled(t, s.url, w, acknowledged[w]) })
		}
		time.Sleep(rand.N(killWithin))
		kill(t, s)
		load.Wait()
		if rand.IntN(4) == 0 {
			launchAndKill(t, dir, rand.N(killWithin/2)).wait()
		}
		s = startServe(t, "--data", dir)
		found := versions(t, s, "")
		if diff := cmp.Diff(found, versions(t, s, `,"IndexName":"byState"`)); diff != "" {
			t.Fatalf("the index differs from its table (-table +index):\n%s", diff)
		}
		for w := range acknowledged {
			a, b := found[fmt.Sprintf("w%da", w)], found[fmt.Sprintf("w%db", w)]
			if a != b || a < acknowledged[w] {
				t.Fatalf("writer %d: versions %d and %d are stored, want at least the acknowledged %d", w, a, b, acknowledged[w])
			}
			acknowledged[w] = a
		}
	}
	kill(t, s)
	if report, err := embedded.Check(dir); err != nil || !report.Sound() {
		t.Errorf("the database is damaged: %+v %v", report, err)
	}
	t.Logf("%d rounds, versions %v", rounds, acknowledged)
}

// putUntilKilled puts further versions until the process ends, and returns the last acknowledged version.
func putUntilKilled(t *testing.T, url string, writer, version int) int {
	for ; ; version++ {
		put := func(part string) string {
			return fmt.Sprintf(`{"Put":{"TableName":"ledger","Item":{"PK":{"S":"w%d"},"SK":{"S":"%s"},"state":{"S":"s%d"},"version":{"N":"%d"},
				"fill":{"S":"%s"}}}}`, writer, part, version%4, version+1, strings.Repeat("x", version*37%3000))
		}
		status, answer, err := postDynamo(t, http.DefaultClient, url, "", "TransactWriteItems",
			strings.NewReader(`{"TransactItems":[`+put("a")+`,`+put("b")+`]}`))
		if err != nil || status != http.StatusOK {
			if err == nil {
				t.Errorf("a write failed before the kill: %d %s", status, answer)
			}
			return version
		}
	}
}

// versions returns the versions of all items in the table or an index, by key.
func versions(t *testing.T, s *serveProcess, index string) map[string]int {
	t.Helper()
	var page struct {
		Items []struct{ PK, SK, Version struct{ S, N string } }
	}
	if err := json.Unmarshal([]byte(s.must("Scan", `{"TableName":"ledger"`+index+`}`)), &page); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, it := range page.Items {
		found[it.PK.S+it.SK.S], _ = strconv.Atoi(it.Version.N)
	}
	return found
}

func kill(t *testing.T, s *serveProcess) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.wait()
}

// launchAndKill starts a process and kills it after a time, in any state.
func launchAndKill(t *testing.T, dir string, after time.Duration) *serveProcess {
	t.Helper()
	s := prepareServe(t, "--data", dir)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(after, func() {
		if err := s.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
	})
	close(s.read)
	return s
}

// A killed first start may leave an incomplete file, which the next start must still open.
func TestServeOpensFileOfKilledFirstStart(t *testing.T) {
	for i := range 5 {
		dir := t.TempDir()
		launchAndKill(t, dir, time.Duration(i)*5*time.Millisecond).wait()
		startServe(t, "--data", dir).must("CreateTable", notesTable)
	}
}
