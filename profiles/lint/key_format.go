package lint

import (
	"github.com/ddbdesk/ddbdesk/models"
)

func timeDoesNotSort(_ *linter, e *models.Entity, report reporter) {
	for _, x := range append([]*models.Index{nil}, e.Table.Indexes...) {
		_, sort := e.Table.KeysOf(x)
		for _, k := range sort {
			t, _ := e.KeyTemplate(k.Name)
			for _, s := range t.Segments() {
				if f := s.TimeFormat(); !f.Sorts() {
					report("keys."+k.Name, "begin with the year, such as %Y-%m-%d",
						"sort key %s has times in the format %s, which do not sort by time; no range of them can be read", k.Name, f)
				}
			}
		}
	}
}

func onlyShards(key []models.Template) string {
	shard := ""
	for _, t := range key {
		for _, s := range t.Segments() {
			switch {
			case s.Name == "":
			case s.Format.Shards() == nil:
				return ""
			default:
				shard = s.Part()
			}
		}
	}
	return shard
}

func shardDiffers(_ *linter, r request, report reporter) {
	for _, c := range r.read.Key {
		for _, s := range c.Template.Segments() {
			for _, e := range r.pattern.Returns {
				t, _ := e.KeyTemplate(c.Attribute.Name)
				for _, own := range t.Segments() {
					if own.Name == s.Name && own.Computed() && own.Part() != s.Part() {
						report("key."+c.Attribute.Name, "write {"+own.Part()+"}",
							"the request reads {%s}, but keys of %s have {%s}; it reads other partitions", s.Part(), e.Name, own.Part())
					}
				}
			}
		}
	}
}
