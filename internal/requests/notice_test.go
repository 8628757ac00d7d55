package requests_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// fileAnnounced files a request in a session that announces requests to a URL.
func fileAnnounced(t *testing.T, url string) (requests.Request, requests.NotifyError) {
	t.Helper()
	d := newRequestsFixture(t)
	o := d.Options()
	d.PutCase(t, "ver_1")
	o.Actor, o.Role, o.Requests.Table, o.Requests.Notify = "thabo", session.Support, d.table, url
	w := d.Open(o)
	q, note, err := w.Requests.File(t.Context(), plan(t, w, "approve", "ver_1"), "authbridge", "")
	if err != nil {
		t.Fatal(err)
	}
	return q, note
}

// The notice names the action, but no user, reason or key.
func TestRequestIsAnnouncedWithoutItsContent(t *testing.T) {
	var text []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ = io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer s.Close()
	q, note := fileAnnounced(t, s.URL)
	if note != nil {
		t.Fatal(note)
	}
	var got requests.Notice
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Event != "requested" || got.ID != q.ID || got.Action != q.Action || !got.Expires.Equal(q.Expires) {
		t.Errorf("got notice %s", text)
	}
	for _, secret := range []string{"thabo", q.Reason, "ver_1"} {
		if secret == "" || strings.Contains(string(text), secret) {
			t.Errorf("%q occurs in %s", secret, text)
		}
	}
}

// If the notice fails, the request is still stored. The error omits the path of the URL, which may be a secret.
func TestUnannouncedRequestIsStored(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for url, want := range map[string]string{s.URL: "404", closed.URL: "refused", "http://[::1": "invalid"} {
		_, note := fileAnnounced(t, url+"/s3cret")
		if note == nil || !strings.Contains(note.Error(), want) || strings.Contains(note.Error(), "s3cret") {
			t.Errorf("%s: got %v, want %q without the secret", url, note, want)
		}
	}
}
