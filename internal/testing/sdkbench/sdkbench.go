// Package sdkbench compares ddbdesk with the plain AWS SDK: both read the same table, alternately, on every available
// server.
package sdkbench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Items is the number of items in a Table, with about 450 bytes each. Servers would load more items too slowly.
const Items = 24_000

// perOrder is the number of items in each partition.
const perOrder = 100

// Servers calls bench with the URLs of the embedded database and of all servers in DDBDESK_TEST_ENDPOINTS. All of them
// use HTTP.
func Servers(b *testing.B, bench func(b *testing.B, url string)) {
	b.Helper()
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
	for endpoint := range strings.FieldsSeq(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, url, _ := strings.Cut(endpoint, "=")
		b.Run(name, func(b *testing.B) { bench(b, url) })
	}
}

// A Table is a table with Items items, which ddbdesk and the bare SDK can read.
type Table struct {
	Profile *profiles.Profile // pattern "all" scans the table, "lines" reads the 100 items of an order
	Conn    *store.Connection
	raw     *dynamodb.Client
	name    string
}

// Order is an argument for "lines".
const Order = "00007"

// benchProfile is the schema of the table. New adds the table's name.
const benchProfile = `
name: bench
title: Bench
tables:
  lines: {name: %s, partition_key: PK, sort_key: SK}
entities:
  Line:
    table: lines
    keys: {PK: "ORDER#{order}", SK: "LINE#{line}"}
    attributes:
      order: {type: S, required: true}
      line: {type: S, required: true}
      status: {type: S, required: true, enum: [open, closed]}
      createdAt: {type: S}
      owner: {type: S, sensitive: pii}
      note: {type: S}
      amount: {type: N}
patterns:
  all: {title: All, operation: scan, table: lines, returns: [Line]}
  lines:
    title: Lines of an order
    operation: query
    table: lines
    returns: [Line]
    key: {PK: "ORDER#{order}"}
`

// New creates the table on the server at url, and fills it.
func New(b *testing.B, url string) *Table {
	b.Helper()
	for _, v := range []string{
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB",
		"AWS_SESSION_TOKEN",
	} {
		b.Setenv(v, "")
	}
	b.Setenv("AWS_CONFIG_FILE", os.DevNull)
	b.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	conn, err := store.Connect(b.Context(), store.Options{EndpointURL: url})
	if err != nil {
		b.Fatal(err)
	}
	t := &Table{Conn: conn, raw: rawClient(url), name: fmt.Sprintf("bench-%d", time.Now().UnixNano())}
	if t.Profile, err = profiles.Load("bench.yaml", fmt.Appendf(nil, benchProfile, t.name), nil); err != nil {
		b.Fatal(err)
	}
	if err := conn.Admin().CreateTable(b.Context(), t.Profile.Pattern("all").Table); err != nil {
		b.Fatal(err)
	}
	items := make([]models.Item, Items)
	for i := range items {
		items[i] = item(i)
	}
	if err := stored.Put(b.Context(), conn.Writer(), t.name, items); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if _, err := t.raw.DeleteTable(context.WithoutCancel(b.Context()), &dynamodb.DeleteTableInput{TableName: &t.name}); err != nil {
			b.Error(err)
		}
	})
	return t
}

func item(i int) models.Item {
	order, line := fmt.Sprintf("%05d", i/perOrder), fmt.Sprintf("%04d", i)
	return models.Item{
		"PK": models.StringValue("ORDER#" + order), "SK": models.StringValue("LINE#" + line),
		"order": models.StringValue(order), "line": models.StringValue(line),
		"status": models.StringValue("open"), "createdAt": models.StringValue("2026-01-14T10:00:00Z"),
		"owner":  models.StringValue("somebody@example.com"),
		"note":   models.StringValue(strings.Repeat("some words about it ", 15)),
		"amount": &types.AttributeValueMemberN{Value: fmt.Sprintf("%d.50", i)},
	}
}

// Compare runs ours and raw, which must read the same number of items, in pairs and in alternating order, so that other
// programs slow down both. Every iteration runs several pairs. The metric x-raw is the median ratio of ddbdesk's
// throughput to the SDK's.
func Compare(b *testing.B, items, pairs int, ours, raw func() error) {
	b.Helper()
	reads := []func() error{ours, raw}
	timeRead := func(k int) float64 {
		runtime.GC() // so that neither run collects the other's garbage
		start := time.Now()
		if err := reads[k](); err != nil {
			b.Fatal(err)
		}
		return time.Since(start).Seconds()
	}
	timeRead(0)
	timeRead(1)
	var durations, ratios []float64
	for b.Loop() {
		for i := range pairs {
			var took [2]float64
			for _, k := range []int{i % 2, 1 - i%2} {
				took[k] = timeRead(k)
			}
			durations, ratios = append(durations, took[0]), append(ratios, took[1]/took[0])
		}
	}
	b.ReportMetric(median(ratios), "x-raw")
	b.ReportMetric(float64(items)/median(durations), "items/s")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// connections is the number of idle connections of a client. It exceeds the number of segments of a scan.
const connections = 32

// rawClient returns a client that keeps a connection for every segment and sends requests from memory. By default, the
// SDK closes connections to fast servers, and waits up to seconds before it retries.
func rawClient(url string) *dynamodb.Client {
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = connections })
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1", HTTPClient: bufferedClient{client},
		Credentials: aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider("local", "local", "")),
	})
}

type bufferedClient struct{ next *awshttp.BuildableClient }

// Do implements dynamodb.HTTPClient.
func (c bufferedClient) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.WithContext(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return c.next.Do(r)
}

// Scan reads all segments of the table in parallel, in pages of 1000 items.
func (t *Table) Scan(ctx context.Context, segments int) error {
	var (
		items atomic.Int64
		all   sync.WaitGroup
		errs  = make(chan error, segments)
	)
	for segment := range segments {
		all.Go(func() {
			in := &dynamodb.ScanInput{TableName: &t.name, Limit: aws.Int32(1000)}
			if segments > 1 {
				in.Segment, in.TotalSegments = aws.Int32(int32(segment)), aws.Int32(int32(segments))
			}
			for {
				out, err := t.raw.Scan(ctx, in)
				if err != nil {
					errs <- err
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
	if len(errs) > 0 {
		return <-errs
	}
	if n := items.Load(); n != Items {
		return fmt.Errorf("the scan found %d items, not %d", n, Items)
	}
	return nil
}

// Lines queries the first page of an order.
func (t *Table) Lines(ctx context.Context) error {
	out, err := t.raw.Query(ctx, &dynamodb.QueryInput{
		TableName: &t.name, KeyConditionExpression: aws.String("PK = :pk"), Limit: aws.Int32(perOrder),
		ExpressionAttributeValues: models.Item{":pk": models.StringValue("ORDER#" + Order)},
	})
	if err == nil && len(out.Items) != perOrder {
		err = fmt.Errorf("the query found %d items, not %d", len(out.Items), perOrder)
	}
	return err
}
