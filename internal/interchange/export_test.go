package interchange

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// tableKeys describes the keys and indexes of a table, without details that some formats lack.
func tableKeys(t *models.Table) []string {
	list := []string{fmt.Sprint(t.PartitionKey, t.SortKey), t.TTL + " " + string(t.Stream)}
	for _, x := range t.Indexes {
		list = append(list, x.Name+" "+strings.Join(namesOf(x.PartitionKeys), "+")+" "+strings.Join(namesOf(x.SortKeys), "+")+" "+projection(x)+" "+strings.Join(x.Include, ","))
	}
	return list
}

// sharedSort has an index with the sort key of its table.
const sharedSort = `
name: alarms
title: Alarms
tables:
  alarms:
    name: alarms
    partition_key: device
    sort_key: {name: at, type: N}
    indexes: {open: {partition_key: state, sort_key: {name: at, type: N}, projection: ALL}}
entities:
  Alarm:
    table: alarms
    keys: {device: "DEV#{deviceId}", at: "{raisedAt}", state: "OPEN#{code}"}
    attributes: {deviceId: {type: S, required: true}, raisedAt: {type: N, required: true}, code: {type: S, required: true}}
`

// numbersInText has an entity whose text key contains a number.
const numbersInText = `
name: rides
tables: {rides: {name: rides, partition_key: PK, sort_key: SK}}
entities:
  Ping: {table: rides, keys: {PK: "PING#{car}", SK: "{at}"}, attributes: {car: {type: S, required: true}, at: {type: N, required: true}}}
  Car: {table: rides, keys: {PK: "CAR#{car}", SK: META}, attributes: {car: {type: S, required: true}}}
`

// An export of every built-in schema can be imported again, with the same keys, indexes and projections.
func TestExportRoundTrips(t *testing.T) {
	for _, format := range []string{"workbench", "aws-schema", "cloudformation"} {
		for _, name := range append(profiles.Names(), "alarms", "rides") {
			t.Run(format+"/"+name, func(t *testing.T) {
				p, err := profiles.Open(name, nil)
				if text := map[string]string{"alarms": sharedSort, "rides": numbersInText}[name]; text != "" {
					p, err = profiles.Load(name+".yaml", []byte(text), nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				f := Find(format)
				text, omitted, err := f.Write(p)
				if err != nil {
					t.Fatal(err)
				}
				in, err := f.Read([]File{{Name: "x." + format, Text: text}}, Options{})
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				want, got := map[string][]string{}, map[string][]string{}
				second, err := profiles.Load("again.yaml", in.Profile.Text(), nil)
				if err != nil {
					t.Fatalf("%v\n%s", err, in.Profile.Text())
				}
				for _, table := range p.Tables {
					copied := *table
					if strings.Contains(strings.Join(omitted, " "), "TTL") || strings.Contains(strings.Join(omitted, " "), "stream") {
						copied.TTL, copied.Stream = "", "" // the export reports their loss
					}
					want[table.Name] = tableKeys(&copied)
				}
				for _, table := range second.Tables {
					got[table.Name] = tableKeys(table)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("tables (-profile +imported):\n%s", diff)
				}
				if format == "cloudformation" {
					return
				}
				for _, e := range p.Entities {
					if !slices.ContainsFunc(second.Entities, func(o *models.Entity) bool { return o.Name == e.Name }) && !strings.Contains(strings.Join(omitted, " "), e.Name) {
						t.Errorf("entity %s is missing without a note: %q", e.Name, omitted)
					}
				}
			})
		}
	}
}

// The export lists the parts of the schema that the format of the file cannot express.
func TestExportReportsLostParts(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(`name: shop
tables: {data: {name: shop, partition_key: PK, sort_key: SK, indexes: {GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}}}}
entities:
  Order:
    table: data
    keys:
      PK: "ORDER#{id}"
      SK: "{at}"
      GSI1PK: {template: "OPEN#{at:date}", when: {has: [dueAt]}}
      GSI1SK: "{at}"
    attributes: {id: {type: S, required: true}, at: {type: S, format: iso8601, required: true}, total: {type: N}, state: {type: S}, to: {type: M, attributes: {city: {type: S}}}}
  Note: {table: data, keys: {PK: "ORDER#{id}", SK: NOTE}, attributes: {id: {type: S}, text: {type: S}}}
patterns:
  by-time: {title: By time, operation: query, key: {PK: "ORDER#{id}", SK: {range: at, from: "{from}", to: "{to}"}}, returns: [Order]}
  since: {title: Since, operation: query, key: {PK: "ORDER#{id}", SK: {range: at, from: "{from}"}}, returns: [Order]}
  large: {title: Large, operation: query, key: {PK: "ORDER#{id}"}, filter: [{attribute: total, gt: "{least}"}], returns: [Order]}
  either: {title: Either, operation: scan, returns: [Order], filter: [{any: [{attribute: total, lt: "{most}"}, {attribute: state, in: ["{a}", "{b}"]}]}]}
  newest: {title: Newest, operation: query, key: {PK: "ORDER#{id}"}, order: descending, returns: [Order]}
  nested: {title: Nested, operation: query, key: {PK: "ORDER#{id}"}, filter: [{attribute: to.city, equals: "{city}"}], returns: [Order]}
  other: {title: Other, operation: query, key: {PK: "ORDER#{id}"}, filter: [{attribute: text, equals: "{text}"}], returns: [Order, Note]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, omitted, err := Find("aws-schema").Write(p)
	want := []string{"1 key template (Order.GSI1PK)", "1 key condition (Order.GSI1PK)", "1 attribute (Order.to.city)", "1 format (Order.at)", "3 patterns (nested, newest, other)"}
	if err != nil || !slices.Equal(omitted, want) {
		t.Errorf("got omitted parts %q, %v, want %q", omitted, err, want)
	}
}

func TestExportOfKeyThatContainsOtherKey(t *testing.T) {
	p, err := profiles.Load("x.yaml", []byte(`{name: x, tables: {logs: {name: logs, partition_key: pk, sort_key: {name: ts, type: N}}},
		entities: {Log: {table: logs, keys: {pk: "hour-{ts:mod 24 02d}"}, attributes: {ts: {type: N, required: true}}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, omitted, err := workbench.Write(p); err != nil || len(omitted) > 0 {
		t.Errorf("omitted %q, error %v", omitted, err)
	}
}

// Names that differ only in their separators get different IDs, and names that YAML 1.1 reads as Booleans get quotes.
func TestExportNamesAreUnique(t *testing.T) {
	p, err := profiles.Load("x.yaml", []byte(`{name: x, variables: {my-stage: {default: a}, my_stage: {default: b}}, tables: {
		my-orders: {name: "a-{my-stage}", partition_key: "on", sort_key: "y"}, my_orders: {name: "b-{my_stage}", partition_key: id, ttl: "off"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for format, parts := range map[string][]string{
		"cloudformation": {
			"\n  MyStage: ", "\n  MyStage2: ", "\n  MyOrdersTable:\n", "\n  MyOrdersTable2:\n", `"a-${MyStage}"`, `"b-${MyStage2}"`,
			`{AttributeName: "on", KeyType: HASH}`, `{AttributeName: "y", AttributeType: S}`, `{AttributeName: "off", Enabled: true}`,
		},
		"terraform": {
			`variable "my_stage" {`, `variable "my_stage2" {`, `"my_orders" {`, `"my_orders2" {`, `"a-${var.my_stage}"`, `"b-${var.my_stage2}"`,
		},
	} {
		text, _, err := Find(format).Write(p)
		for _, part := range parts {
			if err != nil || strings.Count(string(text), part) != 1 {
				t.Errorf("%s: got error %v and text without one %q:\n%s", format, err, part, text)
			}
		}
	}
}

func TestExportErrorNamesUnsupportedKey(t *testing.T) {
	for name, entity := range map[string]string{
		"folder path": `{table: files, attributes: {folder path: {type: S, required: true}}}`,
		"at.folder":   `{table: files, keys: {folder path: "F#{at.folder}"}, attributes: {at: {type: M, attributes: {folder: {type: S}}}}}`,
	} {
		p, err := profiles.Load("files.yaml", []byte("name: files\ntables: {files: {name: files, partition_key: folder path}}\nentities: {File: "+
			entity+"}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = Find("aws-schema").Write(p); err == nil || !strings.Contains(err.Error(), "File: the name "+strconv.Quote(name)) {
			t.Errorf("got %v, want an error about the key", err)
		}
	}
}

func TestExportGolden(t *testing.T) {
	text := []byte(`name: shop
variables: {environment: {default: dev}}
tables:
  data:
    name: "shop-{environment}"
    partition_key: PK
    sort_key: {name: at, type: N}
    ttl: expires
    indexes:
      "by#kind": {partition_key: kind, sort_key: PK, projection: INCLUDE, include: [total, "a b"]}
      by-total: {local: true, sort_key: {name: total, type: N}, projection: ALL}
entities:
  Order:
    table: data
    keys: {PK: "ORDER#{id:upper}"}
    attributes: {id: {type: S, required: true}, at: {type: N, required: true}, kind: {type: S}, tags: {type: SS}}
patterns:
  orders: {title: Orders, operation: query, key: {PK: "ORDER#{id:upper}"}, returns: [Order]}
`)
	p, err := profiles.Load("shop.yaml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if !f.Writes() {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			text, omitted, err := f.Write(p)
			if err != nil {
				t.Fatal(err)
			}
			golden.RequireEqual(t, text)
			if f == &terraform {
				checkTerraformFormat(t, string(text))
			}
			reported := strings.Contains(strings.Join(omitted, "\n"), "index (shop-dev by-total)")
			in, err := f.Read([]File{{Name: "x", Text: text}}, Options{})
			if err != nil { // the Terraform import reads the output of terraform show
				return
			}
			for _, x := range in.Profile.Tables[0].Indexes {
				if x.Name == "by-total" && x.Local == reported {
					t.Errorf("Local = %v after the import, but the export omits %q", x.Local, omitted)
				}
			}
		})
	}
}

// checkTerraformFormat checks that the text follows terraform fmt, which aligns the equals signs of consecutive
// arguments.
func checkTerraformFormat(t *testing.T, text string) {
	t.Helper()
	longest, at := 0, []int{}
	for line := range strings.SplitSeq(text+"\n", "\n") {
		sign := strings.Index(line, " = ")
		if sign > 0 {
			longest, at = max(longest, len(strings.TrimRight(line[:sign], " "))), append(at, sign)
			continue
		}
		for _, sign := range at {
			if sign != longest {
				t.Errorf("the equal sign is at column %d, want %d: %q", sign, longest, line)
			}
		}
		longest, at = 0, nil
	}
}

// Terraform's output for an exported configuration can be imported, with the same tables.
func TestTerraformRoundTrips(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := Find("terraform").Write(p)
		if err != nil {
			t.Fatal(err)
		}
		checkTerraformFormat(t, string(text))
		in, err := Find("terraform").Read([]File{{Name: "show.json", Text: terraformJSON(t, string(text))}}, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, got := map[string][]string{}, map[string][]string{}
		for _, table := range p.Tables {
			want[table.Name] = tableKeys(table)
		}
		for _, table := range in.Profile.Tables {
			got[table.Name] = tableKeys(&table.Table)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: tables (-profile +imported):\n%s", name, diff)
		}
	}
}

// terraformJSON converts the blocks of a configuration to the JSON of terraform show.
func terraformJSON(t *testing.T, text string) []byte {
	t.Helper()
	defaults, resources := map[string]string{}, []map[string]any{}
	type block struct {
		name   string
		values map[string]any
	}
	open := []block{{values: map[string]any{}}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, argument := strings.Cut(line, " = ")
		top := &open[len(open)-1]
		switch {
		case strings.HasSuffix(line, "{"):
			open = append(open, block{strings.TrimSuffix(line, " {"), map[string]any{}})
		case line == "}":
			open = open[:len(open)-1]
			f := strings.Fields(strings.ReplaceAll(top.name, `"`, ""))
			above := open[len(open)-1].values
			switch f[0] {
			case "variable":
				defaults[f[1]], _ = top.values["default"].(string)
			case "resource":
				resources = append(resources, map[string]any{"address": f[1] + "." + f[2], "mode": "managed", "type": f[1], "name": f[2], "values": top.values})
			default:
				list, _ := above[top.name].([]any)
				above[top.name] = append(list, any(top.values))
			}
		case argument:
			var v any
			if json.Unmarshal([]byte(value), &v) != nil {
				v = value
			}
			if s, ok := v.(string); ok {
				for name, value := range defaults {
					s = strings.ReplaceAll(s, "${var."+name+"}", value)
				}
				v = s
			}
			top.values[strings.TrimSpace(key)] = v
		}
	}
	doc, err := json.Marshal(map[string]any{"terraform_version": "1.9.0", "values": map[string]any{"root_module": map[string]any{"resources": resources}}})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
