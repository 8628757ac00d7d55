package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// STS is away: the code that nobody has had is not asked for again as long as it
// is good, however often the request is tried.
func TestUnusedMFACodeIsReused(t *testing.T) {
	configure(t, roleProfile)
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, err := store.Connect(t.Context(), store.Options{
			Profile: "mfa", EndpointURL: "http://127.0.0.1:1", MFAToken: func() (string, error) { asked++; return "123456", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		fails := func() {
			if _, err := c.Reader().Tables(t.Context()); store.ClassOf(err) != store.Unreachable {
				t.Fatalf("got %v", err)
			}
		}
		from := time.Now()
		fails()
		if asked != 1 {
			t.Errorf("asked %d times within one request", asked)
		}
		for time.Since(from) < 40*time.Second {
			fails()
			time.Sleep(time.Second)
		}
		if asked != 1 {
			t.Errorf("asked %d times within %s", asked, time.Since(from))
		}
		time.Sleep(2 * time.Minute)
		fails()
		if asked != 2 {
			t.Errorf("asked %d times, the second long after the first", asked)
		}
	})
}
