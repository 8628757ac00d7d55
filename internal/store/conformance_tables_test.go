package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

var tableCases = []conformanceCase{
	{"table/keys and indexes", func(t *testing.T, e *env) {
		info, err := e.reader.DescribeTable(t.Context(), e.main.Name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Name != e.main.Name || info.Status != "ACTIVE" || info.Billing != "PAY_PER_REQUEST" {
			t.Errorf("got %+v", info)
		}
		if info.PartitionKey != e.main.PartitionKey || info.SortKey != e.main.SortKey {
			t.Errorf("keys are %v, %v", info.PartitionKey, info.SortKey)
		}
		if len(info.Indexes) != 3 {
			t.Fatalf("%d indexes", len(info.Indexes))
		}
		for _, want := range e.main.Indexes {
			got, ok := info.Index(want.Name)
			projection := want.Projection
			if projection == models.ProjectionUnknown {
				projection = models.ProjectionAll
			}
			if !ok || got.Status != "ACTIVE" || !slices.Equal(got.PartitionKeys, want.PartitionKeys) ||
				!slices.Equal(got.SortKeys, want.SortKeys) || got.Projection != projection {
				t.Errorf("index %s is %+v", want.Name, got)
			}
			if diff := cmp.Diff(want.Include, got.Include); len(want.Include) > 0 && diff != "" {
				t.Errorf("index %s includes (-want +got):\n%s", want.Name, diff)
			}
		}
	}},
	{"table/no sort key", func(t *testing.T, e *env) {
		info, err := e.reader.DescribeTable(t.Context(), e.single.Name)
		if err != nil || info.SortKey.Name != "" || info.PartitionKey != e.single.PartitionKey || len(info.Indexes) != 0 {
			t.Errorf("got %+v, %v", info, err)
		}
	}},
	{"table/TTL", func(t *testing.T, e *env) {
		attribute, enabled, err := e.reader.DescribeTTL(t.Context(), e.main.Name)
		if err != nil || attribute != "expiresAt" || !enabled {
			t.Errorf("got %q, %v, %v", attribute, enabled, err)
		}
		attribute, enabled, err = e.reader.DescribeTTL(t.Context(), e.single.Name)
		if err != nil || attribute != "" || enabled {
			t.Errorf("without TTL: got %q, %v, %v", attribute, enabled, err)
		}
	}},
	{"table/listed", func(t *testing.T, e *env) {
		names, err := e.reader.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []*models.Table{e.main, e.numbers, e.binary, e.single, e.scanned} {
			if !slices.Contains(names, table.Name) {
				t.Errorf("%s is not among %q", table.Name, names)
			}
		}
	}},
	{"table/already there", func(t *testing.T, e *env) {
		err := e.admin.CreateTable(t.Context(), e.single)
		wantClass(t, err, store.TableExists)
		wantText(t, err, e.single.Name)
	}},
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// invalid is a query that the store must refuse.
func invalid(name string, r request, change func(*dynamodb.QueryInput)) conformanceCase {
	return conformanceCase{"error/" + name, func(t *testing.T, e *env) {
		leg := e.query(r)
		if change != nil {
			change(leg.Query)
		}
		page, err := e.reader.Fetch(t.Context(), leg, nil, 0)
		wantClass(t, err, store.Validation)
		if page.Items != nil {
			t.Error("an error came with items")
		}
	}}
}

var errorCases = []conformanceCase{
	{"error/missing table", func(t *testing.T, e *env) {
		const missing = "ddbdesk-test-missing"
		key := values(attrs{"PK": "a", "SK": "b"})
		legs := map[string]accesspatterns.Leg{
			"Scan":    {Scan: &dynamodb.ScanInput{TableName: aws.String(missing)}},
			"GetItem": {Get: &dynamodb.GetItemInput{TableName: aws.String(missing), Key: key}},
			"Query": {Query: &dynamodb.QueryInput{
				TableName: aws.String(missing), KeyConditionExpression: aws.String("PK = :a"),
				ExpressionAttributeValues: values(attrs{":a": "a"}),
			}},
		}
		failures := map[string]error{}
		for operation, leg := range legs {
			_, failures[operation] = e.reader.Fetch(t.Context(), leg, nil, 0)
		}
		_, failures["DescribeTable"] = e.reader.DescribeTable(t.Context(), missing)
		_, _, failures["DescribeTimeToLive"] = e.reader.DescribeTTL(t.Context(), missing)
		_, failures["BatchGetItem"] = batchGet(t.Context(), e.reader, missing, []models.Item{key})
		failures["BatchWriteItem"] = e.admin.PutItems(t.Context(), missing, []models.Item{key})
		for operation, err := range failures {
			if store.ClassOf(err) != store.TableMissing {
				t.Errorf("%s: %q: %v", operation, store.ClassOf(err), err)
				continue
			}
			wantText(t, err, "table "+missing+" does not exist in ", "ddbdesk table create SCHEMA")
		}
	}},
	{"error/missing index", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(),
			e.query(request{index: "nowhere", key: "A1 = :a", values: attrs{":a": "x"}}), nil, 0)
		wantClass(t, err, store.IndexMissing)
		wantText(t, err, "nowhere", e.main.Name)
		_, err = e.reader.Fetch(t.Context(), accesspatterns.Leg{Scan: &dynamodb.ScanInput{
			TableName: aws.String(e.main.Name), IndexName: aws.String("nowhere"),
		}}, nil, 0)
		wantClass(t, err, store.IndexMissing)
	}},
	invalid("no partition key", request{}, func(in *dynamodb.QueryInput) {
		in.KeyConditionExpression = aws.String("SK = :pk")
	}),
	invalid("begins_with on the partition key", request{}, func(in *dynamodb.QueryInput) {
		in.KeyConditionExpression = aws.String("begins_with(PK, :pk)")
	}),
	invalid("partition key of another type", request{values: attrs{":pk": 1}}, nil),
	invalid("contains on the sort key", request{key: "contains(SK, :s)", values: attrs{":s": "a"}}, nil),
	invalid("two sort key conditions", request{key: "SK > :a AND SK < :b", values: attrs{":a": "a", ":b": "b"}}, nil),
	invalid("between upside down", request{key: "SK BETWEEN :a AND :b", values: attrs{":a": "b", ":b": "a"}}, nil),
	invalid("key in the filter", request{filter: "SK = :s", values: attrs{":s": "a"}}, nil),
	invalid("reserved word", request{filter: "status = :s", values: attrs{":s": "a"}}, nil),
	invalid("syntax", request{filter: "n = = :s", values: attrs{":s": "a"}}, nil),
	invalid("unused value", request{values: attrs{":unused": "a"}}, nil),
	invalid("undefined value", request{filter: "n = :undefined"}, nil),
	invalid("undefined name", request{filter: "#undefined = :n", values: attrs{":n": 1}}, nil),
	invalid("empty key value", request{key: "SK = :s", values: attrs{":s": ""}}, nil),
	invalid("consistent read of an index", request{index: "all", key: "A1 = :a", values: attrs{":a": "x"}}, func(in *dynamodb.QueryInput) {
		in.ConsistentRead = aws.Bool(true)
	}),
	invalid("all attributes of an index without them", request{index: "keys", key: "K1 = :a", values: attrs{":a": "x"}},
		func(in *dynamodb.QueryInput) {
			in.Select = types.SelectAllAttributes
		}),
	{"error/start key of another partition", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(), e.query(request{}), item(attrs{"PK": "other", "SK": "x"}), 0)
		wantClass(t, err, store.Validation)
	}},
	{"error/start key that is no key", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(), e.query(request{}), item(attrs{"PK": e.partition}), 0)
		wantClass(t, err, store.Validation)
	}},
	{"error/incomplete key", func(t *testing.T, e *env) {
		_, err := e.reader.Fetch(t.Context(), accesspatterns.Leg{Get: &dynamodb.GetItemInput{
			TableName: aws.String(e.main.Name), Key: values(attrs{"PK": "x"}),
		}}, nil, 0)
		wantClass(t, err, store.Validation)
	}},
}

// write is one update of a transaction, on condition.
func (e *env) write(sortKey, set, condition string, given attrs) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": sortKey}),
		UpdateExpression: aws.String(set), ConditionExpression: aws.String(condition),
		ExpressionAttributeValues:           values(given),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

func (e *env) transact(t *testing.T, token string, writes ...types.TransactWriteItem) error {
	t.Helper()
	in := &dynamodb.TransactWriteItemsInput{TransactItems: writes}
	if token != "" {
		in.ClientRequestToken = aws.String(token)
	}
	_, err := e.raw.TransactWriteItems(t.Context(), in)
	return err
}

func wantReasons(t *testing.T, err error, want ...string) []types.CancellationReason {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("not cancelled: %v", err)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, aws.ToString(reason.Code))
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	return cancelled.CancellationReasons
}

var transactionCases = []conformanceCase{
	{"transaction/all or nothing", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "state": "a"}, attrs{"SK": "2", "state": "b"})
		set := "SET #s = :new"
		one := e.write("1", set, "#s = :old", attrs{":new": "c", ":old": "a"})
		two := e.write("2", set, "#s = :old", attrs{":new": "c", ":old": "a"})
		for _, w := range []types.TransactWriteItem{one, two} {
			w.Update.ExpressionAttributeNames = map[string]string{"#s": "state"}
		}
		reasons := wantReasons(t, e.transact(t, "", one, two), "None", "ConditionalCheckFailed")
		sameItem(t, item(attrs{"PK": e.partition, "SK": "2", "state": "b"}), reasons[1].Item)
		wantTexts(t, e.fetch(t, e.query(request{}), nil, 0).Items, "state", "a", "b")

		two.Update.ExpressionAttributeValues[":old"] = value("b")
		if err := e.transact(t, "", one, two); err != nil {
			t.Fatal(err)
		}
		wantTexts(t, e.fetch(t, e.query(request{}), nil, 0).Items, "state", "c", "c")
	}},
	{"transaction/put, delete and check", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "gone"}, attrs{"SK": "checked", "n": 1})
		writes := []types.TransactWriteItem{
			{Put: &types.Put{
				TableName: aws.String(e.main.Name), Item: values(attrs{"PK": e.partition, "SK": "new"}),
				ConditionExpression: aws.String("attribute_not_exists(PK)"),
			}},
			{Delete: &types.Delete{
				TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": "gone"}),
				ConditionExpression: aws.String("attribute_exists(PK)"),
			}},
			{ConditionCheck: &types.ConditionCheck{
				TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": "checked"}),
				ConditionExpression: aws.String("n = :n"), ExpressionAttributeValues: values(attrs{":n": 1}),
			}},
		}
		if err := e.transact(t, "", writes...); err != nil {
			t.Fatal(err)
		}
		wantTexts(t, e.fetch(t, e.query(request{}), nil, 0).Items, "SK", "checked", "new")
		wantReasons(t, e.transact(t, "", writes...), "ConditionalCheckFailed", "ConditionalCheckFailed", "None")
	}},
	{"transaction/the same token is done once", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 1})
		add := e.write("1", "ADD n :one", "attribute_exists(PK)", attrs{":one": 1})
		for range 2 {
			if err := e.transact(t, "token-"+e.main.Name[len(e.main.Name)-20:], add); err != nil {
				t.Fatal(err)
			}
		}
		wantTexts(t, e.fetch(t, e.get("1"), nil, 0).Items, "n", "2")
	}},
	{"transaction/two writes of one item", func(t *testing.T, e *env) {
		add := e.write("1", "ADD n :one", "attribute_not_exists(x)", attrs{":one": 1})
		if err := e.transact(t, "", add, add); err == nil {
			t.Error("accepted")
		}
	}},
	{"condition/failed update returns the old item", func(t *testing.T, e *env) {
		e.put(t, attrs{"SK": "1", "n": 7})
		_, err := e.raw.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String(e.main.Name), Key: values(attrs{"PK": e.partition, "SK": "1"}),
			UpdateExpression: aws.String("SET n = :new"), ConditionExpression: aws.String("n = :old"),
			ExpressionAttributeValues:           values(attrs{":new": 9, ":old": 8}),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		var failed *types.ConditionalCheckFailedException
		if !errors.As(err, &failed) {
			t.Fatalf("got %v", err)
		}
		sameItem(t, item(attrs{"PK": e.partition, "SK": "1", "n": 7}), failed.Item)
	}},
}
