package accesspatterns

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Explanation is one operation and its input as --cli-input-json takes it.
type Explanation struct {
	Operation string          `json:"operation"`
	Input     json.RawMessage `json:"input"`
}

// A Redact returns the text of a value as it may be displayed.
type Redact func(text string) string

// Explain returns the first operation of every leg. Limit is the rows of a page, 0
// for no limit. DynamoDB applies it before the filter, so a request with a filter
// reads whole pages instead. A nil redact leaves every value as it is.
func (r *Request) Explain(limit int, redact Redact) []Explanation {
	if limit > 0 && r.filtered() {
		limit = pageLimit
	}
	list := make([]Explanation, 0, len(r.Legs))
	for _, l := range r.Legs {
		list = append(list, l.explain(limit, redact))
	}
	return list
}

// fields writes a JSON object with its members in the order in which they are added.
type fields struct {
	b bytes.Buffer
}

func (f *fields) add(name string, raw []byte) {
	if f.b.Len() > 0 {
		f.b.WriteByte(',')
	}
	f.b.WriteString(strconv.Quote(name) + ":") // no name needs more escaping
	f.b.Write(raw)
}

func (f *fields) text(name string, s *string) {
	if s != nil {
		f.add(name, models.AppendValueJSON(nil, models.StringValue(*s)))
	}
}

func (f *fields) json() json.RawMessage {
	return json.RawMessage("{" + f.b.String() + "}")
}

func (l Leg) explain(limit int, redact Redact) Explanation {
	var f fields
	switch {
	case l.Get != nil:
		f.text("TableName", l.Get.TableName)
		f.add("Key", redacted(l.Get.Key, redact).AppendDynamoDBJSON(nil))
		f.add("ConsistentRead", []byte("true"))
		f.add("ReturnConsumedCapacity", []byte(`"TOTAL"`))
		return Explanation{"GetItem", f.json()}
	case l.Query != nil:
		q := l.Query
		f.text("TableName", q.TableName)
		f.text("IndexName", q.IndexName)
		f.text("KeyConditionExpression", q.KeyConditionExpression)
		f.text("FilterExpression", q.FilterExpression)
		explainNames(&f, q.ExpressionAttributeNames, q.ExpressionAttributeValues, redact)
		if q.Select != "" {
			sel := string(q.Select)
			f.text("Select", &sel)
		}
		if q.ScanIndexForward != nil && !*q.ScanIndexForward {
			f.add("ScanIndexForward", []byte("false"))
		}
		explainLimit(&f, limit)
		return Explanation{"Query", f.json()}
	default:
		s := l.Scan
		f.text("TableName", s.TableName)
		f.text("IndexName", s.IndexName)
		f.text("FilterExpression", s.FilterExpression)
		if s.TotalSegments != nil {
			f.add("Segment", strconv.AppendInt(nil, int64(aws.ToInt32(s.Segment)), 10))
			f.add("TotalSegments", strconv.AppendInt(nil, int64(*s.TotalSegments), 10))
		}
		explainNames(&f, s.ExpressionAttributeNames, s.ExpressionAttributeValues, redact)
		explainLimit(&f, limit)
		return Explanation{"Scan", f.json()}
	}
}

func explainLimit(f *fields, limit int) {
	if limit > 0 {
		f.add("Limit", strconv.AppendInt(nil, int64(limit), 10))
	}
	f.add("ReturnConsumedCapacity", []byte(`"TOTAL"`))
}

func explainNames(f *fields, names map[string]string, values map[string]types.AttributeValue, redact Redact) {
	if len(names) > 0 {
		it := models.Item{}
		for alias, n := range names {
			it[alias] = models.StringValue(n)
		}
		f.add("ExpressionAttributeNames", it.AppendJSON(nil))
	}
	if len(values) > 0 {
		f.add("ExpressionAttributeValues", redacted(values, redact).AppendDynamoDBJSON(nil))
	}
}

// redacted returns the values, by attribute or alias, as they may be displayed.
func redacted(values map[string]types.AttributeValue, redact Redact) models.Item {
	out := make(models.Item, len(values))
	for name, v := range values {
		out[name] = v
		if text, ok := models.ValueText(v); ok && redact != nil {
			if shown := redact(text); shown != text {
				out[name] = models.StringValue(shown)
			}
		}
	}
	return out
}
