package store

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Class is the kind of an [Error]. It determines the exit code, the text on the screen, and whether to repeat a
// request.
type Class string

// These are the classes.
const (
	Throttled            Class = "throttled"             // still throttled after all retries
	Conflict             Class = "conflict"              // another request was changing the item during all attempts
	ConditionFailed      Class = "condition failed"      // a conditional write wrote nothing
	TransactionCancelled Class = "transaction cancelled" // a transaction wrote nothing
	AccessDenied         Class = "access denied"
	ExpiredCredentials   Class = "expired credentials"
	NoCredentials        Class = "no credentials" // none found, or rejected
	Region               Class = "region"         // rejected by the region guardrail
	TableMissing         Class = "table missing"
	TableExists          Class = "table exists"
	IndexMissing         Class = "index missing"
	StreamOff            Class = "stream off"  // the table has no stream, or it is disabled
	Validation           Class = "validation"  // the store rejected the request as invalid
	Unreachable          Class = "unreachable" // no connection, or a broken one
	Captive              Class = "captive"     // the response did not come from DynamoDB
	Canceled             Class = "canceled"    // the caller's context ended
	Service              Class = "service"     // error within the store
	Config               Class = "config"      // invalid AWS configuration
)

// ErrRegion means that a region is not allowed. Errors of Connect wrap it.
var ErrRegion = errors.New("region not allowed")

// ErrNoMFACode is the error that Options.MFAToken returns if there is no code.
var ErrNoMFACode = errors.New("no MFA code given")

// An Error is the type of all errors of this package. Its text is one printable line without item data.
type Error struct {
	Class     Class
	Operation string // API operation, or "" before the first request
	Table     string // "" if the error concerns no table
	Index     string // "" if the error concerns no index
	Problem   string // the problem
	Advice    string // remedy for the user, or ""
	Err       error  // SDK error

	// SignIn is the command that renews expired credentials; nil if unknown. It must not run without the user's
	// consent.
	SignIn []string

	// Failures contains the failed writes of a commit in the order of the change, if the store returns them.
	Failures          []Failure
	hasUnknownOutcome bool // the store may have written the change; see Outcome
}

// Error returns Problem and Advice on one line. The line contains no account ID and no value of an item, so callers may
// show, log and journal it.
func (e *Error) Error() string {
	text := e.Problem
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return models.Printable(text)
}

// Unwrap returns the SDK error. Callers must not show its text, which may quote account IDs and item data.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an *Error, which may be wrapped. It returns "" for any other error.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// codes maps error codes of DynamoDB, and of AWS in general, to classes. Source: Amazon DynamoDB Developer Guide,
// "Error handling with DynamoDB", and the common errors in the API reference.
var codes = map[string]Class{
	"ConditionalCheckFailedException":          ConditionFailed,
	"TransactionCanceledException":             TransactionCancelled,
	"AccessDeniedException":                    AccessDenied,
	"AccessDenied":                             AccessDenied,
	"UnauthorizedOperation":                    AccessDenied,
	"NotAuthorized":                            AccessDenied,
	"OptInRequired":                            AccessDenied,
	"ExpiredToken":                             ExpiredCredentials,
	"ExpiredTokenException":                    ExpiredCredentials,
	"RequestExpired":                           NoCredentials, // because of the clock, not the token
	"RequestInTheFuture":                       NoCredentials,
	"RequestTimeTooSkewed":                     NoCredentials,
	"UnrecognizedClientException":              NoCredentials,
	"InvalidClientTokenId":                     NoCredentials,
	"InvalidSignatureException":                NoCredentials,
	"SignatureDoesNotMatch":                    NoCredentials,
	"IncompleteSignature":                      NoCredentials,
	"IncompleteSignatureException":             NoCredentials,
	"MissingAuthenticationToken":               NoCredentials,
	"MissingAuthenticationTokenException":      NoCredentials,
	"ResourceNotFoundException":                TableMissing,
	"TableNotFoundException":                   TableMissing,
	"ResourceInUseException":                   TableExists,
	"TableAlreadyExistsException":              TableExists,
	"IndexNotFoundException":                   IndexMissing,
	"ValidationException":                      Validation,
	"ValidationError":                          Validation,
	"SerializationException":                   Validation,
	"ItemCollectionSizeLimitExceededException": Validation,
	"IdempotentParameterMismatchException":     Validation,
	"RequestEntityTooLargeException":           Validation,
	"UnknownOperationException":                Captive,
	"TransactionConflictException":             Conflict,
	"ReplicatedWriteConflictException":         Conflict,
	"TransactionInProgressException":           Throttled,
	"ProvisionedThroughputExceededException":   Throttled,
	"InternalServerError":                      Service,
	"InternalServerErrorException":             Service,
	"InternalFailure":                          Service,
	"ServiceUnavailable":                       Service,
	"ServiceUnavailableException":              Service,
	"LimitExceededException":                   Service,
	"PolicyNotFoundException":                  Service,
	"InvalidEndpointException":                 Service,
	"InvalidAction":                            Captive,
	"UnsupportedOperation":                     Validation,
}

func hasType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// classify uses the context of the failed call to distinguish the call's deadline from the HTTP client's timeouts.
func classify(ctx context.Context, err error) Class {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return Canceled
	}
	if storeErr, ok := errors.AsType[*Error](err); ok {
		return storeErr.Class
	}
	if e, ok := errors.AsType[*credentialsError](err); ok {
		return classifyCredentials(e.err)
	}
	if answer, ok := errors.AsType[*answerError](err); ok {
		return answer.class()
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return classifyAPI(api, err)
	}
	switch {
	case isBrokenConnection(err), isNetwork(err):
		return Unreachable
	case hasType[*smithy.DeserializationError](err):
		return Captive
	}
	return Service
}

func classifyAPI(api smithy.APIError, err error) Class {
	code := api.ErrorCode()
	class, known := codes[code]
	switch {
	case class == TransactionCancelled && isOnlyThrottled(err):
		return Throttled
	case class == Validation && strings.Contains(api.ErrorMessage(), "specified index"):
		// DynamoDB has no separate error code for an unknown index.
		return IndexMissing
	case known:
		return class
	}
	if _, throttle := retry.DefaultThrottleErrorCodes[code]; throttle || httpStatus(err) == http.StatusTooManyRequests {
		return Throttled
	}
	return Service
}

func httpStatus(err error) int {
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return 0
}

// isBrokenConnection reports whether a connection ended during a request that may succeed on a new connection.
func isBrokenConnection(err error) bool {
	if errors.Is(err, errChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return true
	}
	// These errors of net/http and of the SDK's parser have no type.
	return slices.ContainsFunc([]string{
		"use of closed network connection", "connection reset", "server closed idle connection",
		"unexpected end of JSON input", "unterminated string", "unexpected EOF", "malformed HTTP response",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

func isNetwork(err error) bool {
	return hasType[net.Error](err) || hasType[*net.OpError](err) || isRefused(err) || rejectsTLS(err)
}

func rejectsTLS(err error) bool {
	return hasType[*tls.CertificateVerificationError](err) || hasType[tls.RecordHeaderError](err) || isPlainHTTP(err)
}

func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused")
}

func isPlainHTTP(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// Denied returns the permission that is missing to access a table. For a transaction, it is the permission in AWS's
// message; ok is false if the message does not contain one. A change may need further permissions, so the next attempt
// may be denied for another action.
func (e *Error) Denied() (p accesspatterns.Permission, ok bool) {
	if e.Class != AccessDenied || hasType[*credentialsError](e.Err) {
		return p, false
	}
	if e.Operation != "TransactWriteItems" {
		denied := accesspatterns.Permission{Action: "dynamodb:" + e.Operation, Table: e.Table, Index: e.Index}
		return denied, e.Table != "" || e.Operation == "ListTables"
	}
	text := e.message()
	action, resource := deniedAction().FindStringSubmatch(text), deniedResource().FindStringSubmatch(text)
	if action == nil || resource == nil || !strings.HasPrefix(action[1], "dynamodb:") {
		return p, false
	}
	return accesspatterns.Permission{Action: action[1], Table: strings.TrimRight(resource[1], ".,")}, true
}

// Explicit reports whether a policy explicitly denies the access, so that no other policy can allow it. Source: AWS
// Identity and Access Management User Guide, "Policy evaluation logic".
func (e *Error) Explicit() bool {
	return e.Class == AccessDenied && strings.Contains(e.message(), "explicit deny")
}

// message returns the service's message, which callers must not show.
func (e *Error) message() string {
	if api, ok := errors.AsType[smithy.APIError](e.Err); ok {
		return api.ErrorMessage()
	}
	return ""
}
