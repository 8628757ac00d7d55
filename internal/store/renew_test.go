package store_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// expiring is a DynamoDB endpoint that accepts only the credentials with an access key, and the service that issues
// credentials. The first ones are issue1; later ones are issueN if renews is set.
func expiring(t *testing.T, accepts string, renews bool) (c *store.Connection, requests, issued *atomic.Int32) {
	t.Helper()
	configure(t, roleProfile)
	requests, issued = new(atomic.Int32), new(atomic.Int32)
	answerSTS(t, func(w http.ResponseWriter, _ *http.Request) {
		n := issued.Add(1)
		if !renews {
			n = 1
		}
		fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>`+
			`<AccessKeyId>issue%d</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`+
			`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`, n)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if !strings.Contains(r.Header.Get("Authorization"), "Credential="+accepts+"/") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}`)
			return
		}
		fmt.Fprint(w, `{"TableNames":[],"ConsumedCapacity":[]}`)
	}))
	t.Cleanup(server.Close)
	c, err := store.Connect(t.Context(), store.Options{Profile: "role", EndpointURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c, requests, issued
}

// Credentials that expire in a session are renewed once, and the request is sent again with the new ones.
func TestExpiredCredentialsAreRenewedOnce(t *testing.T) {
	c, requests, issued := expiring(t, "issue2", true)
	if _, err := c.Reader().Tables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if requests.Load() != 2 || issued.Load() != 2 {
		t.Errorf("%d requests with %d credentials, want 2 with 2", requests.Load(), issued.Load())
	}
}

// A write that was refused for its credentials had no effect, so it may be repeated after the renewal.
func TestCommitIsRepeatedAfterARenewal(t *testing.T) {
	c, requests, _ := expiring(t, "issue2", true)
	if _, err := c.Writer().Commit(t.Context(), approve()); err != nil && store.ClassOf(err) == store.ExpiredCredentials {
		t.Error(err)
	}
	if requests.Load() != 2 {
		t.Errorf("%d requests, want 2", requests.Load())
	}
}

// Without other credentials, nothing is sent again, and one line says what to do.
func TestExpiredCredentialsThatCannotBeRenewedAreReported(t *testing.T) {
	for name, renews := range map[string]bool{"the same ones": false, "others that are refused, too": true} {
		t.Run(name, func(t *testing.T) {
			c, requests, _ := expiring(t, "none", renews)
			_, err := c.Writer().Commit(t.Context(), approve())
			wantFailure(t, err, store.ExpiredCredentials, store.NotWritten)
			want := int32(1)
			if renews {
				want = 2
			}
			if requests.Load() != want || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "credentials expired") {
				t.Errorf("%d requests, want %d: %v", requests.Load(), want, err)
			}
		})
	}
}
