// Package accesspatterns holds named questions: what a schema document calls
// its access patterns. A pattern binds parameters to a request, which can be
// printed, explained and run page by page over any store. It is pure: a request
// is run by the function that the caller gives.
package accesspatterns
