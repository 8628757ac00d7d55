package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
)

const (
	killWriters = 6
	killKeys    = 12 // of each writer
	// killWithin bounds the lifetime of a process. It is often too short to start.
	killWithin = 80 * time.Millisecond
)

// TestServeKeepsAcknowledgedWritesWhenKilled kills processes under load and checks that
// all acknowledged writes are kept. DDBDESK_TEST_KILLS sets how many; CI uses hundreds.
func TestServeKeepsAcknowledgedWritesWhenKilled(t *testing.T) {
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("DDBDESK_TEST_KILLS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	s := startServe(t, "--data", dir)
	s.must("CreateTable", `{"TableName":"ledger","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"N"},
			{"AttributeName":"state","AttributeType":"S"},{"AttributeName":"version","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],
		"LocalSecondaryIndexes":[{"IndexName":"byVersion","KeySchema":[
			{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"version","KeyType":"RANGE"}],
			"Projection":{"ProjectionType":"ALL"}}],
		"GlobalSecondaryIndexes":[{"IndexName":"byState","KeySchema":[{"AttributeName":"state","KeyType":"HASH"}],
			"Projection":{"ProjectionType":"ALL"}}]}`)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	writers := make([]*writer, killWriters)
	for i := range writers {
		writers[i] = &writer{t: t, name: "w" + strconv.Itoa(i), random: rand.New(rand.NewPCG(seed, uint64(i)+1)), rows: map[int]row{}}
	}
	acknowledged := 0
	for range rounds {
		var load sync.WaitGroup
		for _, w := range writers {
			load.Go(func() { w.writeUntilKilled(s.url) })
		}
		time.Sleep(time.Duration(random.Int64N(int64(killWithin))))
		kill(t, s)
		load.Wait()
		if random.IntN(4) == 0 { // also while it opens the file
			starting := launchKilled(t, dir, time.Duration(random.Int64N(int64(killWithin/2))))
			starting.wait()
		}
		s = startServe(t, "--data", dir)
		compareWithLedger(t, s, writers)
		if t.Failed() {
			return
		}
	}
	for _, w := range writers {
		acknowledged += w.acknowledged
	}
	kill(t, s)
	checkFile(t, filepath.Join(dir, "dynamodb.db"))
	t.Logf("%d kills, %d acknowledged writes", rounds, acknowledged)
}

func kill(t *testing.T, s *served) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.wait()
}

// launchKilled starts a process that is killed after a time, in any state.
func launchKilled(t *testing.T, dir string, after time.Duration) *served {
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

// A process that is killed while it creates the file must leave one that opens.
func TestServeOpensFileOfAKilledFirstStart(t *testing.T) {
	for i := range 5 {
		dir := t.TempDir()
		launchKilled(t, dir, time.Duration(i)*5*time.Millisecond).wait()
		startServe(t, "--data", dir).must("CreateTable", notesTable)
	}
}

// row is the content of an item: its version, which is 0 for a missing item, and the
// key of its index entry, if any.
type row struct {
	version int
	state   string
}

// fill returns text whose size depends on the version.
func (r row) fill() string { return strings.Repeat("x", r.version*37%3000) }

func (r row) item(pk string, sk int) string {
	state := ""
	if r.state != "" {
		state = `,"state":{"S":"` + r.state + `"}`
	}
	return fmt.Sprintf(`{%s,"version":{"N":"%d"},"fill":{"S":"%s"}%s}`, rowKey(pk, sk), r.version, r.fill(), state)
}

func rowKey(pk string, sk int) string { return fmt.Sprintf(`"PK":{"S":"%s"},"SK":{"N":"%d"}`, pk, sk) }

// writer changes its own rows, one request at a time, and records acknowledged writes.
type writer struct {
	t            *testing.T
	name         string
	random       *rand.Rand
	rows         map[int]row
	pending      map[int]row // what the request made that had no answer
	atomic       bool        // whether it makes all of it or nothing
	versions     int
	acknowledged int
}

func (w *writer) writeUntilKilled(url string) {
	for {
		operation, body, want := w.next()
		status, answer, err := postDynamo(w.t, http.DefaultClient, url, "", operation, strings.NewReader(body))
		switch {
		case err != nil:
			return
		case status != want:
			w.t.Errorf("%s %s: %d %s, want %d", operation, body, status, answer, want)
			return
		case status == http.StatusOK:
			maps.Copy(w.rows, w.pending)
			w.acknowledged++
		}
		w.pending = nil
	}
}

// next returns a random request, and records its effect on the rows.
func (w *writer) next() (operation, body string, want int) {
	keys := w.random.Perm(killKeys)
	w.pending, w.atomic = map[int]row{}, true
	switch w.random.IntN(6) {
	case 0:
		return "DeleteItem", `{"TableName":"ledger","Key":{` + rowKey(w.name, w.remove(keys[0])) + `}}`, http.StatusOK
	case 1:
		return "TransactWriteItems", `{"TransactItems":[` + w.actions(keys[:4]) + `]}`, http.StatusOK
	case 2:
		var puts []string
		for _, k := range keys[:5] {
			puts = append(puts, `{"PutRequest":{"Item":`+w.change(k).item(w.name, k)+`}}`)
		}
		w.atomic = false
		return "BatchWriteItem", `{"RequestItems":{"ledger":[` + strings.Join(puts, ",") + `]}}`, http.StatusOK
	case 3:
		refused := row{version: 1 << 40}
		return "PutItem", `{"TableName":"ledger","Item":` + refused.item(w.name, keys[0]) + `,"ConditionExpression":"version = :v",
			"ExpressionAttributeValues":{":v":{"N":"-1"}}}`, http.StatusBadRequest
	default:
		return "PutItem", `{"TableName":"ledger","Item":` + w.change(keys[0]).item(w.name, keys[0]) + `}`, http.StatusOK
	}
}

// actions returns the actions of a transaction, each with the acknowledged row as its
// condition.
func (w *writer) actions(keys []int) string {
	var actions []string
	for i, k := range keys {
		condition := `"ConditionExpression":"attribute_not_exists(PK)"`
		if v := w.rows[k].version; v > 0 {
			condition = fmt.Sprintf(`"ConditionExpression":"version = :v","ExpressionAttributeValues":{":v":{"N":"%d"}}`, v)
		}
		action := `{"Put":{"TableName":"ledger","Item":%s,` + condition + `}}`
		if i == 0 {
			actions = append(
				actions,
				fmt.Sprintf(`{"Delete":{"TableName":"ledger","Key":{%s},`, rowKey(w.name, w.remove(k)))+condition+`}}`,
			)
			continue
		}
		actions = append(actions, fmt.Sprintf(action, w.change(k).item(w.name, k)))
	}
	return strings.Join(actions, ",")
}

func (w *writer) remove(key int) int {
	w.pending[key] = row{}
	return key
}

func (w *writer) change(key int) row {
	w.versions++
	r := row{version: w.versions}
	if w.random.IntN(3) > 0 {
		r.state = "s" + strconv.Itoa(w.random.IntN(4))
	}
	w.pending[key] = r
	return r
}

// compareWithLedger checks that all acknowledged writes exist. A request without a
// response may have been applied or not.
func compareWithLedger(t *testing.T, s *served, writers []*writer) {
	t.Helper()
	stored := scanLedger(t, s, "")
	indexed := map[string]map[int]row{}
	for _, w := range writers {
		found := stored[w.name]
		if found == nil {
			found = map[int]row{}
		}
		made, kept := true, true
		for k := range killKeys {
			if after, changed := w.pending[k]; changed {
				made, kept = made && found[k] == after, kept && found[k] == w.rows[k]
				if found[k] != after && found[k] != w.rows[k] {
					t.Errorf("%s %d: stored %+v, neither %+v nor %+v", w.name, k, found[k], w.rows[k], after)
				}
				continue
			}
			if found[k] != w.rows[k] {
				t.Errorf("%s %d: stored %+v, acknowledged %+v", w.name, k, found[k], w.rows[k])
			}
		}
		if w.atomic && !made && !kept {
			t.Errorf("%s: half of a request was made: %+v of %+v", w.name, found, w.pending)
		}
		w.rows, w.pending = found, nil
		for k, r := range found {
			if r.state != "" {
				if indexed[w.name] == nil {
					indexed[w.name] = map[int]row{}
				}
				indexed[w.name][k] = r
			}
		}
	}
	for index, want := range map[string]map[string]map[int]row{"byState": indexed, "byVersion": stored} {
		if diff := cmp.Diff(want, scanLedger(t, s, `,"IndexName":"`+index+`"`), cmp.AllowUnexported(row{})); diff != "" {
			t.Errorf("%s differs from its table (-table +index):\n%s", index, diff)
		}
	}
}

// scanLedger reads all pages of a table or an index.
func scanLedger(t *testing.T, s *served, index string) map[string]map[int]row {
	t.Helper()
	rows := map[string]map[int]row{}
	count := 0
	for start := ""; ; {
		var page struct {
			Items []struct {
				PK, Fill, State struct{ S string }
				SK, Version     struct{ N string }
			}
			LastEvaluatedKey json.RawMessage
		}
		if err := json.Unmarshal([]byte(s.must("Scan", `{"TableName":"ledger"`+index+start+`}`)), &page); err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			sk, err := strconv.Atoi(it.SK.N)
			if err != nil {
				t.Fatal(err)
			}
			version, err := strconv.Atoi(it.Version.N)
			if err != nil {
				t.Fatal(err)
			}
			r := row{version: version, state: it.State.S}
			if it.Fill.S != r.fill() {
				t.Errorf("%s %d: %d bytes where version %d has %d", it.PK.S, sk, len(it.Fill.S), version, len(r.fill()))
			}
			if rows[it.PK.S] == nil {
				rows[it.PK.S] = map[int]row{}
			}
			rows[it.PK.S][sk] = r
			count++
		}
		if page.LastEvaluatedKey == nil {
			break
		}
		start = `,"ExclusiveStartKey":` + string(page.LastEvaluatedKey)
	}
	total := 0
	for _, of := range rows {
		total += len(of)
	}
	if total != count {
		t.Errorf("%d items where there are %d keys", count, total)
	}
	return rows
}

// checkFile runs the consistency check of the database.
func checkFile(t *testing.T, file string) {
	t.Helper()
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second, PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("%s: %v", file, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
