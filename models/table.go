package models

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Key is one key attribute of a table or index. The zero value is not a key: Name is "". DynamoDB allows only the
// types S, N and B in keys.
type Key struct {
	Name string `json:"name"`
	Type Type   `json:"type"` // S, N or B
}

// A Projection defines which attributes an index contains.
type Projection string

// ProjectionUnknown means that the schema omits the projection, so only the live table defines it.
const (
	ProjectionUnknown  Projection = ""
	ProjectionAll      Projection = "ALL"
	ProjectionKeysOnly Projection = "KEYS_ONLY"
	ProjectionInclude  Projection = "INCLUDE"
)

// A Table is one documented table. The yaml tags here and in Index name the fields in a drafted schema.
type Table struct {
	ID string // name in the schema
	// Name is the name in DynamoDB, with variables resolved.
	Name          string `yaml:"name"`
	PartitionKey  Key    `yaml:"partition_key"`
	SortKey       Key    `yaml:"sort_key"` // Name is "" without a sort key
	TTL           string `yaml:"ttl"`      // time-to-live attribute, "" without TTL
	TTLDocumented string // time-to-live attribute in the documented table settings, if it differs
	// Billing is on-demand, provisioned or free text from the document, or "" if the document omits it.
	Billing     string     `yaml:"billing"`
	Stream      StreamView `yaml:"stream"` // contents of its stream, "" if the schema omits them
	Description string     `yaml:"description"`
	Source      string     `yaml:"source"`
	Indexes     []*Index   `yaml:"indexes"`
}

// A StreamView defines which item images a stream record contains besides the key. The DynamoDB API defines the values.
type StreamView string

// These are the views of a stream.
const (
	StreamKeys StreamView = "KEYS_ONLY"
	StreamNew  StreamView = "NEW_IMAGE"
	StreamOld  StreamView = "OLD_IMAGE"
	StreamBoth StreamView = "NEW_AND_OLD_IMAGES"
)

// StreamViews lists the views of a stream.
func StreamViews() []StreamView { return []StreamView{StreamKeys, StreamNew, StreamOld, StreamBoth} }

// Word returns the view as schemas write it: new_and_old_images.
func (v StreamView) Word() string { return strings.ToLower(string(v)) }

// MaxKeyAttributes is the maximum number of attributes in the partition key, and in the sort key, of a global secondary
// index. Source: Amazon DynamoDB Developer Guide, "Multi-attribute keys pattern".
const MaxKeyAttributes = 4

// An Index is one documented secondary index.
type Index struct {
	// Name is the name in DynamoDB. Requests contain exactly this text.
	Name string
	// Label briefly describes the purpose, or is "".
	Label string `yaml:"label"`
	// PartitionKeys has 1 to MaxKeyAttributes attributes, and SortKeys has at most as many. Only a global index can
	// have several. DynamoDB sorts items by the first sort key, then by the next one.
	PartitionKeys []Key      `yaml:"partition_key"`
	SortKeys      []Key      `yaml:"sort_key"`
	Projection    Projection `yaml:"projection"`
	// Include lists the non-key attributes of an INCLUDE projection. DynamoDB always projects keys.
	Include  []string `yaml:"include"`
	Local    bool     `yaml:"local"`    // a local secondary index, with the table's partition key
	Optional bool     `yaml:"optional"` // may be absent from a live table
	Source   string   `yaml:"source"`
}

// KeyAttributes returns the key attributes of the index in the order of its key.
func (x *Index) KeyAttributes() []Key { return slices.Concat(x.PartitionKeys, x.SortKeys) }

// Holds reports whether the index contains the attribute at a dotted path of its table's items. With an unknown
// projection, only the keys are certain. Only the first name in the path counts, because DynamoDB projects whole
// attributes.
func (x *Index) Holds(t *Table, path string) bool {
	name, _, _ := strings.Cut(path, ".")
	return x.Projection == ProjectionAll || x.HasKey(name) || KeyPosition(t.PrimaryKeys(), name) >= 0 || slices.Contains(x.Include, name)
}

// HasKey reports whether an attribute is part of the index key.
func (x *Index) HasKey(name string) bool { return KeyPosition(x.KeyAttributes(), name) >= 0 }

// KeyPosition returns the position of the key attribute with this name, or -1.
func KeyPosition(keys []Key, name string) int {
	return slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
}

// KeyList returns the keys that have a name. It omits the zero Key, which represents a missing sort key.
func KeyList(keys ...Key) []Key {
	return slices.DeleteFunc(keys, func(k Key) bool { return k.Name == "" })
}

// Index returns the index with this name, or nil.
func (t *Table) Index(name string) *Index {
	return First(t.Indexes, func(x *Index) bool { return x.Name == name })
}

// KeysOf returns the partition and sort key attributes of the index x, or of the table if x is nil. Tables and most
// indexes have one of each; sort is empty if there is no sort key. The caller must not change the slices. KeysOf does
// not check that the index belongs to the table.
func (t *Table) KeysOf(x *Index) (partition, sort []Key) {
	if x != nil {
		return x.PartitionKeys, x.SortKeys
	}
	return KeyList(t.PartitionKey), KeyList(t.SortKey)
}

// PrimaryKeys returns the key attributes of the table itself: one or two.
func (t *Table) PrimaryKeys() []Key { return KeyList(t.PartitionKey, t.SortKey) }

// KeyAttributes returns the distinct key attributes of the table, followed by those of its indexes.
func (t *Table) KeyAttributes() []Key {
	keys := t.PrimaryKeys()
	for _, x := range t.Indexes {
		for _, k := range x.KeyAttributes() {
			if KeyPosition(keys, k.Name) < 0 {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// TypeKeys converts the keys of an item read from plain JSON to the types of the table's keys, because plain JSON has
// only text for a binary value. It keeps text that does not fit the type, and does not change the given item.
func (t *Table) TypeKeys(it Item) Item {
	out := maps.Clone(it)
	for _, k := range t.KeyAttributes() {
		text, ok := it[k.Name].(*types.AttributeValueMemberS)
		if !ok || k.Type == TypeS {
			continue
		}
		if v, err := ScalarValue(k.Type, text.Value); err == nil {
			out[k.Name] = v
		}
	}
	return out
}

// PrimaryKey returns the item's primary key, or false if one of its attributes is missing. It does not copy the values
// or check their types; DynamoDB checks them.
func (t *Table) PrimaryKey(it Item) (Item, bool) {
	key := Item{}
	for _, k := range t.PrimaryKeys() {
		v, ok := it[k.Name]
		if !ok {
			return nil, false
		}
		key[k.Name] = v
	}
	return key, true
}

// KeyID returns a text that is unique to the item's primary key, for use as a map key. A missing key attribute counts
// as empty. It is not for display; see KeyText.
func (t *Table) KeyID(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	sk := ""
	if t.SortKey.Name != "" {
		sk, _ = it.Text(t.SortKey.Name)
	}
	return strconv.Itoa(len(pk)) + ":" + pk + sk
}

// KeyText returns the primary key of an item for display: "PK / SK". Two keys can have the same text, so it does not
// identify an item. It masks nothing: pass a masked item wherever a user sees the text.
func (t *Table) KeyText(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	if t.SortKey.Name == "" {
		return pk
	}
	sk, _ := it.Text(t.SortKey.Name)
	return pk + " / " + sk
}

// MaxTableName is the maximum length of a table name in bytes. Source: Amazon DynamoDB Developer Guide, "Naming rules".
const MaxTableName = 255

// IsTableName reports whether text can be a table name or part of one, such as the value of a variable: 1 to
// [MaxTableName] letters, digits, '_', '.' and '-'. It does not check the minimum length of a whole name, which is 3,
// because a part may be shorter.
func IsTableName(text string) bool {
	return text != "" && len(text) <= MaxTableName && !strings.ContainsFunc(text, func(r rune) bool {
		return !isLetter(r) && !isDigit(r) && r != '_' && r != '.' && r != '-'
	})
}

// IsAccount reports whether text is the number of an AWS account, which has 12 digits. Leading zeros are significant,
// so an account is text and never a number.
func IsAccount(text string) bool {
	return len(text) == 12 && !strings.ContainsFunc(text, func(r rune) bool { return !isDigit(r) })
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
