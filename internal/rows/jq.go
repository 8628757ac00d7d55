package rows

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

// jqTimeout limits the time of an expression for one item: an endless one must not
// fill the memory.
const jqTimeout = 200 * time.Millisecond

// ErrSlow is wrapped by the error about an expression that exceeds the time limit
// for an item. It is likely to do so for others.
var ErrSlow = errors.New("jq: expression is too slow")

// A jqProgram is a compiled jq expression.
type jqProgram struct{ code *gojq.Code }

// parseJQ gives an expression no access to the environment, files or other input: it may come from a shared bookmark
// or from another user.
func parseJQ(text string) (*Filter, error) {
	if text == "" || text == "." {
		return nil, incomplete("jq: expression missing, such as .amount > 100")
	}
	query, err := gojq.Parse(text)
	if err != nil {
		var p *gojq.ParseError
		if errors.As(err, &p) && p.Offset >= len(text) {
			return nil, incomplete("jq: incomplete expression")
		}
		return nil, fmt.Errorf("jq: %w", err)
	}
	if err := bound(query); err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query, bounds()...)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	return &Filter{jq: &jqProgram{code}}, nil
}

// match takes a boolean for whether to keep the row, drops it for an empty result, and shows any other result.
func (p *jqProgram) match(ctx context.Context, it models.Item) (Match, error) {
	limited, cancel := context.WithTimeout(ctx, jqTimeout)
	defer cancel()
	iter := p.code.RunWithContext(limited, plainMap(it))
	first, ok := iter.Next()
	if !ok {
		return Match{}, nil
	}
	if err, failed := first.(error); failed {
		var halt *gojq.HaltError
		switch {
		case ctx.Err() != nil:
			return Match{}, ctx.Err()
		case limited.Err() != nil:
			return Match{}, fmt.Errorf("%w: over %s for one item", ErrSlow, jqTimeout)
		case errors.As(err, &halt) && halt.Value() == nil:
			return Match{}, nil
		}
		return Match{}, fmt.Errorf("jq: %w", err)
	}
	if err := atMost(size(first), maxValue); err != nil {
		return Match{}, fmt.Errorf("jq: %w", err)
	}
	if in, decides := first.(bool); decides {
		return Match{Keep: in}, nil
	}
	text, err := encode(first)
	if err != nil {
		return Match{}, err
	}
	if _, more := iter.Next(); more {
		text += " …"
	}
	return Match{Keep: true, Value: text, HasValue: true}, nil
}

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

// plainMap keeps numbers exact that jq passes on, and so is integer arithmetic; fractions are computed in 64 bits.
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
