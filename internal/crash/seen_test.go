package crash

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/hostile"
)

// The folder of the crash file is named by the environment.
func TestTheWatcherSaysNothingATerminalObeys(t *testing.T) {
	f := order{Dir: "/nowhere/" + hostile.Text}.failure("panic: x\n")
	if acts := hostile.Acts(seen(f.Error()), ""); acts != "" {
		t.Errorf("it says %s", acts)
	}
}
