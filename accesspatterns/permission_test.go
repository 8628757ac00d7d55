package accesspatterns_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// spelled names permissions with their resources.
func spelled(list []accesspatterns.Permission) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, strings.TrimPrefix(p.Action, "dynamodb:")+" "+p.Resource())
	}
	return strings.Join(parts, ", ")
}

// A query of an index needs the index alone, unless whole items have to be read from the table.
func TestReadsNeedTheLeastPermissions(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: key("PK"), SortKey: key("SK")}
	on := func(p models.Projection, include ...string) *models.Index {
		return &models.Index{Name: "x", PartitionKeys: models.KeyList(key("GSI1PK")), Projection: p, Include: include}
	}
	const query, count, get = accesspatterns.Query, accesspatterns.Count, accesspatterns.Get
	for name, tt := range map[string]struct {
		read accesspatterns.Read
		want string
	}{
		"get":                                {accesspatterns.Read{Operation: get}, "GetItem table/t"},
		"query":                              {accesspatterns.Read{Operation: query}, "Query table/t"},
		"write":                              {accesspatterns.Read{Operation: accesspatterns.Write}, ""},
		"whole items in the index":           {accesspatterns.Read{Operation: query, Index: on(models.ProjectionAll)}, "Query table/t/index/x"},
		"keys in the index":                  {accesspatterns.Read{Operation: query, Index: on(models.ProjectionKeysOnly)}, "Query table/t/index/x, BatchGetItem table/t"},
		"a count":                            {accesspatterns.Read{Operation: count, Index: on(models.ProjectionKeysOnly)}, "Query table/t/index/x"},
		"attributes that the index has":      {accesspatterns.Read{Operation: query, Index: on(models.ProjectionInclude, "a"), Projection: []string{"a", "PK"}}, "Query table/t/index/x"},
		"attributes that the index lacks":    {accesspatterns.Read{Operation: query, Index: on(models.ProjectionInclude, "a"), Projection: []string{"b"}}, "Query table/t/index/x, BatchGetItem table/t"},
		"a scan of an index with everything": {accesspatterns.Read{Operation: accesspatterns.Scan, Index: on(models.ProjectionAll)}, "Scan table/t/index/x"},
	} {
		if got := spelled(tt.read.Permissions(table)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if got := tt.read.Permissions(nil); got != nil {
			t.Errorf("%s without a table: %v", name, got)
		}
	}
	p := &accesspatterns.Pattern{Table: table, Read: accesspatterns.Read{Operation: get}, Params: []*accesspatterns.Param{text("a"), several("b")}}
	p.Variants = []accesspatterns.Variant{{Read: accesspatterns.Read{Operation: query}}, {Read: accesspatterns.Read{Operation: get}}}
	if got := spelled(p.Permissions()); got != "GetItem table/t, BatchGetItem table/t, Query table/t" {
		t.Errorf("with variants and a list: %s", got)
	}
	if p.Params, p.Variants = p.Params[:1], nil; spelled(p.Permissions()) != "GetItem table/t" {
		t.Errorf("without: %s", spelled(p.Permissions()))
	}
	stream := accesspatterns.Permission{Action: "dynamodb:GetRecords", Table: "t", Stream: true}
	if stream.Resource() != "table/t/stream/*" {
		t.Errorf("a stream is %s", stream.Resource())
	}
	index := accesspatterns.Allow("Query", table, on(models.ProjectionAll))
	if index.String() != "dynamodb:Query on …/index/x" || accesspatterns.Allow("Query", table, nil).String() != "dynamodb:Query on …/t" {
		t.Errorf("spelled as %s", index)
	}
}

// An error about a missing permission names the one that the request needs.
func TestLegsNeedOnePermission(t *testing.T) {
	name, index := aws.String("t"), aws.String("x")
	table := &models.Table{Name: "t", PartitionKey: key("PK")}
	for want, leg := range map[string]accesspatterns.Leg{
		"BatchGetItem table/t":  accesspatterns.BatchLeg(table, []models.Item{{"PK": models.StringValue("1")}}),
		"GetItem table/t":       {Get: &dynamodb.GetItemInput{TableName: name}},
		"Query table/t/index/x": {Query: &dynamodb.QueryInput{TableName: name, IndexName: index}},
		"Query table/t":         {Query: &dynamodb.QueryInput{TableName: name}},
		"Scan table/t/index/x":  {Scan: &dynamodb.ScanInput{TableName: name, IndexName: index}},
		"":                      {},
	} {
		if got := spelled(leg.Permissions()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
