// Package accesspatterns turns the access patterns of a schema document into requests. Binding the parameters of a
// [Pattern] returns a [Request], an immutable value that can be displayed, explained, copied as code and read. In the
// other direction, it decodes keys and relates items to patterns.
//
// The package determines which items are read, in which order, and where reading continues. It does no I/O: the
// caller's [Fetch] sends the requests. Connections, roles, masking and the YAML of schemas belong to other packages.
package accesspatterns
