// Tables: definitions, counts, indexes added and dropped, expiry, tags.

package embedded

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

func TestDescribeTableCountsItems(t *testing.T) {
	c := withOrders(t)
	out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
	if err != nil {
		t.Fatal(err)
	}
	if out.Table.TableStatus != types.TableStatusActive || *out.Table.ItemCount != 0 || len(out.Table.GlobalSecondaryIndexes) != 2 {
		t.Errorf("got %+v", out.Table)
	}
	counts := func() string {
		t.Helper()
		out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("orders")})
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprintf("%d items %d bytes", *out.Table.ItemCount, *out.Table.TableSizeBytes)
		for _, ix := range out.Table.GlobalSecondaryIndexes {
			s += fmt.Sprintf(", %s %d/%d", *ix.IndexName, *ix.ItemCount, *ix.IndexSizeBytes)
		}
		return s
	}
	put(t, c, av{"PK": str("a"), "SK": str("1"), "G1": str("g"), "G2": num("1"), "note": str("12345")})
	put(t, c, av{"PK": str("b"), "SK": str("1")})
	// 2+1 + 2+1 + 2+1 + 2+2 + 4+5 = 22 bytes; the keys alone 9.
	if diff := cmp.Diff("2 items 28 bytes, byStatus 1/22, keysOnly 1/9", counts()); diff != "" {
		t.Error(diff)
	}
	put(t, c, av{"PK": str("a"), "SK": str("1"), "G1": str("g")})
	if diff := cmp.Diff("2 items 15 bytes, byStatus 0/0, keysOnly 1/9", counts()); diff != "" {
		t.Error(diff)
	}
	for _, pk := range []string{"a", "b", "absent"} {
		if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("orders"), Key: orderKey(pk)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff("0 items 0 bytes, byStatus 0/0, keysOnly 0/0", counts()); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidTableRequestsAreRejected(t *testing.T) {
	c := withOrders(t)
	_, err := c.CreateTable(t.Context(), ordersTable())
	wantError(t, err, "ResourceInUseException", "Table already exists: orders")
	_, err = c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("absent")})
	wantError(t, err, "ResourceNotFoundException", "Requested resource not found: Table: absent not found")
	in := ordersTable()
	in.TableName, in.GlobalSecondaryIndexes = aws.String("other"), nil
	_, err = c.CreateTable(t.Context(), in)
	wantError(t, err, "ValidationException", "One or more parameter values were invalid: Number of attributes in "+
		"KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	in = ordersTable()
	in.TableName = aws.String("no spaces")
	_, err = c.CreateTable(t.Context(), in)
	wantError(t, err, "ValidationException", "1 validation error detected: Value 'no spaces' at 'tableName' failed to "+
		"satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
}

func TestListTablesReturnsPages(t *testing.T) {
	c := clientOf(openStore(t, Options{}))
	var want []string
	for i := range 7 {
		in := ordersTable()
		in.TableName = aws.String(fmt.Sprintf("table-%d", i))
		want = append(want, *in.TableName)
		if _, err := c.CreateTable(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	pages := dynamodb.NewListTablesPaginator(c, &dynamodb.ListTablesInput{Limit: aws.Int32(3)})
	for pages.HasMorePages() {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, out.TableNames...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeletedTableLeavesNothing(t *testing.T) {
	c := withRows(t)
	protect := func(on bool) {
		t.Helper()
		if _, err := c.UpdateTable(
			t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("orders"), DeletionProtectionEnabled: aws.Bool(on)},
		); err != nil {
			t.Fatal(err)
		}
	}
	protect(true)
	_, err := c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("orders")})
	wantError(
		t, err, "ValidationException",
		"Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
	)
	protect(false)
	if _, err := c.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("orders")}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders")})
	wantError(t, err, "ResourceNotFoundException", "Requested resource not found")
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	out, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders")})
	if err != nil || out.Count != 0 {
		t.Errorf("a new table with the same name has %d items: %v", out.Count, err)
	}
}

func TestIndexAddedLaterIsFilled(t *testing.T) {
	c := withRows(t)
	put(t, c, av{"PK": str("other"), "SK": str("number"), "note": num("5")})
	_, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName:            aws.String("orders"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("note"), AttributeType: "S"}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("byNote"), KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("note"), KeyType: "HASH"}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := query("note = :n", av{":n": str("n")})
	in.IndexName = aws.String("byNote")
	out, err := c.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(out.Items); got != "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9" {
		t.Errorf("the new index has %s", got)
	}
	drop, err := c.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName:                   aws.String("orders"),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("byNote")}}},
	})
	if err != nil || len(drop.TableDescription.AttributeDefinitions) != 5 {
		t.Fatalf("dropping the index: %v %v", drop, err)
	}
	_, err = c.Query(t.Context(), in)
	wantError(t, err, "ValidationException", "The table does not have the specified index: byNote")
	// Without the index, its attribute can have any type.
	put(t, c, av{"PK": str("p"), "SK": str("s0"), "note": num("5")})
}

func TestIndexKeysAreValidated(t *testing.T) {
	c := withOrders(t)
	try := func(it av) error {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: it})
		return err
	}
	const empty = "One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
		"The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byStatus, IndexKey: G1"
	wantError(t, try(av{"PK": str("a"), "SK": str("1"), "G1": str("")}), "ValidationException", empty)
	wantError(t, try(av{"PK": str("a"), "SK": str("1"), "G1": num("1")}), "ValidationException",
		"One or more parameter values were invalid: Type mismatch for Index Key G1 Expected: S Actual: N IndexName: byStatus")
	put(t, c, orderKey("a"))
	_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("orders"), Key: orderKey("a"), UpdateExpression: aws.String("SET G1 = :e"),
		ExpressionAttributeValues: av{":e": str("")},
	})
	wantError(t, err, "ValidationException", "One or more parameter values are not valid. The update expression "+
		"attempted to update a secondary index key "+
		"to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.")
}

func TestExpiredItemsAreSwept(t *testing.T) {
	now := &clock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	s := openStore(t, Options{Clock: now.Now})
	c := clientOf(s)
	if _, err := c.CreateTable(t.Context(), ordersTable()); err != nil {
		t.Fatal(err)
	}
	ttl := func(name string, on bool) error {
		_, err := c.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
			TableName:               aws.String("orders"),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(name), Enabled: aws.Bool(on)},
		})
		return err
	}
	if err := ttl("expires", true); err != nil {
		t.Fatal(err)
	}
	wantError(t, ttl("expires", true), "ValidationException", "TimeToLive is already enabled")
	wantError(
		t, ttl("other", true), "ValidationException",
		"TimeToLive is active on a different AttributeName: current AttributeName is expires",
	)
	at := func(d time.Duration) types.AttributeValue { return num(fmt.Sprint(now.now.Add(d).Unix())) }
	for sk, v := range map[string]types.AttributeValue{
		"expired": at(-2 * time.Minute), "just expired": at(-30 * time.Second), "future": at(time.Hour),
		"ancient": at(-6 * 365 * 24 * time.Hour),
		"text":    str("1"), "fraction": num("1.5"),
	} {
		put(t, c, av{"PK": str("p"), "SK": str(sk), "expires": v, "G1": str("g")})
	}
	put(t, c, av{"PK": str("p"), "SK": str("never")})
	rest := func() string {
		t.Helper()
		out, err := c.Query(t.Context(), query("PK = :p", av{":p": str("p")}))
		if err != nil {
			t.Fatal(err)
		}
		return names(out.Items)
	}
	if got := rest(); got != "ancient expired fraction future just expired never text" {
		t.Errorf("expired items can be read until they are swept, got %s", got)
	}
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := rest(); got != "ancient fraction future just expired never text" {
		t.Errorf("after the sweep: %s", got)
	}
	in := query("G1 = :g", av{":g": str("g")})
	in.IndexName = aws.String("keysOnly")
	if out, err := c.Query(t.Context(), in); err != nil || out.Count != 5 {
		t.Errorf("the index still has %v: %v", out, err)
	}
	if err := ttl("expires", false); err != nil {
		t.Fatal(err)
	}
	now.now = now.now.Add(time.Hour)
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := rest(); got != "ancient fraction future just expired never text" {
		t.Errorf("the sweep deleted items after TTL was disabled: %s", got)
	}
}

func TestSweepDeletesMoreThanOneBatch(t *testing.T) {
	now := &clock{now: time.Unix(1_800_000_000, 0)}
	s := openStore(t, Options{Clock: now.Now})
	mustCall(t, s, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"}]}`)
	mustCall(t, s, "UpdateTimeToLive", `{"TableName":"bench","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}}`)
	for i := range sweepBatch + 20 {
		mustCall(t, s, "PutItem", fmt.Sprintf(`{"TableName":"bench","Item":{"PK":{"S":"%d"},"ttl":{"N":"1799990000"}}}`, i))
	}
	if err := s.sweep(); err != nil {
		t.Fatal(err)
	}
	if got := string(mustCall(t, s, "Scan", `{"TableName":"bench"}`)); got != `{"Items":[],"Count":0,"ScannedCount":0}` {
		t.Errorf("left: %.200s", got)
	}
}

func TestTagsAreAddedAndRemoved(t *testing.T) {
	c := withOrders(t)
	arn := aws.String(arnPrefix + "orders")
	_, err := c.TagResource(t.Context(), &dynamodb.TagResourceInput{ResourceArn: arn, Tags: []types.Tag{
		{Key: aws.String("team"), Value: aws.String("a")}, {Key: aws.String("env"), Value: aws.String("dev")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.UntagResource(t.Context(), &dynamodb.UntagResourceInput{ResourceArn: arn, TagKeys: []string{"team"}}); err != nil {
		t.Fatal(err)
	}
	out, err := c.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: arn})
	if err != nil || len(out.Tags) != 1 || *out.Tags[0].Key != "env" {
		t.Errorf("got %v %v", out, err)
	}
}
