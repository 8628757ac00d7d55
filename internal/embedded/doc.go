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
// A request passes these layers, from the outside in:
//
//   - handler.go reads the request, finds its operation, and encodes the response or error.
//   - checks.go has the constraints that the API model declares. Each input records those that
//     it violates before the table is looked up, as in the service.
//   - One type for each operation, such as putItemInput, with its methods check and run. Reads
//     and writes of single items are planned from the request alone (read.go, write.go), then
//     bound to their table, and performed alone, in a batch or in a transaction.
//   - Package expression reads expressions and PartiQL statements into trees. legacy.go translates the
//     parameters that expressions replaced into the same trees; statement.go turns a statement
//     into a page, a read or a write.
//   - schema.go has the definition of a table and the checks of its keys.
//   - stream.go has the definition of a stream and the operations that describe streams; stream_read.go appends the records
//     in the transaction of their writes, reads them and removes old ones.
//   - storage.go has the buckets of the file. commit.go combines concurrent writes into one
//     transaction. keys.go and package attribute define the format on disk. bucket.go verifies the
//     checksums of what is read, which bbolt does not have.
//
// Package attribute has the values of items, and package apierror the errors.
//
// Names and messages of errors are the service's, mistakes included, because programs and their
// users compare them. testdata/conformance says of each case what AWS documents.
package embedded
