package draft

import (
	"fmt"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A draft from some items also fits other items of the same schema: its templates produce identical keys, for every
// word of the template language.
func TestDraftFitsOtherItemsOfSchema(t *testing.T) {
	words := []string{
		"{kind}", "{name:lower}", "{name:upper}", "{name:first 3}", "{name:crc32 mod 5}", "{n}", "{n:09d}", "{n:div 10}", "{n:div 7 06d}", "{n:mod 7}",
		"{at}", "{at:date}", "{at:day}", "{at:hour}", "{at:week}", "{at:month}", "{at:year}", "{at:compact}", "{at:iso8601}", "{at:epoch-seconds}",
		"{at:epoch-millis}", "{at:epoch-micros}", "{at:epoch-nanos}", "{at:9999999999 - epoch-seconds}", "{at:9999999999999 - epoch-millis}",
		"{a}[#{b}]", "{a}[#{b}[#{c}]]", "{n}[#{b}]", "{name:sha256}", "{tenant}",
	}
	formats := []string{
		"S, format: iso8601", "S, format: iso8601-ms", "N, format: epoch-seconds", "N, format: epoch-millis", "N, format: epoch-micros", "S, format: iso8601-any",
		"S, format: iso8601-local", "S, format: date", `S, format: "%Y-%m-%d %H:%M:%S"`,
	}
	conditions := []string{"{has: [d]}", "{lacks: [e]}", "{has: [d], lacks: [e]}", "{status: [open]}"}
	found, all := 0, 0
	for i, word := range words {
		second, third, label := words[(i*7+3)%len(words)], words[(i*11+5)%len(words)], conditions[i%len(conditions)]
		source := fmt.Sprintf(`name: drawn
tables:
  main: {name: drawn, partition_key: PK, sort_key: SK, indexes: {GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}, ByNumber: {partition_key: name, sort_key: {name: number, type: N}}}}
entities:
  Thing:
    table: main
    keys:
      PK: "THING#{tenant}#{id}"
      SK: "S#%s"
      GSI1PK: {template: "G#%s", when: %s}
      GSI1SK: {template: "%s#{id}", when: %s}
      number: "{n:div 10}"
    attributes:
      id: {type: S, format: uuid, required: true}
      tenant: {type: S, required: true}
      name: {type: S, required: true}
      kind: {type: S, enum: [green, blue], required: true}
      status: {type: S, enum: [open, closed], required: true}
      n: {type: N, required: true}
      at: {type: %s, required: true}
      a: {type: S, required: true}
      b: {type: S}
      c: {type: S}
      d: {type: S}
      e: {type: S}
    sample: {count: 80}
`, word, second, label, third, label, formats[i%len(formats)])
		p, err := profiles.Load("drawn.yaml", []byte(source), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		generate := func(seed uint64) (list []models.Item) {
			items, err := sample.Items(p, sample.Options{At: schemas.Now, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range items {
				list = append(list, it.Item)
			}
			return list
		}
		table := *p.Tables[0]
		d := &Profile{Name: "draft"}
		Infer(d, Sample{Table: &Table{Table: table}, Items: generate(1)}, InferOptions{Now: schemas.Now})
		repeated, err := profiles.Load("draft.yaml", d.Text(), nil)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, source, d.Text())
		}
		bad := 0
		var message string
		for _, it := range generate(2) {
			r, defects := change.Drift{Entities: repeated.Entities, Now: schemas.Now.Add(time.Hour)}.Defects(repeated.Tables[0], it)
			if r.Entity == nil || len(defects) > 0 {
				bad++
				message = fmt.Sprintf("%v %s", defects, it.AppendJSON(nil))
			}
		}
		if bad > 0 || len(repeated.Entities) != 1 {
			t.Errorf("the draft rejects %d items: %s\n%s\n%s", bad, message, source, d.Text())
			continue
		}
		want, got := p.Entities[0], repeated.Entities[0]
		for _, k := range want.KeyNames() {
			w, _ := want.KeyTemplate(k)
			g, _ := got.KeyTemplate(k)
			all++
			found += boolToInt(w.String() == g.String() && want.KeyCondition(k) == got.KeyCondition(k))
		}
	}
	if found*100 < all*95 { // some words leave no trace, such as a time that the key contains unchanged
		t.Errorf("the draft has %d of %d templates, want 95%%", found, all)
	}
	t.Logf("%d of %d templates are found", found, all)
}
