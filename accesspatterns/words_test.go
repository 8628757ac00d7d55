package accesspatterns_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A formatCase is a placeholder format with an attribute whose values it formats.
type formatCase struct {
	format models.Format
	of     models.Attribute
	value  *rapid.Generator[string]
}

func formatCases() []formatCase {
	moment := func(f models.Format) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			at := time.Unix(rapid.Int64Range(1_500_000_000, 1_500_300_000).Draw(t, "s"), rapid.Int64Range(0, 3).Draw(t, "f")*250_000_000)
			text, _ := f.FormatTime(at)
			return text
		})
	}
	number := rapid.Custom(func(t *rapid.T) string { return strconv.Itoa(rapid.IntRange(0, 3000).Draw(t, "n")) })
	text := rapid.StringMatching(`[ab]{4}`)
	attribute := func(t models.Type, f models.Format) models.Attribute {
		return models.Attribute{Name: "v", Path: "v", Type: t, Format: f}
	}
	list := []formatCase{
		{"", attribute(models.TypeS, ""), text},
		{"first 2", attribute(models.TypeS, ""), text},
		{"05d", attribute(models.TypeN, ""), number},
		{"div 100 04d", attribute(models.TypeN, ""), number},
		{"div 100", attribute(models.TypeN, ""), number},
	}
	for _, f := range []models.Format{"lower", "upper", "mod 7", "crc32 mod 7", "java mod 12 02d", "sha256", "md5", "sha1"} {
		list = append(list, formatCase{f, attribute(models.TypeS, ""), number})
	}
	for _, f := range []models.Format{
		models.EpochSeconds, models.EpochMillis, models.EpochMicros, models.EpochNanos, models.EpochDecimal, models.ISO8601, models.ISO8601Millis,
	} {
		kind := models.TypeS
		if f.IsNumber() {
			kind = models.TypeN
		}
		list = append(list, formatCase{"", attribute(kind, f), moment(f)}, formatCase{models.Date, attribute(kind, f), moment(f)})
	}
	for _, f := range []models.Format{
		"9999999999 - epoch-seconds", "9007199254740991 - epoch-millis", "9999999999999999 - epoch-micros",
		"9223372036854775807 - epoch-nanos", models.EpochSeconds, models.EpochMillis, models.EpochMicros, models.EpochNanos, models.EpochDecimal,
	} {
		list = append(list, formatCase{f, attribute(models.TypeS, models.ISO8601), moment(models.ISO8601)})
	}
	stored := []models.Format{
		models.Date, models.Day, models.Compact, "iso8601-local", "iso8601-local-ms", "hour", "week", "month", "year",
		"%Y-%m-%d %H:%M:%S", "%Y/%m/%d", "%Y-%m-%dT%H:%M:%S.%f+00:00", "%Y.%j",
	}
	for _, f := range stored {
		list = append(list, formatCase{"", attribute(models.TypeS, f), moment(f)})
	}
	for _, f := range append(stored, models.ISO8601, models.ISO8601Millis, "%Y%m%d%H", "%G-W%V") {
		for _, valueFormat := range []models.Format{models.ISO8601, models.ISO8601Millis, models.EpochMillis, "%Y-%m-%dT%H:%M:%S.%NZ"} {
			kind := models.TypeS
			if valueFormat.IsNumber() {
				kind = models.TypeN
			}
			list = append(list, formatCase{f, attribute(kind, valueFormat), moment(valueFormat)})
		}
	}
	return append(list, formatCase{"", attribute(models.TypeN, "%Y%m%d%H"), moment("%Y%m%d%H")}, formatCase{"4", attribute(models.TypeS, ""), text})
}

// With any surrounding parts, a key parses back to its values, and a range selects exactly the items in it.
func TestEveryFormatRoundTripsAndSortsInRanges(t *testing.T) {
	for _, w := range formatCases() {
		t.Run(fmt.Sprintf("%s of %s %s", w.format, w.of.Type, w.of.Format), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				head := rapid.SampledFrom([]string{"", "E#", "E#{tenant}#", "L[#{state}[.{city}]]/", "[{tenant}~]E#"}).Draw(t, "head")
				tail := rapid.SampledFrom([]string{"", "#{id}", "[#{id}]", "[#{id}[/{more}]]", "[#{id}]!{more}"}).Draw(t, "tail")
				placeholder := "{v}"
				if w.format != "" {
					placeholder = "{v:" + string(w.format) + "}"
				}
				text := func(name string) *models.Attribute {
					return &models.Attribute{Name: name, Path: name, Type: models.TypeS}
				}
				e := &models.Entity{
					Name: "Thing", Table: &models.Table{PartitionKey: key("PK"), SortKey: key("SK")},
					Attributes: []*models.Attribute{&w.of, text("tenant"), text("state"), text("city"), text("id"), text("more")},
				}
				tmpl := models.MustTemplate(head + placeholder + tail).Bind(e.Attribute)
				args := map[string]string{}
				it := models.Item{}
				for _, name := range tmpl.Placeholders() {
					a := e.Attribute(name)
					value := rapid.StringMatching(`[a-c]{0,2}`).Draw(t, name)
					if name == "v" {
						value = w.value.Draw(t, name)
					} else if value != "" || tmpl.MayBeEmpty(name) {
						args[name] = value
					} else {
						continue
					}
					it[name], _ = a.Value(value)
				}
				sk, err := tmpl.Format(it.Text)
				if err != nil {
					return
				}
				m, err := tmpl.ParseItem(sk, it.Text)
				if err != nil {
					t.Fatalf("%s formats %v as %q and cannot parse it: %v", tmpl, it, sk, err)
				}
				second, err := tmpl.Format(func(name string) (string, bool) {
					for _, s := range m.Spans { // Some parts of a key do not reveal their value.
						part, cut := s.Segment.SpelledName()
						switch {
						case cut && s.Segment.Name == name:
							return "", false
						case cut && part == name && !s.Segment.IsComputed():
							name = s.Segment.Name
						}
					}
					v, ok := m.Values[name]
					return v, ok
				})
				if err != nil || second != sk {
					t.Fatalf("%s parses %q as %v, which it formats as %q: %v", tmpl, sk, m.Values, second, err)
				}

				kind := key("SK")
				if head+tail == "" && (w.format.IsNumeric() || w.format == "" && w.of.Type == models.TypeN) && rapid.Bool().Draw(t, "number key") {
					kind.Type = models.TypeN
				}
				if !w.format.KeepsOrder(kind.Type == models.TypeN) || w.format == "lower" || w.format == "upper" {
					return // Its keys do not sort by value, so they have no range.
				}
				param := func(name string, attribute models.Attribute) *accesspatterns.Param {
					p := &accesspatterns.Param{Name: name, Type: accesspatterns.String, Format: attribute.Format, Attribute: &attribute, AllowsEmpty: true}
					switch {
					case attribute.Format.IsTime():
						p.Type = accesspatterns.Timestamp
					case attribute.Type == models.TypeN:
						p.Type = accesspatterns.Integer
					}
					return p
				}
				from, to := w.value.Draw(t, "from"), w.value.Draw(t, "to")
				if less(w.of, to, from) {
					from, to = to, from
				}
				args["from"], args["to"] = from, to
				c := accesspatterns.KeyCondition{
					Attribute: kind, Compare: accesspatterns.Range, On: "v", KeyTemplate: tmpl,
					From: models.MustTemplate("{from}"), To: models.MustTemplate("{to}"),
				}
				p := pattern(accesspatterns.Read{Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{matches("PK", "A"), c}},
					param("from", w.of), param("to", w.of))
				p.Returns = []*models.Entity{e}
				for _, name := range tmpl.Placeholders() {
					if name != "v" {
						p.Params = append(p.Params, param(name, *e.Attribute(name)))
					}
				}
				for name := range args {
					if i := strings.Index(tmpl.String(), "{"+name+"}"); i > strings.Index(tmpl.String(), placeholder) {
						delete(args, name) // The value follows the range in the key.
					}
				}
				r, err := p.Bind(args, noon)
				if err != nil {
					t.Fatalf("%s from %s to %s, %v: %v", tmpl, from, to, args, err)
				}
				value, _ := it.Text("v")
				want := !less(w.of, value, from) && !less(w.of, to, value)
				if got := selectsKey(t, r.Legs[0], sk) && r.Legs[0].PassesFilter(it); got != want {
					t.Fatalf("%s from %q to %q: %q is selected: %v, want %v (%s)", tmpl, from, to, sk, got, want, legText(r.Legs[0]))
				}
			})
		})
	}
}

func less(a models.Attribute, x, y string) bool {
	if a.Type == models.TypeN {
		return models.CompareNumbers(x, y) < 0
	}
	return x < y
}
