package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// marker represents item data, which no report may contain.
const marker = "CANARY-81f3-omang-448211907"

type quoting struct{ text string }

func (q quoting) Error() string { return "runtime error: index out of range: " + q.text }
func (quoting) RuntimeError()   {}

// breakWith calls f below a function whose arguments contain the marker.
//
//go:noinline
func breakWith(f func(), text string, list []byte, r rune, at [2]int64) string {
	if len(list) >= 0 && r != 0 && at[1] != 0 {
		f()
	}
	return text
}

// reportOf returns the report of a panic in f, and all text that a person sees of it.
func reportOf(t *testing.T, f func()) (Report, string) {
	t.Helper()
	dir := t.TempDir()
	h := NewHandler(dir, func() Environment {
		return Environment{Version: "v1", Command: "ddbdesk run", Term: "xterm", Width: 80, Height: 24}
	})
	Install(h)
	defer Install(nil)
	func() {
		defer Catch("a test")
		breakWith(f, marker, []byte(marker), 'ȣ', [2]int64{448211907, 448211907})
	}()
	var failure *Failure
	if !errors.As(Err(), &failure) {
		t.Fatal("Err() does not return the panic")
	}
	select {
	case <-Crashed():
	default:
		t.Error("Crashed is not closed")
	}
	text, err := os.ReadFile(failure.File)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(failure.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the report has mode %v, %v, want 0600", info.Mode(), err)
	}
	return failure.Report, string(text) + failure.Error()
}

func TestReportContainsNoData(t *testing.T) {
	var empty []string
	var missing map[string]int
	var value any = marker
	for name, c := range map[string]struct {
		f    func()
		want string
	}{
		"string":             {func() { panic(marker) }, "panic with a string"},
		"error":              {func() { panic(fmt.Errorf("bad item: %s", marker)) }, "panic with a *errors.errorString"},
		"wrapped":            {func() { panic(fmt.Errorf("x: %w", quoting{marker})) }, "panic with a *fmt.wrapError"},
		"fake runtime error": {func() { panic(quoting{marker}) }, "panic with a crash.quoting"},
		"index":              {func() { _ = empty[len(marker)] }, fmt.Sprintf("index out of range [%d] with length 0", len(marker))},
		"slice":              {func() { _ = empty[3:] }, "slice bounds out of range [3:0]"},
		"nil map":            {func() { missing[marker] = 1 }, "assignment to entry in nil map"},
		"nil":                {func() { var r *Report; _ = r.Kind }, "invalid memory address or nil pointer dereference"},
		"type":               {func() { _ = value.(int) }, "interface conversion"},
		"unhashable":         {func() { _ = map[anyKey]int{[]string{marker}: 1} }, "hash of unhashable type"},
	} {
		t.Run(name, func(t *testing.T) {
			r, text := reportOf(t, c.f)
			if name == "error" {
				c.want = r.Kind // the type is an internal of fmt
			}
			if r.Kind != c.want {
				t.Errorf("Kind = %q, want %q", r.Kind, c.want)
			}
			for _, leak := range []string{marker, "448211907", fmt.Sprintf("%#x", 448211907), fmt.Sprintf("%#x", 'ȣ')} {
				if strings.Contains(text, leak) {
					t.Errorf("the report contains %q:\n%s", leak, text)
				}
			}
			for _, want := range []string{"crash_test.go:", "breakWith()", "xterm, 80x24", "ddbdesk run", "a test"} {
				if !strings.Contains(text, want) {
					t.Errorf("the report lacks %q:\n%s", want, text)
				}
			}
		})
	}
}

type anyKey = any

func TestWriteKeepsLatestReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crashes")
	at := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	var want []string
	for i := range maxReports + 3 {
		path, err := Write(dir, Environment{}, Report{At: at.Add(time.Duration(i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if i >= 3 {
			want = append(want, path)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := Write(dir, Environment{}, Report{At: at.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	third, err := Write(dir, Environment{}, Report{At: at.Add(time.Hour)})
	if err != nil || third == second {
		t.Fatalf("two reports at one time have the names %s and %s, %v", second, third, err)
	}
	got, err := filepath.Glob(filepath.Join(dir, "*"))
	want = append(want[2:], second, third, filepath.Join(dir, "notes.txt"))
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got reports %v, want %v", got, want)
	}
}

func TestFailureWithoutReportIsStillReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := NewHandler(file, func() Environment { panic("no setting either") })
	Install(h)
	defer Install(nil)
	func() {
		defer CatchAs(func() string { panic(marker) })
		panic(marker)
	}()
	if err := Err(); err == nil || !strings.Contains(err.Error(), "could not be written") || strings.Contains(err.Error(), marker) {
		t.Errorf("got %v, want an error without the panic's text", err)
	}
}

func TestOnlyFirstPanicIsReported(t *testing.T) {
	Install(NewHandler(t.TempDir(), func() Environment { return Environment{} }))
	for range 2 {
		func() {
			defer Catch("twice")
			panic("x")
		}()
	}
	files, err := filepath.Glob(filepath.Join(handler.Load().dir, "*"))
	if err != nil || len(files) != 1 {
		t.Errorf("got reports %v, %v, want 1", files, err)
	}
	Install(nil)
	defer func() {
		if recover() == nil {
			t.Error("Catch without a handler recovered the panic")
		}
	}()
	func() {
		defer Catch("no handler")
		panic("x")
	}()
}
