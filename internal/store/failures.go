package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Failure is a write because of which a change was not applied. A transaction can have
// several.
type Failure struct {
	Index int    // of the write in its transaction, from 0
	Code  string // one of the codes below, or another code of DynamoDB
	// Item is the current item if its condition failed; nil if it does not exist, or the
	// store did not return it.
	Item models.Item
}

// The codes of failures. Source: Amazon DynamoDB API Reference, TransactWriteItems,
// "TransactionCanceledException".
const (
	CodeConditionFailed = "ConditionalCheckFailed"
	CodeConflict        = "TransactionConflict" // another transaction changes the item
	CodeThrottled       = "ThrottlingError"
	CodeCapacity        = "ProvisionedThroughputExceeded"
	CodeInvalid         = "ValidationError"
)

// An Outcome is what is known about a change whose commit returned an error. A caller with
// Unknown reads the items back (see change.Plan.Found) before it tells the user anything.
type Outcome string

// The outcomes.
const (
	// NotWritten means that the store rejected the change, or did not receive it.
	NotWritten Outcome = "not written"
	// Unknown means that the change was sent and the response was lost. The items show
	// whether it was applied.
	Unknown Outcome = "unknown"
)

// Outcome reports whether a change may have been applied although [Writer.Commit]
// returned e. It has no meaning for other errors.
func (e *Error) Outcome() Outcome {
	if e.unclear {
		return Unknown
	}
	return NotWritten
}

func failuresOf(err error) []Failure {
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return []Failure{{Code: CodeConditionFailed, Item: itemOf(failed.Item)}}
	}
	if hasType[*types.TransactionConflictException](err) {
		return []Failure{{Code: CodeConflict}}
	}
	var list []Failure
	for i, reason := range reasonsOf(err) {
		list = append(list, Failure{Index: i, Code: aws.ToString(reason.Code), Item: itemOf(reason.Item)})
	}
	return list
}

// reasonsOf skips writes that did not fail: DynamoDB has a reason for each write, with the code "None" for those.
func reasonsOf(err error) iter.Seq2[int, types.CancellationReason] {
	return func(yield func(int, types.CancellationReason) bool) {
		cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			return
		}
		for i, reason := range cancelled.CancellationReasons {
			if code := aws.ToString(reason.Code); code != "" && code != "None" && !yield(i, reason) {
				return
			}
		}
	}
}

func itemOf(attributes map[string]types.AttributeValue) models.Item {
	if len(attributes) == 0 {
		return nil
	}
	return attributes
}

// passes reports whether a transaction was canceled only because of throttling and of conflicts with other
// transactions, so that it may succeed later.
func passes(err error) bool { return failsOnlyBy(err, CodeConflict, CodeThrottled, CodeCapacity) }

func onlyThrottled(err error) bool { return failsOnlyBy(err, CodeThrottled, CodeCapacity) }

func failsOnlyBy(err error, codes ...string) bool {
	list := failuresOf(err)
	return len(list) > 0 && !slices.ContainsFunc(list, func(f Failure) bool { return !slices.Contains(codes, f.Code) })
}

func (f *flight) failure(ctx context.Context, err error) error {
	f.note(err)
	failures := failuresOf(err)
	class := classify(ctx, err)
	unclear := f.unclear != nil
	switch {
	case class == ConditionFailed && unclear:
		// The condition may have failed because an earlier attempt was applied.
		err = f.unclear
	case class == TransactionCancelled && !passes(err) && unclear && TokenForgotten(f.since, f.conn.now()):
		err = f.unclear // A store that forgot the token checks the conditions again.
	case class == TransactionCancelled && !passes(err):
		// If an earlier attempt had been applied, the store would return success now.
		unclear = false
	}
	made := f.conn.failure(ctx, f.subject, err)
	e, ok := errors.AsType[*Error](made)
	if !ok {
		return made
	}
	e.Failures, e.unclear = failures, unclear
	f.phrase(e)
	return e
}

// nothingWritten ends the text of an error after which nothing was written.
const nothingWritten = "; nothing was written"

func (f *flight) phrase(e *Error) {
	done := ""
	switch {
	case hasType[*types.IdempotentParameterMismatchException](e.Err):
		e.What, done = "another change used the same client request token", nothingWritten
		e.Advice = "plan the change again, which gives it a new token"
	case inProgress(e.Err) && e.Class == Throttled:
		e.What = "this transaction was already sent and is still in progress"
	case e.Class == Conflict:
		done = nothingWritten
	case e.Class == Throttled:
		why, advice := throttling(e.Err)
		e.What, done = f.subject.String()+" was throttled"+why, nothingWritten
		e.Advice = cmp.Or(advice, "wait a moment, then try again")
	case e.Class == TransactionCancelled && passes(e.Err):
		if e.unclear {
			e.What = "the transaction was canceled" + cancellations(e.Err, f.subject.sent)
		}
		e.Advice = "other requests were changing the same items; try again in a moment"
	case e.Class == TransactionCancelled && !slices.ContainsFunc(e.Failures, func(f Failure) bool { return f.Code == CodeConditionFailed }):
		e.Advice = "" // reading the items would not help
	case e.Class == TableMissing && len(f.tables) > 1:
		e.What = fmt.Sprintf("one of the tables %s does not exist in %s", strings.Join(f.tables, ", "), f.conn.place())
	case e.Class == Canceled:
		e.Advice, done = "", nothingWritten
	case e.Class == Unreachable, e.Class == Service:
		done = nothingWritten
	}
	if e.unclear {
		done = "; it is unknown whether the change was written"
		e.Advice = "read the items to find out"
	}
	e.What += done
}
