// Package apierror has the error responses of the service, with its names and messages, mistakes included: programs
// and their users compare them.
package apierror

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The namespaces of error names: of the operations, and of the layer before them.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const (
	DynamoErrors = "com.amazonaws.dynamodb.v20120810#"
	CoralErrors  = "com.amazon.coral.service#"
)

// Error is an error response. Names and messages are DynamoDB's own. Misfit and UpFront change
// the error that they get, so they must get a new one: some errors are package variables that
// all requests share.
type Error struct {
	Status  int
	Name    string // with its namespace, as in __type
	Message string
	Item    json.Marshaler // ConditionalCheckFailedException with ReturnValuesOnConditionCheckFailure
	Reasons any            // TransactionCanceledException
	Misfit  bool           // the key of an item is missing or has another type
	UpFront bool           // fails a transaction as a whole, not with a reason
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Code returns the short name of the error of one action of a transaction, or of one
// statement of a batch.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
func (e *Error) Code() string {
	name := strings.TrimSuffix(e.Name[strings.LastIndex(e.Name, "#")+1:], "Exception")
	if name == "Validation" {
		return "ValidationError"
	}
	return name
}

// Invalid is a ValidationException.
func Invalid(format string, args ...any) *Error {
	return &Error{
		Status: http.StatusBadRequest, Name: "com.amazon.coral.validate#ValidationException",
		Message: fmt.Sprintf(format, args...),
	}
}

// InvalidParameter is the ValidationException for well-formed values that are not
// allowed. The text before the message is the same for all of them.
func InvalidParameter(format string, args ...any) *Error {
	return Invalid("One or more parameter values were invalid: "+format, args...)
}

// TooDeep is the error of an item with more than 32 nested levels.
func TooDeep() *Error {
	return Invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
}

// Refused is an error that DynamoDB's API model declares.
func Refused(name, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Name: DynamoErrors + name, Message: fmt.Sprintf(format, args...)}
}

// Protocol is an error in the request itself, before any operation runs.
func Protocol(name, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Name: CoralErrors + name, Message: message}
}

// Unreadable is the error of a body that is not the JSON of the operation's input.
func Unreadable(message string) *Error { return Protocol("SerializationException", message) }

// Internal is a fault of the store. Its message never contains item data. The handler returns
// it for every error that is no *Error, so a program never sees a raw error of the file system.
func Internal(err error) *Error {
	return &Error{
		Status: http.StatusInternalServerError, Name: DynamoErrors + "InternalServerError",
		Message: "Internal server error: " + err.Error(),
	}
}

// ConditionFailed is the error of a condition that does not hold.
func ConditionFailed() *Error {
	return Refused("ConditionalCheckFailedException", "The conditional request failed")
}

// DuplicateItem is the error of an INSERT of an item that exists.
func DuplicateItem() *Error {
	return Refused("DuplicateItemException", "Duplicate primary key exists in table")
}

// KeyDoesNotMatch is the error of a Key that does not have exactly the key attributes of the
// table.
func KeyDoesNotMatch() *Error {
	return Invalid("The provided key element does not match the schema")
}

// Misfit marks the error of an item whose key is missing or has another type.
func Misfit(e *Error) *Error {
	e.Misfit = true
	return e
}

// UpFront marks an error of a key value that fails a transaction as a whole.
func UpFront(e *Error) *Error {
	e.UpFront = true
	return e
}

// TableMissing is the error for a table or index that does not exist. The operations on tables
// name the table.
func TableMissing() *Error {
	return Refused("ResourceNotFoundException", "Requested resource not found")
}

// SeveralTypes is also the error of a write in a batch that is a put and a delete.
func SeveralTypes() *Error {
	return Invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
}

// MessageOf returns the message of an error without its name.
func MessageOf(err error) string {
	var api *Error
	if errors.As(err, &api) {
		return api.Message
	}
	return err.Error()
}
