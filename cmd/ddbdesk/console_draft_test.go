package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

// loan returns an item for the table of testdata/library.yaml.
func loan(id string) map[string]string {
	return map[string]string{"PK": "LOAN#" + id, "SK": "META", "loanId": id, "state": "open"}
}

// draftWith drafts a schema with the given answers to its dialogs, then cancels the next dialog.
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
	name, err := o.Draft(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// openerWithLoans returns an opener for a store with three loans.
func openerWithLoans(t *testing.T) *opener {
	t.Helper()
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	dir := storeWith(t, "testdata/library.yaml", loan("l_1"), loan("l_2"), loan("l_3"))
	a := appWith(globalFlags{Context: config.Context{Role: "developer", Embedded: dir}})
	t.Cleanup(a.close)
	a.console, a.reader = &console{questions: make(chan tui.Question)}, &profiles.Reader{}
	return &opener{app: a}
}

// The console drafts a schema for a table without one. Answers of the review take effect before the user saves it.
func TestConsoleDraftsSchemaForTable(t *testing.T) {
	o := openerWithLoans(t)
	if name := draftWith(t, o); name != "" {
		t.Fatalf("got draft %s after the dialog was canceled", name)
	}
	if name := draftWith(t, o, []string{"loans-dev"}); name != "loans-dev" {
		t.Fatalf("got draft %q, want loans-dev", name)
	}
	r := o.Review("loans-dev")
	if r == nil || o.Review("authbridge") != nil {
		t.Fatal("the draft has no review, or another profile has a review")
	}
	p, err := o.Profile("loans-dev")
	if err != nil {
		t.Fatal(err)
	}
	if list, _ := o.Profiles(); list[len(list)-1] != p {
		t.Error("the draft is not listed")
	}
	if err := errors.Join(r.Rename(0, "Borrowing"), r.SetName("mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := o.UseDraft(r); err != nil {
		t.Fatal(err)
	}
	if p, err = o.Profile("mine"); err != nil || p.Entity("Borrowing") == nil || p.Pattern("get-borrowing") == nil {
		t.Errorf("Profile(mine) = %v, %v", p, err)
	}
	if s, err := o.Open(t.Context(), p); err != nil || s == nil {
		t.Errorf("opening the draft: %v", err)
	}
	if files, _ := os.ReadDir(profiles.Folder()); len(files) > 0 {
		t.Error("a draft without a file was saved to the profiles folder")
	}
}

// A saved draft is an ordinary schema: the list contains it once, it needs no review, and its name must be unused.
func TestDraftIsSavedInSchemasFolder(t *testing.T) {
	o := openerWithLoans(t)
	draftWith(t, o, []string{"loans-dev"})
	r := o.Review("loans-dev")
	if err := r.SetName("authbridge"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.SaveDraft(r, ""); err == nil {
		t.Error("SaveDraft accepted a name that is in use")
	}
	if err := r.SetName("mine"); err != nil {
		t.Fatal(err)
	}
	if p, err := o.SaveDraft(r, ""); err != nil || p.Name != "mine" {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(profiles.Folder(), "mine.yaml"))
	if err != nil || !strings.HasPrefix(string(text), "# Drafted from 1 live table.") || strings.Contains(string(text), "l_1") {
		t.Errorf("got error %v and this draft:\n%s", err, text)
	}
	list, err := o.Profiles()
	if err != nil || list[len(list)-1].Name != "mine" || list[len(list)-2].Name == "mine" || o.Review("mine") != nil {
		t.Errorf("the saved draft must be listed once: %v", err)
	}
	if _, err := (&opener{app: o.app, demo: &demo{}}).Draft(t.Context(), ""); err == nil {
		t.Error("Draft connected to AWS in the demo")
	}
}

func TestDraftTableNamesAreChecked(t *testing.T) {
	t.Setenv(appdir.ConfigEnv, t.TempDir())
	form := tablesForm([]string{"orders", "users"}, "here")
	for answer, want := range map[string]string{"orders, users": "", "orders users": "", "": "no table", "order": `no table order; did you mean "orders"?`} {
		if got := form.Check(answer); got != want {
			t.Errorf("Check(%q) = %q, want %q", answer, got, want)
		}
	}
}
