package profiles_test

import (
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// sampleNow is the moment at which the samples of these tests are taken.
var sampleNow = time.Date(2026, 1, 14, 10, 30, 0, 0, time.UTC)

// open loads a built-in profile.
func open(t testing.TB, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// samples returns sample items, as of sampleNow unless o says otherwise.
func samples(t testing.TB, p *profiles.Profile, o sample.Options) []sample.Item {
	t.Helper()
	if o.At.IsZero() {
		o.At = sampleNow
	}
	list, err := sample.Items(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// everyProfile runs f for every built-in profile.
func everyProfile(t *testing.T, f func(t *testing.T, p *profiles.Profile)) {
	t.Helper()
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) { f(t, open(t, name)) })
	}
}

func TestBuiltinProfilesLoad(t *testing.T) {
	everyProfile(t, func(*testing.T, *profiles.Profile) {})
}
