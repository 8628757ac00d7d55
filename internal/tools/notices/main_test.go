package main

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// The notices contain the current version of every module of the program on this system.
func TestNoticesNameEveryModule(t *testing.T) {
	text, err := os.ReadFile("../../../THIRD-PARTY-NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	list, err := modules("github.com/ddbdesk/ddbdesk/cmd/ddbdesk", runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	for module := range list {
		if !strings.Contains(string(text), "\n"+module+"\n") {
			t.Errorf("%s is not in THIRD-PARTY-NOTICES; run go generate ./cmd/ddbdesk", module)
		}
	}
	if len(list) < 20 {
		t.Errorf("got only %d modules, want at least 20", len(list))
	}
}
