package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ddbdesk/ddbdesk/models"
)

// A pageProtocol is the SDK's protocol, except that it decodes the items of a Query or Scan itself. This takes about a
// third of the SDK's time, and decoding takes most of the time for reading a table. The SDK decodes the rest of a
// response, and items in an unusual form.
type pageProtocol struct{ smithyhttp.ClientProtocol }

func decodePages(o *dynamodb.Options) { o.Protocol = pageProtocol{o.Protocol} }

// pageBodies contains buffers for responses. It drops buffers larger than maxPooled: a page has at most 1 MB of items,
// and a server that sends more must not keep memory in use.
var pageBodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxPooled = 4 << 20

// DeserializeResponse implements smithyhttp.ClientProtocol.
func (p pageProtocol) DeserializeResponse(
	ctx context.Context, schema *smithy.OperationSchema, registry *smithy.TypeRegistry, resp *smithyhttp.Response,
	out smithy.Deserializable,
) error {
	var into *[]map[string]types.AttributeValue
	switch out := out.(type) {
	case *dynamodb.QueryOutput:
		into = &out.Items
	case *dynamodb.ScanOutput:
		into = &out.Items
	}
	if into == nil || resp.StatusCode != http.StatusOK {
		return p.ClientProtocol.DeserializeResponse(ctx, schema, registry, resp, out)
	}
	body := pageBodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= maxPooled {
			pageBodies.Put(body)
		}
	}()
	body.Reset()
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return &smithy.DeserializationError{Err: err}
	}
	items, rest, ok := cutItems(body.String())
	resp.Body = &restBody{strings.NewReader(rest), resp.Body}
	err := p.ClientProtocol.DeserializeResponse(ctx, schema, registry, resp, out)
	if ok && err == nil {
		*into = items
	}
	return err
}

// A restBody is the rest of a response. Closing it closes the whole response.
type restBody struct {
	io.Reader
	io.Closer
}

// cutItems returns the items of a page, and the page without them. If ok is false, rest is the whole page.
func cutItems(page string) (items []map[string]types.AttributeValue, rest string, ok bool) {
	d := itemDecoder{text: page}
	if !d.accept('{') {
		return nil, page, false
	}
	for {
		name, ok := d.name()
		if !ok {
			return nil, page, false
		}
		if name == "Items" {
			break
		}
		if !d.skip() || !d.accept(',') {
			return nil, page, false
		}
	}
	from := d.at
	items, ok = d.items()
	if !ok || strings.Contains(page[d.at:], `"Items"`) {
		return nil, page, false
	}
	return items, page[:from] + "[]" + page[d.at:], true
}

// An itemDecoder decodes JSON in the form that servers use for items: no null, and one type for each value. Its methods
// return false for any other text, even if it is not JSON.
type itemDecoder struct {
	text string
	at   int

	// The strings and numbers of an item share one allocation.
	texts   []types.AttributeValueMemberS
	numbers []types.AttributeValueMemberN
	sizes   [3]int // number of attributes, strings and numbers in the previous item
	depth   int    // depth of the current value
}

// maxDepth is the maximum depth of nested values. DynamoDB allows 32 levels.
const maxDepth = 64

// items allocates memory for each item separately, so that an item does not keep its whole page in memory.
func (d *itemDecoder) items() ([]map[string]types.AttributeValue, bool) {
	one := itemDecoder{}
	return listOf(d, make([]map[string]types.AttributeValue, 0, 64), func() (map[string]types.AttributeValue, bool) {
		from := d.at
		if !d.skip() {
			return nil, false
		}
		one.text, one.at = strings.Clone(d.text[from:d.at]), 0
		it, ok := one.item()
		return it, ok && one.at == len(one.text)
	})
}

func (d *itemDecoder) item() (map[string]types.AttributeValue, bool) {
	d.texts = make([]types.AttributeValueMemberS, 0, d.sizes[1])
	d.numbers = make([]types.AttributeValueMemberN, 0, d.sizes[2])
	it, ok := d.attributes(d.sizes[0])
	d.sizes = [3]int{len(it), len(d.texts), len(d.numbers)}
	return it, ok
}

func (d *itemDecoder) attributes(size int) (map[string]types.AttributeValue, bool) {
	if !d.accept('{') {
		return nil, false
	}
	it := make(map[string]types.AttributeValue, size)
	if d.accept('}') {
		return it, true
	}
	for {
		name, ok := d.name()
		if !ok {
			return nil, false
		}
		v := d.value()
		if v == nil {
			return nil, false
		}
		it[name] = v
		switch {
		case d.accept(','):
		case d.accept('}'):
			return it, true
		default:
			return nil, false
		}
	}
}

func (d *itemDecoder) value() types.AttributeValue {
	if !d.accept('{') || d.depth == maxDepth {
		return nil
	}
	kind, ok := d.name()
	if !ok {
		return nil
	}
	d.depth++
	v := d.member(kind)
	d.depth--
	if !d.accept('}') {
		return nil
	}
	return v
}

func (d *itemDecoder) member(kind string) types.AttributeValue {
	switch kind {
	case "S":
		if text, ok := d.string(); ok {
			d.texts = append(d.texts, types.AttributeValueMemberS{Value: text})
			return &d.texts[len(d.texts)-1]
		}
	case "N":
		if text, ok := d.string(); ok {
			d.numbers = append(d.numbers, types.AttributeValueMemberN{Value: text})
			return &d.numbers[len(d.numbers)-1]
		}
	case "B":
		if b, ok := d.binary(); ok {
			return &types.AttributeValueMemberB{Value: b}
		}
	case "BOOL":
		if value, ok := d.bool(); ok {
			return &types.AttributeValueMemberBOOL{Value: value}
		}
	case "NULL":
		if value, ok := d.bool(); ok {
			return &types.AttributeValueMemberNULL{Value: value}
		}
	case "M":
		if m, ok := d.attributes(0); ok {
			return &types.AttributeValueMemberM{Value: m}
		}
	case "L":
		element := func() (types.AttributeValue, bool) {
			v := d.value()
			return v, v != nil
		}
		if list, ok := listOf(d, []types.AttributeValue{}, element); ok {
			return &types.AttributeValueMemberL{Value: list}
		}
	case "SS":
		if list, ok := listOf(d, []string{}, d.string); ok {
			return &types.AttributeValueMemberSS{Value: list}
		}
	case "NS":
		if list, ok := listOf(d, []string{}, d.string); ok {
			return &types.AttributeValueMemberNS{Value: list}
		}
	case "BS":
		if list, ok := listOf(d, [][]byte{}, d.binary); ok {
			return &types.AttributeValueMemberBS{Value: list}
		}
	}
	return nil
}

func listOf[T any](d *itemDecoder, list []T, element func() (T, bool)) ([]T, bool) {
	if !d.accept('[') {
		return nil, false
	}
	if d.accept(']') {
		return list, true
	}
	for {
		v, ok := element()
		if !ok {
			return nil, false
		}
		list = append(list, v)
		switch {
		case d.accept(','):
		case d.accept(']'):
			return list, true
		default:
			return nil, false
		}
	}
}

func (d *itemDecoder) binary() ([]byte, bool) {
	text, ok := d.string()
	if !ok {
		return nil, false
	}
	b, err := base64.StdEncoding.DecodeString(text)
	return b, err == nil
}

func (d *itemDecoder) bool() (value, ok bool) {
	d.skipSpace()
	for _, value := range []bool{true, false} {
		word := "false"
		if value {
			word = "true"
		}
		if strings.HasPrefix(d.text[d.at:], word) {
			d.at += len(word)
			return value, true
		}
	}
	return false, false
}

func (d *itemDecoder) name() (string, bool) {
	text, ok := d.string()
	return text, ok && d.accept(':')
}

func (d *itemDecoder) string() (string, bool) {
	if !d.accept('"') {
		return "", false
	}
	from := d.at
	escaped := false
	for {
		d.at = models.IndexJSONEscape(d.text, d.at)
		if d.at >= len(d.text) {
			return "", false
		}
		switch d.text[d.at] {
		case '"':
			d.at++
			if !escaped {
				return d.text[from : d.at-1], true
			}
			var value string
			err := json.Unmarshal([]byte(d.text[from-1:d.at]), &value)
			return value, err == nil
		case '\\':
			escaped = true
			d.at += 2
		default: // a control character
			return "", false
		}
	}
}

func (d *itemDecoder) accept(c byte) bool {
	d.skipSpace()
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *itemDecoder) skipSpace() {
	for d.at < len(d.text) && (d.text[d.at] == ' ' || d.text[d.at] == '\n' || d.text[d.at] == '\r' || d.text[d.at] == '\t') {
		d.at++
	}
}

// skip skips one JSON value. It examines only strings and brackets.
func (d *itemDecoder) skip() bool {
	d.skipSpace()
	from := d.at
	for depth := 0; d.at < len(d.text); {
		switch d.text[d.at] {
		case '"':
			for d.at++; ; d.at += 2 {
				d.at = models.IndexJSONEscape(d.text, d.at)
				if d.at >= len(d.text) || d.text[d.at] < ' ' {
					return false
				}
				if d.text[d.at] == '"' {
					break
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return d.at > from
			}
			if depth--; depth == 0 {
				d.at++
				return true
			}
		case ',':
			if depth == 0 {
				return d.at > from
			}
		}
		d.at++
	}
	return false
}
