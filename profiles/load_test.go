package profiles_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestBuiltinProfilesLoad(t *testing.T) {
	schemas.Each(t, func(*testing.T, *profiles.Profile) {})
}
