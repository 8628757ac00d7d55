package draft

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A cluster contains the items of one entity.
type cluster struct {
	name          string
	combinedName  string // name from the words of both keys, or ""
	items         []models.Item
	hints         map[string]string
	discriminator string   // attribute that contains the entity's name, "" for none
	kind          string   // value of the discriminator, if all items have the same
	composed      []string // keys drafted with a template; see keyMatcher
}

// discriminators are attribute names that libraries and people use for the type of an item.
var discriminators = []string{
	"_type", "__edb_e__", "__typename", "_et", "_entity", "entityType", "EntityType", "entity_type", "ENTITY_TYPE", "_EntityType", "entity",
	"Entity", "objectType", "object_type", "itemType", "item_type", "recordType", "record_type", "modelType", "type", "Type", "kind",
}

var (
	plainWord = models.LazyRegexp(`^_?[A-Za-z][A-Za-z0-9_ -]{0,40}$`)
	// literalWord matches parts of keys that are words and not values: USER, user_profile, v0, X509CERT.
	literalWord = models.LazyRegexp(`^[$A-Za-z_][A-Za-z_-]*\d?$|^[A-Z]+\d{1,3}[A-Z_-]+\d?$`)
)

// discriminatorOf accepts an attribute that nine of ten items have, so that a few broken items do not hide it.
func discriminatorOf(items []models.Item) string {
	for _, name := range discriminators {
		values, n := map[string]int{}, 0
		for _, it := range items {
			text, ok := it.Text(name)
			if ok && plainWord().MatchString(text) {
				values[text]++
				n++
			}
		}
		isEnum := len(values) > 1 && len(values) <= 40 && (len(values)*2 <= n || len(items) < 12)
		isLibraryName := len(values) == 1 && strings.HasPrefix(name, "_")
		if n*10 >= len(items)*9 && (isEnum || isLibraryName) {
			return name
		}
	}
	return ""
}

func (s Sample) all() []models.Item {
	all := slices.Clone(s.Items)
	for _, g := range s.Groups {
		all = append(all, g.Items...)
	}
	return all
}

func (s Sample) clusters() []cluster {
	d := discriminatorOf(s.all())
	var list []cluster
	for _, g := range append(slices.Clone(s.Groups), Group{Items: s.Items}) {
		parts := s.byShape(g.Items, d)
		if g.Name != "" {
			parts = joinLengths(parts)
		}
		for _, part := range parts {
			c := cluster{items: part.items, hints: g.Hints, discriminator: d}
			if haveSameText(part.items, func(it models.Item) string { kind, _ := it.Text(d); return kind }) {
				c.kind = part.kind
			}
			switch {
			case g.Name != "" && len(parts) == 1:
				c.name = Pascal(g.Name)
			case part.kind != "":
				c.name = Pascal(part.kind)
			case g.Name != "":
				c.name = Pascal(g.Name + " " + part.words())
			default:
				c.name, c.combinedName = s.nameOf(part), s.combinedNameOf(part)
			}
			list = append(list, c)
		}
	}
	for i, c := range list {
		same := func(other cluster) bool {
			return other.name == c.name && len(other.items) > 0 && &other.items[0] != &c.items[0]
		}
		if c.combinedName != "" && slices.ContainsFunc(list, same) {
			list[i].name = c.combinedName
		}
	}
	return list
}

// A part contains items whose primary keys have the same shape and whose discriminator has the same value. The items of
// one part become one entity.
type part struct {
	shape [2][]string // tokens of the partition key and the sort key; "*" matches any value
	kind  string      // value of the discriminator, "" if there is none or if the value differs in many items
	items []models.Item
}

func (p part) words() string {
	var list []string
	for _, tokens := range p.shape {
		for _, t := range tokens {
			if t != "*" {
				list = append(list, t)
			}
		}
	}
	return strings.Join(list, " ")
}

// joinLengths joins parts that differ only in their number of values. The last value then contains the separator.
func joinLengths(parts []part) []part {
	var out []part
	for _, p := range parts {
		i := slices.IndexFunc(out, func(o part) bool { return o.words() == p.words() && o.kind == p.kind })
		if i < 0 {
			out = append(out, p)
			continue
		}
		out[i].items = append(out[i].items, p.items...)
	}
	return out
}

// filler lists words of sort keys that mean the item itself and not a type. The partition key names the entity instead.
var filler = []string{
	"meta", "metadata", "info", "details", "detail", "data", "root", "profile", "v0", "a", "item", "record", "current", "latest", "main",
	"self", "config",
}

func (s Sample) nameOf(p part) string {
	literal := func(tokens []string) []string {
		return slices.DeleteFunc(slices.Clone(tokens), func(t string) bool { return t == "*" || len(words(t)) == 0 })
	}
	pk, sk := literal(p.shape[0]), literal(p.shape[1])
	last := func(list []string) string { return list[len(list)-1] }
	switch {
	case len(sk) > 0 && (len(pk) == 0 || !slices.Contains(filler, strings.Join(words(last(sk)), ""))):
		return singular(Pascal(last(sk)))
	case len(pk) > 0:
		return singular(Pascal(last(pk)))
	}
	return entityName(s.Table.ID)
}

func (s Sample) combinedNameOf(p part) string {
	var names []string
	for _, tokens := range p.shape {
		for _, t := range slices.Backward(tokens) {
			if t != "*" && len(words(t)) > 0 && !slices.Contains(filler, strings.Join(words(t), "")) {
				names = append(names, singular(Pascal(t)))
				break
			}
		}
	}
	if len(names) < 2 || names[0] == names[1] {
		return ""
	}
	return strings.Join(names, "")
}

// byShape does not split items by keys of type N and B, because these keys do not contain words.
func (s Sample) byShape(items []models.Item, discriminator string) []part {
	shapes := make([][2][]string, len(items))
	for at, k := range s.Table.PrimaryKeys() {
		if k.Type == models.TypeN || k.Type == models.TypeB {
			continue
		}
		values := make([]string, len(items))
		for i, it := range items {
			values[i], _ = it.Text(k.Name)
		}
		sep := separator(values)
		var wholeKeys map[string]bool
		if at == 1 {
			wholeKeys = wholeLabels(items, s.Table)
		}
		heads := labels(items, k.Name)
		for i, it := range items {
			if head := labelOf(values[i], heads); head != "" {
				shapes[i][at] = []string{head[:len(head)-1], "*"}
				continue
			}
			shapes[i][at] = tokens(values[i], sep, it, k.Name, discriminator, wholeKeys)
		}
		separateUnmatched(shapes, at, values, sep)
	}
	for at := range 2 {
		collapse(shapes, at)
	}
	var parts []part
	index := map[string]int{}
	kinds := map[string]map[string]int{}
	divide := discriminator != "" && dividesItems(items, discriminator)
	for i, it := range items {
		id := strings.Join(shapes[i][0], "\x00") + "\x01" + strings.Join(shapes[i][1], "\x00")
		if kind, _ := it.Text(discriminator); divide && plainWord().MatchString(kind) {
			id += "\x01" + kind
		}
		if _, ok := index[id]; !ok {
			index[id] = len(parts)
			kinds[id] = map[string]int{}
			parts = append(parts, part{shape: shapes[i]})
		}
		p := &parts[index[id]]
		p.items = append(p.items, it)
		if kind, ok := it.Text(discriminator); ok {
			kinds[id][kind]++
		}
	}
	for id, at := range index {
		for kind, n := range kinds[id] {
			if n*10 >= len(parts[at].items)*9 && plainWord().MatchString(kind) {
				parts[at].kind = kind
			}
		}
	}
	return parts
}

// dividesItems accepts a name that starts with _, which comes from a library. Any other name may be an ordinary
// property, so each value needs an attribute that items with other values lack.
func dividesItems(items []models.Item, discriminator string) bool {
	if strings.HasPrefix(discriminator, "_") {
		return true
	}
	owners, kinds, hasOwnAttribute := map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, it := range items {
		kind, _ := it.Text(discriminator)
		kinds[kind] = true
		for name := range it {
			if owners[name] == nil {
				owners[name] = map[string]bool{}
			}
			owners[name][kind] = true
		}
	}
	for _, values := range owners {
		for kind := range values {
			hasOwnAttribute[kind] = hasOwnAttribute[kind] || len(values) == 1
		}
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(kinds)), func(kind string) bool { return !hasOwnAttribute[kind] })
}

func haveSameText(items []models.Item, text func(models.Item) string) bool {
	first := text(items[0])
	return first != "" && !slices.ContainsFunc(items, func(it models.Item) bool { return text(it) != first })
}

// tokens returns "*" for a possible value: a word after a label (USER#ann), or a lower-case key outside wholeKeys.
func tokens(key, sep string, it models.Item, name, discriminator string, wholeKeys map[string]bool) []string {
	parts := split(key, sep)
	out := make([]string, len(parts))
	before := ""
	kind, _ := it.Text(discriminator)
	for i, text := range parts {
		out[i] = "*"
		if !literalWord().MatchString(text) || isAttributeValue(it, text, name, discriminator) {
			continue
		}
		known := isFiller(text) || text[0] == '$' || parts[0] != "" && parts[0][0] == '$' || strings.EqualFold(text, kind)
		switch {
		case known:
		case len(parts) == 1 && !wholeKeys[text] && (!isGeneric(name) || !isUpper(text)):
			continue
		case i > 0 && out[i-1] != "*":
			continue
		}
		if before == "" || isUpper(before) == isUpper(text) {
			out[i], before = text, text
		}
	}
	return out
}

func split(key, sep string) []string {
	if sep == "" {
		return []string{key}
	}
	return strings.Split(key, sep)
}

// separateUnmatched replaces words that always follow the same value. At the end of all keys, such a word is a value.
func separateUnmatched(shapes [][2][]string, at int, keys []string, sep string) {
	type word struct {
		at   int
		text string
	}
	heads := map[word]map[string]bool{}
	visitWords := func(visit func(shape []string, w word, head string)) {
		for n, s := range shapes {
			parts := strings.Split(keys[n], sep)
			for i := 1; i < len(s[at]); i++ {
				if w := s[at][i]; w != "*" && s[at][i-1] == "*" && !isFiller(w) && (i == len(s[at])-1 || !isUpper(w)) && w[0] != '$' {
					visit(s[at], word{i, w}, strings.Join(parts[:i], sep))
				}
			}
		}
	}
	visitWords(func(_ []string, w word, head string) {
		if heads[w] == nil {
			heads[w] = map[string]bool{}
		}
		heads[w][head] = true
	})
	visitWords(func(shape []string, w word, _ string) {
		if len(heads[w]) == 1 {
			shape[w.at] = "*"
		}
	})
}

func isFiller(word string) bool { return slices.Contains(filler, strings.ToLower(word)) }

// wholeLabels returns sort keys that occur in many partitions and have their own attributes.
func wholeLabels(items []models.Item, t *Table) map[string]bool {
	partitions, partitionsByLabel, groups := map[string]bool{}, map[string]map[string]bool{}, kinds{}
	for _, it := range items {
		pk, _ := it.Text(t.PartitionKey.Name)
		sk, _ := it.Text(t.SortKey.Name)
		partitions[pk] = true
		if partitionsByLabel[sk] == nil {
			partitionsByLabel[sk] = map[string]bool{}
		}
		partitionsByLabel[sk][pk] = true
	}
	list := map[string]bool{}
	for sk, in := range partitionsByLabel {
		list[sk] = len(in) > 1 && len(in)*4 >= len(partitions) && literalWord().MatchString(sk)
	}
	for _, it := range items {
		sk, _ := it.Text(t.SortKey.Name)
		if !list[sk] {
			sk = ""
		}
		groups.add(sk, it)
	}
	for sk := range list {
		list[sk] = list[sk] && (isGeneric(t.SortKey.Name) && (isUpper(sk) || isFiller(sk)) || groups.hasDistinctAttributes(sk))
	}
	return list
}

// labels returns prefixes such as USER- and DEVICE_. In every key, an ID must follow a lower-case word, because
// separators also divide names. A key that another attribute of the item repeats is a value.
func labels(items []models.Item, key string) []string {
	suffixesByHead, groups := map[string][]string{}, kinds{}
	copies, n := 0, 0
	for _, it := range items {
		text, ok := it.Text(key)
		if !ok {
			continue
		}
		n++
		copies += boolToInt(isAttributeValue(it, text, key, ""))
		i := strings.IndexAny(text, "_-.") + 1
		if head := text[:i]; i > 1 && i < len(text) && literalWord().MatchString(head[:i-1]) {
			suffixesByHead[head] = append(suffixesByHead[head], text[i:])
			groups.add(head, it)
		}
	}
	isConstant := func(head string, _ []models.Item) bool { return len(textSet(suffixesByHead[head])) < 2 }
	if maps.DeleteFunc(groups, isConstant); len(groups) > maxHeads {
		return nil
	}
	maps.DeleteFunc(suffixesByHead, func(head string, suffixes []string) bool {
		isKind := isGeneric(key) || len(groups) > 1 && groups.hasDistinctAttributes(head)
		isIdentityOnly := isUpper(head) && len(groups) == 1 && isIdentity(suffixes, false)
		return groups[head] == nil || !isIdentityOnly && (!isKind || !isUpper(head) && !isIdentity(suffixes, true))
	})
	list := slices.Sorted(maps.Keys(suffixesByHead))
	if copies*2 > n || len(list) > maxLabels || len(list) == 1 && !isUpper(list[0]) {
		return nil
	}
	return list
}

// heads returns the words before the first : or / of the keys, such as user: and session:, if items with another word
// have other attributes. The schemes of URLs are values.
func heads(items []models.Item, key string) []string {
	groups := kinds{}
	for _, it := range items {
		text, ok := it.Text(key)
		if !ok {
			continue
		}
		i := strings.IndexAny(text, "#|:/")
		if i < 0 || strings.IndexByte(":/", text[i]) < 0 || !literalWord().MatchString(text[:i]) {
			return nil
		}
		groups.add(text[:i+1], it)
	}
	list := slices.Sorted(maps.Keys(groups))
	if len(list) < 2 || len(list) > maxLabels ||
		slices.ContainsFunc(list, func(head string) bool { return !groups.hasDistinctAttributes(head) }) {
		return nil
	}
	return list
}

// kinds maps a word in the keys to the items that have it.
type kinds map[string][]models.Item

func (k kinds) add(word string, it models.Item) { k[word] = append(k[word], it) }

func (k kinds) attributes(word string) map[string]bool {
	counts := map[string]int{}
	for _, it := range k[word] {
		for name := range it {
			counts[name]++
		}
	}
	list := map[string]bool{}
	for name, n := range counts {
		if n*10 >= len(k[word])*9 {
			list[name] = true
		}
	}
	return list
}

// hasDistinctAttributes reports whether items with any other word have different attributes. If not, it is a value.
func (k kinds) hasDistinctAttributes(word string) bool {
	names := k.attributes(word)
	for other := range k {
		if other != word && maps.Equal(names, k.attributes(other)) {
			return false
		}
	}
	return true
}

// maxLabels is the maximum number of labels that end with a character that also occurs in values. If more than
// maxHeads different words precede the character, all of them are values.
const (
	maxLabels = 12
	maxHeads  = 64
)

func isIdentity(texts []string, allowNumbers bool) bool {
	if f := formatOf(texts); f.IsTime() || slices.Contains(idFormats, f) {
		return true
	}
	return allowNumbers && !slices.ContainsFunc(texts, func(s string) bool { return strings.Trim(s, "0123456789") != "" })
}

func labelOf(key string, heads []string) string {
	return models.First(heads, func(head string) bool { return strings.HasPrefix(key, head) })
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

func isUpper(word string) bool { return strings.ToUpper(word) == word }

func isAttributeValue(it models.Item, text, key, discriminator string) bool {
	_, afterLabel, _ := strings.Cut(text, "_")
	for name := range it {
		value, ok := it.Text(name)
		if !ok || !strings.EqualFold(value, text) && (value == "" || !strings.EqualFold(value, afterLabel)) {
			continue
		}
		if name != key && name != discriminator && !slices.Contains(discriminators, name) && !isGeneric(name) {
			return true
		}
	}
	return false
}

// collapse replaces words by "*" where literals are unlikely: more than 30 words, or nearly one for each item.
func collapse(shapes [][2][]string, at int) {
	longest := 0
	for _, s := range shapes {
		longest = max(longest, len(s[at]))
	}
	for i := range longest {
		places := map[string]map[string]int{}
		for _, s := range shapes {
			if i < len(s[at]) && s[at][i] != "*" {
				place := strings.Join(s[at][:i], "\x00")
				if places[place] == nil {
					places[place] = map[string]int{}
				}
				places[place][s[at][i]]++
			}
		}
		for _, s := range shapes {
			if i >= len(s[at]) || s[at][i] == "*" {
				continue
			}
			count := places[strings.Join(s[at][:i], "\x00")]
			total := 0
			for _, n := range count {
				total += n
			}
			isRareLower := len(s[at]) == 1 && !isUpper(s[at][0]) && count[s[at][0]]*20 < total
			if len(count) > 30 || len(count) > 4 && len(count)*3 > total*2 && total > 8 || isRareLower && len(count) > 3 {
				s[at][i] = "*"
			}
		}
	}
}

// separators lists the texts that divide keys, most usual first.
var separators = []string{"#", "|", "::", ":", "/"}

// separator returns a character in at least a quarter of the keys, because an entity may have keys without one.
func separator(keys []string) string {
	for _, sep := range separators {
		n := 0
		for _, k := range keys {
			if head, _, ok := strings.Cut(k, sep); ok && (literalWord().MatchString(head) || sep == "#") {
				n++
			}
		}
		if n*4 >= len(keys) && n > 0 {
			return sep
		}
	}
	return ""
}
