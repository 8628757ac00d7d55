package models_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestCSVCellBehindBlanksAndSeparators(t *testing.T) {
	for in, want := range map[string]string{
		" =1+1":         "' =1+1",
		"\"=1+1":        "'\"=1+1",
		"\u00a0@SUM(1)": "'\u00a0@SUM(1)",
		"a;=1+1":        "a;'=1+1",
		"a; \"=1+1;b":   "a;' \"=1+1;b",
		"a\n-1+1":       "a\n'-1+1",
		"a;-5;+2.5e3":   "a;-5;+2.5e3",
		" -5":           " -5",
		"\t=1":          "'\t'=1",
		"a=b;c=d":       "a=b;c=d",
		"’=1":           "’=1",
		";;=":           ";;'=",
	} {
		if got := models.CSVCell(in); got != want {
			t.Errorf("CSVCell(%q) = %q, want %q", in, got, want)
		}
	}
}

// checkCSVCell holds for every text.
func checkCSVCell(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	cell := models.CSVCell(text)
	if again := models.CSVCell(cell); again != cell {
		t.Fatalf("CSVCell(%q) is %q, and once more %q", text, cell, again)
	}
	if strings.ReplaceAll(cell, "'", "") != strings.ReplaceAll(text, "'", "") {
		t.Fatalf("CSVCell(%q) loses something: %q", text, cell)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.Write([]string{"x", cell, "y"}); err != nil {
		t.Fatalf("%v", err)
	}
	w.Flush()
	if strings.ContainsRune(text, '\r') {
		return // Readers of CSV make one line break of two.
	}
	back, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(back) != 1 || len(back[0]) != 3 || back[0][1] != cell {
		t.Fatalf("%q comes back as %q, %v", cell, back, err)
	}
	// A spreadsheet that parts at semicolons does not see the quotes.
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(";\t\n\r", r) }) {
		part = strings.Trim(part, " \"\u00a0\u3000")
		if part != "" && strings.ContainsRune("=@", rune(part[0])) {
			t.Fatalf("CSVCell(%q) = %q has a formula in %q", text, cell, part)
		}
		if part != "" && strings.ContainsRune("+-", rune(part[0])) && strings.Trim(part[1:], "0123456789.eE+-") != "" {
			t.Fatalf("CSVCell(%q) = %q has a formula in %q", text, cell, part)
		}
	}
}

func TestCSVCellProperties(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"=", "+", "-", "@", ";", "\t", "\n", "\"", "'", " ", ",", "1", "e5", "cmd|' /C calc'!A0", "＝", "\u00a0", "a",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			hostile.Drawn(), rapid.Map(rapid.SliceOfN(pieces, 0, 8), func(p []string) string { return strings.Join(p, "") }),
		).Draw(t, "text")
		checkCSVCell(t, text)
	})
}

func FuzzCSVCell(f *testing.F) {
	for _, s := range hostile.Texts() {
		f.Add(s.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkCSVCell(t, text) })
}
