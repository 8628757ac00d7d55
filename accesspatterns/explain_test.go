package accesspatterns_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestExplainGivesTheInputs(t *testing.T) {
	pk := matches("PK", "CASE#{id}")
	tests := []struct {
		name      string
		read      accesspatterns.Read
		operation string
		want      string
	}{
		{
			"get",
			accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{pk, matches("SK", "META")}},
			"GetItem",
			`{"TableName":"events","Key":{"PK":{"S":"CASE#<7>"},"SK":{"S":"META"}},"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"query",
			accesspatterns.Read{Key: []accesspatterns.KeyCondition{pk}, Descending: true},
			"Query",
			`{"TableName":"events","KeyConditionExpression":"#PK = :PK","ExpressionAttributeNames":{"#PK":"PK"},` +
				`"ExpressionAttributeValues":{":PK":{"S":"CASE#<7>"}},"ScanIndexForward":false,"Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"count",
			accesspatterns.Read{
				Operation: accesspatterns.Count, Key: []accesspatterns.KeyCondition{pk},
				Index: &models.Index{Name: "GSI1", PartitionKeys: models.KeyList(key("PK"))},
			},
			"Query",
			`{"TableName":"events","IndexName":"GSI1","KeyConditionExpression":"#PK = :PK","ExpressionAttributeNames":{"#PK":"PK"},` +
				`"ExpressionAttributeValues":{":PK":{"S":"CASE#<7>"}},"Select":"COUNT","Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{
			"scan",
			accesspatterns.Read{Operation: accesspatterns.Scan},
			"Scan",
			`{"TableName":"events","Limit":5,"ReturnConsumedCapacity":"TOTAL"}`,
		},
		{"scan with a filter", accesspatterns.Read{Operation: accesspatterns.Scan, Filter: []accesspatterns.FilterCondition{
			where("size", models.TypeN, accesspatterns.GreaterOrEqual, "{n}"),
		}}, "Scan", `{"TableName":"events","FilterExpression":"#size >= :size","ExpressionAttributeNames":{"#size":"size"},` +
			`"ExpressionAttributeValues":{":size":{"N":"12"}},"Limit":1000,"ReturnConsumedCapacity":"TOTAL"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pattern(tt.read, text("id"), &accesspatterns.Param{Name: "n", Type: accesspatterns.Integer})
			given := map[string]string{"id": "<7>"}
			if len(tt.read.Filter) > 0 {
				given["n"] = "12"
			}
			r, err := p.Bind(given, noon)
			if err != nil {
				t.Fatal(err)
			}
			if all := string(r.Explain(0, nil)[0].Input); strings.Contains(all, "Limit") {
				t.Errorf("a read without a limit is explained as %s", all)
			}
			list := r.Explain(5, nil)
			if len(list) != 1 || list[0].Operation != tt.operation || string(list[0].Input) != tt.want {
				t.Errorf("explained as\n%s %s, want\n%s", list[0].Operation, list[0].Input, tt.want)
			}
			hidden := string(r.Explain(5, func(s string) string { return strings.ReplaceAll(s, "<7>", "•••") })[0].Input)
			if strings.Contains(hidden, "<7>") || !json.Valid([]byte(hidden)) || strings.Contains(
				tt.want, "<7>",
			) != strings.Contains(hidden, "•••") {
				t.Errorf("the value is not redacted: %s", hidden)
			}
		})
	}
}

func TestGetLegIsConsistent(t *testing.T) {
	leg := accesspatterns.GetLeg(eventTable, models.Item{"PK": models.StringValue("A")})
	if leg.Get == nil || *leg.Get.TableName != "events" || !*leg.Get.ConsistentRead {
		t.Errorf("%+v", leg.Get)
	}
}
