// Package apierror contains DynamoDB's error responses. It copies names and messages exactly, including their mistakes,
// because programs and users compare them.
package apierror

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// These are the namespaces of error names: one for operations, and one for the protocol layer, which runs before them.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const (
	DynamoErrors = "com.amazonaws.dynamodb.v20120810#"
	CoralErrors  = "com.amazon.coral.service#"
)

// Error is an error response with DynamoDB's own name and message. WrongKey and FailsTransaction change their argument,
// so pass them a new error: some errors are package variables that all requests share.
type Error struct {
	Status           int
	Name             string // including its namespace, as in __type
	Message          string
	Item             json.Marshaler // ConditionalCheckFailedException with ReturnValuesOnConditionCheckFailure
	Reasons          any            // TransactionCanceledException
	WrongKey         bool           // the key of an item is missing or has another type
	FailsTransaction bool           // fails the whole transaction, not one action with a reason
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Code returns the short error name for one action of a transaction or one statement of a batch.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
func (e *Error) Code() string {
	name := strings.TrimSuffix(e.Name[strings.LastIndex(e.Name, "#")+1:], "Exception")
	if name == "Validation" {
		return "ValidationError"
	}
	return name
}

// Invalid returns a ValidationException.
func Invalid(format string, args ...any) *Error {
	return &Error{
		Status: http.StatusBadRequest, Name: "com.amazon.coral.validate#ValidationException",
		Message: fmt.Sprintf(format, args...),
	}
}

// InvalidParameter returns a ValidationException for well-formed values that are not allowed. All of them share a
// message prefix.
func InvalidParameter(format string, args ...any) *Error {
	return Invalid("One or more parameter values were invalid: "+format, args...)
}

// TooDeep returns the error for an item with more than 32 nested levels.
func TooDeep() *Error {
	return Invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
}

// Refused returns an error that DynamoDB's API model declares.
func Refused(name, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Name: DynamoErrors + name, Message: fmt.Sprintf(format, args...)}
}

// Protocol returns the error for a request that is invalid before any operation runs.
func Protocol(name, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Name: CoralErrors + name, Message: message}
}

// Unreadable returns the error for a body that is not valid JSON for the operation's input.
func Unreadable(message string) *Error { return Protocol("SerializationException", message) }

// Internal returns the error for a fault of the store. err must not contain item data. The handler returns it for every
// error that is not an *Error, so programs never see a raw file system error.
func Internal(err error) *Error {
	return &Error{
		Status: http.StatusInternalServerError, Name: DynamoErrors + "InternalServerError",
		Message: "Internal server error: " + err.Error(),
	}
}

// ConditionFailed returns the error for a condition that is false.
func ConditionFailed() *Error {
	return Refused("ConditionalCheckFailedException", "The conditional request failed")
}

// DuplicateItem returns the error for an INSERT of an existing item.
func DuplicateItem() *Error {
	return Refused("DuplicateItemException", "Duplicate primary key exists in table")
}

// KeyDoesNotMatch returns the error for a Key that does not have exactly the key attributes of the table.
func KeyDoesNotMatch() *Error {
	return Invalid("The provided key element does not match the schema")
}

// WrongKey marks the error of an item whose key is missing or has another type.
func WrongKey(e *Error) *Error {
	e.WrongKey = true
	return e
}

// FailsTransaction marks the error of a key value that fails the whole transaction.
func FailsTransaction(e *Error) *Error {
	e.FailsTransaction = true
	return e
}

// TableMissing returns the error for a table or index that does not exist. Operations on tables use another error,
// which names the table.
func TableMissing() *Error {
	return Refused("ResourceNotFoundException", "Requested resource not found")
}

// SeveralTypes returns the error for a value with several types, and for a write in a batch that is both a put and a
// delete.
func SeveralTypes() *Error {
	return Invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
}

// MessageOf returns the message of an error without its name.
func MessageOf(err error) string {
	if api, ok := errors.AsType[*Error](err); ok {
		return api.Message
	}
	return err.Error()
}
