package store_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// serverWith answers every request with a Server header and a status.
func serverWith(t *testing.T, header, id string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent to an unknown server")
		}
		w.Header().Set("Server", header)
		if id != "" {
			w.Header().Set("X-Amzn-Requestid", id)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestLoopbackIsOnlyOwnWhenTheServerSaysSo(t *testing.T) {
	configure(t, "")
	db, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	serve := httptest.NewServer(db)
	defer serve.Close()
	for _, c := range []struct {
		what, url string
		own       bool
		unlike    bool // it does not answer as DynamoDB does, so no request to it can succeed
	}{
		{"ddbdesk", serve.URL, true, false},
		{"DynamoDB Local", serverWith(t, "Jetty(9.4.53.v20231009)", "0fb66917", http.StatusBadRequest), true, false},
		{"dynoxide", serverWith(t, "Dynoxide/1.2.1", "01A2", http.StatusOK), true, false},
		{"tunnel to AWS", serverWith(t, "Server", "0FB66917", http.StatusOK), false, false},
		{"another program on Jetty", serverWith(t, "Jetty(12.0.1)", "", http.StatusNotFound), false, true},
		{"a proxy", serverWith(t, "nginx", "", http.StatusBadGateway), false, true},
	} {
		conn, err := store.Connect(t.Context(), store.Options{EndpointURL: c.url})
		if err != nil {
			t.Fatal(err)
		}
		if conn.Describe().Own() {
			t.Errorf("%s is own before it answered", c.what)
		}
		if err := conn.FindServer(t.Context()); err != nil || conn.Describe().Own() != c.own {
			t.Errorf("%s: %q, %v; want own %v", c.what, conn.Describe().Server, err, c.own)
		}
		_, err = store.Connect(t.Context(), store.Options{EndpointURL: c.url, Regions: []string{"eu-west-1"}})
		if allowed := c.own || c.unlike; (err == nil) != allowed || err != nil && store.ClassOf(err) != store.Region {
			t.Errorf("%s in a region that is not allowed: %v", c.what, err)
		}
	}
}

func TestServerThatDoesNotAnswerIsUnknown(t *testing.T) {
	configure(t, "")
	conn, err := store.Connect(t.Context(), store.Options{EndpointURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.FindServer(t.Context()); store.ClassOf(err) != store.Unreachable || conn.Describe().Own() {
		t.Errorf("got %v", err)
	}
	_, err = store.Connect(t.Context(), store.Options{EndpointURL: "http://127.0.0.1:1", Regions: []string{"eu-west-1"}})
	if store.ClassOf(err) != store.Unreachable {
		t.Errorf("in a region that is not allowed: %v", err)
	}
	if id, err := conn.Identity(t.Context()); err != nil || id.ARN != "" || id.Name == "" {
		t.Errorf("identity %+v, %v", id, err)
	}
}

func TestCredentialSourceHasNoCredentials(t *testing.T) {
	configure(t, "[profile support]\nregion = eu-west-1\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI\n")
	conn, err := store.Connect(t.Context(), store.Options{Profile: "support"})
	if err != nil {
		t.Fatal(err)
	}
	source, err := conn.CredentialSource(t.Context())
	if err != nil || !strings.HasPrefix(source.Name, "SharedConfigCredentials: ") || !source.Expires.IsZero() {
		t.Errorf("%+v, %v", source, err)
	}
	configure(t, "")
	conn, err = store.Connect(t.Context(), store.Options{Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CredentialSource(t.Context()); store.ClassOf(err) != store.NoCredentials {
		t.Errorf("without credentials: %v", err)
	}
}
