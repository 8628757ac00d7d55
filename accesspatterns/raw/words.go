package raw

import (
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Words returns a query that a user wrote as the words of a command after the name of the program. The values of hidden
// attributes are placeholders.
func Words(p *accesspatterns.Pattern, hidden func(name string) bool) []string {
	own := p.Own
	words := []string{"table", string(p.Read.Operation), p.Table.Name}
	if p.Read.Index != nil {
		words = append(words, "--index", p.Read.Index.Name)
	}
	for _, text := range own.Key {
		if a, err := ParseAssignment(text); err == nil && hidden(a.Shown()) {
			a.Value = "<" + a.Shown() + ">"
			text = a.String()
		}
		words = append(words, text)
	}
	for _, text := range own.Where {
		c, err := ParseComparison(text)
		if err == nil && hidden(c.Shown()) {
			for i := range c.Values {
				c.Values[i] = "<" + c.Shown() + ">"
			}
			text = c.String()
		}
		words = append(words, "--where", text)
	}
	if own.Descending {
		words = append(words, "--desc")
	}
	if own.Limit > 0 {
		words = append(words, "--limit", strconv.Itoa(own.Limit))
	}
	if p.Read.Operation == accesspatterns.Scan {
		words = append(words, "--allow-scan")
	}
	return words
}
