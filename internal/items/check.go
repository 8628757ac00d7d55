package items

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxItemSize is the maximum size of an item in bytes. Source: Amazon DynamoDB Developer Guide, "Quotas".
const maxItemSize = 400 << 10

// maxFaults is the number of faulty items that CheckFile describes. It only counts the others.
const maxFaults = 5

// CheckFile reads a file and returns an error if its items cannot be loaded: an error of Read, or the number of items
// that differ from the schema, that DynamoDB cannot store, or that are masked. It passes a line about each of the
// first faulty items to note. unchecked accepts differences from the schema. CheckFile calls read for every item.
func CheckFile(ctx context.Context, path string, o ReadOptions, unchecked bool, note func(string), read func()) error {
	c := checker{p: o.Profile, keys: map[[16]byte]int{}}
	reported := 0
	err := Read(path, o, func(r Record) error {
		read()
		before := c.invalid
		fault := c.fault(r)
		if fault != "" && (c.invalid > before || !unchecked) {
			if reported++; reported <= maxFaults {
				note(r.Place + ": " + fault)
			}
		}
		return ctx.Err()
	})
	switch {
	case err != nil:
		return err
	case c.masked:
		return inputErrorf("nothing was written, because %s masked values; to copy items, use ddbdesk case save",
			english.PluralWord(c.invalid, "1 item has", fmt.Sprintf("%d items have", c.invalid)))
	case c.invalid > 0:
		return inputErrorf("nothing was written, because DynamoDB cannot store %s", english.Plural(c.invalid, "item", ""))
	case c.differing > 0 && !unchecked:
		return inputErrorf("nothing was written, because %s the schema; to load the file anyway, add --unchecked",
			english.PluralWord(c.differing, "1 item does not match", fmt.Sprintf("%d items do not match", c.differing)))
	}
	return nil
}

// A checker finds faults in items. Its messages never contain values.
type checker struct {
	p         *profiles.Profile
	keys      map[[16]byte]int // number of the first item with a key, across all files
	read      int              // items read
	invalid   int              // items that DynamoDB cannot store, or that are masked
	differing int              // other items that differ from the schema
	masked    bool
}

func (c *checker) fault(r Record) string {
	c.read++
	e := (*models.Entity)(nil)
	if found, ok := models.Recognize(c.p.Entities, r.Table, r.Item); ok {
		e = found.Entity
	}
	if name := r.Table.MaskedAttribute(r.Item); name != "" {
		c.masked = true
		c.invalid++
		if e != nil {
			name = e.Name + "." + name
		}
		return name + " is masked"
	}
	if fault := storageFault(r); fault != "" {
		c.invalid++
		return fault
	}
	fault := cmp.Or(c.duplicateFault(r), schemaDifference(e, r), expiryFault(r))
	if fault != "" {
		c.differing++
	}
	return fault
}

// duplicateFault finds items with the key of an earlier item, which a load would skip. It keeps only digests of keys.
func (c *checker) duplicateFault(r Record) string {
	sum := sha256.Sum256([]byte(r.Table.ID + " " + r.Table.KeyID(r.Item)))
	key := [16]byte(sum[:16])
	first, ok := c.keys[key]
	if !ok {
		c.keys[key] = c.read
		return ""
	}
	if first -= c.read - r.Number; first < 1 {
		return "has the key of an item in an earlier file"
	}
	return fmt.Sprintf("has the key of item %d", first)
}

func storageFault(r Record) string {
	for _, k := range r.Table.PrimaryKeys() {
		maximum := accesspatterns.MaxPartitionKey
		if k == r.Table.SortKey {
			maximum = accesspatterns.MaxSortKey
		}
		if fault := keyFault(k, r.Item[k.Name], maximum); fault != "" {
			return fmt.Sprintf("%s %s, and is a key of table %s", k.Name, fault, r.Table.Name)
		}
	}
	for _, x := range r.Table.Indexes {
		for i, k := range x.KeyAttributes() {
			maximum := accesspatterns.MaxSortKey
			if i < len(x.PartitionKeys) {
				maximum = accesspatterns.MaxPartitionKey
			}
			v, ok := r.Item[k.Name]
			if !ok {
				continue
			}
			if fault := keyFault(k, v, maximum); fault != "" {
				return fmt.Sprintf("%s %s, and is a key of index %s", k.Name, fault, x.Name)
			}
		}
	}
	for _, name := range r.Item.Names() {
		if name == "" {
			return "has an attribute without a name"
		}
		if fault := models.ValueFault(r.Item[name]); fault != "" {
			return name + " " + fault
		}
	}
	if size := r.Item.Size(); size > maxItemSize {
		return fmt.Sprintf("has %s bytes; DynamoDB stores at most %s", humanize.Comma(int64(size)), humanize.Comma(maxItemSize))
	}
	return ""
}

func keyFault(k models.Key, v types.AttributeValue, maximum int) string {
	if t := models.ValueType(v); t != k.Type {
		return fmt.Sprintf("has type %s instead of %s", t, k.Type)
	}
	size := 0
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		size = len(v.Value)
	case *types.AttributeValueMemberB:
		size = len(v.Value)
	default:
		return ""
	}
	switch {
	case size == 0:
		return "is empty"
	case size > maximum:
		return fmt.Sprintf("has %s bytes instead of at most %s", humanize.Comma(int64(size)), humanize.Comma(int64(maximum)))
	}
	return ""
}

// schemaDifference checks attributes, types, closed enums and index keys, but not formats, which values often violate.
func schemaDifference(e *models.Entity, r Record) string {
	if e == nil {
		return "no entity of table " + r.Table.Name + " matches"
	}
	if missing := e.MissingAttributes(r.Item); len(missing) > 0 {
		return fmt.Sprintf("%s lacks %s", e.Name, strings.Join(missing, ", "))
	}
	for _, a := range e.Attributes {
		v, ok := r.Item[a.Name]
		if !ok {
			continue
		}
		if t := models.ValueType(v); t != a.Type && t != models.TypeNULL {
			return fmt.Sprintf("%s.%s has type %s, but the schema declares %s", e.Name, a.Name, t, a.Type)
		}
		text, ok := models.ValueText(v)
		if ok && len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
			return fmt.Sprintf("%s.%s has a value outside its enum", e.Name, a.Name)
		}
	}
	for _, k := range e.KeyStates(r.Item) {
		if k.Present && k.Problem != "" {
			return fmt.Sprintf("%s.%s %s", e.Name, k.Name, strings.SplitN(k.Problem, ":", 2)[0])
		}
	}
	return ""
}

// firstMilli is the smallest number that counts as milliseconds: in seconds it is in the year 5138, in milliseconds in
// 1973.
const firstMilli = "100000000000"

// expiryFault returns the reason why DynamoDB would never delete an item that has a time to live, or "".
func expiryFault(r Record) string {
	v, ok := r.Item[r.Table.TTL]
	if r.Table.TTL == "" || !ok {
		return ""
	}
	number, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return fmt.Sprintf("%s is the time to live and has type %s; DynamoDB expires items only by a number of epoch seconds",
			r.Table.TTL, models.ValueType(v))
	}
	if models.CompareNumbers(number.Value, firstMilli) >= 0 {
		return r.Table.TTL + " is the time to live and in milliseconds; DynamoDB expects seconds and would never delete the item"
	}
	return ""
}
