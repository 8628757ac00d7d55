// This file measures reading whole tables and first pages beside what the bare
// SDK does, in the same run.

package session_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// benchItems is how many items of 400 bytes or so the table has. Servers take
// long to load more.
const benchItems = 20_000

// benchServers calls bench with the URL of the embedded store, served over HTTP
// as others are, and of every server that DDBDESK_TEST_ENDPOINTS names.
func benchServers(b *testing.B, bench func(b *testing.B, url string)) {
	b.Run("embedded", func(b *testing.B) {
		db, err := embedded.Open(embedded.Options{NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		server := httptest.NewServer(http.HandlerFunc(db.ServeHTTP))
		b.Cleanup(func() {
			server.Close()
			if err := db.Close(); err != nil {
				b.Error(err)
			}
		})
		bench(b, server.URL)
	})
	for _, endpoint := range strings.Fields(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, url, _ := strings.Cut(endpoint, "=")
		b.Run(name, func(b *testing.B) { bench(b, url) })
	}
}

// A benchTable is a table of items on a server, for ddbdesk and for the bare SDK.
type benchTable struct {
	session *session.Session
	raw     *dynamodb.Client
	name    string
	scan    *accesspatterns.Pattern
	query   *accesspatterns.Pattern
}

func newBenchTable(b *testing.B, url string) benchTable {
	b.Helper()
	for _, v := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_SESSION_TOKEN"} {
		b.Setenv(v, "")
	}
	b.Setenv("AWS_CONFIG_FILE", os.DevNull)
	b.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	conn, err := store.Connect(b.Context(), store.Options{EndpointURL: url})
	if err != nil {
		b.Fatal(err)
	}
	table := &models.Table{
		ID: "bench", Name: fmt.Sprintf("bench-%d", time.Now().UnixNano()),
		PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
	}
	if err := conn.Admin().CreateTable(b.Context(), table); err != nil {
		b.Fatal(err)
	}
	items := make([]models.Item, benchItems)
	for i := range items {
		items[i] = models.Item{
			"PK": models.StringValue(fmt.Sprintf("ORDER#%05d", i/100)), "SK": models.StringValue(fmt.Sprintf("LINE#%04d", i)),
			"status": models.StringValue("open"), "createdAt": models.StringValue("2026-01-14T10:00:00Z"),
			"note": models.StringValue(strings.Repeat("some words about it ", 15)),
		}
	}
	if err := conn.Admin().PutItems(b.Context(), table.Name, items); err != nil {
		b.Fatal(err)
	}
	profile, err := profiles.Open(profiles.Names()[0], nil)
	if err != nil {
		b.Fatal(err)
	}
	return benchTable{
		session: session.New(session.Options{Profile: profile, Store: conn.Reader(), Target: conn.Describe(), StateDir: b.TempDir()}),
		raw: dynamodb.New(dynamodb.Options{
			BaseEndpoint: aws.String(url), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
			RetryMaxAttempts: 20, // its connections break now and then
		}),
		name: table.Name,
		scan: &accesspatterns.Pattern{ID: "all", Profile: "bench", Table: table, Read: accesspatterns.Read{Operation: accesspatterns.Scan}},
		query: &accesspatterns.Pattern{
			ID: "lines", Profile: "bench", Table: table,
			Read: accesspatterns.Read{Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{{
				Attribute: table.PartitionKey, Compare: accesspatterns.Matches, Template: models.MustTemplate("ORDER#00007"),
			}}},
		},
	}
}

// all reads the table as ddbdesk does.
func (t benchTable) all(b *testing.B, segments int) {
	r, err := t.session.Run(t.scan, nil, session.RunOptions{AllowScan: true, All: true, Segments: segments})
	if err != nil {
		b.Fatal(err)
	}
	items := 0
	err = r.All(b.Context(), func(p session.Page) error {
		items += len(p.Items)
		return nil
	})
	if err != nil || items != benchItems {
		b.Fatalf("%d items: %v", items, err)
	}
}

// rawAll reads it as a program does that is written for that alone.
func (t benchTable) rawAll(b *testing.B, segments int) {
	var items atomic.Int64
	var all sync.WaitGroup
	for segment := range segments {
		all.Go(func() {
			in := &dynamodb.ScanInput{TableName: &t.name, Limit: aws.Int32(1000)}
			if segments > 1 {
				in.Segment, in.TotalSegments = aws.Int32(int32(segment)), aws.Int32(int32(segments))
			}
			for {
				out, err := t.raw.Scan(b.Context(), in)
				if err != nil {
					b.Error(err)
					return
				}
				items.Add(int64(len(out.Items)))
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					return
				}
			}
		})
	}
	all.Wait()
	if items.Load() != benchItems {
		b.Fatalf("%d items", items.Load())
	}
}

// BenchmarkScanAll reads a table through Run.All and through the bare SDK in
// turn. x-raw is ddbdesk's throughput for one of the SDK's.
func BenchmarkScanAll(b *testing.B) {
	benchServers(b, func(b *testing.B, url string) {
		t := newBenchTable(b, url)
		for _, segments := range []int{1, 4, 8} {
			b.Run(fmt.Sprint(segments), func(b *testing.B) {
				compare(b, benchItems, func() { t.all(b, segments) }, func() { t.rawAll(b, segments) })
			})
		}
	})
}

// BenchmarkFirstPage reads the first page of a query, of 100 rows.
func BenchmarkFirstPage(b *testing.B) {
	benchServers(b, func(b *testing.B, url string) {
		t := newBenchTable(b, url)
		in := &dynamodb.QueryInput{
			TableName: &t.name, KeyConditionExpression: aws.String("PK = :pk"), Limit: aws.Int32(100),
			ExpressionAttributeValues: models.Item{":pk": models.StringValue("ORDER#00007")},
		}
		compare(b, 100, func() {
			r, err := t.session.Run(t.query, nil, session.RunOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if page, err := r.Next(b.Context()); err != nil || len(page.Items) != 100 || page.Requests != 1 {
				b.Fatalf("%d items after %d requests: %v", len(page.Items), page.Requests, err)
			}
		}, func() {
			if out, err := t.raw.Query(context.WithoutCancel(b.Context()), in); err != nil || len(out.Items) != 100 {
				b.Fatal(err)
			}
		})
	})
}

// compare runs both in turn, each first every other time, so that what else the
// machine does is the same for both, and reports how much of raw's throughput
// ours has. Medians: the SDK has answers now and then that it waits for seconds
// to ask for again.
func compare(b *testing.B, items int, ours, raw func()) {
	ours()
	raw()
	var mine, ratios []float64
	for i := 0; b.Loop(); i++ {
		var took [2]float64 // ours, raw
		for _, k := range []int{i % 2, 1 - i%2} {
			began := time.Now()
			[]func(){ours, raw}[k]()
			took[k] = time.Since(began).Seconds()
		}
		mine, ratios = append(mine, took[0]), append(ratios, took[1]/took[0])
	}
	b.ReportMetric(median(ratios), "x-raw")
	b.ReportMetric(float64(items)/median(mine), "items/s")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
