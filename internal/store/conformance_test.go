package store_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

// conformanceCase checks one behavior of a store. Each case uses its own partition, so that it does not see items of
// other cases.
type conformanceCase struct {
	name string
	run  func(t *testing.T, e *env)
}

// conformance contains all cases. They test requests and responses; the cases in testdata/conformance of the embedded
// database test expressions on the same servers.
var conformance = slices.Concat(
	queryCases, filterCases, pagingCases, scanCases, getCases, tableCases, errorCases, commitCases,
)

// deviations lists the cases in which a server is known to differ from DynamoDB.
var deviations = map[string][]string{
	"dynoxide": {"commit/validation error in a transaction"},
}

// An env is a store with the suite's tables.
type env struct {
	reader store.Reader
	writer store.Writer
	admin  *store.Admin
	raw    *dynamodb.Client

	// main has the keys PK and SK (S), three indexes and a TTL. numbers has id (S) and n (N). single has only id (S).
	// scanned has PK and SK, and contains scanItems.
	main, numbers, single, scanned *models.Table

	partition string // of the running case
}

func TestConformance(t *testing.T) {
	t.Run("embedded", func(t *testing.T) {
		s, err := embedded.Open(embedded.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		runSuite(
			t, "embedded", store.Options{Embedded: s},
			dynamodb.Options{HTTPClient: s, BaseEndpoint: aws.String("http://embedded.invalid")},
		)
	})
	for endpoint := range strings.FieldsSeq(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, url, ok := strings.Cut(endpoint, "=")
		if !ok {
			t.Fatalf("DDBDESK_TEST_ENDPOINTS: %q is not name=url", endpoint)
		}
		t.Run(name, func(t *testing.T) {
			isolate(t)
			runSuite(t, name, store.Options{EndpointURL: url}, dynamodb.Options{BaseEndpoint: aws.String(url)})
		})
	}
}

// isolate hides the AWS configuration of this machine from the test.
func isolate(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB",
		"AWS_SESSION_TOKEN", "AWS_CA_BUNDLE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
}

func runSuite(t *testing.T, name string, o store.Options, raw dynamodb.Options) {
	c, err := store.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	raw.Region = c.Describe().Region
	raw.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	e := &env{reader: c.Reader(), writer: c.Writer(), admin: c.Admin(), raw: dynamodb.New(raw)}
	e.createTables(t)
	if err := stored.Put(t.Context(), e.writer, e.scanned.Name, scanItems()); err != nil {
		t.Fatal(err)
	}
	for i, one := range conformance {
		t.Run(one.name, func(t *testing.T) {
			if slices.Contains(deviations[name], one.name) {
				t.Skip(name + " is known to differ from DynamoDB here")
			}
			testEnv := *e
			testEnv.partition = fmt.Sprintf("case-%d", i)
			one.run(t, &testEnv)
		})
	}
}

func (e *env) createTables(t *testing.T) {
	t.Helper()
	prefix := fmt.Sprintf("ddbdesk-test-%d-%d-", os.Getpid(), time.Now().UnixNano())
	pk, sk := models.Key{Name: "PK", Type: models.TypeS}, models.Key{Name: "SK", Type: models.TypeS}
	id := models.Key{Name: "id", Type: models.TypeS}
	key := func(name string, typ models.Type) models.Key { return models.Key{Name: name, Type: typ} }

	e.main = &models.Table{
		Name: prefix + "main", PartitionKey: pk, SortKey: sk, TTL: "expiresAt",
		Indexes: []*models.Index{
			{Name: "all", PartitionKeys: models.KeyList(key("A1", models.TypeS)), SortKeys: models.KeyList(key("A2", models.TypeS))},
			{
				Name: "keys", PartitionKeys: models.KeyList(key("K1", models.TypeS)), SortKeys: models.KeyList(key("K2", models.TypeN)),
				Projection: models.ProjectionKeysOnly,
			},
			{
				Name: "some", PartitionKeys: models.KeyList(key("S1", models.TypeS)),
				Projection: models.ProjectionInclude, Include: []string{"note"},
			},
		},
	}
	e.numbers = &models.Table{Name: prefix + "numbers", PartitionKey: id, SortKey: key("n", models.TypeN)}
	e.single = &models.Table{Name: prefix + "single", PartitionKey: id}
	e.scanned = &models.Table{Name: prefix + "scanned", PartitionKey: pk, SortKey: sk}
	for _, table := range []*models.Table{e.main, e.numbers, e.single, e.scanned} {
		e.create(t, table)
	}
}

// create creates a table, and deletes it at the end of the test.
func (e *env) create(t *testing.T, table *models.Table) {
	t.Helper()
	if err := e.admin.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's context has already ended.
		ctx := context.WithoutCancel(t.Context())
		if _, err := e.raw.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(table.Name)}); err != nil {
			t.Error(err)
		}
	})
}
