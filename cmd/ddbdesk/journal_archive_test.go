package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
)

// The oldest files move, the journal says so everywhere, and verify finds what happens to them afterwards.
func TestJournalArchive(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	to := filepath.Join(t.TempDir(), "2026")
	command := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = run(append([]string{"journal"}, args...), os.Stdin, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	if code, _, errs := command("archive", "--to", to, "--keep", "0"); code != cli.ExitOK || !strings.Contains(errs, "does not exist yet") {
		t.Errorf("without a journal: exit %d: %s", code, errs)
	}
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		t.Fatal(err)
	}
	for range 14 { // Five of them fill a file.
		long := journal.Detail{Notes: strings.Repeat("x", 900_000)}
		if _, err := j.Append(t.Context(), journal.Entry{Kind: journal.Refusal, Subject: "shop.pay", Detail: long}); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range [][]string{
		{"archive"},
		{"archive", "--to", to},
		{"archive", "--keep", "1"},
		{"archive", "--to", to, "--keep", "-1"},
		{"archive", "--to", to, "--keep", "1", "--before", "today"},
		{"archive", "--to", to, "--before", "soon"},
	} {
		if code, out, errs := command(wrong...); code != cli.ExitUsage || out != "" || strings.Count(errs, "\n") > 2 {
			t.Errorf("%v: exit %d: %s", wrong, code, errs)
		}
	}
	if code, _, errs := command("archive", "--to", to, "--before", "2020-01-01"); code != cli.ExitOK || !strings.Contains(errs, "no sealed file") {
		t.Errorf("nothing is that old: exit %d: %s", code, errs)
	}
	if code, out, errs := command("archive", "--to", to, "--keep", "1"); code != cli.ExitOK ||
		!strings.HasPrefix(out, "entries 1 to 5 moved to "+to+": 1 file\n") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	const where = "entries 1 to 5, until "
	code, out, errs := command("show")
	if code != cli.ExitOK || !strings.Contains(errs, where) || !strings.Contains(out, "entries 1 to 5 moved to") {
		t.Errorf("show: exit %d: %s", code, errs)
	}
	if code, out, errs := command("verify"); code != cli.ExitOK || !strings.HasPrefix(out, "15 entries verified") ||
		!strings.Contains(errs, where) {
		t.Errorf("verify: exit %d: %s%s", code, out, errs)
	}
	file := filepath.Join(to, "journal.jsonl.000001")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command("verify"); code != cli.ExitOK || !strings.HasPrefix(out, "10 entries verified") ||
		!strings.Contains(errs, "1 to 5 were not verified") {
		t.Errorf("verify without the archive: exit %d: %s%s", code, out, errs)
	}
	text, err := os.ReadFile(file + ".away")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("shop.pay"), []byte("shop.nay"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command("verify"); code != cli.ExitOther || !strings.Contains(out, file+" was changed") {
		t.Errorf("verify of a changed archive: exit %d: %s", code, out)
	}
}
