//go:build !man

package main

import "github.com/spf13/cobra"

//go:generate go run -tags man . reference ../../docs/command-reference.md

// addDocumentCommands adds nothing: see man.go.
func addDocumentCommands(*cobra.Command) {}
