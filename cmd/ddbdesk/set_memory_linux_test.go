package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/stored"
	"github.com/ddbdesk/ddbdesk/models"
)

// The release build plans, applies and undoes a set of DDBDESK_TEST_SCALE items, or 100,000 if that is less than 100.
// This process serves the database. Run the test with TMPDIR in memory, because ddbdesk syncs the journal twice for
// each item.
func TestLargeSetUsesLittleMemory(t *testing.T) {
	scale := os.Getenv("DDBDESK_TEST_SCALE")
	if scale == "" {
		t.Skip("DDBDESK_TEST_SCALE is not set")
	}
	n, _ := strconv.Atoi(scale)
	if n < 100 {
		n = 100_000
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "ddbdesk")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	db := fixture.Database(t)
	w := fixture.NewOn(t, schemas.Open(t, "authbridge"), fixture.Connect(t, db))
	w.Create(t)
	table := w.Profile.Entity("Verification").Table
	template := w.PutCase(t, "ver_000000").Clone()
	for from := 0; from < n; from += 1000 {
		var items []models.Item
		for i := from; i < min(from+1000, n); i++ {
			id := fmt.Sprintf("ver_%06d", i)
			it := template.Clone()
			it["verificationId"], it["PK"] = models.StringValue(id), models.StringValue("CASE#"+id)
			items = append(items, it)
		}
		if err := stored.Put(t.Context(), w.Conn.Writer(), table.Name, items); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(db)
	t.Cleanup(server.Close)
	env := append(os.Environ(), "HOME="+dir, "DDBDESK_STATE_DIR="+dir, "DDBDESK_CONFIG_DIR="+dir)
	// measured runs the program and returns the number of output lines that begin with word.
	measured := func(subject, word string, args ...string) (count int, message string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append(args, "--endpoint-url", server.URL, "--role", "admin")...)
		var notes bytes.Buffer
		cmd.Env, cmd.Stderr = env, &notes
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		start, maximum, chunk := time.Now(), 0, make([]byte, 4<<10)
		for i := 0; err == nil; i++ {
			var n int
			n, err = out.Read(chunk)
			count += bytes.Count(chunk[:n], []byte(word))
			if i%32 == 0 {
				maximum = max(maximum, peakMemory(t, cmd.Process.Pid))
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(subject, err, notes.String())
		}
		t.Logf("%s %d items: %d MB, %s, %s of processor time", subject, n, maximum>>20, time.Since(start).Round(time.Second),
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second))
		if maximum == 0 || maximum > maxMemory {
			t.Errorf("%s: got %d MB, want at most %d", subject, maximum>>20, maxMemory>>20)
		}
		return count, notes.String()
	}
	file := filepath.Join(dir, "set.plan")
	planned, notes := measured("plan", "committed", "change", "authbridge", "approve", "clientId=client_a",
		"--over", "list-client-verifications", "--plan", file, "--yes", "--canary", "0", "--rate", "none")
	id := regexp.MustCompile(`--sweep (\w+)`).FindStringSubmatch(notes)
	if planned != n || id == nil {
		t.Fatalf("changed %d of %d: %s", planned, n, notes)
	}
	if undone, notes := measured("undo", "committed", "undo", "authbridge", "--sweep", id[1], "--yes", "--rate", "none"); undone != n {
		t.Errorf("undid %d of %d: %s", undone, n, notes)
	}
	it := w.Read(t, template)
	if status, _ := it.Text("status"); status != "in_review" {
		t.Errorf("status of the first case = %s, want in_review", status)
	}
}
