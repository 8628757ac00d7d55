// Package sieve narrows and orders rows that were already read: by words in
// what is shown, by terms about attributes, or by a jq expression. It asks no
// database and knows no screen.
//
// Whatever a filter or an order looks at was masked before: it is given items as
// they may be shown, so that no hidden value can be found out by asking.
package sieve

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/sahilm/fuzzy"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Row is one row as it may be shown. What is asked for costs something to make:
// a term asks for one value, words and jq expressions for all of them.
type Row interface {
	// Kind is what the row is, nil when no entity matches.
	Kind() *models.Entity
	// At is the masked value at a path; see models.Item.At.
	At(path string) (types.AttributeValue, bool)
	// Item is the masked item.
	Item() models.Item
	// Shown are the texts of the row's cells.
	Shown() []string
}

// A Filter says which rows stay. It does not change after Parse and is safe for
// concurrent use.
type Filter struct {
	terms []term
	words []word
	jq    *expression
	loose bool // letters in their order are enough for a word
	notes []string

	// begun is the filter without its last word, when that may become the name of
	// a field; beginning is the name.
	begun     *Filter
	beginning string
}

// A term is about an attribute.
type term struct {
	not   bool
	match func(Row) bool
}

// A word is looked for in everything that is shown.
type word struct {
	not  bool
	text string // lower case
}

// A Verdict is what a filter says of one row.
type Verdict struct {
	In bool
	// Score tells how well a loose filter fits, the higher the better.
	Score int
	// Value is what a jq expression made of the row, as JSON, when HasValue.
	Value    string
	HasValue bool
}

// Notes say how values were read where that is not plain: "amount in units of
// 100 cents".
func (f *Filter) Notes() []string { return f.notes }

// IsLoose reports whether letters in their order are enough for a word.
func (f *Filter) IsLoose() bool { return f.loose }

// Begins is the field whose name the last word may become, "" for none: this
// filter lets through what it does without that word.
func (f *Filter) Begins() string { return f.beginning }

// Fallback returns what to try when no row passes the filter: first without a
// last word that may become the name of a field, else content with the letters
// of each word in their order. ok is false when there is nothing to try.
func (f *Filter) Fallback() (next *Filter, ok bool) {
	if f.begun != nil {
		return f.begun, true
	}
	if f.beginning != "" {
		return nil, false
	}
	for _, w := range f.words {
		if !w.not && !f.loose {
			out := *f
			out.loose = true
			return &out, true
		}
	}
	return nil, false
}

// Match says whether a row stays. The error is that of a jq expression about
// this row, or of ctx.
func (f *Filter) Match(ctx context.Context, r Row) (Verdict, error) {
	for _, t := range f.terms {
		if t.match(r) == t.not {
			return Verdict{}, nil
		}
	}
	if f.jq != nil {
		return f.jq.match(ctx, r.Item())
	}
	v := Verdict{In: true}
	if len(f.words) == 0 {
		return v, nil
	}
	t := texts{row: r}
	for _, w := range f.words {
		score, found := w.find(&t, f.loose && !w.not)
		if found == w.not {
			return Verdict{}, nil
		}
		v.Score += score
	}
	return v, nil
}

// texts are what words are looked for in: the exact values of a row, and its
// cells, which cost more to make.
type texts struct {
	row    Row
	values []string
	cells  []string
	made   bool // the cells are there
}

func (t *texts) exact() []string {
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

func (t *texts) shown() []string {
	if !t.made {
		t.cells, t.made = t.row.Shown(), true
	}
	return t.cells
}

// looseLength is how long a text may be to be matched by letters alone: in a
// long one every word is found somewhere.
const looseLength = 80

func (w word) find(t *texts, loose bool) (score int, found bool) {
	holds := func(text string) bool { return containsFold(text, w.text) }
	if slices.ContainsFunc(t.exact(), holds) || slices.ContainsFunc(t.shown(), holds) {
		return 1 << 20, true
	}
	if !loose {
		return 0, false
	}
	for _, m := range fuzzy.FindNoSort(w.text, short(slices.Concat(t.shown(), t.exact()))) {
		if gaps(m.MatchedIndexes) <= len(w.text) && (!found || m.Score > score) {
			score, found = m.Score, true
		}
	}
	return score, found
}

// containsFold reports whether a text holds another, which is in lower case,
// whatever its own case. It makes no copy of plain text: there is very much of it.
func containsFold(text, lower string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), lower)
		}
	}
	for i := 0; i+len(lower) <= len(text); i++ {
		k := 0
		for k < len(lower) && lowered(text[i+k]) == lower[k] {
			k++
		}
		if k == len(lower) {
			return true
		}
	}
	return false
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func short(texts []string) []string {
	var out []string
	for _, t := range texts {
		if len(t) <= looseLength {
			out = append(out, t)
		}
	}
	return out
}

// gaps counts the bytes between the first and the last letter that matched
// which did not match.
func gaps(at []int) int {
	if len(at) == 0 {
		return 0
	}
	return at[len(at)-1] - at[0] + 1 - len(at)
}
