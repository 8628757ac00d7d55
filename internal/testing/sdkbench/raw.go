package sdkbench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/models"
)

// connections is the number of idle connections of a client, more than a scan has segments.
const connections = 32

// rawClient returns a tuned client: it keeps a connection for every segment and sends requests
// from memory. Otherwise the SDK closes connections to servers as fast as these, and waits up
// to seconds before it retries.
func rawClient(url string) *dynamodb.Client {
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = connections })
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1", HTTPClient: fromMemory{client},
		Credentials: aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider("local", "local", "")),
	})
}

type fromMemory struct{ next *awshttp.BuildableClient }

// Do implements the SDK's HTTPClient.
func (c fromMemory) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.WithContext(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return c.next.Do(r)
}

// Scan reads the segments of the table in parallel, in pages of 1000 items.
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
