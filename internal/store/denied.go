package store

import (
	"errors"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Denied returns the missing permission if access to a table was denied. For a
// transaction it is the permission that the message of AWS names, and ok is false if the
// message names none. It is what IAM lacks and not all that the change needs: the next attempt
// may be denied for another action.
func (e *Error) Denied() (p accesspatterns.Permission, ok bool) {
	if e.Class != AccessDenied || hasType[*credentialsError](e.Err) {
		return p, false
	}
	if e.Operation != "TransactWriteItems" {
		denied := accesspatterns.Permission{Action: "dynamodb:" + e.Operation, Table: e.Table, Index: e.Index}
		return denied, e.Table != "" || e.Operation == "ListTables"
	}
	text := e.said()
	action, resource := deniedAction().FindStringSubmatch(text), deniedResource().FindStringSubmatch(text)
	if action == nil || resource == nil || !strings.HasPrefix(action[1], "dynamodb:") {
		return p, false
	}
	return accesspatterns.Permission{Action: action[1], Table: strings.TrimRight(resource[1], ".,")}, true
}

// Explicit reports whether a policy denies the access explicitly. Then a policy that
// allows it has no effect. Source: AWS Identity and Access Management User Guide,
// "Policy evaluation logic".
func (e *Error) Explicit() bool {
	return e.Class == AccessDenied && strings.Contains(e.said(), "explicit deny")
}

// said returns the message of the service. It must not be shown.
func (e *Error) said() string {
	if api, ok := errors.AsType[smithy.APIError](e.Err); ok {
		return api.ErrorMessage()
	}
	return ""
}
