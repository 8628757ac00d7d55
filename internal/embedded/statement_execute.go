package embedded

import (
	"context"
	"math"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// maxStatement is the length of a PartiQL statement in characters.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ExecuteStatement.html
const maxStatement = 8192

// statementParameters are a statement and the values of each ? in it.
type statementParameters struct {
	Statement                           *string
	Parameters                          []attribute.WireValue `json:",omitempty"`
	ReturnValuesOnConditionCheckFailure string                `json:",omitempty"`
}

func (in *statementParameters) checkStatement(c *checks, at string) {
	c.present(in.Statement != nil, at+"statement")
	if in.Statement != nil {
		c.length(*in.Statement, attribute.UTF16Length(*in.Statement), at+"statement", 1, maxStatement)
	}
	if in.Parameters != nil {
		c.list(true, len(in.Parameters), at+"parameters", counted(len(in.Parameters), "values"), math.MaxInt)
	}
	c.returnOnFailure(in.ReturnValuesOnConditionCheckFailure, at)
}

func (in *statementParameters) showOld() bool {
	return in.ReturnValuesOnConditionCheckFailure == "ALL_OLD"
}

func (in *statementParameters) parse() (*statement, error) {
	values := make([]attribute.Value, len(in.Parameters))
	for i := range in.Parameters {
		var err error
		if values[i], err = in.Parameters[i].Value(); err != nil {
			return nil, err
		}
	}
	st, err := expression.ParseStatement(*in.Statement, values)
	if err != nil {
		return nil, err
	}
	return &statement{st}, nil
}

// executeStatementInput runs a PartiQL statement, which reads any number of items or writes
// one.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ExecuteStatement.html
type executeStatementInput struct {
	statementParameters
	ConsistentRead         bool
	Limit                  *int32
	NextToken              *string
	ReturnConsumedCapacity string
}

func (in *executeStatementInput) check(c *checks) {
	in.checkStatement(c, "")
	c.returnConsumed(in.ReturnConsumedCapacity)
	if in.Limit != nil {
		c.number(int64(*in.Limit), "limit", 1, math.MaxInt32)
	}
}

func (in *executeStatementInput) run(ctx context.Context, s *Store) (any, error) {
	st, err := in.parse()
	if err != nil {
		return nil, err
	}
	switch st.Kind {
	case expression.StatementSelect:
		return in.read(ctx, s, st)
	case expression.StatementExists:
		return nil, apierror.Invalid("EXISTS can only be used in ExecuteTransaction write requests.")
	case expression.StatementInsert, expression.StatementUpdate, expression.StatementDelete:
	}
	out, err := st.perform(s, in.showOld(), in.ReturnConsumedCapacity)
	if err != nil {
		return nil, err
	}
	items := []attribute.Item{}
	if len(out.Attributes) > 0 {
		items = append(items, out.Attributes)
	}
	return &executeStatementOutput{items, out.ConsumedCapacity}, nil
}

// executeStatementOutput answers a write: the item of RETURNING, or none.
type executeStatementOutput struct {
	Items            []attribute.Item
	ConsumedCapacity *consumedCapacity `json:",omitempty"`
}

func (st *statement) perform(s *Store, showOld bool, capacity string) (*writeOutput, error) {
	w, err := st.write(s, showOld)
	parameters := writeParameters{ReturnValues: st.Returning, ReturnConsumedCapacity: capacity}
	out, err := parameters.perform(s, w, err)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (in *executeStatementInput) read(ctx context.Context, s *Store, st *statement) (any, error) {
	digest, err := digestOf(statementParameters{Statement: in.Statement, Parameters: in.Parameters})
	if err != nil {
		return nil, err
	}
	var start attribute.Item
	if in.NextToken != nil {
		if start, err = startOf(*in.NextToken, digest); err != nil {
			return nil, err
		}
	}
	p, err := st.page(s, &readParameters{
		TableName: &st.Table, IndexName: st.Index, Limit: in.Limit,
		ConsistentRead: in.ConsistentRead, ReturnConsumedCapacity: in.ReturnConsumedCapacity,
	}, start)
	if err != nil {
		return nil, err
	}
	page, err := p.run(ctx, s)
	if err != nil {
		return nil, err
	}
	return &selectOutput{page, digest}, nil
}

// selectOutput answers a SELECT with the items of a page and the token of the next one.
type selectOutput struct {
	page   *pageOutput
	digest []byte
}

func (out *selectOutput) appendJSON([]byte) ([]byte, error) {
	dst := append(out.page.body, ']')
	if last := out.page.last; last != nil {
		token, err := tokenAfter(last, out.digest)
		if err != nil {
			return nil, err
		}
		dst = attribute.AppendQuoted(append(dst, `,"NextToken":`...), token)
		dst = attribute.AppendItem(append(dst, `,"LastEvaluatedKey":`...), last)
	}
	return appendConsumed(dst, out.page.consumed)
}
