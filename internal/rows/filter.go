package rows

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/sahilm/fuzzy"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Row is the displayable form of an item. It computes its parts on request: a condition reads one value, and words
// read all values. A row is valid until the next one is read, and only one goroutine may use it.
type Row interface {
	// Kind returns the entity of the item, or nil if it is unknown.
	Kind() *models.Entity
	// At returns the masked value at a path; see models.Item.At.
	At(path string) (types.AttributeValue, bool)
	// Item returns the masked item.
	Item() models.Item
	// Cells returns the text of each cell.
	Cells() []string
	// SortKey returns the row's sort key for a column.
	SortKey(column string) SortKey
}

// A Filter selects rows. It is immutable and safe for concurrent use. Functions treat a nil *Filter as a filter that
// keeps all rows, but its methods do not accept nil.
type Filter struct {
	conditions []condition
	words      []word
	fuzzy      bool // a word matches if its letters occur in order
	notes      []string

	// shorter is the filter without its last word, if that word may be the beginning of the field name in pending.
	shorter *Filter
	pending string
}

// A condition tests an attribute.
type condition struct {
	negated bool
	match   func(Row) bool
}

// A word is a text to search for in all values and cells.
type word struct {
	negated bool
	text    string // lower case
}

// Notes explains how the filter interprets values if that is not obvious, such as "balance: 100 is 10000 cents".
func (f *Filter) Notes() []string { return f.notes }

// IsFuzzy reports whether a word matches if its letters occur in order.
func (f *Filter) IsFuzzy() bool { return f.fuzzy }

// Pending returns the field name that the last word may begin, or "". Such a filter ignores that word.
func (f *Filter) Pending() string { return f.pending }

// Fallback returns the filter to try next if no row matches, or nil. The first fallback omits a last word that may be
// the beginning of a field name; the second one is fuzzy.
func (f *Filter) Fallback() *Filter {
	if f.shorter != nil {
		return f.shorter
	}
	if f.pending != "" || f.fuzzy || !slices.ContainsFunc(f.words, func(w word) bool { return !w.negated }) {
		return nil
	}
	out := *f
	out.fuzzy = true
	return &out
}

// Match reports whether the filter keeps a row. score rates how well a fuzzy filter matches it; higher is better.
func (f *Filter) Match(r Row) (score int, keep bool) {
	for _, c := range f.conditions {
		if c.match(r) == c.negated {
			return 0, false
		}
	}
	t := texts{row: r}
	for _, w := range f.words {
		n, found := w.find(&t, f.fuzzy && !w.negated)
		if found == w.negated {
			return 0, false
		}
		score += n
	}
	return score, true
}

// texts contains the texts to search for words: the exact values of a row, and then its cells, which are slower.
type texts struct {
	row    Row
	values []string
	cells  []string
}

func (t *texts) exactTexts() []string {
	if t.values != nil {
		return t.values
	}
	item := t.row.Item()
	t.values = make([]string, 0, len(item))
	for _, v := range item {
		if text, ok := models.ValueText(v); ok {
			t.values = append(t.values, text)
		}
	}
	return t.values
}

func (t *texts) cellTexts() []string {
	if t.cells == nil {
		t.cells = t.row.Cells()
	}
	return t.cells
}

// fuzzyLength is the maximum length in bytes of a text for fuzzy matching, because a long text contains the letters of
// every word.
const fuzzyLength = 80

func (w word) find(t *texts, fuzzyMatch bool) (score int, found bool) {
	contains := func(text string) bool { return containsFold(text, w.text) }
	if slices.ContainsFunc(t.exactTexts(), contains) || slices.ContainsFunc(t.cellTexts(), contains) {
		return 1 << 20, true
	}
	if !fuzzyMatch {
		return 0, false
	}
	for _, m := range fuzzy.FindNoSort(w.text, shortTexts(slices.Concat(t.cellTexts(), t.exactTexts()))) {
		if countGaps(m.MatchedIndexes) <= len(w.text) && (!found || m.Score > score) {
			score, found = m.Score, true
		}
	}
	return score, found
}

// containsFold does not allocate memory for ASCII. lower must be in lower case.
func containsFold(text, lower string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), lower)
		}
	}
	for i := 0; i+len(lower) <= len(text); i++ {
		k := 0
		for k < len(lower) && lowerASCII(text[i+k]) == lower[k] {
			k++
		}
		if k == len(lower) {
			return true
		}
	}
	return false
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func shortTexts(texts []string) []string {
	return models.Filter(texts, func(t string) bool { return len(t) <= fuzzyLength })
}

func countGaps(at []int) int {
	if len(at) == 0 {
		return 0
	}
	return at[len(at)-1] - at[0] + 1 - len(at)
}
