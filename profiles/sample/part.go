package sample

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A part is an attribute with the settings for its sample values.
type part struct {
	*models.Attribute
	words    []string // of the name, lower case
	examples []string
	deck     []string // the values, each as often as it weighs, shuffled
	drawn    int      // how many of the deck are used up
	inside   []*part
	composed bool // a key template makes it
	inKey    bool // the primary key contains it
	life     *models.Lifecycle

	target   *entityPlan // what it refers to
	targetAt string      // the attribute there
	own      bool        // picks a record of its own: another attribute has the link
	prefer   [2]string   // attribute and value of the record that its name implies
	follows  *part       // another attribute whose record has the value: adminEmail of adminId

	role  timeRole
	state string                   // of the lifecycle, named by the attribute: cancelledAt
	sets  map[string]time.Duration // by state, how long after the transition the time is that it sets
	sure  bool                     // a document that can have it has it
}

// maxDeck limits a deck, in case a weight is mistyped.
const maxDeck = 1000

// shuffle fills a deck, which keeps the proportions even for a few items.
func (a *part) shuffle(weights []profiles.Weight, rng *rand.Rand) {
	for _, w := range weights {
		for range min(w.Times, maxDeck) {
			a.deck = append(a.deck, w.Value)
		}
	}
	if len(a.deck) == 0 {
		a.deck = append(a.deck, a.examples...)
	}
	rng.Shuffle(len(a.deck), func(i, j int) { a.deck[i], a.deck[j] = a.deck[j], a.deck[i] })
}

func (a *part) draw(rng *rand.Rand) string {
	if a.drawn == len(a.deck) {
		a.drawn = 0
		rng.Shuffle(len(a.deck), func(i, j int) { a.deck[i], a.deck[j] = a.deck[j], a.deck[i] })
	}
	a.drawn++
	return a.deck[a.drawn-1]
}

// words splits a name: createdAtRequestId becomes created, at, request, id.
func words(name string) []string {
	var list []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			list = append(list, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(r)
	}
	flush()
	return list
}

func (a *part) hasWord(list ...string) bool {
	return slices.ContainsFunc(a.words, func(w string) bool { return slices.Contains(list, w) })
}

func (a *part) last() string {
	if len(a.words) == 0 {
		return ""
	}
	return a.words[len(a.words)-1]
}

func (a *part) several() bool {
	return a.Type == models.TypeL || a.Type == models.TypeSS || a.Type == models.TypeNS
}
