package models

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Key is one key attribute of a table or index. The zero value is not a key: Name is "".
// DynamoDB allows keys of the types S, N and B only.
type Key struct {
	Name string `json:"name"`
	Type Type   `json:"type"` // S, N or B
}

// A Projection defines which attributes an index contains.
type Projection string

// The projections. ProjectionUnknown means that the schema does not say; the
// live table knows.
const (
	ProjectionUnknown  Projection = ""
	ProjectionAll      Projection = "ALL"
	ProjectionKeysOnly Projection = "KEYS_ONLY"
	ProjectionInclude  Projection = "INCLUDE"
)

// A Table is one documented table. The yaml tags here and of an index are the words that a drafted profile has.
type Table struct {
	ID string // its name in the profile
	// Name is the name in DynamoDB, with variables resolved.
	Name          string `yaml:"name"`
	PartitionKey  Key    `yaml:"partition_key"`
	SortKey       Key    `yaml:"sort_key"` // Name is "" without a sort key
	TTL           string `yaml:"ttl"`      // attribute of the items, "" without TTL
	TTLDocumented string // attribute in the documented table settings, if it differs
	// Billing is on-demand, provisioned or free text of the document, "" if it does not say.
	Billing     string     `yaml:"billing"`
	Stream      StreamView `yaml:"stream"` // what its stream has of each change, "" if the schema does not say
	Description string     `yaml:"description"`
	Source      string     `yaml:"source"`
	Indexes     []*Index   `yaml:"indexes"`
}

// A StreamView describes what a stream has of each change besides the key of the item, in the words of the API.
type StreamView string

// The views of a stream.
const (
	StreamKeys StreamView = "KEYS_ONLY"
	StreamNew  StreamView = "NEW_IMAGE"
	StreamOld  StreamView = "OLD_IMAGE"
	StreamBoth StreamView = "NEW_AND_OLD_IMAGES"
)

// StreamViews lists the views of a stream.
func StreamViews() []StreamView { return []StreamView{StreamKeys, StreamNew, StreamOld, StreamBoth} }

// Word returns the view as profiles write it: new_and_old_images.
func (v StreamView) Word() string { return strings.ToLower(string(v)) }

// MaxKeyAttributes is the most attributes of the partition key, and of the sort key, of a
// global secondary index.
// Source: Amazon DynamoDB Developer Guide, "Multi-attribute keys pattern".
const MaxKeyAttributes = 4

// An Index is one documented secondary index.
type Index struct {
	// Name is the name in DynamoDB. In a request it is exactly this text.
	Name string
	// Label is the purpose in a few words, "" for none.
	Label string `yaml:"label"`
	// PartitionKeys has 1 to MaxKeyAttributes attributes, SortKeys none or as many. Only a
	// global index has several. Items are sorted by the first sort key, then by the next.
	PartitionKeys []Key      `yaml:"partition_key"`
	SortKeys      []Key      `yaml:"sort_key"`
	Projection    Projection `yaml:"projection"`
	// Include has the non-key attributes of an INCLUDE projection; keys are always projected.
	Include  []string `yaml:"include"`
	Local    bool     `yaml:"local"`    // a local secondary index: its partition key is that of the table
	Optional bool     `yaml:"optional"` // may be absent from a live table
	Source   string   `yaml:"source"`
}

// KeyAttributes returns the key attributes of the index in the order of its key.
func (x *Index) KeyAttributes() []Key { return slices.Concat(x.PartitionKeys, x.SortKeys) }

// Holds reports whether the index contains an attribute, a dotted path, of the items of its
// table. An unknown projection holds only the keys for certain. Only the first name of the path
// counts, because DynamoDB projects whole attributes.
func (x *Index) Holds(t *Table, path string) bool {
	name, _, _ := strings.Cut(path, ".")
	return x.Projection == ProjectionAll || x.HasKey(name) || KeyNamed(t.PrimaryKeys(), name) >= 0 || slices.Contains(x.Include, name)
}

// HasKey reports whether an attribute is a part of the index key.
func (x *Index) HasKey(name string) bool { return KeyNamed(x.KeyAttributes(), name) >= 0 }

// KeyNamed returns the position of the key attribute called name, -1 without one.
func KeyNamed(keys []Key, name string) int {
	return slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
}

// KeyList returns the keys that have a name: a partition key, or nothing for a sort key
// that does not exist.
func KeyList(keys ...Key) []Key {
	return slices.DeleteFunc(keys, func(k Key) bool { return k.Name == "" })
}

// Index returns the index called name, or nil.
func (t *Table) Index(name string) *Index {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// KeysOf returns the partition and sort key attributes of the index x, or of the table if
// x is nil. A table, and most indexes, have one of each; sort is empty without a sort key. The
// caller must not change the slices of an index. The index is not checked to be one of the
// table.
func (t *Table) KeysOf(x *Index) (partition, sort []Key) {
	if x != nil {
		return x.PartitionKeys, x.SortKeys
	}
	return KeyList(t.PartitionKey), KeyList(t.SortKey)
}

// PrimaryKeys returns the key attributes of the table itself: one or two.
func (t *Table) PrimaryKeys() []Key { return KeyList(t.PartitionKey, t.SortKey) }

// KeyAttributes returns the key attributes of the table and then of its indexes,
// each once.
func (t *Table) KeyAttributes() []Key {
	keys := t.PrimaryKeys()
	for _, x := range t.Indexes {
		for _, k := range x.KeyAttributes() {
			if KeyNamed(keys, k.Name) < 0 {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// TypeKeys returns an item of plain JSON with the types of the table's keys: JSON has only text for a binary value. A text that
// is no value of the type stays, and so does the given item.
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

// PrimaryKey returns the item's primary key; false when an attribute of it is
// missing. The values are those of the item and not copies. Their types are not compared with
// the table's: DynamoDB does that.
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

// KeyID returns a text that only items with the same primary key have, for maps. An attribute of the key that is missing is
// taken as empty. It is not for display; see KeyText.
func (t *Table) KeyID(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	sk := ""
	if t.SortKey.Name != "" {
		sk, _ = it.Text(t.SortKey.Name)
	}
	return strconv.Itoa(len(pk)) + ":" + pk + sk
}

// KeyText returns the primary key of an item for display: "PK / SK". Two keys can have the same
// text, so it identifies no item. It shows the values as
// they are. Pass a masked item where a user sees it.
func (t *Table) KeyText(it Item) string {
	pk, _ := it.Text(t.PartitionKey.Name)
	if t.SortKey.Name == "" {
		return pk
	}
	sk, _ := it.Text(t.SortKey.Name)
	return pk + " / " + sk
}

// MaxTableName is the longest table name in bytes. Source: Amazon DynamoDB Developer
// Guide, "Naming rules".
const MaxTableName = 255

// IsTableName reports whether text can be a table name, or a part of one such as the
// value of a variable: 1 to [MaxTableName] letters, digits, '_', '.' and '-'. It does not check
// the least length of a whole name, which is 3, because a part may be shorter.
func IsTableName(text string) bool {
	return text != "" && len(text) <= MaxTableName && !strings.ContainsFunc(text, func(r rune) bool {
		return !isLetter(r) && !isDigit(r) && r != '_' && r != '.' && r != '-'
	})
}

// IsAccount reports whether text is the number of an AWS account, which has 12 digits. Leading
// zeros count, so an account is a text and never a number.
func IsAccount(text string) bool {
	return len(text) == 12 && !strings.ContainsFunc(text, func(r rune) bool { return !isDigit(r) })
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
