// This file runs jq expressions over items.

package sieve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/itchyny/gojq"

	"github.com/ddbdesk/ddbdesk/models"
)

// queryTime is how long an expression may take for one item: one that never ends
// must not take the memory away meanwhile.
const queryTime = 200 * time.Millisecond

// ErrSlow is wrapped by the error about an expression that takes too long for
// one item: it would do so for others.
var ErrSlow = errors.New("jq: takes too long")

// An expression is a compiled jq expression.
type expression struct{ code *gojq.Code }

// parseQuery compiles an expression. It sees no environment, no files and no
// other input than the item.
func parseQuery(text string) (*Filter, error) {
	if text == "" || text == "." {
		return nil, unfinished("a jq expression such as .amount > 100")
	}
	query, err := gojq.Parse(text)
	if err != nil {
		var p *gojq.ParseError
		if errors.As(err, &p) && p.Offset >= len(text) {
			return nil, unfinished("jq: the expression is not complete")
		}
		return nil, fmt.Errorf("jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	return &Filter{jq: &expression{code}}, nil
}

// match runs the expression on an item. true and false decide, nothing at all
// takes the row out, everything else is a value to be shown.
func (x *expression) match(ctx context.Context, it models.Item) (Verdict, error) {
	limited, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	iter := x.code.RunWithContext(limited, plainMap(it))
	first, ok := iter.Next()
	if !ok {
		return Verdict{}, nil
	}
	if err, failed := first.(error); failed {
		var halt *gojq.HaltError
		switch {
		case ctx.Err() != nil:
			return Verdict{}, ctx.Err()
		case limited.Err() != nil:
			return Verdict{}, fmt.Errorf("%w: more than %s for one item", ErrSlow, queryTime)
		case errors.As(err, &halt) && halt.Value() == nil:
			return Verdict{}, nil
		}
		return Verdict{}, fmt.Errorf("jq: %w", err)
	}
	if in, decides := first.(bool); decides {
		return Verdict{In: in}, nil
	}
	text, err := encode(first)
	if err != nil {
		return Verdict{}, err
	}
	if _, more := iter.Next(); more {
		text += " …"
	}
	return Verdict{In: true, Value: text, HasValue: true}, nil
}

// encode spells a value that jq made; a string stands without quotes.
func encode(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	out, err := gojq.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("jq: %w", err)
	}
	return string(out), nil
}

// plainMap makes an item what jq works on: maps, slices, strings, and numbers that
// keep their digits. What jq only passes on stays exact, and so do whole numbers
// that it computes with; fractions it computes with in 64 bits.
func plainMap(it map[string]types.AttributeValue) map[string]any {
	out := make(map[string]any, len(it))
	for name, v := range it {
		out[name] = plain(v)
	}
	return out
}

func plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return strings.ToValidUTF8(v.Value, "\uFFFD")
	case *models.Masked:
		return v.Value
	case *types.AttributeValueMemberN:
		return plainNumber(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberB:
		return base64.StdEncoding.EncodeToString(v.Value)
	case *types.AttributeValueMemberM:
		return plainMap(v.Value)
	case *types.AttributeValueMemberL:
		return plainList(v.Value, plain)
	case *types.AttributeValueMemberSS:
		return plainList(v.Value, func(s string) any { return s })
	case *types.AttributeValueMemberNS:
		return plainList(v.Value, plainNumber)
	case *types.AttributeValueMemberBS:
		return plainList(v.Value, func(b []byte) any { return base64.StdEncoding.EncodeToString(b) })
	default:
		return nil
	}
}

// plainNumber is a number, or its text when a server sent something else.
func plainNumber(text string) any {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !json.Valid([]byte(text)) {
		return text
	}
	return json.Number(text)
}

func plainList[T any](list []T, element func(T) any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = element(v)
	}
	return out
}
