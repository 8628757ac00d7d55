package store

import (
	"errors"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Class says what kind of failure an [Error] is: what decides the exit code,
// the words on screen and whether a retry makes sense.
type Class string

// The classes.
const (
	Throttled            Class = "throttled"             // the store asked to slow down, after all retries
	ConditionFailed      Class = "condition failed"      // a conditional write wrote nothing
	TransactionCancelled Class = "transaction cancelled" // a transaction wrote nothing
	AccessDenied         Class = "access denied"
	ExpiredCredentials   Class = "expired credentials"
	NoCredentials        Class = "no credentials" // none found, or not accepted
	Region               Class = "region"         // refused by the region guardrail
	TableMissing         Class = "table missing"
	TableExists          Class = "table exists"
	IndexMissing         Class = "index missing"
	Validation           Class = "validation"  // the store refused the request as wrong
	Unreachable          Class = "unreachable" // no connection, or one that broke
	Captive              Class = "captive"     // something else than DynamoDB answered
	Canceled             Class = "canceled"    // the caller's context ended
	Service              Class = "service"     // the store failed
	Config               Class = "config"      // invalid AWS configuration
)

// ErrRegion is wrapped by the error of Connect when the region guardrail refuses
// the connection.
var ErrRegion = errors.New("region not allowed")

// ErrNoMFACode is what Options.MFAToken returns when the person gives none.
var ErrNoMFACode = errors.New("no MFA code given")

// An Error is every error of this package. Its text is one printable sentence;
// it never holds an item's data.
type Error struct {
	Class     Class
	Operation string // the API's name, "" before any request
	Table     string // "" when none is concerned
	Index     string
	What      string // what happened
	Advice    string // what a person can do about it, "" when nothing
	Err       error  // the SDK's error

	// SignIn is the command that renews expired credentials, for a person to agree
	// to; nil when none is known to.
	SignIn []string

	// Failures are the writes that were the reason, in the order of the change:
	// of [ConditionFailed] and [TransactionCancelled], and of other errors of a
	// commit where the store named them.
	Failures []Failure
	unclear  bool // see Outcome
}

// Error returns What and Advice as one line.
func (e *Error) Error() string {
	text := e.What
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return models.Printable(text)
}

// Unwrap returns the cause. Its text is for developers: it may hold account
// numbers.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error of this package, "" of any other.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}
