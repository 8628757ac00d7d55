// Package accesspatterns turns the access patterns of a schema document into
// requests. Binding the parameters of a [Pattern] gives a [Request], an immutable
// value that can be displayed, explained, copied as code and read. Decoding a key
// and relating an item to patterns are the way back from data to patterns.
//
// What belongs here: what is read, in which order, and where reading continues.
// What does not: sending requests, which a [Fetch] of the caller does; connections,
// roles and masking; the YAML of profiles. The package does no I/O.
package accesspatterns
