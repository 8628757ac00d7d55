package profiles

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
)

// productionWords name production wherever they are a whole word of a name.
var productionWords = []string{"prod", "production", "live"}

// IsProduction reports whether a name says production: one of the connection, which are its context, environment, AWS
// profile and account number, a variable's value, or a table name. Each of the words prod, production and live says
// so, and each name in guardrails.production, as the whole name or as a whole word of it, regardless of case.
func (p *Profile) IsProduction(connection ...string) bool {
	names := slices.Concat(connection, models.NamesOf(p.Tables, func(t *models.Table) string { return t.Name }))
	for _, v := range p.Variables {
		names = append(names, v.Value)
	}
	return slices.ContainsFunc(names, p.saysProduction)
}

func (p *Profile) saysProduction(name string) bool {
	words := nameWords(name)
	for _, known := range slices.Concat(productionWords, p.Guardrails.Production) {
		same := func(word string) bool { return strings.EqualFold(word, known) }
		if same(name) || slices.ContainsFunc(words, same) {
			return true
		}
	}
	return false
}

// ProductionAccounts returns the account numbers in guardrails.production. Only AWS can say whether a connection
// belongs to one of them.
func (p *Profile) ProductionAccounts() []string {
	return slices.DeleteFunc(slices.Clone(p.Guardrails.Production), func(name string) bool { return !models.IsAccount(name) })
}

// NamesNoProduction reports whether production differs from other environments in nothing that the profile knows: it
// has no guardrails.production, and its table names have no variables and no word of production. Only the connection
// can then say production.
func (p *Profile) NamesNoProduction() bool {
	return len(p.Guardrails.Production) == 0 && len(p.Variables) == 0 && !p.IsProduction()
}

// nameWords splits a name at everything but letters, where lower case turns to upper case, and before the last
// capital of several: PRODOrders has the words PROD and Orders.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, string(word)), nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
