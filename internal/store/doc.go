// Package store is the only package that sends requests to DynamoDB. It connects, sends
// the requests that other packages describe, repeats them where that is safe, and turns
// every error into a text on what happened and one on what to do. It knows neither
// profiles nor sessions.
//
// AWS, DynamoDB Local and the embedded database are used through the same client of the SDK;
// the embedded database is an HTTP client ([Doer]) for it. Permissions are types: a [Reader]
// has no method that writes.
//
// A [Writer] sends a change as one request, which DynamoDB applies entirely or not at all.
// Requests and responses can get lost. The error of Commit then reports that the outcome
// is unknown, and never reports a conflict with the effect of the change itself.
//
// [Connect] sends nothing. Requests report their cost and each retry to the [Trace] of
// their context.
package store
