package present

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

var plainStyles = widget.NewStyles(true, true)

// plain removes styles and trailing spaces from lines.
func plain(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return out
}

func TestJoinOmitsSeparatorBesideEmptyText(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"a", "b", "a · b"}, {"", "b", "b"}, {"a", "", "a"}, {"", "", ""},
	} {
		if got := Join(tt.a, tt.b, " · "); got != tt.want {
			t.Errorf("Join(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestShortList(t *testing.T) {
	for n, want := range []string{" …", "a …", "a, b …", "a, b, c", "a, b, c"} {
		if got := ShortList([]string{"a", "b", "c"}, n); got != want {
			t.Errorf("ShortList of %d = %q, want %q", n, got, want)
		}
	}
}

func TestCountsHavePluralsAndThousands(t *testing.T) {
	for want, got := range map[string]string{
		"1 page": Plural(1, "page"), "0 pages": Plural(0, "page"), "3,000 entities": Plural(3000, "entity"), "-1,234": Thousands(-1234),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "<1 ms", 999 * time.Microsecond: "<1 ms", time.Millisecond: "1 ms", 999 * time.Millisecond: "999 ms",
		time.Second: "1.0 s", 90 * time.Second: "90.0 s",
	} {
		if got := ShortDuration(d); got != want {
			t.Errorf("ShortDuration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAgeUsesLargestSuitableUnit(t *testing.T) {
	const day = 24 * time.Hour
	now := screentest.ItemNow
	for d, want := range map[time.Duration]string{
		0: "just now", 9 * time.Second: "just now", 10 * time.Second: "10 s ago", -10 * time.Second: "in 10 s",
		59 * time.Minute: "59 min ago", 47 * time.Hour: "47 h ago", 2 * day: "2 d ago", -59 * day: "in 59 d",
		60 * day: "2 mo ago", 729 * day: "24 mo ago", 730 * day: "2 y ago",
	} {
		if got := Age(now.Add(-d), now); got != want {
			t.Errorf("Age of %v = %q, want %q", d, got, want)
		}
	}
}

func TestErrorLinesSeparateAdvice(t *testing.T) {
	for text, want := range map[string][]string{
		"table orders does not exist; create it": {" ✗ table orders does not exist", " → create it", "   r retries"},
		"the query failed: no such index":        {" ✗ the query failed", " → no such index", "   r retries"},
		"no credentials":                         {" ✗ no credentials", "   r retries"},
		"a long first part of an error; and its advice": {
			" ✗ a long first part of", "   an error", " → and its advice", "   r retries",
		},
	} {
		w := 60
		if strings.HasPrefix(text, "a long") {
			w = 26
		}
		if diff := cmp.Diff(want, plain(ErrorLines(plainStyles, errors.New(text), w, "r retries"))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestHangingIndentsTextAfterItsLead(t *testing.T) {
	got := plain(HangingIndent(plainStyles, widget.RoleText, "→ ", "one two three", 10))
	if diff := cmp.Diff([]string{"→ one two", "  three"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFactsWrapBesideTheirLabels(t *testing.T) {
	f := &Facts{Styles: plainStyles, Label: 6, Width: 16}
	f.Text("who", widget.RoleText, "another user here")
	f.Text("empty", widget.RoleText, "")
	f.Blank()
	f.Paragraph(widget.RoleText, "over the whole width")
	f.Styled("key", "value")
	want := []string{"who   another", "      user here", "", "over the whole", "width", "key   value"}
	if diff := cmp.Diff(want, plain(f.Lines)); diff != "" {
		t.Error(diff)
	}
}

func TestSpreadKeepsRightText(t *testing.T) {
	for w, want := range map[int]string{12: "left   right", 7: "l…right", 5: "right", 3: "ri…"} {
		if got := ansi.Strip(Spread("left", "right", w)); got != want {
			t.Errorf("Spread in %d cells = %q, want %q", w, got, want)
		}
	}
}

func TestCutCellsCountsPrintableCells(t *testing.T) {
	for _, tt := range []struct {
		text        string
		cells       int
		first, rest string
	}{
		{"abcdef", 4, "abcd", "ef"}, {"abc", 4, "abc", ""}, {"日本語", 4, "日本", "語"}, {"日本語", 1, "日", "本語"}, {"", 4, "", ""},
	} {
		if first, rest := CutCells(tt.text, tt.cells); first != tt.first || rest != tt.rest {
			t.Errorf("CutCells(%q, %d) = %q, %q, want %q, %q", tt.text, tt.cells, first, rest, tt.first, tt.rest)
		}
	}
}

func TestFileNamesContainOnlySafeCharacters(t *testing.T) {
	for want, parts := range map[string][]string{
		"authbridge-get-case-ver_1.json": {"authbridge", "get case", "ver_1"},
		"a-b.json":                       {"../a//b", "", "é"},
		"ddbdesk.json":                   {"--", "\x1b"},
		strings.Repeat("x", 70) + ".json": {
			strings.Repeat("x", 90),
		},
	} {
		if got := FileName("json", parts...); got != want {
			t.Errorf("FileName(%q) = %q, want %q", parts, got, want)
		}
	}
}

func TestPrettyJSONKeepsOtherText(t *testing.T) {
	for text, want := range map[string]string{`{"a":1}`: "{\n  \"a\": 1\n}", `{"a"`: `{"a"`} {
		if got := PrettyJSON([]byte(text)); got != want {
			t.Errorf("PrettyJSON(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestKeyUsesNameEveryKeyOfAttribute(t *testing.T) {
	table := &models.Table{
		PartitionKey: models.Key{Name: "PK"}, SortKey: models.Key{Name: "SK"},
		Indexes: []*models.Index{
			{Name: "GSI1", PartitionKeys: models.KeyList(models.Key{Name: "SK"}), SortKeys: models.KeyList(models.Key{Name: "PK"})},
			{Name: "GSI2", PartitionKeys: models.KeyList(models.Key{Name: "owner"})},
		},
	}
	for name, want := range map[string]string{
		"PK": "partition key, sort key of GSI1", "SK": "sort key, partition key of GSI1", "owner": "partition key of GSI2", "other": "",
	} {
		if got := KeyUses(table, name); got != want {
			t.Errorf("KeyUses of %s = %q, want %q", name, got, want)
		}
	}
}

func TestEntityNames(t *testing.T) {
	order, plainEntity := &models.Entity{Name: "Order", Title: "Customer order"}, &models.Entity{Name: "Item"}
	for want, got := range map[string]string{
		"Customer order": EntityName(order), "Item": EntityName(plainEntity), "": EntityName(nil),
		"Order (Customer order), Item": EntityNames([]*models.Entity{order, plainEntity}),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFindingBlockDescribesIssue(t *testing.T) {
	f := &accesspatterns.Finding{
		ID: "A01", Kind: accesspatterns.Wrong, Text: "The index keeps the old status. More text.",
		Workaround: "ddbdesk updates the key.", Source: "L10",
	}
	want := []string{
		"✗ The index keeps the old status", "  A01 · wrong: returns wrong or incomplete results",
		"  The index keeps the old status. More text.", "  → Workaround: ddbdesk updates the key.", "  document L10",
	}
	if diff := cmp.Diff(want, plain(FindingBlock(plainStyles, f, 60))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, line := range FindingBlock(plainStyles, f, 12) {
		if ansi.StringWidth(line) > 12 {
			t.Errorf("%q is wider than 12 cells", line)
		}
	}
}

func TestEveryFindingKindIsDescribed(t *testing.T) {
	for _, k := range accesspatterns.FindingKinds() {
		sign, words, role := DescribeFinding(k)
		if sign == "" || words == "" || FindingRisk(k) == "" || role != FindingRole(k) {
			t.Errorf("%s has an incomplete description: %q %q %q", k, sign, words, FindingRisk(k))
		}
	}
	if sign, words, _ := DescribeFinding("New"); sign != "·" || words != "new" {
		t.Errorf("DescribeFinding of an unknown kind = %q, %q", sign, words)
	}
}

func TestGroupsContainEveryAttributeOnce(t *testing.T) {
	e := testEntity()
	count := map[string]int{}
	for _, g := range GroupsOf(e) {
		if g.Title == "" || len(g.Attributes) == 0 {
			t.Errorf("group %q has %d attributes or no title", g.Title, len(g.Attributes))
		}
		for _, a := range g.Attributes {
			count[a]++
		}
	}
	for _, a := range e.Attributes {
		if count[a.Name] != 1 {
			t.Errorf("%s is in %d groups, want 1", a.Name, count[a.Name])
		}
	}
}

func TestIncompleteRequestShowsOperators(t *testing.T) {
	template := models.MustTemplate
	for _, tt := range []struct {
		c    accesspatterns.KeyCondition
		want string
	}{
		{accesspatterns.KeyCondition{Compare: accesspatterns.Matches, Template: template("A#{id}")}, `SK = "A#{id}"`},
		{accesspatterns.KeyCondition{Compare: accesspatterns.GreaterOrEqual, Template: template("A#{id}")}, `SK >= "A#{id}"`},
		{
			accesspatterns.KeyCondition{Compare: accesspatterns.Between, Template: template("{from}"), Upper: template("{to}")},
			`SK BETWEEN "{from}" AND "{to}"`,
		},
		{accesspatterns.KeyCondition{Compare: accesspatterns.BeginsWith, Template: template("A#")}, `begins_with(SK, "A#")`},
		{
			accesspatterns.KeyCondition{Compare: accesspatterns.Range, On: "at", From: template("{from}"), To: template("{to}")},
			`SK from "{from}" to "{to}"`,
		},
		{accesspatterns.KeyCondition{Compare: accesspatterns.Range, On: "at", From: template("{from}")}, `SK from "{from}"`},
	} {
		tt.c.Attribute = models.Key{Name: "SK"}
		p := &accesspatterns.Pattern{Read: accesspatterns.Read{Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{tt.c}}}
		if got := (RequestLine{Words: incompleteWords(nil, p, nil, nil)}).Text(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestReadLineDescribesKeyConditions(t *testing.T) {
	template := models.MustTemplate
	pk, sk := models.Key{Name: "PK"}, models.Key{Name: "SK"}
	condition := func(k models.Key, c accesspatterns.Operator, of string) accesspatterns.KeyCondition {
		return accesspatterns.KeyCondition{Attribute: k, Compare: c, Template: template(of)}
	}
	read := accesspatterns.Read{
		Operation: accesspatterns.Query, Index: &models.Index{Name: "GSI1"},
		Key: []accesspatterns.KeyCondition{
			condition(pk, accesspatterns.Matches, "CASE#{id}"), condition(sk, accesspatterns.BeginsWith, "DOC#"),
		},
	}
	if got, want := ansi.Strip(ReadLine(plainStyles, read)), "QUERY GSI1  PK = CASE#{id}  ·  SK begins with DOC#"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, tt := range []struct {
		from, to models.Template
		want     string
	}{
		{template("{from}"), template("{to}"), "SK with {at} from {from} to {to}"},
		{models.Template{}, template("{to}"), "SK with {at} ≤ {to}"},
		{template("{from}"), models.Template{}, "SK with {at} ≥ {from}"},
	} {
		c := accesspatterns.KeyCondition{Attribute: sk, Compare: accesspatterns.Range, On: "at", From: tt.from, To: tt.to}
		got := ansi.Strip(ReadLine(plainStyles, accesspatterns.Read{Operation: "x", Key: []accesspatterns.KeyCondition{c}}))
		if got != "X  "+tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
