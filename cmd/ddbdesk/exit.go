package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/itemfile"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The exit codes are part of the command contract. Codes from 252 on are those of
// the AWS CLI.
const (
	exitOK          = 0
	exitNotFound    = 1   // a GetItem or find found nothing
	exitConflict    = 10  // the stored data does not allow the change; nothing was written
	exitRefused     = 11  // a guard refused the operation
	exitInterrupted = 130 // a signal, or the user at the prompt, ended the command
	exitUsage       = 252 // wrong arguments
	exitConfig      = 253 // configuration or credentials
	exitService     = 254 // DynamoDB returned an error
	exitOther       = 255
)

// errSilent ends the program without a message because it is already written.
var errSilent = errors.New("silent")

// codeError is the exit code of an outcome that is not an error, such as no match.
type codeError struct {
	code int
}

func (e *codeError) Error() string        { return fmt.Sprintf("exit %d", e.code) }
func (e *codeError) Is(target error) bool { return target == errSilent }

// usageError is an error in the arguments or flags.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// usageErrorf formats a usage error. The text must name the argument or flag.
func usageErrorf(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// invalidChoice is the usage error for a value that is not one of valid. It
// suggests the closest one, and lists all. Flag is the flag as typed.
func invalidChoice(flag, what, value string, valid []string) error {
	all := english.OxfordWordSeries(valid, "or")
	hint := "; use " + all
	if near := models.DidYouMean(value, valid); near != "" {
		hint = near + " Known: " + all
	}
	return usageErrorf("%s: invalid %s %q%s", flag, what, short(value), hint)
}

// exitCode returns the exit code for err.
func exitCode(ctx context.Context, err error) int {
	code, isCode := errors.AsType[*codeError](err)
	switch {
	case hasType[*crash.Failure](err):
		return exitOther
	case isCode:
		return code.code
	case hasType[config.Errors](err):
		return exitConfig
	case hasType[*usageError](err), hasType[*profiles.ErrUnknown](err), hasType[profiles.Errors](err),
		errors.Is(err, session.ErrInput), errors.Is(err, accesspatterns.ErrParam),
		errors.Is(err, itemfile.ErrInput), errors.Is(err, appdir.ErrNotRegular), errors.Is(err, appdir.ErrTooLarge):
		return exitUsage
	case errors.Is(err, session.ErrRefused), errors.Is(err, store.ErrRegion), errors.Is(err, itemfile.ErrDamaged):
		return exitRefused
	case hasType[*change.Conflict](err):
		return exitConflict
	case errors.Is(err, changes.ErrUnknown):
		return exitService
	case store.ClassOf(err) != "":
		return storeCode(store.ClassOf(err))
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitOther
	}
}

// hasType reports whether the error or one that it wraps has the type T.
func hasType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// storeCode returns the exit code for an error of the store.
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

// flagError rewords the errors of the flag parser, and suggests a similar flag for
// an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		add := func(f *pflag.Flag) { known = append(known, f.Name) }
		cmd.Flags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		hint := ""
		if near, ok := models.Nearest(unknown.GetSpecifiedName(), known); ok {
			hint = `; did you mean "--` + near + `"?`
		}
		return usageErrorf("unknown flag --%s%s", short(unknown.GetSpecifiedName()), hint)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageErrorf("--%s: missing value", missing.GetFlag().Name)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		return usageErrorf("--%s: invalid value %q; use a value of type %s", f.Name, short(invalid.GetValue()), f.Value.Type())
	}
	return &usageError{err.Error()}
}

// exactly accepts one argument for each name.
func exactly(names ...string) cobra.PositionalArgs { return between(len(names), names...) }

// between accepts arguments by name, of which the first least are required. The
// error names the argument that is missing.
func between(least int, names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least {
			return usageErrorf("missing %s", names[len(args)])
		}
		if len(args) > len(names) {
			return usageErrorf("unexpected argument %q", models.Printable(args[len(names)]))
		}
		return nil
	}
}

// atLeast accepts the named arguments, and any number of others after them.
func atLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return exactly(names...)(cmd, args[:min(len(args), len(names))])
	}
}

// needSubcommand is the RunE of a command group: it returns an error of one line
// where cobra would print its help.
func needSubcommand(cmd *cobra.Command, _ []string) error {
	return usageErrorf("%s needs a subcommand: %s", cmd.Name(), strings.Join(subcommands(cmd), ", "))
}

// unknownSubcommand is the Args of a command group.
func unknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("%s has no subcommand %q%s", cmd.Name(), short(args[0]), models.DidYouMean(args[0], subcommands(cmd)))
}

// subcommands returns the names of the visible subcommands.
func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
