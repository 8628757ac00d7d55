package models_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

func TestLayoutsSpellTimes(t *testing.T) {
	at := time.Date(2026, 1, 4, 9, 5, 7, 81_234_567, time.UTC)
	for _, c := range []struct {
		layout models.Format
		want   string
		sorts  bool
		number bool
		period string
	}{
		{"%Y-%m-%d %H:%M", "2026-01-04 09:05", true, false, ""},
		{"%Y%m%d%H%M%S", "20260104090507", true, true, ""},
		{"%Y-%m-%dT%H:%M:%S.%f+00:00", "2026-01-04T09:05:07.081234+00:00", true, false, ""},
		{"%Y-%m-%dT%H:%M:%S.%NZ", "2026-01-04T09:05:07.081234567Z", true, false, ""},
		{"%Y%m%d%H%M%S%L", "20260104090507081", true, true, ""},
		{"%d/%m/%Y", "04/01/2026", false, false, "day"},
		{"%d %b %Y", "04 Jan 2026", false, false, "day"},
		{"%Y-%b", "2026-Jan", false, false, "month"},
		{"%Y.%j", "2026.004", true, false, "day"},
		{"%GW%V", "2026W01", true, false, "week"},
		{"%Y/%m/%d/%H", "2026/01/04/09", true, false, "hour"},
		{"y%Y", "y2026", true, false, "year"},
	} {
		text, ok := c.layout.FormatTime(at)
		if !ok || text != c.want {
			t.Errorf("%s: got %q, want %q", c.layout, text, c.want)
		}
		if c.layout.SortsByTime() != c.sorts || c.layout.IsNumber() != c.number || c.layout.Period() != c.period {
			t.Errorf("%s: sorts %t, number %t, period %q", c.layout, c.layout.SortsByTime(), c.layout.IsNumber(), c.layout.Period())
		}
	}
}

// ReadTime reads all digits of fractional seconds.
func TestLayoutsReadFractions(t *testing.T) {
	for text, c := range map[string]struct {
		layout models.Format
		nanos  int
	}{
		"2026-01-04 09:05:07.081":       {"%Y-%m-%d %H:%M:%S.%L", 81_000_000},
		"2026-01-04 09:05:07.081234":    {"%Y-%m-%d %H:%M:%S.%f", 81_234_000},
		"2026-01-04 09:05:07.081234567": {"%Y-%m-%d %H:%M:%S.%N", 81_234_567},
	} {
		want := time.Date(2026, 1, 4, 9, 5, 7, c.nanos, time.UTC)
		if got, ok := c.layout.ReadTime(text); !ok || !got.Equal(want) {
			t.Errorf("%s: ReadTime(%s) = %v, %v", c.layout, text, got, ok)
		}
	}
}

func TestInvalidTimeLayouts(t *testing.T) {
	for layout, want := range map[models.Format]string{
		"%Q":               `"%Q" is not a directive; use %Y %m`,
		"%Y-%":             `"%" is not a directive`,
		"%H:%M":            "has %H without %d or %j",
		"%Y-%d":            "has %d without %m or %b",
		"%Y %Y":            "has %Y twice",
		"%Y-%m-%b":         "two directives for the same part",
		"%Y-%m-%d %j":      "two directives for the same part",
		"%Y-%m %j":         "the day of the year and a month",
		"%G":               "%G, the year of a week, without %V",
		"%Y-%m-%d\n":       "a character that is not ASCII",
		"%Y{%m}":           "a bracket",
		"plain":            "layout has no directive",
		"%Y-%m-%d %S":      "has %S without %M",
		"%Y-%m-%d %H %L":   "has %L without %S",
		"%Y%m%d%H%M%S%L%N": "two directives for the same part",
	} {
		if err := layout.CheckLayout(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", layout, err, want)
		}
		if layout.IsTime() {
			t.Errorf("IsTime() is true for the invalid layout %q", layout)
		}
	}
}

func layouts() *rapid.Generator[models.Format] {
	return rapid.Custom(func(t *rapid.T) models.Format {
		separator := rapid.SampledFrom([]string{"", "-", "/", " ", "T", "Jan", "02"})
		parts := rapid.SampledFrom([][]string{
			{"%Y", "%m", "%d", "%H", "%M", "%S", "%L"},
			{"%Y", "%b", "%d", "%H", "%M", "%S", "%f"},
			{"%Y", "%j", "%H", "%M", "%S", "%N"},
			{"%G", "%V"},
		}).Draw(t, "parts")
		n := len(parts)
		if parts[0] == "%Y" {
			n = rapid.IntRange(1, len(parts)).Draw(t, "count")
		}
		return models.Format(strings.Join(rapid.Permutation(parts[:n]).Draw(t, "order"), separator.Draw(t, "separator")))
	})
}

// ReadTime reads every text that FormatTime writes. Formatting the result gives the same text. If a layout sorts, its
// texts sort by time.
func TestLayoutsRoundTrip(t *testing.T) {
	moments := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
	})
	rapid.Check(t, func(t *rapid.T) {
		f := layouts().Draw(t, "layout")
		a, b := moments.Draw(t, "a"), moments.Draw(t, "b")
		first, _ := f.FormatTime(a)
		second, _ := f.FormatTime(b)
		parsed, ok := f.ReadTime(first)
		if second, _ := f.FormatTime(parsed); !ok || second != first {
			t.Fatalf("%s formats %s as %q, parses it as %s and formats this as %q", f, a.UTC(), first, parsed, second)
		}
		if f.SortsByTime() && a.Before(b) && first > second {
			t.Fatalf("%s formats %s as %q, which sorts after %s as %q", f, a.UTC(), first, b.UTC(), second)
		}
		for _, wrong := range []string{first + "0", first[1:], strings.Replace(first, first[:1], "x", 1)} {
			if _, ok := f.ReadTime(wrong); ok {
				t.Fatalf("%s: ReadTime accepted %q", f, wrong)
			}
		}
	})
}

// A template parses a time in its own layout and returns it in the attribute's format if both contain the same parts.
func TestTemplatesWithLayouts(t *testing.T) {
	for _, c := range []struct{ template, attribute, value, key, read string }{
		{"LOG#{at:%Y%m%d%H%M%S}#{id}", "iso8601", "2026-01-14T10:00:05Z", "LOG#20260114100005#7", "2026-01-14T10:00:05Z"},
		{"LOG#{at:%Y%m%d%H%M%S}#{id}", "epoch-seconds", "1768384805", "LOG#20260114100005#7", "1768384805"},
		{"LOG#{at:%H:%M %d/%m/%Y}#{id}", "iso8601", "2026-01-14T10:00:05Z", "LOG#10:00 14/01/2026#7", "10:00 14/01/2026"},
		{"LOG#{at:date}#{id}", "%d/%m/%Y %H:%M", "14/01/2026 10:00", "LOG#2026-01-14#7", "2026-01-14"},
		{"LOG#{at}#{id}", "%d#%m#%Y", "14#01#2026", "LOG#14#01#2026#7", "14#01#2026"},
		{"LOG#{at}{id}", "%Y%m%d%H", "2026011410", "LOG#20260114107", "2026011410"},
	} {
		a := &models.Attribute{Name: "at", Path: "at", Type: models.TypeS, Format: models.Format(c.attribute), KeyOnly: true}
		tmpl := models.MustTemplate(c.template).Bind(func(name string) *models.Attribute {
			if name == "at" {
				return a
			}
			return nil
		})
		values := models.MapValues(map[string]string{"at": c.value, "id": "7"})
		key, err := tmpl.Format(values)
		if err != nil || key != c.key {
			t.Errorf("%s with %s: got %q (%v), want %q", c.template, c.value, key, err, c.key)
			continue
		}
		m, err := tmpl.Parse(key)
		if err != nil || m.Values["at"] != c.read || m.Values["id"] != "7" {
			t.Errorf("%s: %q was parsed as %v (%v), want %s", c.template, key, m.Values, err, c.read)
		}
	}
	if _, err := models.ParseTemplate("{at:%Y-%Q}", nil); err == nil || !strings.Contains(err.Error(), "%Q") {
		t.Error(err)
	}
}

func TestFormatCheck(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	tests := []struct {
		format models.Format
		yes    []string
		no     []string
	}{
		{
			models.UUID,
			[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
			[]string{"", "ver_1", "123e4567e89b12d3a456426614174000"},
		},
		{
			models.ULID,
			[]string{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"},
			[]string{"81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01ARZ3NDEKTSV4RRFFQ69G5FA"},
		},
		{models.KSUID, []string{"0ujtsYcgvSTl8PAuAdqWYSMnLOv"}, []string{"0ujtsYcgvSTl8PAuAdqWYSMnLO", "0ujtsYcgvSTl8PAuAdqWYSMnLO-"}},
		{models.UUID7, []string{"018f4567-e89b-72d3-a456-426614174000"}, []string{"123e4567-e89b-12d3-a456-426614174000", "7"}},
		{
			models.SHA256,
			[]string{hash, strings.ToUpper(hash), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU="},
			[]string{hash[1:], hash + "0", "xyz"},
		},
		{models.E164, []string{"+26771234567"}, []string{"26771234567", "+0123456", "+267 71 234 567", "+1234567890123456"}},
		{models.Email, []string{"a@b.bw", "first.last+tag@example.com"}, []string{"a", "a@", "@b", "Name <a@b.bw>", " a@b.bw"}},
		{models.URL, []string{"https://a.bw/x?y=1", "s3://bucket/key"}, []string{"a.bw", "/x", "https://", "::"}},
		{models.IP, []string{"10.0.0.1", "2001:db8::1"}, []string{"10.0.0", "10.0.0.256", "host"}},
		{
			models.Domain,
			[]string{"a.bw", "localhost", "A-b.example.com:8080"},
			[]string{"-a.bw", "a..bw", "a_b.bw", "https://a.bw", "a.bw:port"},
		},
		{models.MIME, []string{"image/png", "text/html; charset=utf-8"}, []string{"image", "/png", "image/", "a/b/c", ""}},
		{models.ISO8601, []string{"2026-01-14T10:00:00Z"}, []string{"2026-01-14", "yesterday"}},
		{models.EpochSeconds, []string{"1768384800"}, []string{"1768384800000", "soon"}},
		{models.Date, []string{"2026-01-14"}, []string{"14.01.2026"}},
		{models.Text, []string{"", "anything"}, nil},
		{models.NoFormat, []string{"", "anything"}, nil},
	}
	for _, tt := range tests {
		for _, value := range tt.yes {
			if err := tt.format.Check(value); err != nil {
				t.Errorf("%s: Check(%q) = %v, want nil", tt.format, value, err)
			}
		}
		for _, value := range tt.no {
			err := tt.format.Check(value)
			if err == nil || !strings.Contains(err.Error(), `"`+value+`" is not `) {
				t.Errorf("%s: got %v for %q", tt.format, err, value)
			}
		}
	}
	if err := models.Email.Check("\x1b[2J"); strings.Contains(err.Error(), "\x1b") {
		t.Error("the error contains an escape sequence")
	}
}

func TestFormatsListsEveryFormat(t *testing.T) {
	seen := map[models.Format]bool{}
	for _, f := range models.Formats() {
		if seen[f] || f == models.NoFormat {
			t.Errorf("%q is listed twice or has no name", f)
		}
		seen[f] = true
		if f.IsDay() && (!f.IsTime() || !f.IsLossy()) {
			t.Errorf("%s: a day must be a lossy time", f)
		}
	}
	for _, f := range models.KeyFormats() {
		if _, err := models.ParseTemplate("{a:"+f+"}", nil); err != nil {
			t.Errorf("ParseTemplate rejected the format %s: %v", f, err)
		}
	}
	if !models.Format("upper").IsLossy() || models.EpochMillis.IsLossy() {
		t.Error("IsLossy() must be true for upper and false for milliseconds")
	}
	if list := models.Types(); len(list) != 10 || !slices.Contains(list, models.TypeNULL) {
		t.Errorf("Types() = %v, want 10 types", list)
	}
}

func TestAttributeCheck(t *testing.T) {
	id := attr("id", prefix("ver_"), format(models.UUID))
	status := attr("status", enum("open", "closed"))
	free := attr("kind", enum("a", "b"), func(a *models.Attribute) { a.OpenEnum = true })
	tests := []struct {
		attribute      *models.Attribute
		value, message string
	}{
		{id, "ver_123e4567-e89b-12d3-a456-426614174000", ""},
		{id, "123e4567-e89b-12d3-a456-426614174000", "does not start with ver_"},
		{id, "ver_1", `"1" is not a UUID`},
		{status, "open", ""},
		{status, "Open", "not one of open, closed"},
		{free, "c", ""},
	}
	for _, tt := range tests {
		err := tt.attribute.Check(tt.value)
		if (err == nil) != (tt.message == "") || err != nil && !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s %q: got %v, want %q", tt.attribute.Name, tt.value, err, tt.message)
		}
	}
}

// Python computed the expected values with zlib.crc32(b) % 16, int(hashlib.md5(b).hexdigest(), 16) % 16 and so on. The
// values for java are Math.floorMod(s.hashCode(), 16).
func TestKeyComputedParts(t *testing.T) {
	const md5 = "cd75315a553ef07eb20e55a3cc895955"
	for _, c := range []struct{ format, value, want string }{
		{"mod 10", "1207", "7"},
		{"mod 10", "99999999999999999999999999999999999998", "8"},
		{"mod 4 + 1", "8", "1"},
		{"mod 16 02d", "35", "03"},
		{"mod 3 + 99 03d", "4", "100"},
		{"crc32 mod 16", "order-7", "10"},
		{"fnv1a mod 16", "order-7", "11"},
		{"java mod 16", "order-7", "8"},
		{"md5 mod 16", "order-7", "5"},
		{"sha256 mod 16", "order-7", "15"},
		{"crc32 mod 16", "Grüße", "1"},
		{"fnv1a mod 16", "Grüße", "8"},
		{"java mod 16", "Grüße", "7"},
		{"java mod 16", "polygenelubricants", "0"}, // The hash is the smallest int.
		{"sha256 mod 16", "Grüße", "4"},
		{"md5", "order-7", md5},
		{"sha1", "order-7", "9630190be7da08cee6ca6830970e594f2ca6cb98"},
		{"sha256", "", "!value is empty"},
		{"mod 10", "-3", `!"-3" is not a non-negative whole number, so it has no shard`},
		{"mod 10", "order-7", `!"order-7" is not a non-negative whole number`},
	} {
		tmpl := models.MustTemplate("K#{id:" + c.format + "}")
		key, err := tmpl.Format(models.MapValues(map[string]string{"id": c.value}))
		if reason, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s of %q: got %q, %v, want %s", c.format, c.value, key, err, reason)
			}
			continue
		}
		if err != nil || key != "K#"+c.want {
			t.Errorf("%s of %q: got %q, %v, want K#%s", c.format, c.value, key, err, c.want)
		}
	}
}

func TestFormatsWithoutComputation(t *testing.T) {
	for _, format := range []string{"mod 0", "mod", "mod 9999999", "mod 400000", "crc33 mod 3", "crc32  mod 3", "mod 101 02d", "mod 9 + 5 01d", "mod 10 + 1 01d", "sha512"} {
		if _, err := models.ParseTemplate("{id:"+format+"}", nil); err == nil || !strings.Contains(err.Error(), "is not a format or a map") {
			t.Errorf("{id:%s}: got %v", format, err)
		}
	}
	if got := models.Format("mod 100000").Shards(); len(got) != 100_000 { // the maximum
		t.Errorf("got %d shards, want 100000", len(got))
	}
	tmpl := models.MustTemplate("K#{id:mod 3 + 9}")
	if _, err := tmpl.Format(models.MapValues(map[string]string{"id:mod 3 + 9": "12"})); err == nil || !strings.Contains(err.Error(), "from 9 to 11") {
		t.Errorf("a shard outside the range: got %v", err)
	}
	if got := models.Format("mod 3 + 9 02d").Shards(); !slices.Equal(got, []string{"09", "10", "11"}) {
		t.Errorf("got shards %q, want 09, 10, 11", got)
	}
	if models.Format("sha256").Shards() != nil || models.Format("date").Shards() != nil {
		t.Error("a format without shards returned shards")
	}
}

// Parsing a computed part returns the part, never the value behind it. The parts produce the same key again.
func TestComputedPartsReadBack(t *testing.T) {
	formats := rapid.SampledFrom([]string{"mod 7", "crc32 mod 12", "fnv1a mod 3 + 1", "java mod 100 03d", "md5 mod 5", "sha256", "md5", "sha1"})
	rapid.Check(t, func(t *rapid.T) {
		first, second := formats.Draw(t, "first"), formats.Draw(t, "second")
		tmpl := models.MustTemplate("A#{id:" + first + "}#B{id:" + second + "}#{mark}")
		id := rapid.StringMatching(`[0-9]{1,30}`).Draw(t, "id")
		values := map[string]string{"id": id, "mark": "x#y"}
		key, err := tmpl.Format(models.MapValues(values))
		if err != nil {
			t.Fatal(err)
		}
		m, err := tmpl.Parse(key)
		if err != nil || m.Ambiguous {
			t.Fatalf("%s: parsing %q: %v", tmpl, key, err)
		}
		if _, known := m.Values["id"]; known || m.Values["mark"] != "x#y" || m.Values["id:"+first] == "" {
			t.Fatalf("%s: %q was parsed as %q", tmpl, key, m.Values)
		}
		if second, err := tmpl.Format(models.MapValues(m.Values)); err != nil || second != key {
			t.Fatalf("%q: got %q, want the original key: %v", m.Values, second, err)
		}
		m.Values["id:"+first] = "none of them"
		if second, err := tmpl.Format(models.MapValues(m.Values)); err == nil {
			t.Fatalf("an invalid part was formatted as %q", second)
		}
	})
}

// The digest of personal data is masked like personal data, and KeyStates reports a wrong shard.
func TestItemComputedParts(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS}}
	mail := &models.Attribute{Name: "mail", Path: "mail", Type: models.TypeS, Sensitive: models.PII}
	id := &models.Attribute{Name: "id", Path: "id", Type: models.TypeN}
	e := &models.Entity{Name: "User", Table: table, Attributes: []*models.Attribute{mail, id}}
	e.Keys = map[string]models.Template{
		"PK": models.MustTemplate("MAIL#{mail:sha256}").Bind(e.Attribute), "SK": models.MustTemplate("{id:mod 3}#{id}").Bind(e.Attribute),
	}
	e.Seal()
	it, err := e.Build(models.Item{"mail": models.StringValue("ann@example.com"), "id": &types.AttributeValueMemberN{Value: "5"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sk, _ := it.Text("SK"); sk != "2#5" {
		t.Errorf("SK = %s, want 2#5", sk)
	}
	r, ok := models.Recognize([]*models.Entity{e}, table, it)
	if !ok || r.Values["id:mod 3"] != "2" || r.Values["id"] != "5" || r.Values["mail"] != "" {
		t.Errorf("recognized: %t with values %q", ok, r.Values)
	}
	if a := e.Attribute("mail:sha256"); a != mail {
		t.Errorf("the digest's attribute is %v, want mail", a)
	}
	masker := models.NewMasker([]*models.Entity{e}, false)
	if pk, _ := masker.Item(table, it).Text("PK"); pk != "MAIL#"+models.MaskedText {
		t.Errorf("the masked partition key is %q", pk)
	}
	it["SK"] = models.StringValue("1#5")
	if states := e.KeyStates(it); states[1].Problem != "does not match the attributes" || states[1].Expected != "2#5" {
		t.Errorf("a wrong shard has the key state %+v", states[1])
	}
}

// Shards of a fixed length need no separator. A shard has a fixed length if its largest number fits.
func TestFixedLengthShardsNeedNoSeparator(t *testing.T) {
	for template, want := range map[string]string{
		"{n:mod 9 + 1 01d}{x}": "7|abc", "{n:mod 10}{x}": "7|abc", "{n:mod 100 02d}{x}": "7a|bc", "{n:mod 10}#{x}": "",
	} {
		m, err := models.MustTemplate(template).Parse("7abc")
		got := m.Values["n:"+strings.TrimSuffix(strings.TrimPrefix(strings.Split(template, "}")[0], "{n:"), "}")] + "|" + m.Values["x"]
		if want == "" || want == "7a|bc" {
			if err == nil {
				t.Errorf("%s: got %v, want an error", template, m.Values)
			}
		} else if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", template, got, err, want)
		}
	}
	for format, number := range map[models.Format]bool{"mod 10": true, "crc32 mod 10": false, "md5": false, "date": false} {
		if format.NeedsNumber() != number {
			t.Errorf("%s: NeedsNumber() = %t, want %t", format, !number, number)
		}
	}
	for _, s := range models.MustTemplate("A#{id}#{id:md5}").Segments() {
		if s.IsComputed() != (s.Format == "md5") {
			t.Errorf("%+v: IsComputed() = %t, want %t", s, s.IsComputed(), s.Format == "md5")
		}
	}
}
