package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Failure is one write that kept a change from being made.
type Failure struct {
	Index int    // of the write in its transaction, 0 of a single one
	Code  string // one of the codes below, or another that DynamoDB gives
	// Item is the item as it is now, where its condition failed: nil when there is
	// none, or when the store did not send it.
	Item models.Item
}

// The codes of failures. Source: Amazon DynamoDB API reference,
// TransactWriteItems, "TransactionCanceledException".
const (
	CodeConditionFailed = "ConditionalCheckFailed"
	CodeConflict        = "TransactionConflict" // another transaction is changing the item
	CodeThrottled       = "ThrottlingError"
	CodeCapacity        = "ProvisionedThroughputExceeded"
	CodeCollectionFull  = "ItemCollectionSizeLimitExceeded"
	CodeInvalid         = "ValidationError"
)

// An Outcome says what is known about a change that ended in an error.
type Outcome string

// The outcomes.
const (
	// NotWritten: the store refused the change, or never got it.
	NotWritten Outcome = "not written"
	// Unknown: the change was sent, and what became of it was not heard. Reading
	// the items tells.
	Unknown Outcome = "unknown"
)

// Outcome says whether the change of [Writer.Commit] that failed with e may have
// been made. For other errors it says nothing.
func (e *Error) Outcome() Outcome {
	if e.unclear {
		return Unknown
	}
	return NotWritten
}

// failuresOf returns the writes that err names.
func failuresOf(err error) []Failure {
	var failed *types.ConditionalCheckFailedException
	var conflict *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	switch {
	case errors.As(err, &failed):
		return []Failure{{Code: CodeConditionFailed, Item: itemOf(failed.Item)}}
	case errors.As(err, &conflict):
		return []Failure{{Code: CodeConflict}}
	case !errors.As(err, &cancelled):
		return nil
	}
	var list []Failure
	for i, reason := range cancelled.CancellationReasons {
		if code := aws.ToString(reason.Code); code != "" && code != "None" {
			list = append(list, Failure{Index: i, Code: code, Item: itemOf(reason.Item)})
		}
	}
	return list
}

func itemOf(attributes map[string]types.AttributeValue) models.Item {
	if len(attributes) == 0 {
		return nil
	}
	return attributes
}

func conditional(f Failure) bool { return f.Code == CodeConditionFailed }

// passes reports whether err is a cancelled transaction that would succeed a
// little later: nothing but conflicts with others and throttling.
func passes(err error) bool {
	list := failuresOf(err)
	for _, f := range list {
		switch f.Code {
		case CodeConflict, CodeThrottled, CodeCapacity:
		default:
			return false
		}
	}
	return len(list) > 0
}

// failure makes the Error of the whole call, which ended with err.
func (f *flight) failure(ctx context.Context, err error) error {
	f.note(err)
	failures := failuresOf(err)
	class := classify(ctx, err)
	unclear := f.unclear != nil
	switch {
	case class == ConditionFailed && unclear:
		// The condition may have failed because an earlier attempt did its work.
		err = f.unclear
	case class == TransactionCancelled && !passes(err):
		// Had an earlier attempt done its work, its token would have said so now.
		unclear = false
	}
	var e *Error
	if made := f.conn.failure(ctx, f.subject, err); !errors.As(made, &e) {
		return made
	}
	e.Failures, e.unclear = failures, unclear
	f.phrase(e)
	return e
}

// phrase puts the words of a write into e, where those of a read do not fit.
func (f *flight) phrase(e *Error) {
	var conflict *types.TransactionConflictException
	var mismatch *types.IdempotentParameterMismatchException
	const nothing = "; nothing was written"
	done := ""
	switch {
	case errors.As(e.Err, &mismatch):
		e.What, done = "another change used the same client request token", nothing
		e.Advice = "plan the change again, which gives it a new token"
	case inProgress(e.Err) && e.Class == Throttled:
		e.What = "this transaction was already sent and is still in progress"
	case errors.As(e.Err, &conflict) && e.Class == Throttled:
		e.What, done = "another transaction was changing the item", nothing
		e.Advice = "try again in a moment"
	case e.Class == Throttled:
		e.What, done = f.subject.String()+" was throttled", nothing
		e.Advice = "wait a moment, then try again"
	case e.Class == TransactionCancelled && passes(e.Err):
		if e.unclear {
			e.What = "the transaction was canceled" + cancellations(e.Err, f.subject.sent)
		}
		e.Advice = "other requests used the same items or the table's capacity; try again in a moment"
	case e.Class == TransactionCancelled && !slices.ContainsFunc(e.Failures, conditional):
		e.Advice = "" // There is nothing to be learned from the items.
	case e.Class == TableMissing && len(f.tables) > 1:
		e.What = fmt.Sprintf("one of the tables %s does not exist in %s", strings.Join(f.tables, ", "), f.conn.place())
	case e.Class == Canceled:
		e.Advice, done = "", nothing
	case e.Class == Unreachable, e.Class == Service:
		done = nothing
	}
	if e.unclear {
		done = "; it is unknown whether the change was written"
		e.Advice = "read the items to find out"
	}
	e.What += done
}
