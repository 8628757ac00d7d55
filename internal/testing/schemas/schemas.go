// Package schemas opens the built-in schemas and their sample items for tests that need no database. Package fixture
// serves tests that need one.
package schemas

import (
	"sync"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Now is the default time of sample items.
var Now = time.Date(2026, 1, 14, 10, 30, 0, 0, time.UTC)

// Open opens a built-in schema.
func Open(t testing.TB, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var shared struct {
	sync.Mutex
	opened map[string]*profiles.Profile
}

// Shared opens a built-in schema once for all tests of the process. They must not change it.
func Shared(t testing.TB, name string) *profiles.Profile {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.opened == nil {
		shared.opened = map[string]*profiles.Profile{}
	}
	if shared.opened[name] == nil {
		shared.opened[name] = Open(t, name)
	}
	return shared.opened[name]
}

// Each runs f in a subtest for every built-in schema.
func Each(t *testing.T, f func(t *testing.T, p *profiles.Profile)) {
	t.Helper()
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) { f(t, Open(t, name)) })
	}
}

// Samples returns sample items of a schema.
func Samples(t testing.TB, p *profiles.Profile, o sample.Options) []sample.Item {
	t.Helper()
	if o.At.IsZero() {
		o.At = Now
	}
	list, err := sample.Items(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
