package store

import (
	"errors"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Class is the kind of an [Error]. It decides on the exit code, the text on the screen
// and whether a request is repeated.
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
	Operation string // name in the API, "" before the first request
	Table     string // "" for an error without a table
	Index     string // "" for an error without an index
	What      string // what happened
	Advice    string // what the user can do, "" for nothing
	Err       error  // error of the SDK

	// SignIn is the command that renews expired credentials, nil if none is known. It
	// must not run without the consent of the user.
	SignIn []string

	// Failures are the failed writes of a commit in the order of the change, as far as
	// the store names them.
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
