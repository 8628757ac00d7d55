package store

import (
	"sync"
	"time"
)

// codeLasts is how long STS accepts a code: a device shows it for 30 seconds, and STS
// accepts it in the 30 seconds after.
const codeLasts = 60 * time.Second

// mfaCodes asks for MFA codes. A code that did not reach STS can be used again while it
// is valid.
type mfaCodes struct {
	ask func() (string, error)

	mu     sync.Mutex
	code   string
	given  time.Time
	unused bool // the last attempt did not reach STS
}

func newMFACodes(ask func() (string, error)) *mfaCodes {
	if ask == nil {
		return nil
	}
	return &mfaCodes{ask: ask}
}

func (c *mfaCodes) next() (string, error) {
	c.mu.Lock()
	code, valid := c.code, c.unused && time.Since(c.given) < codeLasts
	c.mu.Unlock()
	if valid {
		return code, nil
	}
	code, err := c.ask() // without the lock, which a canceled request must not wait for
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code, c.given, c.unused = code, time.Now(), false
	return code, err
}

func (c *mfaCodes) tried(err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unused = err != nil && c.code != "" && classifyCredentials(err) == Unreachable
}
