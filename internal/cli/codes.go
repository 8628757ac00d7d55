package cli

import (
	"context"
	"errors"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// These exit codes are part of the command contract. Codes from 252 on are the same as in the AWS CLI.
const (
	ExitOK          = 0
	ExitNotFound    = 1   // a GetItem or find found nothing
	ExitConflict    = 10  // the stored data does not allow the change; nothing was written
	ExitRefused     = 11  // a guard rejected the operation
	ExitInterrupted = 130 // a signal, or the user at the prompt, ended the command
	ExitUsage       = 252 // wrong arguments
	ExitConfig      = 253 // configuration or credentials
	ExitService     = 254 // DynamoDB returned an error
	ExitOther       = 255
)

// InvalidChoice returns the usage error for a value outside valid. It suggests the closest valid value and lists all
// valid values. flag is the flag as typed.
func InvalidChoice(flag, subject, value string, valid []string) error {
	return session.InputErrorf("%s: %s", flag, op.InvalidChoice(subject, value, valid))
}

// HasType reports whether the error or one that it wraps has the type T.
func HasType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// CodeOf returns the exit code for err.
func CodeOf(ctx context.Context, err error) int {
	outcome, isOutcome := errors.AsType[op.Outcome](err)
	switch {
	case HasType[*crash.Failure](err):
		return ExitOther
	case isOutcome:
		return int(outcome)
	case HasType[config.Errors](err), errors.Is(err, appdir.ErrExposed):
		return ExitConfig
	case HasType[*profiles.UnknownError](err), HasType[profiles.Errors](err),
		errors.Is(err, session.ErrInput), errors.Is(err, accesspatterns.ErrParam),
		errors.Is(err, items.ErrInput), errors.Is(err, appdir.ErrNotRegular), errors.Is(err, appdir.ErrTooLarge):
		return ExitUsage
	case errors.Is(err, session.ErrRefused), errors.Is(err, store.ErrRegion), errors.Is(err, items.ErrDamaged):
		return ExitRefused
	case HasType[*change.Conflict](err):
		return ExitConflict
	case errors.Is(err, changes.ErrUnknown):
		return ExitService
	case store.ClassOf(err) != "":
		return storeCode(store.ClassOf(err))
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return ExitInterrupted
	default:
		return ExitOther
	}
}

func storeCode(c store.Class) int {
	switch c {
	case store.NoCredentials, store.ExpiredCredentials, store.Config:
		return ExitConfig
	case store.Region:
		return ExitRefused
	case store.Canceled:
		return ExitInterrupted
	case store.Conflict, store.ConditionFailed, store.TransactionCancelled:
		return ExitConflict
	default:
		return ExitService
	}
}
