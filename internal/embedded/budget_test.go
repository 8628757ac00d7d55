package embedded

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// stalled is a body that sends text and then waits until it is released.
type stalled struct {
	text    *strings.Reader
	arrived *sync.WaitGroup
	release chan struct{}
	waiting bool
}

func (s *stalled) Read(p []byte) (int, error) {
	if s.text.Len() > 0 {
		return s.text.Read(p)
	}
	if !s.waiting {
		s.waiting = true
		s.arrived.Done()
	}
	<-s.release
	return 0, io.EOF
}

func TestLargeBodiesShareABudget(t *testing.T) {
	const size, fit = 100 << 10, 4
	for name, declared := range map[string]int64{"declared length": size, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, Options{MaxBodies: fit*size + size/2})
			begin := func(body io.Reader) int {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://embedded.invalid/", body)
				if err != nil {
					t.Error(err)
					return 0
				}
				r.ContentLength = declared
				r.Header.Set("X-Amz-Target", targetPrefix+"ListTables")
				r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local")
				resp, err := s.Do(r)
				if err != nil {
					t.Error(err)
					return 0
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
				return resp.StatusCode
			}
			large := "{}" + strings.Repeat(" ", size-2)
			release := make(chan struct{})
			var arrived, ended sync.WaitGroup
			for range fit {
				arrived.Add(1)
				ended.Go(func() {
					if status := begin(&stalled{text: strings.NewReader(large), arrived: &arrived, release: release}); status != http.StatusOK {
						t.Errorf("a body within the budget: %d", status)
					}
				})
			}
			arrived.Wait()
			if status := begin(strings.NewReader(large)); status != http.StatusServiceUnavailable {
				t.Errorf("a body beyond the budget: %d, want 503", status)
			}
			if status, out := call(t, s, "ListTables", `{}`); status != http.StatusOK {
				t.Errorf("a small body beside the large ones: %d %s", status, out)
			}
			close(release)
			ended.Wait()
			if status := begin(strings.NewReader(large)); status != http.StatusOK {
				t.Errorf("a body after the others have ended: %d", status)
			}
		})
	}
}
