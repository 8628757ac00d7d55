// A stored key is hash(partition key) + partition key + sort key. Each key has one attribute, or up to four in a global
// index. The hash distributes partitions as in DynamoDB: a scan is not sorted, and a parallel scan splits the hash
// space. Within a partition, the bytes sort like the sort keys.

package embedded

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

const hashBytes = 4

func partitionBytes(it attribute.Item, keys []attribute.Key) []byte {
	key := make([]byte, hashBytes, 64)
	for _, k := range keys {
		key = attribute.AppendKeyPart(key, it[k.Name])
	}
	binary.BigEndian.PutUint32(key, crc32.ChecksumIEEE(key[hashBytes:]))
	return key
}

// keyAfter returns the smallest key after every key with this prefix. nil represents the end of the keyspace.
func keyAfter(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// keyRange is the half-open range of stored keys [from, to). nil means unbounded.
type keyRange struct{ from, to []byte }

func prefixRange(prefix []byte) keyRange { return keyRange{from: prefix, to: keyAfter(prefix)} }

func segmentRange(segment, total int) keyRange {
	bound := func(n int) []byte {
		b := uint64(n) << 32 / uint64(total)
		if b == 0 || b >= 1<<32 {
			return nil
		}
		return binary.BigEndian.AppendUint32(nil, uint32(b))
	}
	return keyRange{from: bound(segment), to: bound(segment + 1)}
}

// keyRange requires equalities on the partition key and on all sort key attributes before the last used one.
func (tb *table) keyRange(ix *index, conditions map[string]expression.KeyCondition) (keyRange, error) {
	keys, width := tb.keys(ix), ix.partitionWidth()
	if len(conditions) > len(keys) {
		return keyRange{},
			apierror.Invalid("The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)",
				len(conditions), len(keys))
	}
	missingCondition := func(k attribute.Key) error {
		return apierror.Invalid("Query condition missed key schema element: %s", k.Name)
	}
	equal, found := attribute.Item{}, 0
	var firstMissing *attribute.Key // the first attribute without a condition
	for i, k := range keys {
		c, ok := conditions[k.Name]
		if !ok {
			if i < width {
				return keyRange{}, missingCondition(k)
			}
			if firstMissing == nil {
				firstMissing = &k
			}
			continue
		}
		found++
		if err := checkKeyCondition(c, k, i < width); err != nil {
			return keyRange{}, err
		}
		if c.Op == expression.OpEqual {
			equal[k.Name] = c.Values[0]
		}
	}
	if found < len(conditions) {
		return keyRange{}, missingCondition(*firstMissing)
	}
	if err := checkSortConditions(keys[width:], conditions); err != nil {
		return keyRange{}, err
	}
	prefix := partitionBytes(equal, keys[:width])
	for _, k := range keys[width:] {
		c, ok := conditions[k.Name]
		switch {
		case !ok:
			return prefixRange(prefix), nil
		case c.Op != expression.OpEqual:
			return rangeWithin(c, prefix), nil
		}
		prefix = attribute.AppendKeyPart(prefix, c.Values[0])
	}
	return prefixRange(prefix), nil
}

func checkKeyCondition(c expression.KeyCondition, k attribute.Key, isPartition bool) error {
	for _, v := range c.Values {
		if v.Kind != k.Kind {
			return apierror.InvalidParameter("Condition parameter type does not match schema type")
		}
		if err := checkKeyValue(k, v, isPartition); err != nil {
			return err
		}
	}
	if isPartition && c.Op != expression.OpEqual {
		return apierror.Invalid("Query key condition not supported")
	}
	return nil
}

func checkSortConditions(keys []attribute.Key, conditions map[string]expression.KeyCondition) error {
	var rangeKeys []string
	for _, k := range keys {
		c, ok := conditions[k.Name]
		if ok && rangeKeys != nil {
			return apierror.Invalid("RANGE key attributes %s must have equality conditions specified in the query "+
				"because a condition is present on key attribute %s", strings.Join(rangeKeys, ", "), k.Name)
		}
		if !ok || c.Op != expression.OpEqual {
			rangeKeys = append(rangeKeys, k.Name)
		}
	}
	return nil
}

func rangeWithin(c expression.KeyCondition, prefix []byte) keyRange {
	r := prefixRange(prefix)
	part := func(i int) []byte { return attribute.AppendKeyPart(append([]byte(nil), prefix...), c.Values[i]) }
	switch c.Op {
	case expression.OpEqual: // only matchesValue uses it
		return prefixRange(part(0))
	case expression.OpLess:
		r.to = part(0)
	case expression.OpLessOrEqual:
		r.to = keyAfter(part(0))
	case expression.OpGreater:
		r.from = keyAfter(part(0))
	case expression.OpGreaterOrEqual:
		r.from = part(0)
	case expression.OpBetween:
		return keyRange{from: part(0), to: keyAfter(part(1))}
	default: // begins_with
		return prefixRange(attribute.AppendKeyPrefix(append([]byte(nil), prefix...), c.Values[0].Str))
	}
	return r
}

func matchesValue(c expression.KeyCondition, v attribute.Value) bool {
	prefix := []byte{}
	r := rangeWithin(c, prefix)
	return isInRange(attribute.AppendKeyPart(nil, v), keyRange{to: r.to}, false) && isInRange(attribute.AppendKeyPart(nil, v), r, true)
}
