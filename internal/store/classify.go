package store

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// codes are the error codes of DynamoDB and of AWS in general that have a class
// of their own. Source: Amazon DynamoDB Developer Guide, "Error handling with
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
	"RequestExpired":                           NoCredentials, // by the clock, not the token
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
	"TransactionConflictException":             Throttled,
	"ReplicatedWriteConflictException":         Throttled,
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

// classify says what kind of failure err is. ctx is that of the failed call:
// a deadline inside the SDK's client is not the caller's.
func classify(ctx context.Context, err error) Class {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return Canceled
	}
	var own *Error
	if errors.As(err, &own) {
		return own.Class
	}
	var credentials *credentialsError
	if errors.As(err, &credentials) {
		return classifyCredentials(credentials.err)
	}
	var answer *answerError
	if errors.As(err, &answer) {
		return answer.class()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return classifyAPI(api, err)
	}
	if broken(err) || isNetwork(err) {
		return Unreachable
	}
	var undecodable *smithy.DeserializationError
	if errors.As(err, &undecodable) {
		return Captive
	}
	return Service
}

func classifyAPI(api smithy.APIError, err error) Class {
	code := api.ErrorCode()
	class, known := codes[code]
	switch {
	case class == Validation && strings.Contains(api.ErrorMessage(), "specified index"):
		// DynamoDB has no error code of its own for an unknown index.
		return IndexMissing
	case known:
		return class
	}
	if _, throttle := retry.DefaultThrottleErrorCodes[code]; throttle {
		return Throttled
	}
	if status(err) == http.StatusTooManyRequests {
		return Throttled
	}
	return Service
}

// status returns the HTTP status that err carries, 0 without one.
func status(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

// broken reports whether a connection ended in the middle of an exchange: the
// same request may well succeed on a new one.
func broken(err error) bool {
	if errors.Is(err, errChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return true
	}
	// These come without a type, some from net/http and some from the SDK's parser.
	text := err.Error()
	for _, sign := range []string{
		"use of closed network connection", "connection reset", "server closed idle connection",
		"unexpected end of JSON input", "unterminated string", "unexpected EOF", "malformed HTTP response",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

func isNetwork(err error) bool {
	var network net.Error
	var operation *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &network) || errors.As(err, &operation) || errors.As(err, &certificate) ||
		errors.As(err, &record) || refused(err) || speaksPlain(err)
}

// refused reports whether nobody listens at the endpoint.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused")
}

// speaksPlain reports whether an https endpoint answered without TLS.
func speaksPlain(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}
