package embedded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// These are DynamoDB's limits on transactions.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
const (
	// maxTransaction is the maximum number of actions.
	maxTransaction = 100
	// maxTransactionBytes is the maximum total size of the items. The larger size before or after the change counts.
	maxTransactionBytes = 4 << 20
	// maxToken is the maximum length of a client request token.
	maxToken = 36
	// tokenLifetime is the time for which a token makes a transaction idempotent.
	tokenLifetime = 10 * time.Minute
)

// transactAction is one of the four actions.
type transactAction interface {
	checkAction(c *checks, at string)
	plan() (*write, error)
}

// transactWriteItem is one action: exactly one member is set.
type transactWriteItem struct {
	Put            *putItemInput        `json:",omitempty"`
	Update         *updateItemInput     `json:",omitempty"`
	Delete         *deleteItemInput     `json:",omitempty"`
	ConditionCheck *conditionCheckInput `json:",omitempty"`
}

func (a *transactWriteItem) each(visit func(name string, action transactAction)) {
	if a.Put != nil {
		visit("put", a.Put)
	}
	if a.Update != nil {
		visit("update", a.Update)
	}
	if a.Delete != nil {
		visit("delete", a.Delete)
	}
	if a.ConditionCheck != nil {
		visit("conditionCheck", a.ConditionCheck)
	}
}

// transactWriteItemsInput is the request for up to 100 atomic actions on different items, once per client token.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
type transactWriteItemsInput struct {
	TransactItems               []transactWriteItem
	ClientRequestToken          string
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

// transactWriteItemsOutput contains the capacity of each table, in order of first use.
type transactWriteItemsOutput struct {
	ConsumedCapacity      []*consumedCapacity             `json:",omitempty"`
	ItemCollectionMetrics map[string][]*collectionMetrics `json:",omitempty"`
}

// cancelReason is the CancellationReason of one action.
type cancelReason struct {
	Code    string
	Message string         `json:",omitempty"`
	Item    json.Marshaler `json:",omitempty"`
}

// noReason is the reason for an action that did not cause the cancellation.
var noReason = cancelReason{Code: "None"}

func (in *transactWriteItemsInput) run(_ context.Context, s *Store) (any, error) {
	writes, err := in.plan(s)
	if err != nil {
		return nil, err
	}
	return transaction{writes, in.TransactItems, in.ClientRequestToken, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics}.run(s)
}

// transaction is a set of writes that the store performs atomically, once for each token.
type transaction struct {
	writes  []*write
	request any    // a repeated request must be equal to it
	token   string // if empty, the store always performs the writes
	// capacity and metrics are the response modes from the request.
	capacity, metrics string
}

func (tr transaction) run(s *Store) (*transactWriteItemsOutput, error) {
	digest, err := digestOf(tr.request)
	if err != nil {
		return nil, err
	}
	var ms meters
	var collections collectionReport
	repeated := false
	err = s.storage.update(func(t *tx) error {
		ms, collections, repeated = meters{}, collectionReport{}, false
		if tr.token != "" {
			known, err := t.token(tr.token, s.now())
			if err != nil {
				return err
			}
			if known != nil && !bytes.Equal(known, digest) {
				return apierror.Refused("IdempotentParameterMismatchException",
					"Request made with the same client token does not match the parameters of the first request")
			}
			if repeated = known != nil; repeated {
				return nil
			}
		}
		if err := performWrites(t, tr.writes, &ms); err != nil {
			return err
		}
		if err := collections.addAll(t, tr.writes, tr.metrics); err != nil || tr.token == "" {
			return err
		}
		return t.saveToken(tr.token, s.now().Add(tokenLifetime), digest)
	})
	if err != nil {
		return nil, err
	}
	if repeated {
		return tr.repeatedOutput(s)
	}
	return &transactWriteItemsOutput{ConsumedCapacity: ms.split(tr.capacity, false), ItemCollectionMetrics: collections.byTable}, nil
}

func (in *transactWriteItemsInput) check(c *checks) {
	if len(in.ClientRequestToken) > maxToken {
		c.fail(in.ClientRequestToken, "clientRequestToken", "Member must have length less than or equal to 36")
	}
	c.returnConsumed(in.ReturnConsumedCapacity)
	c.collectionMetrics(in.ReturnItemCollectionMetrics)
	n := len(in.TransactItems)
	c.list(in.TransactItems != nil, n, "transactItems", countText(n, "actions"), maxTransaction)
	for i, item := range in.TransactItems {
		item.each(func(name string, action transactAction) {
			action.checkAction(c, fmt.Sprintf("transactItems.%d.member.%s.", i+1, name))
		})
	}
}

func (in *transactWriteItemsInput) plan(s *Store) ([]*write, error) {
	writes := make([]*write, len(in.TransactItems))
	for i, item := range in.TransactItems {
		var actions []transactAction
		item.each(func(_ string, action transactAction) { actions = append(actions, action) })
		if len(actions) != 1 {
			return nil, apierror.Invalid("TransactItems can only contain one of Check, Put, Update or Delete")
		}
		var err error
		if writes[i], err = actions[0].plan(); err != nil {
			return nil, err
		}
	}
	return writes, bindWrites(s, writes)
}

func bindWrites(s *Store, writes []*write) error {
	seen := targets{}
	for _, w := range writes {
		if err := w.bind(s); err != nil {
			return err
		}
		if err := seen.addAction(&w.target); err != nil {
			return err
		}
	}
	return nil
}

// addAction rejects an invalid key and a second action on an item. Other errors cancel the transaction with a reason.
func (ts targets) addAction(g *target) error {
	if api, ok := errors.AsType[*apierror.Error](g.keyError); ok && api.FailsTransaction {
		return g.keyError
	}
	if !ts.add(g) {
		return apierror.Invalid("Transaction request cannot include multiple operations on one item")
	}
	return nil
}

// performWrites checks all conditions before the first write, because no two actions have the same item.
func performWrites(t *tx, writes []*write, ms *meters) error {
	type images struct{ before, after attribute.Item }
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
		size += max(before.Size(), after.Size())
		ms.meterOf(w.table).write(before, after, 2)
	}
	if failed {
		return cancelledError(reasons)
	}
	if size > maxTransactionBytes {
		return transactionTooLargeError()
	}
	for i, w := range writes {
		if err := w.store(t, prepared[i].before, prepared[i].after); err != nil {
			return err
		}
	}
	return nil
}

func transactionTooLargeError() error {
	return apierror.Invalid("Collection size for transaction exceeds the limit of 4 MB")
}

func reasonFor(err error) (cancelReason, bool) {
	var api *apierror.Error
	switch {
	case err == nil:
		return noReason, true
	case !errors.As(err, &api) || api.FailsTransaction:
		return cancelReason{}, false
	default:
		return cancelReason{Code: api.Code(), Message: api.Message, Item: api.Item}, true
	}
}

func cancelledError(reasons []cancelReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.Code
	}
	return &apierror.Error{
		Status: http.StatusBadRequest, Name: apierror.DynamoErrors + "TransactionCanceledException", Reasons: reasons,
		Message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]",
	}
}

func digestOf(request any) ([]byte, error) {
	data, err := json.Marshal(request)
	sum := sha256.Sum256(data)
	return sum[:], err
}

func (tr transaction) repeatedOutput(s *Store) (*transactWriteItemsOutput, error) {
	var ms meters
	err := s.storage.view(func(t *tx) error {
		for _, w := range tr.writes {
			if w.keyError != nil { // a later index or another table of this name rejects the item
				continue
			}
			it, err := t.item(w.table, w.key)
			if err != nil {
				return err
			}
			ms.meterOf(w.table).read(nil, it.Size(), true, 2)
		}
		return nil
	})
	return &transactWriteItemsOutput{ConsumedCapacity: ms.split(tr.capacity, true)}, err
}

// transactGet is a read of one item. Unlike GetItem, it has no legacy parameters.
type transactGet struct {
	TableName            *string
	Key                  attribute.WireItem
	ProjectionExpression *string
	expression.Placeholders
}

// transactGetItemsInput is the request to read up to 100 items of any tables at one point in time.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html
type transactGetItemsInput struct {
	TransactItems          []struct{ Get *transactGet }
	ReturnConsumedCapacity string
}

// itemResponse omits Item if the item does not exist, so that the responses keep the order of the request.
type itemResponse struct {
	Item *attribute.Item `json:",omitempty"`
}

// transactGetItemsOutput contains one response for each read.
type transactGetItemsOutput struct {
	Responses        []itemResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (in *transactGetItemsInput) run(_ context.Context, s *Store) (any, error) {
	reads, err := in.plan(s)
	if err != nil {
		return nil, err
	}
	return readTogether(s, reads, in.ReturnConsumedCapacity)
}

// Unlike in DynamoDB, readTogether never conflicts with a write. It doubles the cost of a strongly consistent read.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
func readTogether(s *Store, reads []*read, capacity string) (*transactGetItemsOutput, error) {
	out := &transactGetItemsOutput{Responses: make([]itemResponse, len(reads))}
	var ms meters
	size := 0
	err := s.storage.view(func(t *tx) error {
		for i, r := range reads {
			found, err := t.item(r.table, r.key)
			if err != nil {
				return err
			}
			if size += found.Size(); size > maxTransactionBytes {
				return transactionTooLargeError()
			}
			ms.meterOf(r.table).read(nil, found.Size(), true, 2)
			out.Responses[i].Item = r.project(found)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.ConsumedCapacity = ms.split(capacity, true)
	return out, nil
}

func (in *transactGetItemsInput) check(c *checks) {
	c.returnConsumed(in.ReturnConsumedCapacity)
	n := len(in.TransactItems)
	c.list(in.TransactItems != nil, n, "transactItems", countText(n, "actions"), maxTransaction)
	for i, a := range in.TransactItems {
		field := fmt.Sprintf("transactItems.%d.member.get", i+1)
		c.present(a.Get != nil, field)
		if a.Get != nil {
			c.table(a.Get.TableName, field+".tableName")
			c.present(a.Get.Key != nil, field+".key")
		}
	}
}

func (in *transactGetItemsInput) plan(s *Store) ([]*read, error) {
	reads := make([]*read, len(in.TransactItems))
	for i, a := range in.TransactItems {
		one := itemRead{
			TableName: a.Get.TableName, Key: a.Get.Key,
			ProjectionExpression: a.Get.ProjectionExpression, Placeholders: a.Get.Placeholders,
		}
		var err error
		if reads[i], err = one.plan(); err != nil {
			return nil, err
		}
	}
	return reads, bindReads(s, reads)
}

func bindReads(s *Store, reads []*read) error {
	reasons := make([]cancelReason, len(reads))
	invalid := false
	seen := targets{}
	for i, r := range reads {
		if err := r.bind(s); err != nil {
			return err
		}
		if err := seen.addAction(&r.target); err != nil {
			return err
		}
		reasons[i], _ = reasonFor(r.keyError)
		invalid = invalid || r.keyError != nil
	}
	if invalid {
		return cancelledError(reasons)
	}
	return nil
}

func (t *tx) token(name string, now time.Time) ([]byte, error) {
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return nil, err
	}
	data, err := tokens.get(tokenKey(name))
	if err != nil || isExpiredToken(data, now) {
		return nil, err
	}
	return slices.Clone(data[8:]), nil
}

// tokenKey returns the key of a client token. It never equals headKey, which starts with a zero byte.
func tokenKey(name string) []byte { return []byte("token " + name) }

func isExpiredToken(data []byte, now time.Time) bool {
	return len(data) < 8 || int64(binary.BigEndian.Uint64(data)) <= now.UnixNano()
}

func (t *tx) saveToken(name string, expires time.Time, digest []byte) error {
	t.written = true
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return err
	}
	data := binary.BigEndian.AppendUint64(nil, uint64(expires.UnixNano()))
	return tokens.put(tokenKey(name), append(data, digest...))
}

func (t *tx) dropTokens(now time.Time) error {
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return err
	}
	var expired [][]byte // collected first, because a walk does not allow changes of its bucket
	err = tokens.walk(keyRange{}, false, func(name, data []byte) (bool, error) {
		if isExpiredToken(data, now) {
			expired = append(expired, slices.Clone(name))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, name := range expired {
		t.written = true
		if err := tokens.delete(name); err != nil {
			return err
		}
	}
	return nil
}
