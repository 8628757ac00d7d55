package crash

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// The folder of the crash file is named by the environment.
func TestTheWatcherSaysNothingATerminalObeys(t *testing.T) {
	said := order{Dir: "/nowhere/" + hostile.Text}.said("panic: x\n")
	if acts := hostile.Acts(seen(said), ""); acts != "" {
		t.Errorf("it says %s", acts)
	}
}
