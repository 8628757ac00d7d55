package main

import _ "embed"

// examplesFile holds the examples of each command, below a line with its path in brackets.
//
//go:embed examples.txt
var examplesFile string
