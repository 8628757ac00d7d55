package placed

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/models"
)

// InlineScalar returns text as a YAML scalar on one line, for use outside of brackets. It adds quotes if necessary.
func InlineScalar(text string) string {
	plain, err := yaml.Dump(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	// YAML allows characters that reorder the surrounding text.
	if line := strings.TrimSuffix(string(plain), "\n"); err == nil && !strings.Contains(line, "\n") && models.IsShowable(line) {
		return line
	}
	return fmt.Sprintf("%q", text)
}
