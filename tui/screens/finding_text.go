// This file puts findings into words. Every screen that shows one takes them
// from here.

package screens

import "github.com/ddbdesk/ddbdesk/accesspatterns"

// findingTitle says in a few words what goes wrong.
func findingTitle(f *accesspatterns.Finding) string { return f.Text }
