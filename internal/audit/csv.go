package audit

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"
)

// WriteCSV writes sessions as CSV, in which no cell is a formula. Of several reviews it has the
// last one. Times are in RFC 3339.
func WriteCSV(w io.Writer, list []*Session) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{
		"session", "begun", "ended", "person", "identity", "context", "schemas", "ticket", "break_glass", "reason", "reads",
		"items", "changes",
		"refusals", "reveals", "copies", "reviewed_by", "note",
	}) // Error reports it.
	for _, s := range list {
		var r Review
		if n := len(s.Reviews); n > 0 {
			r = s.Reviews[n-1]
		}
		row := []string{
			s.ID, s.Begun.Format(time.RFC3339), s.Ended.Format(time.RFC3339),
			s.Person, s.Identity, s.Context, strings.Join(s.Schemas, " "), s.Ticket,
			strconv.FormatBool(s.BreakGlass), s.Reason,
		}
		for _, n := range []int{s.Reads, s.Items, s.Changes, s.Refusals, s.Reveals, s.Copies} {
			row = append(row, strconv.Itoa(n))
		}
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				row[i] = "'" + cell
			}
		}
		_ = out.Write(append(row, r.By, strings.TrimLeft(r.Note, "=+-@\t\r"))) // Error reports it.
	}
	out.Flush()
	return out.Error()
}
