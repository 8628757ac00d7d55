// This file maps errors to exit codes; scripts rely on them.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The exit codes. Those from 252 on are the AWS CLI's.
const (
	exitOK          = 0
	exitNotFound    = 1  // a GetItem that finds nothing
	exitConflict    = 10 // the data does not allow it, nothing was written
	exitRefused     = 11 // a guard said no
	exitInterrupted = 130
	exitUsage       = 252
	exitConfig      = 253 // configuration or credentials
	exitService     = 254
	exitOther       = 255
)

// errSilent ends the program without words: they are already written.
var errSilent = errors.New("silent")

// codeError carries the exit code of an outcome that is no failure.
type codeError struct {
	code int
}

func (e *codeError) Error() string        { return fmt.Sprintf("exit %d", e.code) }
func (e *codeError) Is(target error) bool { return target == errSilent }

// usageError is about how the program was called.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usageErrorf(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitCode classifies err.
func exitCode(ctx context.Context, err error) int {
	var (
		code     *codeError
		use      *usageError
		unknown  *profiles.ErrUnknown
		invalid  profiles.Errors
		storeErr *store.Error
		conflict *accesspatterns.Conflict
		file     config.Errors
		broke    *crash.Failure
	)
	switch {
	case errors.As(err, &broke):
		return exitOther
	case errors.As(err, &code):
		return code.code
	case errors.As(err, &file):
		return exitConfig
	case errors.As(err, &use), errors.As(err, &unknown), errors.As(err, &invalid),
		errors.Is(err, session.ErrInput), errors.Is(err, accesspatterns.ErrParam):
		return exitUsage
	case errors.Is(err, session.ErrRefused), errors.Is(err, store.ErrRegion):
		return exitRefused
	case errors.As(err, &conflict):
		return exitConflict
	case errors.Is(err, session.ErrUnknown):
		return exitService
	case errors.As(err, &storeErr):
		return storeCode(storeErr.Class)
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitOther
	}
}

func storeCode(c store.Class) int {
	switch c {
	case store.NoCredentials, store.ExpiredCredentials, store.Config:
		return exitConfig
	case store.Region:
		return exitRefused
	case store.Canceled:
		return exitInterrupted
	case store.ConditionFailed, store.TransactionCancelled:
		return exitConflict
	default:
		return exitService
	}
}

// nearFlag suggests the flag that was meant.
func nearFlag(cmd *cobra.Command, err error) string {
	_, name, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	var known []string
	add := func(f *pflag.Flag) { known = append(known, f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	if near, ok := models.Nearest(name, known); ok {
		return `; did you mean "--` + near + `"?`
	}
	return ""
}

// exactly checks the number of arguments and names what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usageErrorf("missing %s", names[len(args)])
		}
		if len(args) > len(names) {
			return usageErrorf("unexpected argument %q", models.Printable(args[len(names)]))
		}
		return nil
	}
}
