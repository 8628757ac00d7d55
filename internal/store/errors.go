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

// A Class is the kind of an [Error]. It determines the exit code, the text on the screen and whether a request is
// repeated.
type Class string

// The classes.
const (
	Throttled            Class = "throttled"             // still throttled after all retries
	Conflict             Class = "conflict"              // another request was changing the item during all retries
	ConditionFailed      Class = "condition failed"      // a conditional write wrote nothing
	TransactionCancelled Class = "transaction cancelled" // a transaction wrote nothing
	AccessDenied         Class = "access denied"
	ExpiredCredentials   Class = "expired credentials"
	NoCredentials        Class = "no credentials" // none found, or rejected
	Region               Class = "region"         // rejected by the region guardrail
	TableMissing         Class = "table missing"
	TableExists          Class = "table exists"
	IndexMissing         Class = "index missing"
	StreamOff            Class = "stream off"  // the table has no stream, or it was disabled
	Validation           Class = "validation"  // the store rejected the request as invalid
	Unreachable          Class = "unreachable" // no connection, or a broken one
	Captive              Class = "captive"     // the response is not from DynamoDB
	Canceled             Class = "canceled"    // the context of the caller ended
	Service              Class = "service"     // error of the store itself
	Config               Class = "config"      // invalid AWS configuration
)

// ErrRegion is wrapped by the error of Connect for a region that is not allowed.
var ErrRegion = errors.New("region not allowed")

// ErrNoMFACode is the error that Options.MFAToken returns without a code.
var ErrNoMFACode = errors.New("no MFA code given")

// An Error is the type of all errors of this package. Its text is one printable line
// without item data.
type Error struct {
	Class     Class
	Operation string // API operation, "" before the first request
	Table     string // "" for an error without a table
	Index     string // "" for an error without an index
	What      string // what happened
	Advice    string // remedy for the user, "" for none
	Err       error  // error of the SDK

	// SignIn is the command that renews expired credentials, nil if none is known. It
	// must not run without the consent of the user.
	SignIn []string

	// Failures are the failed writes of a commit in the order of the change, if the store names them.
	Failures []Failure
	unclear  bool // the change may have been written; see Outcome
}

// Error returns What and Advice as one line. The line contains no account ID and no value of an
// item, so it can be shown, logged and journaled.
func (e *Error) Error() string {
	text := e.What
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return models.Printable(text)
}

// Unwrap returns the error of the SDK. Its text must not be shown: it may quote account
// IDs and item data.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error of this package, "" for any other error. It finds an
// *Error that is wrapped.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// codes maps error codes of DynamoDB and of AWS in general to classes. Source: Amazon DynamoDB Developer Guide, "Error
// handling with DynamoDB", and the common errors of the API reference.
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

// classify uses the context of the failed call to distinguish its deadline from the HTTP client's timeouts.
func classify(ctx context.Context, err error) Class {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return Canceled
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Class
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
	if _, throttle := retry.DefaultThrottleErrorCodes[code]; throttle || status(err) == http.StatusTooManyRequests {
		return Throttled
	}
	return Service
}

func status(err error) int {
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

// Denied returns the missing permission if access to a table was denied. For a transaction it is the permission in
// AWS's message; ok is false if the message contains none. The change may need further permissions: the next attempt
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

// Explicit reports whether a policy denies the access explicitly, so that no other policy can allow it. Source: AWS
// Identity and Access Management User Guide, "Policy evaluation logic".
func (e *Error) Explicit() bool {
	return e.Class == AccessDenied && strings.Contains(e.message(), "explicit deny")
}

// message returns the service's message, which must not be shown.
func (e *Error) message() string {
	if api, ok := errors.AsType[smithy.APIError](e.Err); ok {
		return api.ErrorMessage()
	}
	return ""
}
