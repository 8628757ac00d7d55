package documents

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/reading"
)

// OfRun returns the fields of the JSON document after the items. Total sums the
// pages; next is the token, or "". The fields are always there: a script need not ask whether a
// page is the last one, but compares next with null. Consumed capacity is in RCU.
func OfRun(r *accesspatterns.Request, total reading.Page, next string) export.Tail {
	return export.Tail{Count: total.Count, Fields: []export.Field{
		{Name: "scannedCount", Value: total.Scanned},
		{Name: "consumedCapacity", Value: Capacity(total.Capacity)},
		{Name: "requests", Value: total.Requests},
		{Name: "next", Value: OrNull(next)},
		{Name: "finding", Value: r.Pattern.Defect()},
	}}
}
