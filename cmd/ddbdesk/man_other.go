//go:build !man

package main

import "github.com/spf13/cobra"

//go:generate go run -tags man . reference ../../docs/command-reference.md
//go:generate go run ../../internal/tools/notices -out ../../THIRD-PARTY-NOTICES

func addDocumentCommands(*cobra.Command) {}
