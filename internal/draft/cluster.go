package draft

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// A cluster is the items of one entity.
type cluster struct {
	name          string
	both          string // the name after the words of both keys, "" for none
	items         []models.Item
	hints         map[string]string
	discriminator string // the attribute that holds the entity's name, "" for none
	kind          string // its value, if all items have the same
}

// discriminators are names of attributes that libraries and people use for the kind of an item.
var discriminators = []string{
	"_type", "__edb_e__", "__typename", "_et", "_entity", "entityType", "EntityType", "entity_type", "ENTITY_TYPE", "_EntityType", "entity",
	"Entity", "objectType", "object_type", "itemType", "item_type", "recordType", "record_type", "modelType", "type", "Type", "kind",
}

var (
	plainWord = lazy(`^[A-Za-z][A-Za-z0-9_ -]{0,40}$`)
	// literalWord matches parts of keys that are words and not values: USER, user_profile, v0.
	literalWord = lazy(`^[$A-Za-z_][A-Za-z_-]*\d?$`)
)

// discriminatorOf returns an attribute with few values that are words, in nine of ten items: a few broken items do
// not hide it.
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
		few := len(values) > 1 && len(values) <= 40 && (len(values)*2 <= n || len(items) < 12)
		library := len(values) == 1 && strings.HasPrefix(name, "_")
		if n*10 >= len(items)*9 && (few || library) {
			return name
		}
	}
	return ""
}

func (s Sample) clusters() []cluster {
	var all []models.Item
	for _, g := range s.Groups {
		all = append(all, g.Items...)
	}
	all = append(all, s.Items...)
	d := discriminatorOf(all)
	var list []cluster
	for _, g := range append(slices.Clone(s.Groups), Group{Items: s.Items}) {
		parts := s.byShape(g.Items, d)
		if g.Name != "" {
			parts = joinLengths(parts)
		}
		for _, part := range parts {
			c := cluster{items: part.items, hints: g.Hints, discriminator: d}
			if alike(part.items, func(it models.Item) string { kind, _ := it.Text(d); return kind }) {
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
				c.name, c.both = s.nameOf(part), s.bothOf(part)
			}
			list = append(list, c)
		}
	}
	for i, c := range list {
		same := func(other cluster) bool {
			return other.name == c.name && len(other.items) > 0 && &other.items[0] != &c.items[0]
		}
		if c.both != "" && slices.ContainsFunc(list, same) {
			list[i].name = c.both
		}
	}
	return list
}

// A part is the items whose primary keys have the same shape, and whose discriminator has the
// same value. Items of one part become one entity.
type part struct {
	shape [2][]string // tokens of partition key and sort key; "*" is any value
	kind  string      // value of the discriminator, "" when there is none or it is not the same in most of the items
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

// joinLengths joins parts that differ only in the number of their values: the last value holds the separator.
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

// filler are words of sort keys that mean the item itself and not a kind: the entity is named after its partition key.
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
	case len(sk) > 0 && len(pk) > 0 && slices.Contains(filler, strings.Join(words(last(sk)), "")):
		return singular(Pascal(last(pk)))
	case len(sk) > 0:
		return singular(Pascal(last(sk)))
	case len(pk) > 0 && len(p.shape[1]) == 0:
		return singular(Pascal(last(pk)))
	case len(pk) > 0:
		return singular(Pascal(last(pk)))
	}
	return entityName(s.Table.ID)
}

func (s Sample) bothOf(p part) string {
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

// byShape does not divide items by keys of type N and B, which have no words.
func (s Sample) byShape(items []models.Item, discriminator string) []part {
	shapes := make([][2][]string, len(items))
	for at, k := range []models.Key{s.Table.PartitionKey, s.Table.SortKey} {
		if k.Name == "" || k.Type == models.TypeN || k.Type == models.TypeB {
			continue
		}
		values := make([]string, len(items))
		for i, it := range items {
			values[i], _ = it.Text(k.Name)
		}
		sep := separator(values)
		var whole map[string]bool
		if at == 1 {
			whole = wholeLabels(items, s.Table)
		}
		rarely := rarelyValues(items, values, sep, k.Name, discriminator)
		for i, it := range items {
			shapes[i][at] = tokens(values[i], sep, it, k.Name, discriminator, whole, rarely)
		}
		lone(shapes, at, values, sep)
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

// dividesItems reports whether items with other values are other entities. Only libraries begin a name with _.
// Another name may be a property: then each value needs an attribute that no other has.
func dividesItems(items []models.Item, discriminator string) bool {
	if strings.HasPrefix(discriminator, "_") {
		return true
	}
	owners, kinds, alone := map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}
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
	for _, of := range owners {
		for kind := range of {
			alone[kind] = alone[kind] || len(of) == 1
		}
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(kinds)), func(kind string) bool { return !alone[kind] })
}

func alike(items []models.Item, text func(models.Item) string) bool {
	first := text(items[0])
	return first != "" && !slices.ContainsFunc(items, func(it models.Item) bool { return text(it) != first })
}

// tokens returns "*" for what may be a value: a word that follows a label, as in USER#ann, and a whole key in small
// letters, unless whole has it. Words of rarely are literals.
func tokens(key, sep string, it models.Item, name, discriminator string, whole map[string]bool, rarely map[place]bool) []string {
	parts := split(key, sep)
	out := make([]string, len(parts))
	before := ""
	kind, _ := it.Text(discriminator)
	for i, text := range parts {
		out[i] = "*"
		if !literalWord().MatchString(text) || !rarely[place{i, text}] && valueOf(it, text, name, discriminator) {
			continue
		}
		known := isFiller(text) || text[0] == '$' || parts[0] != "" && parts[0][0] == '$' || strings.EqualFold(text, kind)
		switch {
		case known:
		case len(parts) == 1 && (!generic(name) || !upper(text) && !whole[text]):
			continue
		case i > 0 && out[i-1] != "*":
			continue
		}
		if before == "" || upper(before) == upper(text) {
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

// A place is a word at a position of a key.
type place struct {
	at   int
	text string
}

// rarelyValues returns the words that an attribute has in less than half of the items: a member whose role is member
// does not make MEMBER a value.
func rarelyValues(items []models.Item, keys []string, sep, name, discriminator string) map[place]bool {
	counts := map[place][2]int{}
	for i, it := range items {
		for at, text := range split(keys[i], sep) {
			n := counts[place{at, text}]
			n[0]++
			if literalWord().MatchString(text) && valueOf(it, text, name, discriminator) {
				n[1]++
			}
			counts[place{at, text}] = n
		}
	}
	rarely := map[place]bool{}
	for p, n := range counts {
		rarely[p] = n[1] > 0 && n[1]*2 < n[0]
	}
	return rarely
}

// lone replaces words that follow always the same value: what one partition has at the end of its key is a value.
func lone(shapes [][2][]string, at int, keys []string, sep string) {
	type word struct {
		at   int
		text string
	}
	heads := map[word]map[string]bool{}
	each := func(visit func(shape []string, w word, head string)) {
		for n, s := range shapes {
			parts := strings.Split(keys[n], sep)
			for i := 1; i < len(s[at]); i++ {
				if w := s[at][i]; w != "*" && s[at][i-1] == "*" && !isFiller(w) && (i == len(s[at])-1 || !upper(w)) && w[0] != '$' {
					visit(s[at], word{i, w}, strings.Join(parts[:i], sep))
				}
			}
		}
	}
	each(func(_ []string, w word, head string) {
		if heads[w] == nil {
			heads[w] = map[string]bool{}
		}
		heads[w][head] = true
	})
	each(func(shape []string, w word, _ string) {
		if len(heads[w]) == 1 {
			shape[w.at] = "*"
		}
	})
}

func isFiller(word string) bool { return slices.Contains(filler, strings.ToLower(word)) }

func wholeLabels(items []models.Item, t *Table) map[string]bool {
	partitions, of := map[string]bool{}, map[string]map[string]bool{}
	for _, it := range items {
		pk, _ := it.Text(t.PartitionKey.Name)
		sk, _ := it.Text(t.SortKey.Name)
		partitions[pk] = true
		if of[sk] == nil {
			of[sk] = map[string]bool{}
		}
		of[sk][pk] = true
	}
	labels := map[string]bool{}
	for sk, in := range of {
		labels[sk] = len(in) > 1 && len(in)*4 >= len(partitions)
	}
	return labels
}

func upper(word string) bool { return strings.ToUpper(word) == word }

func valueOf(it models.Item, text, key, discriminator string) bool {
	for name := range it {
		if name == key || name == discriminator || generic(name) || slices.Contains(discriminators, name) {
			continue
		}
		_, labeled, _ := strings.Cut(text, "_")
		if value, ok := it.Text(name); ok && (strings.EqualFold(value, text) || value != "" && strings.EqualFold(value, labeled)) {
			return true
		}
	}
	return false
}

// collapse replaces words where too many are at the same place to be literals: more than 30, or nearly one for each
// item.
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
			seen := places[strings.Join(s[at][:i], "\x00")]
			total := 0
			for _, n := range seen {
				total += n
			}
			alone := len(s[at]) == 1 && !upper(s[at][0]) && seen[s[at][0]]*20 < total
			if len(seen) > 30 || len(seen) > 4 && len(seen)*3 > total*2 && total > 8 || alone && len(seen) > 3 {
				s[at][i] = "*"
			}
		}
	}
}

// separators are the characters that divide keys, the usual ones first.
var separators = []string{"#", "|", "::", ":", "/"}

// separator requires that a quarter of the keys have it, because an entity may have keys without any.
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
