package profiles

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

func (b schemaBuilder) findings() {
	kinds := texts(accesspatterns.FindingKinds()...)
	for _, e := range b.decl.Findings {
		path, d := "findings."+e.Key, e.Value
		b.word(path+".kind", d.Kind, kinds)
		if d.Text == "" || d.Kind == "" {
			b.Errorf(path, "", "finding needs a kind and a text")
		}
		f := &accesspatterns.Finding{
			ID: e.Key, Kind: accesspatterns.FindingKind(d.Kind), Rules: d.Rules, Title: d.Title, Text: d.Text,
			Workaround: d.Workaround, Source: d.Source,
			Patterns: d.Patterns, Entities: d.Entities, Tables: d.Tables, Decides: d.Decides,
		}
		b.findingRefs(path, d)
		b.p.Findings = append(b.p.Findings, f)
	}
	b.attachFindings()
}

func (b schemaBuilder) findingRefs(path string, d findingDecl) {
	each := func(field string, list, known []string) {
		for i, name := range list {
			b.word(fmt.Sprintf("%s.%s.%d", path, field, i), name, known)
		}
	}
	each("patterns", d.Patterns, b.decl.Patterns.Keys())
	each("decides", d.Decides, b.decl.Patterns.Keys())
	each("entities", d.Entities, b.decl.Entities.Keys())
	each("tables", d.Tables, b.decl.Tables.Keys())
}

func (b schemaBuilder) attachFindings() {
	byID := map[string]*accesspatterns.Finding{}
	for _, f := range b.p.Findings {
		byID[f.ID] = f
	}
	for _, p := range b.p.Patterns {
		d, _ := b.decl.Patterns.Get(p.ID)
		for i, id := range d.Findings {
			if b.word(fmt.Sprintf("patterns.%s.findings.%d", p.ID, i), id, b.decl.Findings.Keys()) && byID[id] != nil {
				f := byID[id]
				f.Patterns = appendOnce(f.Patterns, p.ID)
			}
		}
		for _, decides := range []bool{true, false} {
			for _, f := range b.p.Findings {
				if f.DecidesPattern(p.ID) == decides && (decides || slices.Contains(f.Patterns, p.ID)) {
					p.Findings = append(p.Findings, f)
				}
			}
		}
	}
	for _, e := range b.p.Entities {
		d, _ := b.decl.Entities.Get(e.Name)
		for i, id := range d.Findings {
			if b.word(fmt.Sprintf("entities.%s.findings.%d", e.Name, i), id, b.decl.Findings.Keys()) && byID[id] != nil {
				byID[id].Entities = appendOnce(byID[id].Entities, e.Name)
			}
		}
	}
}
