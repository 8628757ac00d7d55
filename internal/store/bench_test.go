package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/models"
)

// BenchmarkQueryPage reads one page of 50 items through a Reader and through the
// bare SDK in turn, and reports the ratio of their times.
func BenchmarkQueryPage(b *testing.B) {
	s, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	c := connect(b, s)
	table := &models.Table{
		Name: "bench", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS},
	}
	if err := c.Admin().CreateTable(b.Context(), table); err != nil {
		b.Fatal(err)
	}
	var items []models.Item
	for i := range 60 {
		items = append(items, item(attrs{
			"PK": "p", "SK": fmt.Sprintf("%03d", i), "status": "open", "total": num("12.50"), "note": big(200),
			"address": attrs{"city": "Ulm", "zip": "89073"},
		}))
	}
	if err := c.Admin().PutItems(b.Context(), table.Name, items); err != nil {
		b.Fatal(err)
	}
	in := &dynamodb.QueryInput{
		TableName: aws.String(table.Name), KeyConditionExpression: aws.String("PK = :pk"),
		ExpressionAttributeValues: values(attrs{":pk": "p"}),
	}
	limited := *in
	limited.Limit = aws.Int32(50)
	raw := dynamodb.New(dynamodb.Options{
		HTTPClient: s, BaseEndpoint: aws.String("http://embedded.invalid"), Region: "local",
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	r := c.Reader()

	var ours, bare time.Duration
	for b.Loop() {
		start := time.Now()
		page, err := r.Fetch(b.Context(), accesspatterns.Leg{Query: in}, nil, 50)
		if err != nil || page.Count != 50 {
			b.Fatal(page.Count, err)
		}
		middle := time.Now()
		out, err := raw.Query(b.Context(), &limited)
		if err != nil || out.Count != 50 {
			b.Fatal(err)
		}
		ours, bare = ours+middle.Sub(start), bare+time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(bare), "ours/sdk")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/page")
}
