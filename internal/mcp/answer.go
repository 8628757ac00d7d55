package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/models"
)

// limits contains the read and output limits of one call, or of all calls together.
type limits struct {
	units float64 // read capacity units
	rows  int
	bytes int
}

// perCall contains the limits of one call. A query that reads 1 MB consumes 128 units (AWS Developer Guide, "DynamoDB
// read and write operations"). 64 KB are about 16,000 tokens.
var perCall = limits{units: 128, rows: 100, bytes: 64 << 10}

// A shape contains the maximum sizes of values in an answer.
type shape struct {
	text     int // characters in a text
	elements int // elements in a list
	members  int // members in a map
}

// shapes lists the shapes to try, in order, until an answer is small enough.
var shapes = []shape{{4000, 1000, 500}, {1000, 200, 200}, {200, 50, 100}, {40, 10, 50}, {20, 3, 10}}

// encode encodes a document. It makes control characters visible, and shortens long texts and lists.
func encode(document any, maximum int) ([]byte, error) {
	whole, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(whole))
	d.UseNumber() // DynamoDB's numbers have up to 38 digits
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	for _, s := range shapes {
		n := jsonCleaner{shape: s}
		members := n.document(tree)
		if n.truncated {
			members["truncated"] = true
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(members); err != nil {
			return nil, err
		}
		if text := bytes.TrimSpace(out.Bytes()); len(text) <= maximum {
			return text, nil
		}
	}
	return nil, fmt.Errorf("the response is longer than %d KB; request less", maximum>>10)
}

// jsonCleaner copies a JSON tree. It shortens values and makes control characters visible.
type jsonCleaner struct {
	shape
	truncated bool // the copy shortened something
}

// document keeps the rows of a page and its page token, because the next page begins after the last row.
func (c *jsonCleaner) document(tree map[string]any) map[string]any {
	rows, isPage := tree["items"].([]any)
	if !isPage {
		return c.members(tree)
	}
	rest := maps.Clone(tree)
	delete(rest, "items")
	delete(rest, "next")
	out := c.members(rest)
	out["items"], out["next"] = models.MapSlice(rows, c.value), tree["next"]
	return out
}

func (c *jsonCleaner) value(v any) any {
	switch v := v.(type) {
	case string:
		return c.textOf(v)
	case []any:
		shown := v
		if len(v) > c.elements {
			shown, c.truncated = v[:c.elements], true
		}
		out := make([]any, len(shown), len(shown)+1)
		for i, x := range shown {
			out[i] = c.value(x)
		}
		if more := len(v) - len(shown); more > 0 {
			out = append(out, fmt.Sprintf("… %d more", more))
		}
		return out
	case map[string]any:
		return c.members(v)
	}
	return v
}

func (c *jsonCleaner) members(m map[string]any) map[string]any {
	out := make(map[string]any, min(len(m), c.shape.members+1))
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i == c.shape.members {
			c.truncated = true
			out["…"] = fmt.Sprintf("%d more", len(m)-i)
			break
		}
		out[c.textOf(name)] = c.value(m[name])
	}
	return out
}

func (c *jsonCleaner) textOf(s string) string {
	if count := utf8.RuneCountInString(s); count > c.text {
		c.truncated = true
		s = fmt.Sprintf("%s… (%d more characters)", string([]rune(s)[:c.text]), count-c.text)
	}
	return models.Printable(s)
}
