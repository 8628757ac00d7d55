// Package store is the only package that sends requests to DynamoDB. It connects, sends the requests that other
// packages describe, and repeats them if that is safe. It converts every error to two texts: the problem and the
// remedy. It does not depend on profiles or sessions.
//
// AWS, DynamoDB Local and the embedded database use the same SDK client; the embedded database is its HTTP client
// ([Doer]). Permissions are types: a [Reader] has no method that writes.
//
// A [Writer] sends a change as one request, which DynamoDB applies entirely or not at all. If a request or a response
// is lost, the error of Commit reports that the outcome is unknown. It never reports a conflict with the effect of the
// change itself.
//
// [Connect] sends nothing. Requests report their cost and each retry to the [Trace] of their context.
package store
