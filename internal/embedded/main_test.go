package embedded

import (
	"os"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/memory"
)

func TestMain(m *testing.M) { os.Exit(memory.Run(m)) }
