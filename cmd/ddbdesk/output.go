// This file writes the rows of a run in every output format.

package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// rowFormats returns the names of the formats of rows, the default first.
func rowFormats() []string {
	names := []string{export.Text.Name}
	for _, f := range export.Formats() {
		if f != export.Text {
			names = append(names, f.Name)
		}
	}
	return names
}

// newRowWriter returns the writer of a request's rows, which are masked before
// they are written.
func newRowWriter(w io.Writer, format *export.Format, r *accesspatterns.Request) *export.Writer {
	return export.NewWriter(w, format, export.Shape{
		Table: r.Pattern.Table, Entities: r.Pattern.Returns, Count: r.IsCount(),
	})
}

// runTail is what stands behind the rows. total sums the pages, next is the
// token or "".
func runTail(r *accesspatterns.Request, total session.Page, next string) export.Tail {
	var token any
	if next != "" {
		token = next
	}
	return export.Tail{Count: total.Count, Fields: []export.Field{
		{Name: "scannedCount", Value: total.Scanned},
		{Name: "consumedCapacity", Value: math.Round(total.Capacity*1000) / 1000},
		{Name: "requests", Value: total.Requests},
		{Name: "next", Value: token},
		{Name: "finding", Value: describeFinding(r.Pattern.Defect())},
	}}
}

// noteLeftOut says which attributes have no column: those that the first page
// did not show.
func (a *app) noteLeftOut(w *export.Writer) {
	names := w.LeftOut()
	if n := len(names); n > 5 {
		names = append(names[:5], fmt.Sprintf("%d more", n-5))
	}
	if len(names) > 0 {
		a.note("no column for " + strings.Join(names, ", ") + ", which the first page does not have; -o jsonl leaves nothing out")
	}
}
