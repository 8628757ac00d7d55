package store

import (
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Denied returns the permission that is missing, when e is the refusal of a
// request to a table. Of a transaction it is that of the write which AWS names;
// ok is false when it names none, and for every other error.
func (e *Error) Denied() (p accesspatterns.Permission, ok bool) {
	var credentials *credentialsError
	if e.Class != AccessDenied || errors.As(e.Err, &credentials) {
		return p, false
	}
	if e.Operation != "TransactWriteItems" {
		return accesspatterns.Permission{Action: "dynamodb:" + e.Operation, Table: e.Table, Index: e.Index}, e.Table != ""
	}
	text := e.said()
	action, resource := deniedAction.FindStringSubmatch(text), deniedResource.FindStringSubmatch(text)
	if action == nil || resource == nil || !strings.HasPrefix(action[1], "dynamodb:") {
		return p, false
	}
	return accesspatterns.Permission{Action: action[1], Table: strings.TrimRight(resource[1], ".,")}, true
}

// Explicit reports whether e is a refusal because a policy says no, not because
// none says yes: another policy that allows it would not help.
func (e *Error) Explicit() bool {
	return e.Class == AccessDenied && strings.Contains(e.said(), "explicit deny")
}

// said returns the words of the service, "" without any. They are not safe to
// be shown.
func (e *Error) said() string {
	var api smithy.APIError
	if errors.As(e.Err, &api) {
		return api.ErrorMessage()
	}
	return ""
}
