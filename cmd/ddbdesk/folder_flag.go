// The folder of --embedded belongs behind a =, because the flag stands alone as
// well. Who leaves a blank there gets to know that, instead of an error about an
// argument too many, or an answer about a key that is called like a folder.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// misplacedFolder is the error about a folder that follows --embedded, nil when
// what follows is something else.
func misplacedFolder(args []string) error {
	at := slices.Index(args, "--embedded")
	if at < 0 || at+1 == len(args) || slices.Contains(args[:at], "--") || strings.HasPrefix(args[0], "__complete") {
		return nil
	}
	if next := args[at+1]; folder(next) {
		return usageErrorf("--embedded takes its folder behind a =: --embedded=%s", models.Printable(next))
	}
	return nil
}

// folder reports whether a word is a folder, or a path that is no file.
func folder(word string) bool {
	info, err := os.Stat(word)
	if err == nil {
		return info.IsDir()
	}
	return filepath.IsAbs(word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/")
}
