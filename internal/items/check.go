package items

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// CheckItem returns how an item differs from the profile, "" if it does not: no entity, missing attributes, types, values
// outside a closed enum, or index keys that its attributes do not make. It never has values. It
// stops at the first difference. Formats are not checked, because documents break their own.
func CheckItem(p *profiles.Profile, r Record) string {
	found, ok := models.Recognize(p.Entities, r.Table, r.Item)
	if !ok {
		return "matches no entity of table " + r.Table.Name
	}
	e := found.Entity
	if missing := e.MissingAttributes(r.Item); len(missing) > 0 {
		return fmt.Sprintf("%s lacks %s", e.Name, strings.Join(missing, ", "))
	}
	for _, a := range e.Attributes {
		v, ok := r.Item[a.Name]
		if !ok {
			continue
		}
		if t := models.ValueType(v); t != a.Type && t != models.TypeNULL {
			return fmt.Sprintf("%s.%s has type %s, and the profile says %s", e.Name, a.Name, t, a.Type)
		}
		text, ok := models.ValueText(v)
		if ok && len(a.Enum) > 0 && !a.OpenEnum && !slices.Contains(a.Enum, text) {
			return fmt.Sprintf("%s.%s has a value outside its enum", e.Name, a.Name)
		}
	}
	for _, k := range e.KeyStates(r.Item) {
		if k.Present && k.Problem != "" {
			return fmt.Sprintf("%s.%s %s", e.Name, k.Name, strings.SplitN(k.Problem, ":", 2)[0])
		}
	}
	return ""
}
