// Package embedded answers DynamoDB's HTTP API from one bbolt file.
//
// A Store is an http.Handler that speaks application/x-amz-json-1.0, and at the
// same time an in-process HTTP client ([Store.Do]), so that the ordinary AWS
// client can be pointed at a directory instead of at a region:
//
//	store, err := embedded.Open(embedded.Options{Path: dir})
//	client := dynamodb.New(dynamodb.Options{HTTPClient: store, BaseEndpoint: aws.String("http://embedded.invalid"), ...})
//
// It follows the service where a program can tell the difference: the expression
// language and the parameters from before it, exact numbers, key order, page limits,
// error names and messages, conditional and transactional writes. The conformance
// suite in testdata/conformance says what that is, request by request. It differs where waiting would be the only
// effect: tables and indexes are ACTIVE at once, and capacity is reported but
// never throttled.
//
// The layers, from the outside in: handler.go (HTTP and dispatch), one file an
// operation, expression files (lexer, parser, check, eval, update, projection; legacy
// translates the old parameters into the same trees),
// schema.go (tables and their keys), storage.go (the only file that knows bbolt)
// and keys.go, binary.go (bytes on disk).
package embedded
