package notify_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/notify"
)

var event = map[string]string{"event": "requested", "id": "20261123-0845-k3xw9q", "note": "two\nlines"}

// The test program is the command: it writes its input to the file of its argument.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "tell" {
		text, err := io.ReadAll(os.Stdin)
		if err == nil {
			err = os.WriteFile(os.Args[2], text, 0o600)
		}
		if err != nil {
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func told(t *testing.T, text []byte) {
	t.Helper()
	var got map[string]string
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(event, got); diff != "" {
		t.Errorf("(-sent +told)\n%s", diff)
	}
}

// Arguments are passed as they are: a shell would interpret this name.
func TestCommandReadsTheEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a; exit 7 $(id)")
	target := notify.Target{Command: []string{os.Args[0], "tell", path}}
	if err := target.Send(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	told(t, text)
}

func TestURLReceivesTheEvent(t *testing.T) {
	var text []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ = io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer s.Close()
	if err := (notify.Target{URL: s.URL}).Send(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	told(t, text)
}

// Errors do not contain the arguments of a command or the path of a URL.
func TestFailuresAreReportedWithoutSecrets(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	gone := s.URL
	defer s.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	missing := filepath.Join(os.Args[0], "s3cret") // below a file there is nothing, for root too
	for _, c := range []struct {
		target notify.Target
		want   string
	}{
		{notify.Target{Command: []string{filepath.Join(os.Args[0], "program"), "s3cret"}}, "program"},
		{notify.Target{Command: []string{os.Args[0], "tell", missing}}, "exit status 3"},
		{notify.Target{URL: gone + "/s3cret"}, "404"},
		{notify.Target{URL: closed.URL + "/s3cret"}, "refused"},
		{notify.Target{URL: "http://[::1/s3cret"}, "invalid"},
	} {
		err := c.target.Send(t.Context(), event)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v: %v, want %q and no secret", c.target, err, c.want)
		}
	}
}
