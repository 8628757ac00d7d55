// Command genschema writes the JSON Schema of profiles to the file that it is
// given.
package main

import (
	"fmt"
	"os"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: genschema FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], profiles.JSONSchema(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "genschema:", err)
		os.Exit(1)
	}
}
