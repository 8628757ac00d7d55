// Package pages returns memory that holds parts of the program's own file. It has nothing to initialize and imports no other
// package of ddbdesk, so that the process that waits for a crash can use it.
package pages
