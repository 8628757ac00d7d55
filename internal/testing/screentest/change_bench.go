package screentest

import (
	"strings"
)

// Huge is a text of 300 KB that is hard to draw.
var Huge = strings.Repeat("\x1b[31mevil \u202e 長い \u200b", 300<<10/24)
