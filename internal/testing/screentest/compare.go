package screentest

import (
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// EverySize are the terminal sizes that every screen must support.
var EverySize = map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}, "200x60": {W: 200, H: 60}}
