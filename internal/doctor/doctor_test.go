package doctor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// check fails unless a finding has the given state and text.
func check(t *testing.T, f Finding, state State, text string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.String(), text) {
		t.Errorf("%s: got %s %q, want %s with %q", f.Check, f.State, f.String(), state, text)
	}
}

func TestFindingsAreOnePrintableLine(t *testing.T) {
	f := unreadable("x", errors.New("first\x1b[31m\nsecond"), "")
	check(t, f, Problem, "first␛[31m …")
	if strings.Contains(f.String(), "second") {
		t.Error(f)
	}
	if list := Configuration("c.yaml", true, errors.New("first\nsecond")); len(list) != 2 || list[1].Text != "second" {
		t.Errorf("got %v, want one finding per fault", list)
	}
	if Healthy([]Finding{{State: OK}, {State: Warning}}) != true || Healthy([]Finding{f}) {
		t.Error("Healthy() must be false only for problems")
	}
}

func TestJournalReportsDamageAndOpenChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	check(t, Journal(path, nil)[0], OK, "does not exist yet")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), journal.Entry{Kind: journal.Intent, ID: "1", Profile: "shop"}); err != nil {
		t.Fatal(err)
	}
	list := Journal(path, journal.FileSink{Path: filepath.Join(t.TempDir(), "missing", "copies")})
	check(t, list[0], OK, "1 entry verified")
	check(t, list[1], Warning, "run ddbdesk journal resolve FILE, where FILE is the schema of shop")
	check(t, list[2], Warning, "run ddbdesk journal verify --against sink")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "shop", "shoq", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, Journal(path, nil)[0], Problem, "entry 1 was changed; run ddbdesk journal verify")
	if err := os.WriteFile(path+".head", []byte(`{"format":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := Journal(path, nil)[0]; f.State != Problem || f.Fix != "install the newer version" || !strings.Contains(f.Text, "format 9") {
		t.Errorf("a newer journal: got %s %s", f.State, f)
	}
}

func TestSchemasWithErrorsAreReported(t *testing.T) {
	check(t, Profiles(t.Context(), nil, nil)[0], OK, "no schemas of your own")
	path := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(path, []byte("name: shop\nno-such-word: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := profiles.Open(path, nil)
	list := Profiles(t.Context(), nil, errors.Join(nil, errors.Join(err, errors.New("other.yaml is ignored"))))
	check(t, list[0], Problem, "ddbdesk schema lint "+path)
	check(t, list[1], Problem, "other.yaml is ignored")
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, Profiles(t.Context(), []*profiles.Profile{p}, nil)[0], OK, "1 schema of your own, no errors, with")
}

// connect returns a connection to a local server.
func connect(t *testing.T, handler http.HandlerFunc) *store.Connection {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := store.Connect(t.Context(), store.Options{EndpointURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEndpoint(t *testing.T) {
	answer := func(id string, offset time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("the request contains credentials")
			}
			w.Header().Set("Date", time.Now().Add(offset).UTC().Format(http.TimeFormat))
			w.Header().Set("X-Amzn-Requestid", id)
		}
	}
	list := Endpoint(t.Context(), connect(t, answer("1", 0)))
	check(t, list[0], OK, "responds in")
	check(t, list[1], OK, "endpoint's")
	check(t, Endpoint(t.Context(), connect(t, answer("1", -time.Hour)))[1], Problem, "ahead of the endpoint")
	check(t, Endpoint(t.Context(), connect(t, answer("1", 2*time.Minute)))[1], Warning, "behind the endpoint")
	check(t, Endpoint(t.Context(), connect(t, answer("", 0)))[0], Problem, "is not a DynamoDB endpoint")
	unreachable, err := store.Connect(t.Context(), store.Options{EndpointURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	check(t, Endpoint(t.Context(), unreachable)[0], Problem, "cannot reach")
}

func TestCredentialsShowSourceWithoutSecrets(t *testing.T) {
	const secret = "wJalrXUtnFEMI"
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	c, err := store.Connect(t.Context(), store.Options{Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	f := Credentials(t.Context(), c, time.Now())
	check(t, f, OK, "from the environment")
	if strings.Contains(f.String(), secret) || strings.Contains(f.String(), "AKID") {
		t.Error(f)
	}
	if got := sourceName("SharedConfigCredentials: /home/ann/.aws/credentials"); got != "from /home/ann/.aws/credentials" {
		t.Error(got)
	}
	if got := sourceName("SomeProvider"); got != "from SomeProvider" {
		t.Error(got)
	}
	check(t, EmbeddedStore("no region"), OK, "(no region)")
	check(t, ConnectionProblem(&store.Error{Problem: "no AWS region is configured", Advice: "pass --region"}), Problem, "; pass --region")
}
