package store_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

// A slow store makes tables whose descriptions follow each other.
type slow struct {
	t         *testing.T
	requests  []string
	created   map[string]any
	describes []string
}

// Do implements store.Doer.
func (s *slow) Do(r *http.Request) (*http.Response, error) {
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")
	s.requests = append(s.requests, operation)
	switch operation {
	case "CreateTable":
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &s.created)
		}
		if err != nil {
			s.t.Error(err)
		}
		return answer(200, `{"TableDescription":{}}`), nil
	case "DescribeTable":
		next := s.describes[0]
		if len(s.describes) > 1 {
			s.describes = s.describes[1:]
		}
		if next == "" {
			return failing(400, "ResourceNotFoundException", "not yet"), nil
		}
		return answer(200, next), nil
	}
	return answer(200, `{}`), nil
}

func smallTable() *models.Table {
	pk := models.Key{Name: "PK", Type: models.TypeS}
	return &models.Table{
		Name: "orders", PartitionKey: pk, TTL: "ttl",
		Indexes: []*models.Index{
			{Name: "byDay", PartitionKeys: models.KeyList(models.Key{Name: "day", Type: models.TypeN}), SortKeys: models.KeyList(pk)},
		},
	}
}

const (
	indexCreating = `{"Table":{"TableStatus":"ACTIVE","GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"CREATING"}]}}`
	allActive     = `{"Table":{"TableStatus":"ACTIVE","GlobalSecondaryIndexes":[{"IndexName":"byDay","IndexStatus":"ACTIVE"}]}}`
)

func TestCreateTableWaitsUntilTheTableIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{t: t, describes: []string{"", `{"Table":{"TableStatus":"CREATING"}}`, indexCreating, allActive}}
		if err := connect(t, s).Admin().CreateTable(t.Context(), smallTable()); err != nil {
			t.Fatal(err)
		}
		want := []string{"CreateTable", "DescribeTable", "DescribeTable", "DescribeTable", "DescribeTable", "UpdateTimeToLive"}
		if diff := cmp.Diff(want, s.requests); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if indexes, ok := s.created["GlobalSecondaryIndexes"].([]any); !ok || len(indexes) != 1 {
			t.Errorf("created %v", s.created["GlobalSecondaryIndexes"])
		}
		// Definitions of attributes that are no key are refused by DynamoDB.
		definitions := []any{
			map[string]any{"AttributeName": "PK", "AttributeType": "S"},
			map[string]any{"AttributeName": "day", "AttributeType": "N"},
		}
		if diff := cmp.Diff(definitions, s.created["AttributeDefinitions"]); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
	})
}

func TestCreateTableStopsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := &slow{t: t, describes: []string{indexCreating}}
		err := connect(t, s).Admin().CreateTable(t.Context(), smallTable())
		if err == nil || !strings.Contains(err.Error(), "timed out") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 10*time.Minute {
			t.Errorf("after %s", took)
		}
	})
}
