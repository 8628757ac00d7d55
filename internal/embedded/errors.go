package embedded

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
	dynamoErrors = "com.amazonaws.dynamodb.v20120810#"
	coralErrors  = "com.amazon.coral.service#"
)

// apiError is an error response. Names and messages are DynamoDB's own.
type apiError struct {
	status  int
	name    string // with its namespace, as in __type
	message string
	item    json.Marshaler // ConditionalCheckFailedException with ReturnValuesOnConditionCheckFailure
	reasons any            // TransactionCanceledException
	misfit  bool           // the key of an item is missing or has another type
	upFront bool           // fails a transaction as a whole, not with a reason
}

func (e *apiError) Error() string { return e.name + ": " + e.message }

// code returns the short name of the error of one action of a transaction, or of one
// statement of a batch.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementError.html
func (e *apiError) code() string {
	name := strings.TrimSuffix(e.name[strings.LastIndex(e.name, "#")+1:], "Exception")
	if name == "Validation" {
		return "ValidationError"
	}
	return name
}

// invalid is a ValidationException.
func invalid(format string, args ...any) *apiError {
	return &apiError{
		status: http.StatusBadRequest, name: "com.amazon.coral.validate#ValidationException",
		message: fmt.Sprintf(format, args...),
	}
}

// invalidParameter is the ValidationException for well-formed values that are not
// allowed.
func invalidParameter(format string, args ...any) *apiError {
	return invalid("One or more parameter values were invalid: "+format, args...)
}

// tooDeep is the error of an item with more than 32 nested levels.
func tooDeep() *apiError {
	return invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
}

// refused is an error that DynamoDB's API model declares.
func refused(name, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, name: dynamoErrors + name, message: fmt.Sprintf(format, args...)}
}

// protocolError is an error in the request itself, before any operation runs.
func protocolError(name, message string) *apiError {
	return &apiError{status: http.StatusBadRequest, name: coralErrors + name, message: message}
}

// unreadable is the error of a body that is not the JSON of the operation's input.
func unreadable(message string) *apiError { return protocolError("SerializationException", message) }

// internalError is a fault of the store. Its message never contains item data.
func internalError(err error) *apiError {
	return &apiError{
		status: http.StatusInternalServerError, name: dynamoErrors + "InternalServerError",
		message: "Internal server error: " + err.Error(),
	}
}

func conditionFailed() *apiError {
	return refused("ConditionalCheckFailedException", "The conditional request failed")
}

// duplicateItem is the error of an INSERT of an item that exists.
func duplicateItem() *apiError {
	return refused("DuplicateItemException", "Duplicate primary key exists in table")
}

// keyDoesNotMatch is the error of a Key that does not have exactly the key attributes of the
// table.
func keyDoesNotMatch() *apiError {
	return invalid("The provided key element does not match the schema")
}

// misfit marks the error of an item whose key is missing or has another type.
func misfit(e *apiError) *apiError {
	e.misfit = true
	return e
}

// upFront marks an error of a key value that fails a transaction as a whole.
func upFront(e *apiError) *apiError {
	e.upFront = true
	return e
}

// tableMissing is the error for a table or index that does not exist. The operations on tables
// name the table.
func tableMissing() *apiError {
	return refused("ResourceNotFoundException", "Requested resource not found")
}

// severalTypes is also the error of a write in a batch that is a put and a delete.
func severalTypes() *apiError {
	return invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
}

// messageOf returns the message of an error without its name.
func messageOf(err error) string {
	var api *apiError
	if errors.As(err, &api) {
		return api.message
	}
	return err.Error()
}
