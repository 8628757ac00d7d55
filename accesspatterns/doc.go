// Package accesspatterns turns the access patterns of a schema document into
// requests. Binding the parameters of a [Pattern] gives a [Request], an immutable
// value that can be displayed, explained, copied as code and read. Decoding a key
// and relating an item to patterns are the way back from data to patterns.
//
// The package decides which items are read, in which order, and where reading
// continues. It does no I/O: a [Fetch] of the caller sends the requests.
// Connections, roles, masking and the YAML of schemas belong to other packages.
package accesspatterns
