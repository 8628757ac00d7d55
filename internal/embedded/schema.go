package embedded

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
	"github.com/ddbdesk/ddbdesk/internal/embedded/expression"
)

// These are DynamoDB's limits on key values and items, in bytes.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
	maxItemSize     = 400 * 1024
)

// arnPrefix is the start of the ARN of every table. The region and the account are placeholders.
const arnPrefix = "arn:aws:dynamodb:local:000000000000:table/"

// table is the stored definition of a table. It is immutable, so operations that alter tables replace it.
type table struct {
	Name       string
	ID         string
	Created    time.Time
	Attributes []attributeDefinition
	Keys       []attribute.Key
	Indexes    []*index
	Billing    string
	BilledFrom time.Time
	Throughput throughput
	TTL        string            `json:",omitempty"` // attribute name; empty while disabled
	Tags       map[string]string `json:",omitempty"`
	Protected  bool              `json:",omitempty"`
	Class      string            `json:",omitempty"`
	Stream     *streamSpec       `json:",omitempty"`
	// StreamLabel is the label of the latest stream, which may be disabled.
	StreamLabel  string              `json:",omitempty"`
	Passive      ineffectiveSettings `json:",omitzero"`
	RecoveryDays int64               `json:",omitempty"` // days of point-in-time recovery; 0 while disabled

	indexKeys []indexKey // keys of all indexes, in the order of DynamoDB's checks
}

// attributeDefinition is the type of a key attribute: S, N or B.
type attributeDefinition struct {
	AttributeName string
	AttributeType string
}

// indexKey is a key attribute of an index.
type indexKey struct {
	attribute.Key
	index       *index
	isPartition bool
}

// index is a secondary index. It stores only keys and reads items from the table, so that a write that keeps the index
// key does not change the index.
type index struct {
	Name       string
	Global     bool
	Keys       []attribute.Key
	Partition  int `json:",omitempty"` // number of attributes in the partition key; 0 means 1
	Projection string
	Include    []string `json:",omitempty"`
	Throughput throughput
	Passive    ineffectiveSettings `json:",omitzero"`

	projected *expression.Selection // nil projects everything
}

// These are the projections of an index: every attribute, only the keys, or the keys and some attributes.
const (
	projectAll     = "ALL"
	projectKeys    = "KEYS_ONLY"
	projectInclude = "INCLUDE"
)

func (tb *table) prepare() *table {
	tb.indexKeys = nil
	byName := func(a, b *index) int { return strings.Compare(a.Name, b.Name) }
	for _, ix := range slices.SortedFunc(slices.Values(tb.Indexes), byName) {
		for i, k := range ix.Keys {
			tb.indexKeys = append(tb.indexKeys, indexKey{k, ix, i < ix.partitionWidth()})
		}
	}
	for _, ix := range tb.Indexes {
		if ix.Projection == projectAll {
			continue
		}
		ix.projected = expression.SelectNames(slices.Concat(tb.keyNames(ix), ix.Include))
	}
	return tb
}

func (tb *table) arn() string { return arnPrefix + tb.Name }

func (tb *table) streamARN() string {
	if tb.StreamLabel == "" {
		return ""
	}
	return tb.arn() + streamInfix + tb.StreamLabel
}

func (tb *table) index(name string) *index {
	for _, ix := range tb.Indexes {
		if ix.Name == name {
			return ix
		}
	}
	return nil
}

func (tb *table) keys(ix *index) []attribute.Key {
	if ix == nil {
		return tb.Keys
	}
	return ix.Keys
}

func (tb *table) allKeys() []attribute.Key {
	all := slices.Clone(tb.Keys)
	for _, ix := range tb.Indexes {
		all = append(all, ix.Keys...)
	}
	return all
}

func (ix *index) partitionWidth() int {
	if ix == nil || ix.Partition == 0 {
		return 1
	}
	return ix.Partition
}

func (tb *table) keyNames(ix *index) []string {
	var names []string
	for _, k := range slices.Concat(tb.Keys, tb.keys(ix)) {
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}

func (tb *table) startKey(ix *index, it attribute.Item) attribute.Item {
	out := attribute.Item{}
	for _, name := range tb.keyNames(ix) {
		out[name] = it[name]
	}
	return out
}

func (tb *table) rowKey(it attribute.Item) []byte {
	key := partitionBytes(it, tb.Keys[:1])
	for _, k := range tb.Keys[1:] {
		key = attribute.AppendKeyPart(key, it[k.Name])
	}
	return key
}

// entryKey appends the table key to make the key unique. ok is false without a valid value, which may predate the
// index. Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.OnlineOps.html
func (tb *table) entryKey(ix *index, it attribute.Item) (key []byte, ok bool) {
	width := ix.partitionWidth()
	for i, k := range ix.Keys {
		v, found := it[k.Name]
		if !found || v.Kind != k.Kind || checkKeyValue(k, v, i < width) != nil {
			return nil, false
		}
	}
	key = partitionBytes(it, ix.Keys[:width])
	for _, k := range slices.Concat(ix.Keys[width:], tb.Keys) {
		key = attribute.AppendKeyPart(key, it[k.Name])
	}
	return key, true
}

func (tb *table) rowKeyOf(ix *index, entryKey []byte) ([]byte, error) {
	if len(entryKey) < hashBytes {
		return nil, errShortKey
	}
	rest := entryKey[hashBytes:]
	for _, k := range ix.Keys {
		n := attribute.KeyPartSize(k.Kind, rest)
		if n < 0 {
			return nil, errShortKey
		}
		rest = rest[n:]
	}
	n := attribute.KeyPartSize(tb.Keys[0].Kind, rest)
	if n < 0 {
		return nil, errShortKey
	}
	key := make([]byte, hashBytes, hashBytes+len(rest))
	binary.BigEndian.PutUint32(key, crc32.ChecksumIEEE(rest[:n]))
	return append(key, rest...), nil
}

var errShortKey = errors.New("key of an entry is incomplete")

func (tb *table) storedKey(ix *index, it attribute.Item) []byte {
	if ix == nil {
		return tb.rowKey(it)
	}
	key, _ := tb.entryKey(ix, it)
	return key
}

func (ix *index) view(it attribute.Item) attribute.Item {
	if ix == nil {
		return it
	}
	return ix.projected.Project(it)
}

func (tb *table) checkKey(key attribute.Item) error {
	if len(key) != len(tb.Keys) {
		return apierror.KeyDoesNotMatch()
	}
	for i, k := range tb.Keys {
		v, ok := key[k.Name]
		if !ok || v.Kind != k.Kind {
			return apierror.KeyDoesNotMatch()
		}
		if err := checkKeyValue(k, v, i == 0); err != nil {
			return err
		}
	}
	return nil
}

func (tb *table) checkItem(it attribute.Item) error {
	if it.Size() > maxItemSize {
		return apierror.FailsTransaction(apierror.Invalid("Item size has exceeded the maximum allowed size"))
	}
	for i, k := range tb.Keys {
		v, ok := it[k.Name]
		if !ok {
			return apierror.WrongKey(apierror.InvalidParameter("Missing the key %s in the item", k.Name))
		}
		if v.Kind != k.Kind {
			return apierror.WrongKey(apierror.InvalidParameter("Type mismatch for key %s expected: %s actual: %s", k.Name, k.Kind, v.Kind))
		}
		if err := checkKeyValue(k, v, i == 0); err != nil {
			return err
		}
	}
	return tb.checkIndexKeys(it)
}

func checkKeyValue(k attribute.Key, v attribute.Value, isPartition bool) error {
	if v.Kind == attribute.N {
		return nil
	}
	switch {
	case v.Str == "":
		return apierror.FailsTransaction(apierror.Invalid("One or more parameter values are not valid. The AttributeValue for a key attribute "+
			"cannot contain an empty %s value. Key: %s", emptyWord(v.Kind), k.Name))
	case isPartition && len(v.Str) > maxPartitionKey:
		return apierror.InvalidParameter("Size of hashkey has exceeded the maximum size limit of2048 bytes")
	case !isPartition && len(v.Str) > maxSortKey:
		return apierror.InvalidParameter("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
	}
	return nil
}

func emptyWord(k attribute.Kind) string {
	if k == attribute.B {
		return "binary"
	}
	return "string"
}

func (tb *table) checkIndexKeys(it attribute.Item) error {
	for _, k := range tb.indexKeys {
		v, ok := it[k.Name]
		switch {
		case !ok:
			continue
		case v.Kind != k.Kind:
			return wrongIndexKeyError(k, v.Kind)
		case v.Kind == attribute.N:
			continue
		case v.Str == "":
			return apierror.FailsTransaction(apierror.Invalid("One or more parameter values are not valid. A value specified for a secondary index key "+
				"is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s",
				emptyWord(v.Kind), k.index.Name, k.Name))
		}
		role, limit := "rangekey", maxSortKey
		if k.isPartition {
			role, limit = "hashkey", maxPartitionKey
		}
		if len(v.Str) > limit {
			return apierror.InvalidParameter("Size of %s has exceeded the maximum size limit of %d bytes", role, limit)
		}
	}
	return nil
}

func wrongIndexKeyError(k indexKey, actual attribute.Kind) error {
	return apierror.InvalidParameter("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
		k.Name, k.Kind, actual, k.index.Name)
}

// checkUpdated checks only changed index keys, because older values may not fit an index that was created later.
func (tb *table) checkUpdated(it attribute.Item, actions []expression.Action) error {
	changed := make(attribute.Item, len(actions))
	for _, a := range actions {
		if v, ok := it[a.Path[0].Name]; ok {
			changed[a.Path[0].Name] = v
		}
	}
	for _, k := range tb.indexKeys {
		v, ok := changed[k.Name]
		switch {
		case ok && v.Kind != k.Kind:
			return apierror.Invalid("The update expression attempted to update the secondary index key to unsupported type")
		case ok && v.Kind != attribute.N && v.Str == "":
			return apierror.FailsTransaction(apierror.Invalid("One or more parameter values are not valid. The update expression attempted to update a "+
				"secondary index key to a value that is not supported. "+
				"The AttributeValue for a key attribute cannot contain an empty %s value.", emptyWord(v.Kind)))
		}
	}
	return tb.checkIndexKeys(changed)
}

func (tb *table) checkNesting(paths []expression.Path) error {
	for _, p := range paths {
		role, name := "", p[0].Name
		switch {
		case len(p) == 1:
		case slices.ContainsFunc(tb.Keys, func(k attribute.Key) bool { return k.Name == name }):
			role = "Key"
		case slices.ContainsFunc(tb.indexKeys, func(k indexKey) bool { return k.Name == name }):
			role = "IndexKey"
		}
		if role != "" {
			return apierror.Invalid("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s", role, name)
		}
	}
	return nil
}

func (tb *table) checkActions(actions []expression.Action) error {
	var paths []expression.Path
	for _, a := range actions {
		if slices.ContainsFunc(tb.Keys, func(k attribute.Key) bool { return k.Name == a.Path[0].Name }) {
			return apierror.InvalidParameter("Cannot update attribute %s. This attribute is part of the key", a.Path[0].Name)
		}
		paths = append(append(paths, a.Path), expression.Paths(a.Value)...)
	}
	if err := tb.checkNesting(paths); err != nil {
		return err
	}
	for _, k := range tb.indexKeys {
		for _, a := range actions {
			if a.Value == nil || a.Path[0].Name != k.Name {
				continue
			}
			if actual := a.Value.StaticKind(); actual != 0 && actual != k.Kind {
				return wrongIndexKeyError(k, actual)
			}
		}
	}
	return nil
}
