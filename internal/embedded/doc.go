// Package embedded implements DynamoDB's HTTP API on one bbolt file. It does not depend on other packages of ddbdesk.
//
// A Store is an http.Handler for application/x-amz-json-1.0. It is also an in-process HTTP client ([Store.Do]), so that
// the ordinary AWS client works on a directory instead of a region:
//
//	store, err := embedded.Open(embedded.Options{Path: dir})
//	client := dynamodb.New(dynamodb.Options{HTTPClient: store, BaseEndpoint: aws.String("http://embedded.invalid"), ...})
//
// It matches DynamoDB in everything that a program can observe: expressions and the legacy parameters, exact numbers,
// key order, page limits, error names and messages, conditional and transactional writes. testdata/conformance lists
// this behavior request by request. It differs in two ways: tables and indexes are ACTIVE immediately, and it reports
// capacity but does not throttle requests.
//
// A request passes these layers, from the outside in:
//
//   - handler.go reads the request, finds its operation, and encodes the response or error.
//   - checks.go contains the constraints that the API model declares. Each input records its violated constraints
//     before the operation looks up the table, as in DynamoDB.
//   - Each operation has an input type, such as putItemInput, with the methods check and run. It plans reads and writes
//     of single items from the request alone (read.go, write.go), binds them to their table, and performs them alone,
//     in a batch or in a transaction.
//   - Package expression parses expressions and PartiQL statements into trees. legacy.go translates the legacy
//     parameters into the same trees; statement.go turns a statement into a page, a read or a write.
//   - schema.go contains the definition of a table and the checks of its keys.
//   - stream.go contains the definition of a stream and the operations that describe streams. stream_read.go appends
//     records in the transaction of their writes, reads them and removes old ones.
//   - storage.go contains the buckets of the file. commit.go combines concurrent writes into one transaction. keys.go
//     and package attribute define the format on disk. bucket.go verifies checksums, because bbolt has none.
//
// Package attribute implements the values of items, and package apierror the errors.
//
// Error names and messages are copies of DynamoDB's, including their mistakes, because programs and users compare them.
// testdata/conformance cites the AWS documentation for each case.
package embedded
