package lint

import (
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Issues returns the errors and warnings of [Run] that no finding of the profile explains, as findings in the order of the file.
// The ID of each is its rule, with a number from the second one on.
func Issues(p *profiles.Profile) []*accesspatterns.Finding {
	var list []*accesspatterns.Finding
	seen := map[string]int{}
	for _, d := range Run(p) {
		if d.Finding != "" || d.Severity == profiles.Info {
			continue
		}
		place := "see " + d.Path + " in the profile"
		if d.Line > 0 {
			place = fmt.Sprintf("see %s, line %d of the profile", d.Path, d.Line)
		}
		f := &accesspatterns.Finding{
			ID: d.Rule, Kind: accesspatterns.FindingKind(d.Kind), Rules: []string{d.Rule}, Text: sentences(d.Message, d.Suggestion, place),
		}
		if seen[d.Rule]++; seen[d.Rule] > 1 {
			f.ID += fmt.Sprintf("-%d", seen[d.Rule])
		}
		section, rest, _ := strings.Cut(d.Path, ".")
		name, _, _ := strings.Cut(rest, ".")
		switch {
		case name == "":
		case section == "patterns":
			f.Patterns = []string{name}
		case section == "entities":
			f.Entities = []string{name}
		case section == "tables":
			f.Tables = []string{name}
		}
		list = append(list, f)
	}
	return list
}

func sentences(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text == "" {
			continue
		}
		first, _, _ := strings.Cut(text, " ")
		if strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,;") == "" {
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(text + ".")
	}
	return b.String()
}
