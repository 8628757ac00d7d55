package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// maxBatchStatements is the maximum number of statements in a batch.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
const maxBatchStatements = 25

// batchStatement is a statement of a batch.
type batchStatement struct {
	statementParameters
	ConsistentRead bool
}

// batchExecuteStatementInput is the request to run up to 25 independent statements, each on one item. Either all of
// them read, or all of them write.
type batchExecuteStatementInput struct {
	Statements             []batchStatement
	ReturnConsumedCapacity string
}

// batchExecuteStatementOutput contains a response for each statement, in order.
type batchExecuteStatementOutput struct {
	Responses        []statementResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

// statementResponse contains an item, an error or neither.
type statementResponse struct {
	TableName string          `json:",omitempty"`
	Item      *attribute.Item `json:",omitempty"`
	Error     *statementError `json:",omitempty"`
}

// statementError is the error of a statement in a batch, which does not affect the others.
type statementError struct {
	Code    string
	Message string
	Item    json.Marshaler `json:",omitempty"`
}

func (in *batchExecuteStatementInput) check(c *checks) {
	n := len(in.Statements)
	c.list(in.Statements != nil, n, "statements", countText(n, "statements"), maxBatchStatements)
	for i, one := range in.Statements {
		one.checkStatement(c, memberPath("statements", i))
	}
	c.returnConsumed(in.ReturnConsumedCapacity)
}

func (in *batchExecuteStatementInput) run(_ context.Context, s *Store) (any, error) {
	parsed := make([]*statement, len(in.Statements))
	failures := make([]error, len(in.Statements))
	for i := range in.Statements {
		parsed[i], failures[i] = in.Statements[i].parse()
	}
	if err := checkUniformKind(parsed, "Read and write requests together in the same batch is not supported."); err != nil {
		return nil, err
	}
	if err := checkTargets(s, parsed); err != nil {
		return nil, err
	}
	out := &batchExecuteStatementOutput{Responses: make([]statementResponse, len(parsed))}
	totals := map[string]*consumedCapacity{}
	for i, st := range parsed {
		if st != nil {
			out.Responses[i].TableName = tableName(st.Table)
		}
		found, consumed, err := &attribute.Item{}, (*consumedCapacity)(nil), failures[i]
		if err == nil {
			found, consumed, err = in.Statements[i].perform(s, st, in.ReturnConsumedCapacity)
		}
		if out.Responses[i].Error, err = errorOf(err); err != nil {
			return nil, err
		}
		if out.Responses[i].Error == nil {
			out.Responses[i].Item = found
		}
		if consumed == nil {
			continue
		}
		if total := totals[consumed.TableName]; total != nil {
			total.add(consumed)
			continue
		}
		totals[consumed.TableName] = consumed
		out.ConsumedCapacity = append(out.ConsumedCapacity, consumed)
	}
	return out, nil
}

func (in *batchStatement) perform(s *Store, st *statement, capacity string) (*attribute.Item, *consumedCapacity, error) {
	switch st.Kind {
	case expression.StatementExists:
		return nil, nil, apierror.Invalid("EXISTS can only be used in ExecuteTransaction write requests.")
	case expression.StatementSelect:
		r, err := st.read(s, "BatchExecuteStatement")
		if err != nil {
			return nil, nil, err
		}
		return r.perform(s, in.ConsistentRead, capacity)
	case expression.StatementInsert, expression.StatementUpdate, expression.StatementDelete:
	}
	out, err := st.perform(s, in.showsOld(), capacity)
	if err != nil {
		return nil, nil, err
	}
	if len(out.Attributes) == 0 {
		return nil, out.ConsumedCapacity, nil
	}
	return &out.Attributes, out.ConsumedCapacity, nil
}

// errorOf returns a failure of the store as an error of the batch, and any other error as the error of its statement.
func errorOf(err error) (*statementError, error) {
	if err == nil {
		return nil, nil
	}
	var api *apierror.Error
	if !errors.As(err, &api) || api.Status == http.StatusInternalServerError {
		return nil, err
	}
	return &statementError{Code: api.Code(), Message: api.Message, Item: api.Item}, nil
}

func memberPath(list string, i int) string { return fmt.Sprintf("%s.%d.member.", list, i+1) }

func checkUniformKind(statements []*statement, message string) error {
	reads, writes := false, false
	for _, st := range statements {
		reads = reads || st != nil && st.IsRead()
		writes = writes || st != nil && !st.IsRead()
	}
	if reads && writes {
		return apierror.Invalid("%s", message)
	}
	return nil
}

func checkTargets(s *Store, statements []*statement) error {
	seen := targets{}
	for _, st := range statements {
		if st == nil {
			continue
		}
		g, err := st.target(s)
		if err == nil && !seen.add(g) {
			return duplicateKeysError()
		}
	}
	return nil
}

func (st *statement) target(s *Store) (*target, error) {
	if st.IsRead() {
		r, err := st.read(s, "")
		if err != nil {
			return nil, err
		}
		return &r.target, r.bind(s)
	}
	w, err := st.write(s, false)
	if err != nil {
		return nil, err
	}
	return &w.target, w.bind(s)
}

// executeTransactionInput is the request to run up to 100 statements as one transaction, each on one item. Either all
// of them read, or all of them write.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ExecuteTransaction.html
type executeTransactionInput struct {
	TransactStatements     []statementParameters
	ClientRequestToken     string
	ReturnConsumedCapacity string
}

// executeTransactionOutput contains a response for each read, in order.
type executeTransactionOutput struct {
	Responses        []itemResponse
	ConsumedCapacity []*consumedCapacity `json:",omitempty"`
}

func (in *executeTransactionInput) check(c *checks) {
	c.length(in.ClientRequestToken, len(in.ClientRequestToken), "clientRequestToken", 0, maxToken)
	n := len(in.TransactStatements)
	c.list(in.TransactStatements != nil, n, "transactStatements", countText(n, "statements"), maxTransaction)
	for i, one := range in.TransactStatements {
		one.checkStatement(c, memberPath("transactStatements", i))
	}
	c.returnConsumed(in.ReturnConsumedCapacity)
}

func (in *executeTransactionInput) run(_ context.Context, s *Store) (any, error) {
	parsed := make([]*statement, len(in.TransactStatements))
	for i := range in.TransactStatements {
		var err error
		if parsed[i], err = in.TransactStatements[i].parse(); err != nil {
			return nil, err
		}
		if parsed[i].Returning != "" {
			return nil, apierror.Invalid("Validation failed in TransactStatements[%d]: RETURNING clause is not supported in ExecuteTransaction.", i)
		}
	}
	err := checkUniformKind(parsed, "ExecuteTransaction API does not support both read and write operations in the same request.")
	if err != nil {
		return nil, err
	}
	if parsed[0].IsRead() {
		return in.read(s, parsed)
	}
	writes := make([]*write, len(parsed))
	for i, st := range parsed {
		if writes[i], err = st.write(s, in.TransactStatements[i].showsOld()); err != nil {
			return nil, err
		}
	}
	if err := bindWrites(s, writes); err != nil {
		return nil, err
	}
	out, err := transaction{writes, in.TransactStatements, in.ClientRequestToken, in.ReturnConsumedCapacity, ""}.run(s)
	if err != nil {
		return nil, err
	}
	return &executeTransactionOutput{[]itemResponse{}, out.ConsumedCapacity}, nil
}

func (in *executeTransactionInput) read(s *Store, parsed []*statement) (any, error) {
	reads := make([]*read, len(parsed))
	for i, st := range parsed {
		var err error
		if reads[i], err = st.read(s, "ExecuteTransaction"); err != nil {
			return nil, err
		}
	}
	if err := bindReads(s, reads); err != nil {
		return nil, err
	}
	out, err := readTogether(s, reads, in.ReturnConsumedCapacity)
	if err != nil {
		return nil, err
	}
	return &executeTransactionOutput{out.Responses, out.ConsumedCapacity}, nil
}
