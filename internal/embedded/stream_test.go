package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const bothImages = `"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}`

// streamChange is a record in a response.
type streamChange struct {
	EventName    string `json:"eventName"`
	UserIdentity struct{ PrincipalID, Type string }
	Dynamodb     struct {
		Keys, NewImage, OldImage    map[string]any
		SequenceNumber              string
		ApproximateCreationDateTime int64
	}
}

// latestStream returns the ARN of a table's latest stream.
func latestStream(t testing.TB, s *Store, table string) string {
	t.Helper()
	var out struct {
		Table struct{ LatestStreamArn string }
	}
	unmarshal(t, mustCall(t, s, "DescribeTable", `{"TableName":"`+table+`"}`), &out)
	return out.Table.LatestStreamArn
}

func unmarshal(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// shardIDs returns the shards of a stream, read in pages of one.
func shardIDs(t testing.TB, s *Store, arn string) (ids []string) {
	t.Helper()
	start := ""
	for {
		var out struct {
			StreamDescription struct {
				Shards               []struct{ ShardID, ParentShardID string }
				LastEvaluatedShardID string
			}
		}
		unmarshal(t, mustCall(t, s, "DescribeStream", `{"Limit":1,"StreamArn":"`+arn+`"`+start+`}`), &out)
		for _, sh := range out.StreamDescription.Shards {
			if len(ids) > 0 && sh.ParentShardID != ids[len(ids)-1] {
				t.Errorf("shard %s has the parent %q", sh.ShardID, sh.ParentShardID)
			}
			ids = append(ids, sh.ShardID)
		}
		if out.StreamDescription.LastEvaluatedShardID == "" {
			return ids
		}
		start = `,"ExclusiveStartShardId":"` + out.StreamDescription.LastEvaluatedShardID + `"`
	}
}

// iteratorOf returns an iterator for the oldest record of a shard, or an error response.
func iteratorOf(t testing.TB, s *Store, arn, shard string) (it, failed string) {
	t.Helper()
	status, body := call(t, s, "GetShardIterator", `{"ShardIteratorType":"TRIM_HORIZON","StreamArn":"`+arn+`","ShardId":"`+shard+`"}`)
	if status != http.StatusOK {
		return "", string(body)
	}
	var out struct{ ShardIterator string }
	unmarshal(t, body, &out)
	return out.ShardIterator, ""
}

// recordsOf reads all records of a stream in pages. It returns the first error response.
func recordsOf(t testing.TB, s *Store, arn string, limit int) (all []streamChange, failed string) {
	t.Helper()
	for _, shard := range shardIDs(t, s, arn) {
		it, failed := iteratorOf(t, s, arn, shard)
		if failed != "" {
			return all, failed
		}
		for it != "" {
			status, body := call(t, s, "GetRecords", fmt.Sprintf(`{"ShardIterator":%q,"Limit":%d}`, it, limit))
			if status != http.StatusOK {
				return all, string(body)
			}
			var out struct {
				Records           []streamChange
				NextShardIterator string
			}
			unmarshal(t, body, &out)
			all = append(all, out.Records...)
			if it = out.NextShardIterator; len(out.Records) == 0 {
				break
			}
		}
	}
	return all, ""
}

// replay applies records to an empty table. It reports a record whose images do not match the previous records.
func replay(t testing.TB, records []streamChange) map[string]map[string]any {
	t.Helper()
	table := map[string]map[string]any{}
	for i, r := range records {
		if i > 0 && r.Dynamodb.SequenceNumber <= records[i-1].Dynamodb.SequenceNumber {
			t.Errorf("record %d: sequence number %s after %s", i, r.Dynamodb.SequenceNumber, records[i-1].Dynamodb.SequenceNumber)
		}
		key := fmt.Sprint(r.Dynamodb.Keys)
		if !reflect.DeepEqual(table[key], r.Dynamodb.OldImage) {
			t.Errorf("record %d of %s: the old image is %v, want %v", i, key, r.Dynamodb.OldImage, table[key])
		}
		kinds := map[[2]bool]string{{false, true}: "INSERT", {true, true}: "MODIFY", {true, false}: "REMOVE"}
		if want := kinds[[2]bool{r.Dynamodb.OldImage != nil, r.Dynamodb.NewImage != nil}]; r.EventName != want {
			t.Errorf("record %d of %s: EventName = %s, want %s", i, key, r.EventName, want)
		}
		if table[key] = r.Dynamodb.NewImage; table[key] == nil {
			delete(table, key)
		}
	}
	return table
}

// itemsOf returns the items of a table by key.
func itemsOf(t testing.TB, s *Store, table string) map[string]map[string]any {
	t.Helper()
	var out struct{ Items []map[string]any }
	unmarshal(t, mustCall(t, s, "Scan", `{"TableName":"`+table+`"}`), &out)
	items := map[string]map[string]any{}
	for _, it := range out.Items {
		items[fmt.Sprint(map[string]any{"PK": it["PK"], "SK": it["SK"]})] = it
	}
	return items
}

func TestStreamReplayRestoresTable(t *testing.T) {
	now := &clock{time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)}
	s := openStore(t, Options{Clock: now.Now})
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		table := fmt.Sprintf("model%d", runs)
		runs++
		mustCall(t, s, "CreateTable", strings.Replace(modelTable, `"model",`, `"`+table+`",`+bothImages+`,`, 1))
		m := &model{t: t, s: s, table: table, rows: map[string]modelRow{}}
		rt.Repeat(map[string]func(*rapid.T){
			"put": m.put, "update": m.update, "delete": m.remove,
			"batch": func(rt *rapid.T) {
				a, b := drawRow(rt), drawRow(rt)
				requests := fmt.Sprintf(`{"DeleteRequest":{"Key":%s}}`, a.key())
				if a.id() != b.id() {
					requests += fmt.Sprintf(`,{"PutRequest":{"Item":{"PK":{"S":"%s"},"SK":{"N":"%d"}}}}`, b.pk, b.sk)
				}
				mustCall(t, s, "BatchWriteItem", `{"RequestItems":{"`+table+`":[`+requests+`]}}`)
			},
			"transaction": func(rt *rapid.T) {
				a, b := drawRow(rt), drawRow(rt)
				// The transaction fails if the second item exists, or if both items are the same.
				_, _ = call(t, s, "TransactWriteItems", fmt.Sprintf(`{"TransactItems":[{"Delete":{"TableName":%q,"Key":%s}},
					{"Put":{"TableName":%q,"Item":{"PK":{"S":"%s"},"SK":{"N":"%d"}},"ConditionExpression":"attribute_not_exists(PK)"}}]}`,
					table, a.key(), table, b.pk, b.sk))
			},
			"new shard": func(*rapid.T) {
				now.now = now.now.Add(shardLifetime / 8)
				if err := s.sweep(); err != nil {
					t.Fatal(err)
				}
			},
		})
		if now.now.Sub(s.tables[table].Created) < streamRetention {
			records, failed := recordsOf(t, s, latestStream(t, s, table), rapid.IntRange(1, 5).Draw(rt, "limit"))
			if got, want := replay(t, records), itemsOf(t, s, table); failed != "" || !reflect.DeepEqual(got, want) {
				t.Fatalf("the replay gives %v, the table contains %v (%s)", got, want, failed)
			}
		}
		mustCall(t, s, "DeleteTable", `{"TableName":"`+table+`"}`)
	})
}

// streamStore returns a store with a table and its stream, whose clock can be set.
func streamStore(t *testing.T) (s *Store, now *clock, arn string) {
	t.Helper()
	now = &clock{time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)}
	s = openStore(t, Options{Clock: now.Now})
	mustCall(t, s, "CreateTable", `{"TableName":"notes","BillingMode":"PAY_PER_REQUEST",`+bothImages+`,
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
	return s, now, latestStream(t, s, "notes")
}

func note(t *testing.T, s *Store, id string) {
	t.Helper()
	mustCall(t, s, "PutItem", `{"TableName":"notes","Item":{"PK":{"S":"`+id+`"}}}`)
}

func sweepAt(t *testing.T, s *Store, now *clock, after time.Duration) {
	t.Helper()
	now.now = now.now.Add(after)
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
}

func eventsOf(records []streamChange) (out []string) {
	for _, r := range records {
		out = append(out, r.EventName+" "+r.Dynamodb.Keys["PK"].(map[string]any)["S"].(string))
	}
	return out
}

func TestRecordsAreTrimmedAfterADay(t *testing.T) {
	s, now, arn := streamStore(t)
	note(t, s, "a")
	first := shardIDs(t, s, arn)[0]
	sweepAt(t, s, now, 23*time.Hour+50*time.Minute)
	note(t, s, "b")
	read, _ := iteratorOf(t, s, arn, first)
	if got, _ := recordsOf(t, s, arn, 100); !reflect.DeepEqual(eventsOf(got), []string{"INSERT a", "INSERT b"}) {
		t.Fatalf("after 23:50 h: got %v", eventsOf(got))
	}
	// Without a sweep, the clock decides.
	now.now = now.now.Add(10 * time.Minute)
	_, body := call(t, s, "GetRecords", `{"ShardIterator":"`+read+`"}`)
	if !strings.Contains(string(body), "TrimmedDataAccessException") {
		t.Errorf("an iterator for a trimmed record: got %s", body)
	}
	for range 2 {
		if got, failed := recordsOf(t, s, arn, 100); !reflect.DeepEqual(eventsOf(got), []string{"INSERT b"}) {
			t.Errorf("after 24 h: got %v %s", eventsOf(got), failed)
		}
		sweepAt(t, s, now, 0)
	}
	sweepAt(t, s, now, 25*time.Hour)
	if ids := shardIDs(t, s, arn); slices.Contains(ids, first) {
		t.Errorf("after two days, the first shard still exists: %v", ids)
	}
	note(t, s, "c")
	if got, failed := recordsOf(t, s, arn, 100); !reflect.DeepEqual(eventsOf(got), []string{"INSERT c"}) {
		t.Errorf("after two days: got %v %s", eventsOf(got), failed)
	}
}

func TestTrimmingRemovesManyRecords(t *testing.T) {
	s, now, arn := streamStore(t)
	for i := range 2*sweepBatch + 10 {
		note(t, s, fmt.Sprint(i))
	}
	sweepAt(t, s, now, streamRetention)
	err := s.storage.view(func(x *tx) error {
		st, err := x.stream(arn)
		if err != nil {
			return err
		}
		records, err := x.recordBucket(st.recordBucketName(), st.Table)
		if err != nil {
			return err
		}
		return records.walk(keyRange{}, false, func([]byte, []byte) (bool, error) {
			t.Error("a trimmed record still exists")
			return false, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestShardIteratorsExpire(t *testing.T) {
	s, now, arn := streamStore(t)
	it, _ := iteratorOf(t, s, arn, shardIDs(t, s, arn)[0])
	now.now = now.now.Add(iteratorLifetime)
	var out struct{ NextShardIterator string }
	unmarshal(t, mustCall(t, s, "GetRecords", `{"ShardIterator":"`+it+`"}`), &out)
	now.now = now.now.Add(time.Second)
	if _, body := call(t, s, "GetRecords", `{"ShardIterator":"`+it+`"}`); !strings.Contains(string(body), "ExpiredIteratorException") {
		t.Errorf("after 15 minutes: got %s, want ExpiredIteratorException", body)
	}
	mustCall(t, s, "GetRecords", `{"ShardIterator":"`+out.NextShardIterator+`"}`)
}

func TestReadingStreamContinuesInNextShard(t *testing.T) {
	s, now, arn := streamStore(t)
	note(t, s, "a")
	sweepAt(t, s, now, shardLifetime)
	note(t, s, "b")
	sweepAt(t, s, now, shardLifetime)
	sweepAt(t, s, now, shardLifetime) // the last shard is empty and remains
	if ids := shardIDs(t, s, arn); len(ids) != 3 {
		t.Fatalf("got %d shards, want 3", len(ids))
	}
	for limit := 1; limit < 3; limit++ {
		if got, failed := recordsOf(t, s, arn, limit); !reflect.DeepEqual(eventsOf(got), []string{"INSERT a", "INSERT b"}) {
			t.Errorf("got %v %s, want INSERT a and INSERT b", eventsOf(got), failed)
		}
	}
}

func TestDisabledStreamIsRemovedAfterADay(t *testing.T) {
	for name, end := range map[string]struct{ operation, body string }{
		"disabled": {"UpdateTable", `{"TableName":"notes","StreamSpecification":{"StreamEnabled":false}}`},
		"deleted":  {"DeleteTable", `{"TableName":"notes"}`},
	} {
		s, now, arn := streamStore(t)
		note(t, s, "a")
		now.now = now.now.Add(23 * time.Hour)
		mustCall(t, s, end.operation, end.body)
		if got, failed := recordsOf(t, s, arn, 100); len(got) != 1 {
			t.Errorf("%s: got %v %s, want 1 record", name, eventsOf(got), failed)
		}
		sweepAt(t, s, now, streamRetention-time.Second)
		mustCall(t, s, "DescribeStream", `{"StreamArn":"`+arn+`"}`)
		sweepAt(t, s, now, time.Second)
		if _, body := call(t, s, "DescribeStream", `{"StreamArn":"`+arn+`"}`); !strings.Contains(string(body), "ResourceNotFoundException") {
			t.Errorf("%s, after a day: got %s, want ResourceNotFoundException", name, body)
		}
	}
}

func TestServiceIsUserOfExpiredItem(t *testing.T) {
	s, now, arn := streamStore(t)
	mustCall(t, s, "UpdateTimeToLive", `{"TableName":"notes","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}}`)
	mustCall(t, s, "PutItem", fmt.Sprintf(`{"TableName":"notes","Item":{"PK":{"S":"a"},"ttl":{"N":"%d"}}}`, now.now.Unix()))
	note(t, s, "b")
	mustCall(t, s, "DeleteItem", `{"TableName":"notes","Key":{"PK":{"S":"b"}}}`)
	sweepAt(t, s, now, time.Hour)
	records, _ := recordsOf(t, s, arn, 100)
	if got := eventsOf(records); !reflect.DeepEqual(got, []string{"INSERT a", "INSERT b", "REMOVE b", "REMOVE a"}) {
		t.Fatalf("got events %v", got)
	}
	for i, want := range []string{"", "", "", "dynamodb.amazonaws.com"} {
		if got := records[i].UserIdentity; got.PrincipalID != want || (got.Type == "Service") != (want != "") {
			t.Errorf("record %d: unexpected user %+v", i, got)
		}
	}
	if at := records[3].Dynamodb.ApproximateCreationDateTime; at != now.now.Unix() {
		t.Errorf("the deletion is at %d, want %d", at, now.now.Unix())
	}
}

func TestStreamSurvivesReopeningAndCompaction(t *testing.T) {
	dir := t.TempDir()
	s := streamStoreIn(t, dir)
	want, _ := recordsOf(t, s, latestStream(t, s, "bench"), 100)
	arn := latestStream(t, s, "bench")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if report, err := Check(dir); err != nil || !report.Sound() {
		t.Fatalf("got report %+v, %v", report, err)
	}
	if _, err := Compact(dir); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Path: dir})
	got, failed := recordsOf(t, s, arn, 100)
	if !reflect.DeepEqual(got, want) || len(want) == 0 {
		t.Errorf("got %d records, want %d (%s)", len(got), len(want), failed)
	}
}

// streamStoreIn opens a store with a table and a stream of its changes.
func streamStoreIn(t *testing.T, dir string) *Store {
	t.Helper()
	s := openStore(t, Options{Path: dir})
	fill(t, s, 0)
	mustCall(t, s, "UpdateTable", `{"TableName":"bench",`+bothImages+`}`)
	for i := range 120 {
		mustCall(t, s, "PutItem", `{"TableName":"bench","Item":`+benchItem(i%90)+`}`)
		if i%7 == 0 {
			mustCall(t, s, "DeleteItem", fmt.Sprintf(`{"TableName":"bench","Key":{"PK":{"S":"CUSTOMER#0000"},"SK":{"S":"ORDER#%06d"}}}`, i%90))
		}
	}
	return s
}

// After a power loss, the stream contains exactly the changes that produced the table.
func TestPowerLossKeepsStreamAndTableTogether(t *testing.T) {
	dir := t.TempDir()
	s := filledStoreIn(t, dir, 0)
	mustCall(t, s, "UpdateTable", `{"TableName":"bench",`+bothImages+`}`)
	base, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	arn := latestStream(t, s, "bench")
	r := record(t, s.storage.db)
	acknowledged := writeVersions(t, s, r, 3, 12)
	seed := rand.Uint64()
	t.Logf("seed %d, %d page writes", seed, len(r.writes))
	random := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		cut := random.IntN(len(r.writes) + 1)
		lost := t.TempDir()
		if err := os.WriteFile(filepath.Join(lost, fileName), image(base, r.writes, cut, random), 0o600); err != nil {
			t.Fatal(err)
		}
		comparePowerLoss(t, lost, cut, acknowledged)
		s := openStore(t, Options{Path: lost})
		records, failed := recordsOf(t, s, arn, 100)
		if got, want := replay(t, records), itemsOf(t, s, "bench"); failed != "" || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: the stream gives %d items, the table %d (%s)", cut, len(got), len(want), failed)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlippedBitsNeverChangeRecord(t *testing.T) {
	dir := t.TempDir()
	s := streamStoreIn(t, dir)
	arn := latestStream(t, s, "bench")
	want, _ := recordsOf(t, s, arn, 100)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	refused := 0
	for _, bit := range randomBits(rand.New(rand.NewPCG(seed, 0)), len(good), 60) {
		damaged := append([]byte(nil), good...)
		damaged[bit/8] ^= 1 << (bit % 8)
		lost := t.TempDir()
		if err := os.WriteFile(filepath.Join(lost, fileName), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(Options{Path: lost, NoSync: true})
		if err != nil {
			refused++
			continue
		}
		if _, body := call(t, s, "DescribeStream", `{"StreamArn":"`+arn+`"}`); strings.Contains(string(body), "InternalServerError") {
			refused++
		} else if got, failed := recordsOf(t, s, arn, 100); failed != "" {
			refused++
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("bit %d: got %d records, want %d", bit, len(got), len(want))
		}
		if err := s.Close(); err != nil {
			t.Log(err)
		}
	}
	if refused == 0 {
		t.Error("no flipped bit had an effect")
	}
}
