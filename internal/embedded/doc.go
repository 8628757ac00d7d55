// Package embedded implements DynamoDB's HTTP API on one bbolt file. It knows nothing of
// ddbdesk and imports none of its packages.
//
// A Store is an http.Handler that speaks application/x-amz-json-1.0. It is also an
// in-process HTTP client ([Store.Do]), so that the ordinary AWS client works on a
// directory instead of a region:
//
//	store, err := embedded.Open(embedded.Options{Path: dir})
//	client := dynamodb.New(dynamodb.Options{HTTPClient: store, BaseEndpoint: aws.String("http://embedded.invalid"), ...})
//
// It behaves like the service where a program can observe the difference: expressions and
// the legacy parameters, exact numbers, key order, page limits, error names and messages,
// conditional and transactional writes. testdata/conformance lists this behavior request by
// request. The differences: tables and indexes are ACTIVE immediately, and capacity is
// reported but not throttled.
//
// The layers, from the outside in: handler.go (HTTP and dispatch); one file for each
// operation; expressions (lexer, parser, check, eval, update, projection; legacy translates
// the old parameters into the same trees); schema.go (tables and their keys); storage.go
// (the only file that uses bbolt); keys.go and binary.go (the format on disk).
package embedded
