// Package applying is what the commands that write do with a change or a sweep that is planned: print it, ask at the
// terminal, apply it, and print what happened in each output format, with the exit code.
//
// How a change is planned and committed belongs in [github.com/ddbdesk/ddbdesk/internal/changes] and
// [github.com/ddbdesk/ddbdesk/internal/sweep]; flags belong in the commands.
package applying
