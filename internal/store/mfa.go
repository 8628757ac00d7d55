package store

import (
	"sync"
	"time"
)

// codeLasts is how long a code is good for: STS accepts that of the 30 seconds
// before as well.
const codeLasts = 60 * time.Second

// mfaCodes asks a person for codes. One that never reached STS is still unused: while
// it is good, the next try takes it instead of asking again.
type mfaCodes struct {
	ask func() (string, error)

	mu     sync.Mutex
	code   string
	given  time.Time
	unused bool // the last try did not reach STS
}

// newMFACodes returns nil when there is nobody to ask.
func newMFACodes(ask func() (string, error)) *mfaCodes {
	if ask == nil {
		return nil
	}
	return &mfaCodes{ask: ask}
}

// next returns the code for one try.
func (c *mfaCodes) next() (string, error) {
	c.mu.Lock()
	code, good := c.code, c.unused && time.Since(c.given) < codeLasts
	c.mu.Unlock()
	if good {
		return code, nil
	}
	code, err := c.ask() // A person takes their time; who gives up must not wait.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code, c.given, c.unused = code, time.Now(), false
	return code, err
}

// tried learns how a try to get credentials ended.
func (c *mfaCodes) tried(err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unused = err != nil && c.code != "" && classifyCredentials(err) == Unreachable
}
