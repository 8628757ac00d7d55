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
)

// codes are the classes of error codes of DynamoDB and of AWS in general. Source: Amazon DynamoDB Developer Guide, "Error handling with
// DynamoDB", and the common errors of the API reference.
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

// classify uses the context of the failed call to distinguish its deadline from the timeouts of the HTTP client.
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
	case broken(err), isNetwork(err):
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
	case class == TransactionCancelled && onlyThrottled(err):
		return Throttled
	case class == Validation && strings.Contains(api.ErrorMessage(), "specified index"):
		// DynamoDB has no error code of its own for an unknown index.
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

// broken reports whether a connection ended during a request, which may succeed on a new one.
func broken(err error) bool {
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
	return hasType[net.Error](err) || hasType[*net.OpError](err) || refused(err) || rejectsTLS(err)
}

func rejectsTLS(err error) bool {
	return hasType[*tls.CertificateVerificationError](err) || hasType[tls.RecordHeaderError](err) || speaksPlain(err)
}

func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused")
}

func speaksPlain(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}
