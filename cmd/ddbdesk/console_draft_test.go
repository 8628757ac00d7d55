package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

// loan returns an item of the table of testdata/library.yaml.
func loan(id string) map[string]string {
	return map[string]string{"PK": "LOAN#" + id, "SK": "META", "loanId": id, "state": "open"}
}

// drafting drafts a profile with these answers to its dialogs; none leaves them.
func draftWith(t *testing.T, o *opener, answers ...[]string) string {
	t.Helper()
	go func() {
		for _, texts := range answers {
			q := <-o.app.console.questions
			q.Answer(texts...)
		}
		select {
		case q := <-o.app.console.questions:
			q.Leave()
		case <-t.Context().Done():
		}
	}()
	name, err := o.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// A table without a profile gets one in the console, whether or not it is saved, under the names that the user chose.
func TestConsoleDraftsAProfileOfATable(t *testing.T) {
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	dir := storeWith(t, "testdata/library.yaml", loan("l_1"), loan("l_2"), loan("l_3"))
	a := appWith(globalFlags{Context: config.Context{Role: "developer", Embedded: dir}})
	defer a.close()
	a.console, a.reader = &console{questions: make(chan tui.Question)}, &profiles.Reader{}
	o := &opener{app: a}

	if name := draftWith(t, o); name != "" {
		t.Fatalf("drafted %s after the dialog was left", name)
	}
	if name := draftWith(t, o, []string{"loans-dev"}, []string{"mine", "", "Borrowing"}); name != "mine" {
		t.Fatalf("drafted %q", name)
	}
	p, err := o.Profile("mine")
	if err != nil {
		t.Fatal(err)
	}
	if list, _ := o.Profiles(); list[len(list)-1] != p {
		t.Error("the draft is not listed")
	}
	if p.Entity("Borrowing") == nil || p.Pattern("get-borrowing") == nil {
		t.Errorf("entities %v, patterns %v", p.Entities, p.Patterns)
	}
	if s, err := o.Open(t.Context(), p); err != nil || s == nil {
		t.Errorf("open: %v", err)
	}
	if files, _ := os.ReadDir(profiles.Folder()); len(files) > 0 {
		t.Error("a draft without a file was saved")
	}
}

func TestDraftIsSavedInTheFolderOfProfiles(t *testing.T) {
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	dir := storeWith(t, "testdata/library.yaml", loan("l_1"), loan("l_2"), loan("l_3"))
	a := appWith(globalFlags{Context: config.Context{Role: "developer", Embedded: dir}})
	defer a.close()
	a.console, a.reader = &console{questions: make(chan tui.Question)}, &profiles.Reader{}
	o := &opener{app: a}
	if name := draftWith(t, o, []string{"loans-dev"}, []string{"mine", "profiles/mine.yaml", "Loan"}); name != "mine" {
		t.Fatalf("drafted %q", name)
	}
	text, err := os.ReadFile(filepath.Join(profiles.Folder(), "mine.yaml"))
	if err != nil || !strings.HasPrefix(string(text), "# Drafted from 1 live table.") || strings.Contains(string(text), "l_1") {
		t.Errorf("%v\n%s", err, text)
	}
	list, err := o.Profiles()
	if err != nil || list[len(list)-1].Name != "mine" {
		t.Errorf("the saved draft is not listed: %v", err)
	}
	if _, err := (&opener{app: a, demo: &demo{}}).Draft(t.Context()); err == nil {
		t.Error("the demo connected")
	}
}

func TestNamesOfADraftAreChecked(t *testing.T) {
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	form := tablesForm([]string{"orders", "users"}, "here")
	for answer, want := range map[string]string{"orders, users": "", "orders users": "", "": "no table", "order": `no table order; did you mean "orders"?`} {
		if got := form.Check(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}
