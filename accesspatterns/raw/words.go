package raw

import (
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Words returns a user-written query as command arguments, without the program name. Placeholders replace the values of
// hidden attributes.
func Words(p *accesspatterns.Pattern, hidden func(name string) bool) []string {
	query := p.CustomQuery
	words := []string{"table", string(p.Read.Operation), p.Table.Name}
	if p.Read.Index != nil {
		words = append(words, "--index", p.Read.Index.Name)
	}
	placeholder := func(name string) string { return "<" + name + ">" }
	for _, text := range query.Key {
		if a, err := ParseAssignment(text); err == nil && hidden(a.WithoutType()) {
			a.Value = placeholder(a.WithoutType())
			text = a.String()
		}
		words = append(words, text)
	}
	for _, c := range Comparisons(query, hidden, placeholder)[len(query.Key):] {
		words = append(words, "--where", c.String())
	}
	if query.Descending {
		words = append(words, "--desc")
	}
	if query.Limit > 0 {
		words = append(words, "--limit", strconv.Itoa(query.Limit))
	}
	if p.Read.Operation == accesspatterns.Scan {
		words = append(words, "--allow-scan")
	}
	return words
}

// Comparisons returns the comparisons of a user-written query: its key, followed by its conditions. instead
// returns the text that replaces the value of a hidden attribute.
func Comparisons(query *accesspatterns.CustomQuery, hidden func(name string) bool, instead func(name string) string) []Comparison {
	var list []Comparison
	for _, text := range query.Key {
		a, _ := ParseAssignment(text) // The pattern was built from these texts.
		list = append(list, Comparison{a.Name, accesspatterns.Equal, []string{a.Value}})
	}
	for _, text := range query.Where {
		c, _ := ParseComparison(text)
		list = append(list, c)
	}
	for _, c := range list {
		if hidden(c.WithoutType()) {
			for i := range c.Values {
				c.Values[i] = instead(c.WithoutType())
			}
		}
	}
	return list
}
