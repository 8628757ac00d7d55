package items

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// formulas returns texts that begin with a formula, or with characters before it that a spreadsheet removes or splits
// at. Source: https://owasp.org/www-community/attacks/CSV_Injection
func formulas() []string {
	var list []string
	for _, sign := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠", "{="} {
		for _, before := range []string{
			"", " ", "\t", "\r", "\n", "\r\n", "\u00a0", "\u3000", "\u2003", "\u200b", "\ufeff", "\"", "\"\"", "'", "''", "a;", "a\t", "a\n",
			"a\r", "a,", ";", ",", "\",", "\"\n", "\";", "\x00", "\v", "\f", "\u0085", "\u2028",
		} {
			for _, formula := range []string{"1+1", "SUM(1;2)", "HYPERLINK(\"http://x\",\"y\")", "cmd|' /C calc'!A0", "A1", "-1", "(1)"} {
				list = append(list, before+sign+formula)
			}
		}
	}
	for _, s := range hostile.Texts() {
		list = append(list, s.Text)
	}
	return list
}

// LibreOffice finds no formula in an export, whatever its separator. DDBDESK_TEST_SPREADSHEET is the path of the
// program, which takes a few seconds for each file.
func TestNoCellIsFormulaInSpreadsheet(t *testing.T) {
	program := os.Getenv("DDBDESK_TEST_SPREADSHEET")
	if program == "" {
		t.Skip("requires a spreadsheet program; set DDBDESK_TEST_SPREADSHEET, as .ci/run clients does")
	}
	var items []models.Item
	for i, f := range formulas() {
		it := models.Item{"PK": text(fmt.Sprint(i)), "SK": text(f)}
		if i%17 == 0 && f != "" {
			it[f] = text("a column of this name")
		}
		items = append(items, it)
	}
	for _, format := range []*Format{CSV, TSV} {
		out := exportOf(t, format, Shape{Table: table}, items)
		// LibreOffice expects code points as separators. Its import dialog proposes the last ones.
		for _, split := range []string{"44", "59", "9", "9/44/59"} {
			if n := formulasIn(t, program, split, out); n > 0 {
				t.Errorf("%s split at %s has %d formulas", format, split, n)
			}
		}
	}
	if n := formulasIn(t, program, "44", "a,b\n=1+1,\"=1+1\"\n'=1+1,x\n"); n != 2 {
		t.Errorf("%s evaluates %d formulas, want 2", program, n)
	}
}

// formulasIn returns the number of formulas that LibreOffice finds in a file. The filter sets separators, quotes and
// UTF-8, and evaluates formulas. Source: https://help.libreoffice.org/latest/en-US/text/shared/guide/csv_params.html
func formulasIn(t *testing.T, program, split, text string) int {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	filter := "--infilter=Text - txt - csv (StarCalc):" + split + ",34,76,1,,0,false,true,false,false,false,-1,true"
	cmd := exec.CommandContext(t.Context(), program, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", "fods",
		"--outdir", dir, filter, filepath.Join(dir, "x.csv"))
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sheet, err := os.ReadFile(filepath.Join(dir, "x.fods"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(sheet), "table:formula")
	if at >= 0 {
		t.Logf("split at %s: %.300s", split, sheet[at:])
	}
	return strings.Count(string(sheet), "table:formula")
}
