package placed

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
)

// Spell spells a text on one line of YAML, outside of brackets, and quoted where necessary.
func Spell(text string) string {
	plain, err := yaml.Dump(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	// YAML allows characters that reorder the text around them.
	if line := strings.TrimSuffix(string(plain), "\n"); err == nil && !strings.Contains(line, "\n") && models.Showable(line) {
		return line
	}
	return fmt.Sprintf("%q", text)
}
