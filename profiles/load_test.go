package profiles_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestBuiltinProfilesLoad(t *testing.T) {
	for _, name := range profiles.Names() {
		t.Run(name, func(t *testing.T) {
			if _, err := profiles.Open(name, nil); err != nil {
				t.Fatalf("%v", err)
			}
		})
	}
}
