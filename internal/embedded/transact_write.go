package embedded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxTransaction      = 100
	maxTransactionBytes = 4 << 20
	maxToken            = 36
	// tokenLifetime is how long a token makes a transaction idempotent.
	tokenLifetime = 10 * time.Minute
)

// transactWriteItem is one action: exactly one member is set.
type transactWriteItem struct {
	Put            *putItemInput    `json:",omitempty"`
	Update         *updateItemInput `json:",omitempty"`
	Delete         *keyedInput      `json:",omitempty"`
	ConditionCheck *keyedInput      `json:",omitempty"`
}

type transactWriteItemsInput struct {
	TransactItems               []transactWriteItem
	ClientRequestToken          string
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

type transactWriteItemsOutput struct {
	ConsumedCapacity      []*consumedCapacity             `json:",omitempty"`
	ItemCollectionMetrics map[string][]*collectionMetrics `json:",omitempty"`
}

// cancelReason is the CancellationReason of one action.
type cancelReason struct {
	Code    string
	Message string `json:",omitempty"`
	Item    item   `json:",omitempty"`
}

var noReason = cancelReason{Code: "None"}

// transactWriteItems performs up to 100 actions on different items atomically, once for
// each client request token.
func (s *Store) transactWriteItems(_ context.Context, in *transactWriteItemsInput) (*transactWriteItemsOutput, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	writes, err := s.planTransaction(in.TransactItems)
	if err != nil {
		return nil, err
	}
	digest, err := in.digest()
	if err != nil {
		return nil, err
	}
	var ms meters
	var collections collectionReport
	repeated := false
	err = s.storage.update(func(t *tx) error {
		ms, collections, repeated = meters{}, collectionReport{}, false
		if in.ClientRequestToken != "" {
			if known := t.token(in.ClientRequestToken, s.now()); known != nil {
				repeated = true
				return sameRequest(known, digest)
			}
		}
		if err := performAll(t, writes, &ms); err != nil {
			return err
		}
		if err := collections.addAll(t, writes, in.ReturnItemCollectionMetrics); err != nil || in.ClientRequestToken == "" {
			return err
		}
		return t.saveToken(in.ClientRequestToken, s.now().Add(tokenLifetime), digest)
	})
	if err != nil {
		return nil, err
	}
	if repeated {
		return s.repeatedTransaction(in, writes)
	}
	return &transactWriteItemsOutput{
		ConsumedCapacity: ms.writes(in.ReturnConsumedCapacity), ItemCollectionMetrics: collections.byTable,
	}, nil
}

func (in *transactWriteItemsInput) check() error {
	var c checks
	if len(in.ClientRequestToken) > maxToken {
		c.fail(in.ClientRequestToken, "clientRequestToken", "Member must have length less than or equal to 36")
	}
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	c.present(in.TransactItems != nil, "transactItems")
	checkTransactionSize(&c, in.TransactItems != nil, len(in.TransactItems))
	for i, a := range in.TransactItems {
		a.check(&c, fmt.Sprintf("transactItems.%d.member.", i+1))
	}
	return c.err()
}

// check validates the required members of an action; field is their path.
func (a *transactWriteItem) check(c *checks, field string) {
	if a.Put != nil {
		a.Put.checkAction(c, field+"put.")
		c.present(a.Put.Item != nil, field+"put.item")
	}
	if a.Update != nil {
		a.Update.checkAction(c, field+"update.")
		c.present(a.Update.Key != nil, field+"update.key")
		c.present(a.Update.UpdateExpression != nil, field+"update.updateExpression")
	}
	if a.Delete != nil {
		a.Delete.checkAction(c, field+"delete.")
		c.present(a.Delete.Key != nil, field+"delete.key")
	}
	if a.ConditionCheck != nil {
		a.ConditionCheck.checkAction(c, field+"conditionCheck.")
		c.present(a.ConditionCheck.Key != nil, field+"conditionCheck.key")
		c.present(a.ConditionCheck.ConditionExpression != nil, field+"conditionCheck.conditionExpression")
	}
}

// checkAction validates the parameters common to all actions of a transaction.
func (in *writeParameters) checkAction(c *checks, field string) {
	c.table(in.TableName, field+"tableName")
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, field+"returnValuesOnConditionCheckFailure")
}

func checkTransactionSize(c *checks, present bool, n int) {
	if present && n < 1 {
		c.fail("[]", "transactItems", "Member must have length greater than or equal to 1")
	}
	if n > maxTransaction {
		c.fail("["+strconv.Itoa(n)+" actions]", "transactItems", "Member must have length less than or equal to 100")
	}
}

// planTransaction validates every action, and rejects two actions on one item. Checks of
// the request alone come before those that need a table.
func (s *Store) planTransaction(actions []transactWriteItem) ([]*write, error) {
	writes := make([]*write, len(actions))
	for i, a := range actions {
		var err error
		if writes[i], err = planAction(a); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for _, w := range writes {
		if err := s.bind(w); err != nil {
			return nil, err
		}
		if isUpFront(w.unfit) {
			return nil, w.unfit
		}
		id := w.table.ID + string(w.key)
		if w.key != nil && seen[id] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[id] = true
	}
	return writes, nil
}

// isUpFront reports whether an invalid key fails the whole request. Other errors cancel
// the transaction with a reason.
func isUpFront(err error) bool {
	var api *apiError
	return errors.As(err, &api) && api.upFront
}

// planAction validates one action, which must have exactly one of its members.
func planAction(a transactWriteItem) (*write, error) {
	var plans []func() (*write, error)
	if a.Put != nil {
		plans = append(plans, func() (*write, error) { return planPut(a.Put) })
	}
	if a.Update != nil {
		plans = append(plans, func() (*write, error) { return planUpdate(a.Update) })
	}
	if a.Delete != nil {
		plans = append(plans, func() (*write, error) { return planDelete(a.Delete) })
	}
	if a.ConditionCheck != nil {
		plans = append(plans, func() (*write, error) { return planCheck(a.ConditionCheck) })
	}
	if len(plans) != 1 {
		return nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	return plans[0]()
}

// performAll runs the writes, and cancels the transaction if one of them fails. All
// conditions are checked before the first write, because no two actions have the same item.
func performAll(t *tx, writes []*write, ms *meters) error {
	type images struct{ before, after item }
	prepared := make([]images, len(writes))
	reasons := make([]cancelReason, len(writes))
	failed := false
	size := 0
	for i, w := range writes {
		before, after, err := w.prepare(t)
		reason, known := reasonFor(err)
		if !known {
			return err
		}
		prepared[i], reasons[i] = images{before, after}, reason
		failed = failed || err != nil
		size += max(before.size(), after.size())
		ms.of(w.table).write(before, after, 2)
	}
	if failed {
		return cancelled(reasons)
	}
	if size > maxTransactionBytes {
		return transactionTooLarge()
	}
	for i, w := range writes {
		if err := w.store(t, prepared[i].before, prepared[i].after); err != nil {
			return err
		}
	}
	return nil
}

func transactionTooLarge() error {
	return invalid("Collection size for transaction exceeds the limit of 4 MB")
}

// reasonFor returns the cancellation reason for the error of one action. It is not known
// for other errors, such as a full disk, or for errors that fail the whole transaction.
func reasonFor(err error) (cancelReason, bool) {
	var api *apiError
	switch {
	case err == nil:
		return noReason, true
	case !errors.As(err, &api) || api.upFront:
		return cancelReason{}, false
	case strings.HasSuffix(api.name, "ConditionalCheckFailedException"):
		return cancelReason{Code: "ConditionalCheckFailed", Message: api.message, Item: api.item}, true
	default:
		return cancelReason{Code: "ValidationError", Message: api.message}, true
	}
}

// cancelled returns the error with a reason for every action, in their order.
func cancelled(reasons []cancelReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return &apiError{
		status: http.StatusBadRequest, name: dynamoErrors + "TransactionCanceledException", reasons: reasons,
		message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
	}
}

// digest identifies the content of a request. JSON sorts the members of maps.
func (in *transactWriteItemsInput) digest() ([]byte, error) {
	data, err := json.Marshal(in.TransactItems)
	sum := sha256.Sum256(data)
	return sum[:], err
}

// sameRequest rejects a token that was used with another request.
func sameRequest(known, digest []byte) error {
	if bytes.Equal(known, digest) {
		return nil
	}
	return refused("IdempotentParameterMismatchException",
		"Request made with the same client token does not match the parameters of the first request")
}

// repeatedTransaction returns the response to a repeated request, which consumes read
// capacity.
func (s *Store) repeatedTransaction(in *transactWriteItemsInput, writes []*write) (*transactWriteItemsOutput, error) {
	var ms meters
	err := s.storage.view(func(t *tx) error {
		for _, w := range writes {
			it, err := t.item(w.table, w.key)
			if err != nil {
				return err
			}
			ms.of(w.table).read(nil, it.size(), true, 2)
		}
		return nil
	})
	return &transactWriteItemsOutput{ConsumedCapacity: ms.reads(in.ReturnConsumedCapacity)}, err
}
