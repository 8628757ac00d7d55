package interchange

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
)

func isServerless(top map[string]any) bool { return has("service", "provider")(top) }

func serverlessResources(top map[string]any) (resources map[string]any, elsewhere []string) {
	list, ok := top["resources"].([]any)
	if !ok {
		list = []any{top["resources"]}
	}
	resources = map[string]any{}
	for i, v := range list {
		place := "resources"
		if ok {
			place = fmt.Sprintf("resources[%d]", i)
		}
		switch v := v.(type) {
		case string:
			elsewhere = append(elsewhere, place+" "+v)
		case map[string]any:
			switch inner := v["Resources"].(type) {
			case string:
				elsewhere = append(elsewhere, place+".Resources "+inner)
			case map[string]any:
				maps.Copy(resources, inner)
			}
		}
	}
	return resources, elsewhere
}

// serverlessVariable matches a variable of the Serverless Framework without others inside it: ${self:custom.table},
// ${opt:stage, 'dev'}. https://www.serverless.com/framework/docs/guides/variables
var serverlessVariable = lazy(`\$\{((?:self|opt|sls|env|param|file|aws|ssm|cf|s3)\s*[:(][^${}:][^${}]*)\}`)

// Bounds of variables inside variables, which can refer to themselves.
const (
	maxServerlessDepth = 20
	maxServerlessText  = 4096
)

func (c cloudTemplate) serverlessText(text string, reference func(name string) string) string {
	for range maxServerlessDepth {
		next := serverlessVariable().ReplaceAllStringFunc(text, func(found string) string {
			address := found[2 : len(found)-1]
			if !c.spend(len(text)/64 + 1) {
				return ""
			}
			if value, ok := c.serverlessValue(address); ok {
				return value
			}
			return reference(address)
		})
		if next == text || len(next) > maxServerlessText {
			break
		}
		text = next
	}
	return text
}

func isServerlessVariable(name string) bool {
	return serverlessVariable().MatchString("${" + name + "}")
}

// serverlessValue returns false for an address that depends on the command line, the environment or other files.
func (c cloudTemplate) serverlessValue(address string) (string, bool) {
	address, _, _ = strings.Cut(address, ",")
	path, ok := strings.CutPrefix(strings.TrimSpace(address), "self:")
	if !ok {
		return "", false
	}
	var v any = c.file
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if m, ok := v.(map[string]any); ok && path == "service" {
		v = m["name"]
	}
	text, ok := v.(string)
	return text, ok
}

// serverlessDefault returns the text behind a comma, or the stage of the provider.
func (c cloudTemplate) serverlessDefault(address string) (string, bool) {
	return c.serverlessFallback(address, maxServerlessDepth)
}

func (c cloudTemplate) serverlessFallback(address string, depth int) (string, bool) {
	if depth == 0 || !isServerlessVariable(address) {
		return "", false
	}
	resolved := func(text string) string {
		return c.serverlessText(text, func(name string) string {
			value, _ := c.serverlessFallback(name, depth-1)
			return value
		})
	}
	first, others, _ := strings.Cut(address, ",")
	for other := range strings.SplitSeq(others, ",") {
		other = strings.TrimSpace(other)
		if value, ok := c.serverlessValue(other); ok {
			return resolved(value), true
		}
		if text := strings.Trim(other, `'"`); text != other {
			return text, true
		}
	}
	switch strings.TrimSpace(first) {
	case "sls:stage", "opt:stage":
		stage, _ := c.serverlessValue("self:provider.stage")
		return cmp.Or(resolved(stage), "dev"), true
	case "aws:region", "opt:region":
		region, _ := c.serverlessValue("self:provider.region")
		region = resolved(region)
		return region, region != ""
	}
	return "", false
}

// serverlessName returns stage for opt:stage, 'dev'.
func serverlessName(address string) string {
	address, _, _ = strings.Cut(address, ",")
	return draft.Camel(address[strings.LastIndexAny(address, ":.)/")+1:])
}
