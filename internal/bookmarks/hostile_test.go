package bookmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A team may view the bookmarks file with any program, so it contains no characters that act on a terminal.
func TestBookmarksEscapeHostileText(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bookmarks.yaml")
	s := New(session.NewViewer(session.Options{Profile: p, BookmarkPath: path}), local.New())
	want := map[string]string{}
	for _, sample := range hostile.Valid() {
		value := "ver_" + sample.Text
		mark, omitted := s.NewQuery("the "+sample.Name, p.Pattern("get-verification"), map[string]string{"verificationId": value})
		mark.Note = strings.Join(strings.Fields(sample.Text), " ")
		if err := s.Add(t.Context(), mark); err != nil {
			t.Errorf("%s: %v", sample.Name, err)
			continue
		}
		if want[mark.Name] = value; len(omitted) > 0 {
			want[mark.Name] = "" // It could be a person's address.
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if acts := hostile.FirstUnsafe(string(text), ""); acts != "" {
		t.Errorf("the file contains %s", acts)
	}
	list, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range list {
		if got := b.Args["verificationId"]; got != want[b.Name] {
			t.Errorf("%s: %+q became %+q", b.Name, want[b.Name], got)
		}
		delete(want, b.Name)
	}
	if len(want) > 0 {
		t.Errorf("bookmarks are missing: %q", want)
	}
}
