package doctor_test

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/doctor"
)

func TestReportHasLinePerSetField(t *testing.T) {
	r := doctor.Report{
		Setup:  doctor.Setup{Version: "1", Go: "go1", Platform: "linux/amd64", Role: "support"},
		Checks: []doctor.Finding{{Check: "folder", State: doctor.Problem, Text: "missing", Fix: "create it"}},
	}
	want := []string{
		"version        1 (go1, linux/amd64)", "role           support", "", "problem  folder           missing; create it",
	}
	if got := r.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
