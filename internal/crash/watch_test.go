package crash

import (
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// The path of the report comes from the environment.
func TestWatcherWritesNoControlCharacters(t *testing.T) {
	message := instructions{Dir: filepath.Join(t.TempDir(), hostile.Text)}.report("panic: x\n")
	if acts := hostile.Acts(visible(message), ""); acts != "" {
		t.Errorf("the message contains %s", acts)
	}
}
