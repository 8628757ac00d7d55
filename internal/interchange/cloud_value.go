package interchange

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

func cloudResources(top map[string]any) (resources map[string]any, otherSections []string) {
	if isServerless(top) {
		return serverlessResources(top)
	}
	if inner, ok := top["resources"].(map[string]any); ok {
		top = inner
	}
	if resources, ok := top["Resources"].(map[string]any); ok {
		return resources, nil
	}
	if kind, _ := top["Type"].(string); strings.HasPrefix(kind, "AWS::DynamoDB::") {
		return map[string]any{"Table": top}, nil // a file that serverless.yml includes
	}
	for _, v := range top {
		resource, _ := v.(map[string]any)
		if kind, _ := resource["Type"].(string); strings.HasPrefix(kind, "AWS::DynamoDB::") {
			return top, nil
		}
	}
	return nil, nil
}

// firstBranch returns the first branch of Fn::If other than AWS::NoValue. The conditions depend on the deployment.
func firstBranch(v any) (branch any, otherBranch, ok bool) {
	m, _ := v.(map[string]any)
	branches, ok := m["Fn::If"].([]any)
	if !ok || len(branches) != 3 {
		return nil, false, false
	}
	if isNoValue(branches[1]) {
		return branches[2], false, true
	}
	return branches[1], !isNoValue(branches[2]), true
}

func isNoValue(v any) bool {
	m, _ := v.(map[string]any)
	return m["Ref"] == "AWS::NoValue"
}

// cloudLiterals resolves functions in properties that must be literal in a schema, such as attribute names.
type cloudLiterals struct {
	cloudTemplate
	optional []string // indexes that exist only under a condition
	notes    []string // open questions for the user
	problems []error  // unresolvable references with their places
}

func (l *cloudLiterals) value(place string, v any) any {
	switch v := v.(type) {
	case string:
		return l.literal(place, v)
	case []any:
		list := []any{}
		for i, x := range v {
			if x = l.value(fmt.Sprintf("%s[%d]", place, i), x); x != nil {
				list = append(list, x)
			}
		}
		return list
	case map[string]any:
		if branch, otherBranch, ok := firstBranch(v); ok {
			x := l.value(place, branch)
			l.noteCondition(place, x, otherBranch)
			return x
		}
		if isNoValue(v) {
			return nil
		}
		if len(v) == 1 && isFunction(slices.Collect(maps.Keys(v))[0]) {
			return l.literal(place, v)
		}
		m := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if isIgnored(reflect.TypeFor[indexDescription](), k) {
				continue
			}
			if x := l.value(place+"."+k, v[k]); x != nil {
				m[k] = x
			}
		}
		return m
	}
	return v
}

func isFunction(name string) bool { return name == "Ref" || strings.HasPrefix(name, "Fn::") }

func (l *cloudLiterals) literal(place string, v any) any {
	var used, missing []string
	text, ok := l.text(v, func(name string) string {
		value, ok := l.defaultOf(name)
		if used = append(used, name); !ok {
			missing = append(missing, name)
		}
		return value
	})
	switch {
	case !ok:
		l.problems = append(l.problems, fmt.Errorf("%s is computed by a function that cannot be resolved", place))
		return nil
	case len(missing) > 0:
		names := models.Printable(strings.Join(missing, ", "))
		l.problems = append(l.problems, fmt.Errorf("%s is %s, which has no default; give it a default", place, names))
		return nil
	case len(used) > 0:
		l.notes = append(l.notes, draft.CheckNote("%s is %s; %q is its default", place, models.Printable(strings.Join(used, ", ")), text))
	}
	return text
}

// noteCondition notes that a value depends on a condition. An index that may be missing becomes optional instead.
func (l *cloudLiterals) noteCondition(place string, v any, otherBranch bool) {
	before := len(l.optional)
	list, _ := v.([]any)
	for _, x := range append(list, v) {
		m, _ := x.(map[string]any)
		if name, ok := m["IndexName"].(string); ok {
			l.optional = append(l.optional, name)
		}
	}
	switch {
	case otherBranch:
		l.notes = append(l.notes, draft.CheckNote("%s depends on a condition, and its other value is not read", place))
	case len(l.optional) == before:
		l.notes = append(l.notes, draft.CheckNote("%s depends on a condition", place))
	}
}

// subText matches the references in Fn::Sub.
var subText = models.LazyRegexp(`\$\{([^}!]+)\}`)

// text returns false for a function that only CloudFormation can evaluate, such as Fn::ImportValue.
func (c cloudTemplate) text(v any, reference func(name string) string) (string, bool) {
	switch v := v.(type) {
	case string:
		return c.serverlessText(v, reference), true
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return reference(ref), true
		}
		switch sub := v["Fn::Sub"].(type) {
		case string:
			return subText().ReplaceAllStringFunc(c.serverlessText(sub, reference), func(ref string) string {
				return reference(ref[2 : len(ref)-1])
			}), true
		case []any:
			return c.substitute(sub, reference)
		}
		if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
			parts, _ := join[1].([]any)
			texts := make([]string, len(parts))
			for i, p := range parts {
				if texts[i], ok = c.text(p, reference); !ok {
					return "", false
				}
			}
			return strings.Join(texts, fmt.Sprint(join[0])), true
		}
	}
	return "", false
}

func (c cloudTemplate) substitute(sub []any, reference func(name string) string) (string, bool) {
	if len(sub) == 0 {
		return "", false
	}
	variables := map[string]any{}
	if len(sub) > 1 {
		variables, _ = sub[1].(map[string]any)
	}
	whole := true
	text, ok := c.text(map[string]any{"Fn::Sub": sub[0]}, func(name string) string {
		v, ok := variables[name]
		if !ok {
			return reference(name)
		}
		text, ok := c.text(v, reference)
		whole = whole && ok
		return text
	})
	return text, ok && whole
}

func (c cloudTemplate) defaultOf(name string) (string, bool) {
	p, _ := c.parameters[name].(map[string]any)
	if text := fmt.Sprint(p["Default"]); p["Default"] != nil && text != "" {
		return text, true
	}
	return c.serverlessFallback(name, maxServerlessDepth)
}

// reference returns a variable with the parameter's default. Users set account and region with --var.
func (c cloudTemplate) reference(name string) string {
	variable, description := draft.Camel(strings.TrimPrefix(name, "AWS::")), ""
	value, ok := c.defaultOf(name)
	if isServerlessVariable(name) {
		variable = serverlessName(name)
	}
	p, _ := c.parameters[name].(map[string]any)
	allowed, _ := p["AllowedValues"].([]any)
	switch {
	case ok:
	case name == "AWS::StackName":
		variable, value, description = "stack", "dev", "Name of the stack"
	case len(allowed) > 0:
		value = fmt.Sprint(allowed[0])
	default:
		value, description = "dev", draft.CheckNote("no default for %s in the template", models.Printable(name))
	}
	if text, ok := p["Description"].(string); ok {
		description = strings.TrimSpace(models.Printable(text) + " " + description)
	}
	c.addVariable(variable, value, description)
	return "{" + variable + "}"
}

func isServerless(top map[string]any) bool { return hasKeys("service", "provider")(top) }

func serverlessResources(top map[string]any) (resources map[string]any, otherSections []string) {
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
			otherSections = append(otherSections, place+" "+v)
		case map[string]any:
			switch inner := v["Resources"].(type) {
			case string:
				otherSections = append(otherSections, place+".Resources "+inner)
			case map[string]any:
				maps.Copy(resources, inner)
			}
		}
	}
	return resources, otherSections
}

// fileVariable matches a reference to a file or to a part of it.
var fileVariable = models.LazyRegexp(`^\$\{file\(([^()]+)\)(?::([\w.-]+))?\}$`)

// selfVariable matches a reference to a part of the same file.
var selfVariable = models.LazyRegexp(`^\$\{self:([\w.-]+)\}$`)

func (c cloudTemplate) includeParts(top map[string]any) {
	if isServerless(top) {
		for _, key := range []string{"provider", "custom", "resources"} {
			top[key] = c.resolveIncludes(top[key], 4)
		}
	}
}

// resolveIncludes returns a copy, because a part that contains itself would have no end.
func (c cloudTemplate) resolveIncludes(v any, depth int) any {
	if !c.spend(1) {
		return v
	}
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = c.resolveIncludes(v[i], depth)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for name := range v {
			m[name] = c.resolveIncludes(v[name], depth)
		}
		return m
	case string:
		if depth == 0 {
			return v
		}
		whole := c.withoutInnerVariables(v)
		part := c.included(whole)
		if part == nil {
			return v
		}
		if whole != v {
			c.warnf("%s is read as %s", models.Printable(v), models.Printable(whole))
		}
		return c.resolveIncludes(part, depth-1)
	}
	return v
}

// included returns the part of a file that the text refers to, or nil. A warning names an unreadable file.
func (c cloudTemplate) included(text string) (part any) {
	if m := selfVariable().FindStringSubmatch(text); m != nil {
		if part = c.fileValue(m[1]); reflect.ValueOf(part).Kind() != reflect.String {
			return part
		}
		return nil
	}
	m := fileVariable().FindStringSubmatch(text)
	if m == nil || c.options.OpenReferenced == nil || !c.spend(100) {
		return nil
	}
	file, err := c.options.OpenReferenced(c.reader.file, strings.Trim(strings.TrimSpace(m[1]), `'"`))
	if err != nil {
		return nil
	}
	if part, err = decodeYAML(file); err != nil {
		c.warnf("%s cannot be read: %v", models.Printable(strings.TrimSpace(m[1])), err)
		return nil
	}
	for name := range strings.FieldsFuncSeq(m[2], func(r rune) bool { return r == '.' }) {
		inner, _ := part.(map[string]any)
		part = inner[name]
	}
	return part
}

// serverlessVariable matches a Serverless Framework variable without nested variables: ${self:custom.table},
// ${opt:stage, 'dev'}. https://www.serverless.com/framework/docs/guides/variables
var serverlessVariable = models.LazyRegexp(`\$\{((?:self|opt|sls|env|param|file|aws|ssm|cf|s3)\s*[:(][^${}:][^${}]*)\}`)

// pseudoParameter matches a reference of the plugin serverless-pseudo-parameters.
var pseudoParameter = models.LazyRegexp(`#\{AWS::\w+\}`)

// These limits apply to nested variables, which can refer to themselves.
const (
	maxServerlessDepth = 20
	maxServerlessText  = 4096
)

func (c cloudTemplate) serverlessText(text string, reference func(name string) string) string {
	text = pseudoParameter().ReplaceAllStringFunc(text, func(found string) string { return reference(found[2 : len(found)-1]) })
	for range maxServerlessDepth {
		text = c.withoutInnerVariables(text)
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

// withoutInnerVariables replaces the variables inside other variables by their values, because a part such as
// ${self:custom.tables.${opt:stage}} exists only for a value.
func (c cloudTemplate) withoutInnerVariables(text string) string {
	for range maxServerlessDepth {
		list := serverlessVariable().FindAllStringIndex(text, -1)
		i := slices.IndexFunc(list, func(at []int) bool { return isInside(text[:at[0]]) })
		if i < 0 || len(text) > maxServerlessText || !c.spend(len(text)/64+1) {
			break
		}
		start, end := list[i][0], list[i][1]
		value, ok := c.serverlessValue(text[start+2 : end-1])
		if !ok {
			value, _ = c.defaultOf(text[start+2 : end-1])
			value = cmp.Or(value, "dev")
			*c.assumed = append(*c.assumed, fmt.Sprintf("%q for %s", value, models.Printable(text[start+2:end-1])))
		}
		text = text[:start] + value + text[end:]
	}
	return text
}

func isInside(before string) bool { return strings.Count(before, "{") > strings.Count(before, "}") }

func isServerlessVariable(name string) bool {
	return serverlessVariable().MatchString("${" + name + "}")
}

// serverlessValue looks up a value in the file. It returns false for the command line and other sources.
func (c cloudTemplate) serverlessValue(address string) (string, bool) {
	address, _, _ = strings.Cut(address, ",")
	path, ok := strings.CutPrefix(strings.TrimSpace(address), "self:")
	if !ok {
		return "", false
	}
	v := c.fileValue(path)
	if m, ok := v.(map[string]any); ok && path == "service" {
		v = m["name"]
	}
	text, ok := v.(string)
	return text, ok
}

func (c cloudTemplate) fileValue(path string) any {
	var v any = c.file
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func (c cloudTemplate) serverlessFallback(address string, depth int) (string, bool) {
	if depth == 0 || !isServerlessVariable(address) {
		return "", false
	}
	resolve := func(text string) string {
		return c.serverlessText(text, func(name string) string {
			value, _ := c.serverlessFallback(name, depth-1)
			return value
		})
	}
	first, others, _ := strings.Cut(address, ",")
	for other := range strings.SplitSeq(others, ",") {
		other = strings.TrimSpace(other)
		if value, ok := c.serverlessValue(other); ok {
			return resolve(value), true
		}
		if text := strings.Trim(other, `'"`); text != other {
			return text, true
		}
	}
	switch strings.TrimSpace(first) {
	case "sls:stage", "opt:stage":
		stage, _ := c.serverlessValue("self:provider.stage")
		return cmp.Or(resolve(stage), "dev"), true
	case "aws:region", "opt:region":
		region, _ := c.serverlessValue("self:provider.region")
		region = resolve(region)
		return region, region != ""
	}
	return "", false
}

// serverlessName returns the variable name for an address, such as "stage" for "opt:stage, 'dev'".
func serverlessName(address string) string {
	address, _, _ = strings.Cut(address, ",")
	return draft.Camel(address[strings.LastIndexAny(address, ":.)/")+1:])
}
