// Package store is the only package that talks to DynamoDB: it connects, sends the
// requests that other packages describe, retries them where that is safe, and turns
// every failure into one sentence on what went wrong and one on what to do. It knows
// neither profiles nor sessions.
//
// One code path serves AWS, DynamoDB Local and the embedded store, which is an HTTP
// client ([Doer]) of the same SDK. Permissions are types: a [Reader] has no method
// that writes.
//
// A [Writer] sends a change as one request, which DynamoDB applies entirely or not at
// all. Requests and responses can get lost: the error of Commit reports what is
// known, and never calls the change's own effect a conflict.
//
// [Connect] opens no connection yet. Requests report their cost and each retry to the
// [Trace] of their context.
package store
