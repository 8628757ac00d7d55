package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/testing/failures"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// failureFixture is a folder with a schema, a journal and a database. Every run starts with the same content.
type failureFixture struct {
	t         *testing.T
	program   string // program with a failing operation
	backup    string // a copy of dir
	dir       string // always the same path, because plans contain it
	log       string // log of the failed operation
	entries   int    // initial number of journal entries
	library   []byte // the schema
	serverURL string // URL of a server in the test's process, or "" for a database in dir

	problems int // number of problems found
}

// A failingCommand is a command with its loan, and the loan's state before and after the command.
type failingCommand struct {
	args             []string
	loan, stateAfter string // both are "" if the command changes nothing
	stateBefore      string
}

func failingCommands() map[string]failingCommand {
	return map[string]failingCommand{
		"run":     {args: []string{"run", "library.yaml", "all-loans", "--all", "--allow-scan", "-o", "jsonl"}},
		"change":  {[]string{"change", "library.yaml", "give-back", "loanId=l_1", "--yes", "-o", "json"}, "l_1", "back", "open"},
		"plan":    {args: []string{"change", "library.yaml", "give-back", "loanId=l_1", "--plan", "new.json", "-o", "json"}},
		"apply":   {[]string{"apply", "plan.json", "--yes", "-o", "json"}, "l_1", "back", "open"},
		"undo":    {[]string{"undo", "library.yaml", "--reason", "found", "--yes", "-o", "json"}, "l_2", "open", "lost"},
		"journal": {args: []string{"journal", "-o", "json"}},
		"show":    {args: []string{"journal", "show", "-o", "json"}},
		"verify":  {args: []string{"journal", "verify"}},
		"resolve": {args: []string{"journal", "resolve", "library.yaml", "-o", "json"}},
		"seed":    {args: []string{"seed", "library.yaml", "--at", "2026-01-20"}},
	}
}

// TestNthFileOperationFails fails each file operation once, in every command that reads or writes data. The exit code
// must describe the result, the journal must match the data, nothing may be lost, and the next change must work. The
// test builds its own standard library, which takes two minutes the first time: DDBDESK_TEST_FAILURES=1.
func TestNthFileOperationFails(t *testing.T) {
	w := newFailureFixture(t)
	for name, c := range failingCommands() {
		t.Run(name, func(t *testing.T) {
			w.t, w.problems = t, 0
			n := 1
			for ; w.failAt(n, c); n++ {
				if w.problems > 5 {
					t.Fatalf("stopped at operation %d after too many problems", n)
				}
			}
			t.Logf("%d operations", n-1)
		})
	}
}

// newFailureFixture builds the program whose operations fail.
func newFailureFixture(t *testing.T) *failureFixture {
	t.Helper()
	if os.Getenv("DDBDESK_TEST_FAILURES") == "" || runtime.GOOS != "linux" {
		t.Skip("takes minutes and requires Linux; set DDBDESK_TEST_FAILURES=1, as .ci/run failures does")
	}
	w := emptyFailureFixture(t)
	var err error
	if w.program, err = failures.Build(t.Context(), ".", filepath.Dir(w.dir)); err != nil {
		t.Fatal(err)
	}
	w.fill()
	return w
}

// emptyFailureFixture returns a fixture with an empty folder.
func emptyFailureFixture(t *testing.T) *failureFixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	library, err := os.ReadFile("testdata/library.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &failureFixture{t: t, library: library, backup: filepath.Join(root, "kept"), dir: filepath.Join(root, "world"), log: filepath.Join(root, "failed")}
}

// fill creates the content with which every run starts.
func (w *failureFixture) fill() {
	t := w.t
	t.Helper()
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	library := append(w.library, "patterns:\n  all-loans: {title: All loans, operation: scan, table: loans, returns: [Loan]}\n"...)
	if err := os.WriteFile(filepath.Join(w.dir, "library.yaml"), library, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"table", "create", "library.yaml"},
		{"change", "library.yaml", "lend", "loanId=l_1", "reader=Kago", "--yes"},
		{"change", "library.yaml", "lend", "loanId=l_2", "reader=Ana", "--yes"},
		{"change", "library.yaml", "lend", "loanId=l_3", "reader=Ana", "--yes"},
		{"change", "library.yaml", "lose", "loanId=l_2", "--reason", "fire", "--yes"},
		{"change", "library.yaml", "give-back", "loanId=l_1", "--plan", "plan.json"},
	} {
		w.must(args...)
	}
	w.entries = len(w.journal())
	if err := os.CopyFS(w.backup, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
}

// restore resets the folder to its initial content.
func (w *failureFixture) restore() {
	w.t.Helper()
	err := os.RemoveAll(w.dir)
	if err == nil {
		err = os.CopyFS(w.dir, os.DirFS(w.backup))
	}
	if _, statErr := os.Stat(w.log); err == nil && statErr == nil {
		err = os.Remove(w.log)
	}
	// CopyFS does not keep the permissions, which only allow the owner.
	for _, folder := range []string{"state", "db"} {
		if err == nil {
			err = os.Chmod(filepath.Join(w.dir, folder), 0o700)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if w.serverURL != "" {
		w.t.Chdir(w.dir) // The previous folder no longer exists.
	}
}

// run runs a program with the arguments and a connection.
func (w *failureFixture) run(program string, n int, args ...string) (code int, out, errs string) {
	w.t.Helper()
	args = slices.Clone(args)
	if args[0] != "journal" && args[0] != "serve" || len(args) > 2 && args[2] == "library.yaml" {
		args = append(args, "--embedded="+filepath.Join(w.dir, "db"), "--role", "admin")
		if w.serverURL != "" {
			args[len(args)-3] = "--endpoint-url=" + w.serverURL
		}
	}
	var stdout, stderr bytes.Buffer
	if w.serverURL != "" {
		code = run(args, os.Stdin, &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	cmd := exec.CommandContext(w.t.Context(), program, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.backup, "USER=tester", "DDBDESK_STATE_DIR=" + filepath.Join(w.dir, "state"),
		"DDBDESK_CONFIG_DIR=" + filepath.Join(w.dir, "config"), "TMPDIR=" + w.dir, "AWS_EC2_METADATA_DISABLED=true",
	}
	cmd.Env = append(cmd.Env, failures.Environ(n, w.dir, w.log)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// must runs a command, which must succeed.
func (w *failureFixture) must(args ...string) string {
	w.t.Helper()
	code, out, errs := w.run("ddbdesk", 0, args...)
	if code != cli.ExitOK {
		w.t.Fatalf("%v: exit %d: %s", args, code, errs)
	}
	return out
}

// journalLine is an entry of `ddbdesk journal -o json`.
type journalLine struct {
	ID, Kind, Outcome string
	Open              bool
}

func (w *failureFixture) journal() []journalLine {
	w.t.Helper()
	var list []journalLine
	if err := json.Unmarshal([]byte(w.must("journal", "-o", "json")), &list); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// state returns the state of a loan, or "".
func (w *failureFixture) state(id string) string {
	w.t.Helper()
	for line := range strings.Lines(w.must("run", "library.yaml", "all-loans", "--all", "--allow-scan", "-o", "jsonl")) {
		var loan struct{ LoanID, State string }
		if err := json.Unmarshal([]byte(line), &loan); err != nil {
			w.t.Fatal(err)
		}
		if loan.LoanID == id {
			return loan.State
		}
	}
	return ""
}

// failAt runs a command in which operation n fails, and reports whether the command has such an operation.
func (w *failureFixture) failAt(n int, c failingCommand) bool {
	w.t.Helper()
	w.restore()
	code, out, errs := w.run(w.program, n, c.args...)
	operation, stack, failed, err := failures.Failed(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	problem := w.problem(c, code, out, errs)
	if problem == "" && !failed && code != cli.ExitOK {
		problem = "without a failure, it does not succeed"
	}
	if problem != "" {
		w.problems++
		w.t.Errorf("%s\noperation %d: %s\nexit %d\n%s\n%s\n%s", problem, n, operation, code, out, errs, stack)
	}
	return failed
}

// problem returns the problem after a command, or "".
func (w *failureFixture) problem(c failingCommand, code int, out, errs string) string {
	w.t.Helper()
	switch {
	case !slices.Contains([]int{cli.ExitOK, cli.ExitConflict, cli.ExitRefused, cli.ExitUsage, cli.ExitConfig, cli.ExitService, cli.ExitOther}, code):
		return "it has no exit code of the contract"
	case strings.Contains(errs, "panic") || strings.Contains(errs, "goroutine ") || strings.Contains(errs, "internal error"):
		return "it panics"
	case code != cli.ExitOK && errs == "":
		return "it does not say what failed"
	}
	for values := json.NewDecoder(strings.NewReader(out)); strings.Contains(strings.Join(c.args, " "), "-o json"); {
		var v any
		if err := values.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if open := c.args[0] == "journal" && code != cli.ExitOK; err != nil && !open { // The list is cut off.
			return "stdout is broken off"
		} else if err != nil {
			break
		}
	}
	if code, text, errs := w.run("ddbdesk", 0, "journal", "verify"); code != cli.ExitOK {
		return "the journal is not sound: " + text + errs
	}
	if w.serverURL == "" { // No server uses the database.
		if code, text, errs := w.run("ddbdesk", 0, "serve", "check", filepath.Join(w.dir, "db")); code != cli.ExitOK {
			return "the database is not sound: " + text + errs
		}
	}
	if problem := w.compare(c, code); problem != "" {
		return problem
	}
	if code, _, errs := w.run("ddbdesk", 0, "change", "library.yaml", "rename", "loanId=l_3", "reader=Next", "--yes"); code != cli.ExitOK {
		return "the next change fails: " + errs
	}
	return ""
}

// compare returns a contradiction between the data, the journal and the exit code, or "".
func (w *failureFixture) compare(c failingCommand, code int) string {
	w.t.Helper()
	entries := w.journal()
	if len(entries) < w.entries {
		return fmt.Sprintf("the journal lost entries: %d of %d", len(entries), w.entries)
	}
	if c.stateAfter == "" {
		return ""
	}
	state := w.state(c.loan)
	last := entries[len(entries)-1]
	open := slices.ContainsFunc(entries, func(e journalLine) bool { return e.Open })
	committed := len(entries) > w.entries && last.Outcome == "committed"
	found := fmt.Sprintf("the loan is %s, and the journal says %+v", state, last)
	switch {
	case state != c.stateAfter && state != c.stateBefore:
		return "another state: " + found
	case state == c.stateAfter && !committed && !open, state == c.stateBefore && committed:
		return "the journal disagrees: " + found
	case code == cli.ExitOK && (state != c.stateAfter || open):
		return "it says that it succeeded: " + found
	case (code == cli.ExitRefused || code == cli.ExitConflict) && (state == c.stateAfter || open):
		return "it says that nothing was written: " + found
	}
	return ""
}

// TestNthRequestFails fails each request of a command instead of file operations. A quick run only fails requests of
// changes that are not repeated.
func TestNthRequestFails(t *testing.T) {
	w := emptyFailureFixture(t)
	var db *embedded.Store
	var line *faults.Connection
	open := func() {
		t.Helper()
		var err error
		if db, err = embedded.Open(embedded.Options{Path: filepath.Join(w.dir, "db"), NoSync: true}); err != nil {
			t.Fatal(err)
		}
		line = faults.New(db)
	}
	closeDB := func() {
		t.Helper()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { line.ServeHTTP(rw, r) }))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w.serverURL = server.URL
	isolate(t)
	t.Setenv("DDBDESK_STATE_DIR", filepath.Join(w.dir, "state"))
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	open()
	t.Chdir(w.dir)
	w.fill()
	closeDB()
	tried, full := []*faults.Fault{faults.Named("access denied"), faults.Named("log-in page")}, os.Getenv("DDBDESK_TEST_FAILURES") != ""
	if full {
		tried = append(tried, faults.OfKinds(faults.Broken, faults.Failing, faults.Throttling)...)
	}
	for name, c := range failingCommands() {
		if !full && c.stateAfter == "" {
			continue
		}
		for _, f := range tried {
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				w.t, w.problems = t, 0
				for n, failed := 1, true; failed && w.problems < 5; n++ {
					w.restore()
					open()
					line.Set(faults.Nth(n, f))
					code, out, errs := w.run("ddbdesk", 0, c.args...)
					failed = slices.ContainsFunc(line.Calls(), func(c faults.Call) bool { return c.Fault != "" })
					line.Set(nil)
					if problem := w.problem(c, code, out, errs); problem != "" {
						w.problems++
						t.Errorf("%s\nrequest %d\nexit %d\n%s\n%s", problem, n, code, out, errs)
					}
					closeDB()
				}
			})
		}
	}
}

// A server keeps acknowledged writes and applies no rejected ones. Any other write is applied completely or not.
func TestNthFileOperationOfServeFails(t *testing.T) {
	w := newFailureFixture(t)
	n := 1
	for ; w.failServeAt(n); n++ {
		if w.problems > 5 {
			t.Fatalf("stopped at operation %d after too many problems", n)
		}
	}
	t.Logf("%d operations", n-1)
}

func (w *failureFixture) failServeAt(n int) bool {
	t := w.t
	t.Helper()
	w.restore()
	data := filepath.Join(w.dir, "data")
	s := prepareServe(t, "--data", data)
	s.cmd = exec.CommandContext(t.Context(), w.program, s.cmd.Args[1:]...)
	s.cmd.Env = append(os.Environ(), append(failures.Environ(n, w.dir, w.log), "DDBDESK_STATE_DIR="+filepath.Join(w.dir, "state"))...)
	s.launch()
	possible := map[string][]string{}
	if s.url != "" {
		possible = s.write()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	code := s.wait()
	operation, stack, failed, err := failures.Failed(w.log)
	if err != nil {
		t.Fatal(err)
	}
	problem := ""
	switch message := s.stderr.String(); {
	case strings.Contains(message, "panic") || strings.Contains(message, "goroutine "):
		problem = "it panics"
	case !slices.Contains([]int{cli.ExitOK, cli.ExitConfig, cli.ExitOther}, code) || s.url == "" && code == cli.ExitOK:
		problem = "wrong exit code"
	default:
		problem = problemOfData(t, data, possible)
	}
	if problem != "" {
		w.problems++
		t.Errorf("%s\noperation %d: %s\nexit %d\n%s\n%s", problem, n, operation, code, s.stderr, stack)
	}
	return failed
}

// A serveRequest is a write, with the new text of each note, or "" for a deleted note.
type serveRequest struct {
	operation, body string
	newTexts        map[string]string
}

func serveRequests() []serveRequest {
	put := func(id, text string) string {
		return fmt.Sprintf(`{"TableName":"notes","Item":{"id":{"S":%q},"text":{"S":%q}}}`, id, text)
	}
	list := []serveRequest{{"CreateTable", notesTable, nil}}
	for i := range 4 {
		id := fmt.Sprint("n", i)
		list = append(list, serveRequest{"PutItem", put(id, "first"), map[string]string{id: "first"}})
	}
	return append(
		list,
		serveRequest{
			"UpdateItem", `{"TableName":"notes","Key":{"id":{"S":"n1"}},"UpdateExpression":"SET #t = :t","ExpressionAttributeNames":{"#t":"text"},
			"ExpressionAttributeValues":{":t":{"S":"second"}}}`, map[string]string{"n1": "second"},
		},
		serveRequest{"DeleteItem", `{"TableName":"notes","Key":{"id":{"S":"n2"}}}`, map[string]string{"n2": ""}},
		serveRequest{
			"TransactWriteItems", `{"TransactItems":[{"Put":` + put("n3", "third") + `},{"Put":` + put("n4", "third") + `}]}`,
			map[string]string{"n3": "third", "n4": "third"},
		},
		serveRequest{"PutItem", put("n5", strings.Repeat("x", 100_000)), map[string]string{"n5": strings.Repeat("x", 100_000)}},
		serveRequest{"PutItem", put("n6", "last"), map[string]string{"n6": "last"}},
	)
}

// write sends the requests until the server ends. It returns the possible texts of each note: one text if its last
// write was acknowledged.
func (s *serveProcess) write() map[string][]string {
	s.t.Helper()
	possible := map[string][]string{}
	for _, r := range serveRequests() {
		status, body, err := postDynamo(s.t, http.DefaultClient, s.url, "", r.operation, strings.NewReader(r.body))
		if err == nil && status != http.StatusOK && status < http.StatusInternalServerError && !strings.Contains(body, "ResourceNotFound") {
			s.t.Errorf("%s: unexpected response %d %s", r.operation, status, body)
		}
		for id, text := range r.newTexts {
			switch {
			case err == nil && status == http.StatusOK:
				possible[id] = []string{text}
			case possible[id] == nil:
				possible[id] = []string{"", text}
			default:
				possible[id] = append(possible[id], text)
			}
		}
	}
	return possible
}

// problemOfData reports missing acknowledged writes, and other unexpected data.
func problemOfData(t *testing.T, data string, possible map[string][]string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(data, "dynamodb.db")); err != nil && len(possible) == 0 {
		return ""
	}
	report, err := embedded.Check(data)
	if err != nil || !report.Sound() {
		return fmt.Sprintf("the database is not sound: %+v %v", report, err)
	}
	s := launchServe(t, "--data", data)
	if s.url == "" {
		return "the database does not open: " + s.stderr.String()
	}
	for id, texts := range possible {
		status, body := s.ask("GetItem", `{"TableName":"notes","Key":{"id":{"S":"`+id+`"}}}`)
		var found struct {
			Item struct{ Text struct{ S string } }
		}
		if err := json.Unmarshal([]byte(body), &found); err != nil || status != http.StatusOK && !slices.Contains(texts, "") {
			return fmt.Sprintf("%s: %d %.200s", id, status, body)
		}
		if !slices.Contains(texts, found.Item.Text.S) {
			return fmt.Sprintf("%s is %.20q, want one of %.20q", id, found.Item.Text.S, texts)
		}
	}
	s.end(syscall.SIGTERM)
	return ""
}

// If the disk is full while ddbdesk creates a database, the next start must still work.
func TestCreateWorksAfterFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("not installed: ", err)
	}
	for _, blocks := range []string{"0", "1", "8", "16", "32"} { // of 512 bytes, or 1024 in some shells
		dir := t.TempDir()
		create := func(limit string) error {
			script := limit + `exec ddbdesk table create authbridge --embedded="$1"`
			cmd := exec.CommandContext(t.Context(), shell, "-c", script, "sh", filepath.Join(dir, "db"))
			cmd.Env = append(os.Environ(), "HOME="+dir, "DDBDESK_STATE_DIR="+filepath.Join(dir, "state"))
			return cmd.Run()
		}
		if err := create("ulimit -f " + blocks + "; "); err == nil {
			t.Errorf("the database fits in %s blocks, want a full disk", blocks)
		}
		if err := create(""); err != nil {
			t.Errorf("creating the database after a limit of %s blocks: %v", blocks, err)
		}
	}
}
