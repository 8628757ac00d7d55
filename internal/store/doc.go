// Package store is everything that talks DynamoDB: it connects, sends the
// requests that other packages describe, retries what may be retried, and says
// in one sentence what went wrong and what a person can do about it.
//
// One code path serves AWS, DynamoDB Local and the in-process store, which is
// an HTTP client ([Doer]) of the same SDK. What a session may do is a type: a
// [Reader] has no method that writes.
//
// A [Writer] sends a change as one request that the store does as a whole or
// not at all. Requests and answers get lost: an error of Commit tells what is
// known, and never calls a conflict what may be the change's own work.
//
// [Connect] opens no connection yet. Requests report what they cost and each
// retry to the [Trace] of their context; a [Meter] adds these up.
package store
