package results_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// draw writes a table to a terminal of the given width and returns its lines without colors.
func draw(t *testing.T, width int, fill func(*items.TextTable), header ...string) string {
	t.Helper()
	var out bytes.Buffer
	x := items.NewTextTable(header...)
	fill(x)
	terminal := &results.Terminal{
		Writer: &out, Screen: &out, Width: width, Styles: widget.Theme{}.Styles(true, colorprofile.TrueColor, false),
		Now: func() time.Time { return time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC) },
	}
	if err := x.Write(terminal); err != nil {
		t.Fatal(err)
	}
	if header[0] != "" && !strings.Contains(out.String(), "\x1b[") {
		t.Error("the table has no color")
	}
	lines := strings.Split(ansi.Strip(out.String()), "\n")
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Errorf("got %d cells, want at most %d: %s", w, width, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func TestTextTablesOnTerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		width  int
		header string
		rows   []string
		whole  bool
		want   string
	}{
		{
			"aligned numbers, badges and times", 60, "NAME|STATE|ITEMS|BEGUN",
			[]string{"one|ok|5|2026-01-20T09:30:00Z", "two|missing|1200|2025-12-01T08:00:00Z"},
			false,
			"NAME  STATE      ITEMS  BEGUN\n" +
				"one   ✓ ok           5  20 Jan 09:30\n" +
				"two   ✗ missing   1200  1 Dec 2025 08:00\n",
		},
		{
			"only columns after the first become narrower, and wrap", 49, "NAME|REASON|NOTE",
			[]string{"an-identifier-of-some|a reason of many words|a note of many words"},
			false,
			"NAME                   REASON        NOTE\n" +
				"an-identifier-of-some  a reason of   a note of\n" +
				"                       many words    many words\n",
		},
		{
			"a title wraps", 48, "NAME|INPUTS|TITLE|ITEMS|STATE",
			[]string{"get-order|tenant and order|an order of a tenant|12|open"},
			false,
			"NAME       INPUTS            TITLE         ITEMS\n" +
				"get-order  tenant and order  an order of      12\n" +
				"                             a tenant\n" +
				"not shown: STATE; -o json prints all columns\n",
		},
		{
			"an ID stays whole, and a key is shortened in the middle", 68, "ENTITY|ID|NOTE|KEY",
			[]string{"Order|ord_44d5eac4-00be-4f97|a note of many words|orders  CASE#ver_44d5eac4-00be-4f97 / META"},
			false,
			"ENTITY  ID                      NOTE            KEY\n" +
				"Order   ord_44d5eac4-00be-4f97  a note of many  CASE#ver_44d5ea…4f97\n" +
				"                                words\n",
		},
		{
			"a key is shortened before a column is omitted", 46, "ENTITY|KEY|DETAILS",
			[]string{"Order|CASE#ver_44d5eac4-00be-4f97 / META|required attributes are missing"},
			true,
			"ENTITY  KEY           DETAILS\n" +
				"Order   CASE#ve…4f97  required attributes are\n" +
				"                      missing\n",
		},
		{
			"an ID is broken rather than cut", 56, "ENTITY|KEY|DETAILS",
			[]string{"Order|ver_44d5eac4-00be-4f97-90f7|required attributes are missing"},
			true,
			"ENTITY  KEY                   DETAILS\n" +
				"Order   ver_44d5eac4-00be-4f  required attributes are\n" +
				"        97-90f7               missing\n",
		},
		{
			"the first column does not wrap", 44, "ENTITY|ID|STATE",
			[]string{"Case file|ord_44d5eac4|In review, expired and more"},
			false,
			"ENTITY     ID            STATE\n" +
				"Case file  ord_44d5eac4  In review, expired\n" +
				"                         and more\n",
		},
		{
			"empty columns are omitted first", 34, "NAME|TICKET|REASON|NOTE",
			[]string{"an-identifier||why it was done|final"},
			false,
			"NAME           REASON        NOTE\n" +
				"an-identifier  why it was    final\n" +
				"               done\n",
		},
		{
			"omitted columns are counted", 46, "NAME|REASON|NOTE|STATE",
			[]string{"an-identifier-of-some|why it was done|a note|ok"},
			false,
			"NAME                   REASON           NOTE\n" +
				"an-identifier-of-some  why it was done  a note\n" +
				"not shown: STATE; -o json prints all columns\n",
		},
		{
			"other columns use the width of an omitted column", 45, "NAME|KEY|STATE|REPAIR",
			[]string{"one|a key of twenty-five chars|an older state|a long explanation"},
			false,
			"NAME  KEY                      STATE\n" +
				"one   a key of twenty-fi…hars  an older state\n" +
				"not shown: REPAIR; -o json prints all columns\n",
		},
		{
			"a sentence wraps", 40, "NAME|DETAILS",
			[]string{"orders|the index has another partition key"},
			true,
			"NAME    DETAILS\n" +
				"orders  the index has another partition\n" +
				"        key\n",
		},
		{"no rows", 40, "NAME|DETAILS", nil, false, "NAME  DETAILS\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := draw(t, tt.width, func(x *items.TextTable) {
				x.WholeLast = tt.whole
				for _, r := range tt.rows {
					x.Add(strings.Split(r, "|")...)
				}
			}, strings.Split(tt.header, "|")...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Role support reads short times in texts. A time in an argument of a command stays as it is stored.
func TestPlainTextsHaveShortTimes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	terminal := &results.Terminal{
		Writer: &out, Screen: &out, Width: 80, Styles: widget.NewStyles(true, true), Plain: true,
		Now: func() time.Time { return time.Date(2026, 1, 20, 12, 0, 0, 0, time.FixedZone("", 2*60*60)) },
	}
	lines := items.NewSentences("Updated  2026-01-19T19:15:09Z → 2026-01-20T09:30:00.128Z", "(planned at 2025-12-01T08:00:00Z)",
		"Updated  2026-01-19T19:15:09Z → 2026-01-19T19:15:10Z", "  ddbdesk run x from=2026-01-19T19:15:09Z --at 2026-01-19T19:15:09Z", "A#2026-01-19T19:15:09Z#1")
	if err := lines.Write(terminal); err != nil {
		t.Fatal(err)
	}
	want := "Updated  19 Jan 21:15 → 20 Jan 11:30\n(planned at 1 Dec 2025 10:00)\n" +
		"Updated  19 Jan 21:15:09 → 19 Jan 21:15:10\n  ddbdesk run x from=2026-01-19T19:15:09Z --at 2026-01-19T19:15:09Z\nA#2026-01-19T19:15:09Z#1\n"
	if diff := cmp.Diff(want, regexp.MustCompile(` +\n`).ReplaceAllString(ansi.Strip(out.String()), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestOptionalColumnsAreOmittedFirst(t *testing.T) {
	t.Parallel()
	got := draw(t, 52, func(x *items.TextTable) {
		x.WholeLast, x.Optional = true, []string{"ROLE", "ID", "USER"}
		x.Add("10:04", "c_1a2b", "naledi", "admin", "committed", "the form was scanned again")
	}, "TIME", "ID", "USER", "ROLE", "OUTCOME", "REASON")
	want := "TIME   USER    OUTCOME      REASON\n" +
		"10:04  naledi  ✓ committed  the form was scanned\n" +
		"                            again\n" +
		"not shown: ROLE, ID; -o json prints all columns\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A column with one value in all rows stands only in the last line, even if it fits.
func TestConstantColumnsAreNamedOnce(t *testing.T) {
	t.Parallel()
	got := draw(t, 70, func(x *items.TextTable) {
		x.Optional = []string{"USER", "TABLE"}
		x.Add("Order", "ana", "orders")
		x.Add("Line", "bob", "orders")
	}, "ENTITY", "USER", "TABLE")
	want := "ENTITY  USER\nOrder   ana\nLine    bob\nnot shown: TABLE (orders); -o json prints all columns\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The next command needs the whole ID of an item.
func TestColumnsAreOmittedBeforeIDsAreCut(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	values := map[string]accesspatterns.Value{"clientId": {Text: "client_xyz789"}}
	got := drawRequest(t, 70, &accesspatterns.Request{Values: values}, "list-client-verifications", it, it)
	if !strings.Contains(got, "ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f  ◐ pending_review") {
		t.Errorf("got:\n%s", got)
	}
}

// drawItems writes items of a pattern to a terminal of the given width and returns its lines without colors.
func drawItems(t *testing.T, width int, pattern string, list ...models.Item) string {
	t.Helper()
	return drawRequest(t, width, &accesspatterns.Request{}, pattern, list...)
}

func drawRequest(t *testing.T, width int, r *accesspatterns.Request, pattern string, list ...models.Item) string {
	t.Helper()
	env := screentest.BenchEnv(t, "authbridge")
	var out bytes.Buffer
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: width, Styles: env.Styles, Now: env.Now}
	r.Pattern = env.Session.Profile().Pattern(pattern)
	p := terminal.Items(env.Workspace, r)
	if err := errors.Join(p.Write(list), p.Close(items.Tail{})); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(ansi.Strip(out.String()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// A read of several entities shows whole IDs. Its details become narrower first, and are omitted if they do not fit.
func TestDetailsBecomeNarrowerBeforeAnIDIsCut(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	for width, want := range map[int]string{
		80: "entity        name                                      status\n" +
			"Verification  ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f  ◐ pending_review\n" +
			"Verification  ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f  ◐ pending_review\n" +
			"not shown: details; -o json prints all columns\n",
		92: "entity        name                                      status            details\n" +
			"Verification  ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f  ◐ pending_review  clientId\n" +
			strings.Repeat(" ", 74) + "client_xyz789\n",
	} {
		if got := drawItems(t, width, "get-case-file", it, it); !strings.HasPrefix(got, want) {
			t.Errorf("got:\n%s\nwant the beginning:\n%s", got, want)
		}
	}
}

// The values of a single item stand below each other if their columns do not fit. A note names the other attributes.
func TestSingleItemIsListed(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	got := drawItems(t, 60, "get-case-file", it)
	want := "entity        Verification\n" +
		"name          ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f\n" +
		"status        ◐ pending_review\n" +
		"clientId      client_xyz789\n" +
		"documentType  omang\n"
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "not shown: GSI1PK, ") || strings.Contains(got, "status, ") {
		t.Errorf("got:\n%s\nwant the beginning:\n%s", got, want)
	}
}

// A state that differs from the requested one stands beside the ID, although it is otherwise the last column.
func TestValuesThatDifferFromTheRequestAreShown(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	got := drawItems(t, 80, "list-client-verifications-by-status", it, it)
	if header, _, _ := strings.Cut(got, "\n"); !strings.Contains(header, "status") {
		t.Errorf("got:\n%s", got)
	}
}

// The lines of a plan wrap at words, below their own text.
func TestSentencesWrapBelowTheirText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a sentence of plain words":    "a sentence of plain\nwords\n",
		"  only if  the item exists":   "  only if  the item\n           exists\n",
		"+ new Audit entry of the day": "+ new Audit entry\n  of the day\n",
		"- short":                      "- short\n",
		"a label of a few words  text": "a label of a few\nwords  text\n",
		"  a  1 → 2   derived":         "  a  1 → 2\n     (derived)\n",
	} {
		if got := draw(t, 19, func(x *items.TextTable) { x.WholeLast = true; x.Add(text) }, ""); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// The sign of a state does not stand alone on a line.
func TestSignsOfStatesKeepTheirWord(t *testing.T) {
	t.Parallel()
	got := draw(t, 66, func(x *items.TextTable) {
		x.Kinds = map[string]models.StateKind{"documents_uploading, expired": models.StateFinal}
		x.Add("ver_44d5eac4-00be-4f97-9e4c-2b9e7a7f7f7f", "documents_uploading, expired")
	}, "ID", "STATE")
	if !strings.Contains(got, "  ■ documents_uploading,\n"+strings.Repeat(" ", 44)+"expired") {
		t.Errorf("got:\n%s", got)
	}
}

// Users copy commands, so a terminal does not wrap them.
func TestCommandsDoNotWrap(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 20, Styles: widget.NewStyles(true, true), Now: time.Now}
	if err := items.NewSentences("ddbdesk reads the items", "  ddbdesk run shop get-order orderId=1").Write(terminal); err != nil {
		t.Fatal(err)
	}
	want := "ddbdesk reads the\nitems\n  ddbdesk run shop get-order orderId=1\n"
	if got := ansi.Strip(out.String()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Facts do not disappear behind long IDs, and recent times show their order.
func TestIDsBecomeNarrowerBeforeColumnsAreOmitted(t *testing.T) {
	t.Parallel()
	var list []models.Item
	for _, at := range []string{"2026-01-19T23:58:00Z", "2026-01-19T01:34:06Z", "2026-01-02T10:00:00Z"} {
		list = append(list, models.Item{
			"PK": models.StringValue("AUDIT#" + at[:10]), "SK": models.StringValue(at + "#01a224f0-21d6-73de-acad-2cf71d007fcf"),
			"timestamp": models.StringValue(at), "eventId": models.StringValue("01a224f0-21d6-73de-acad-2cf71d007fcf"),
			"userId": models.StringValue("client_kgalagadi"), "action": models.StringValue("complete-documents"),
			"verificationId": models.StringValue("ver_6ed226aa-b17a-4dcc-8d22-2626cde862a9"),
		})
	}
	got := drawItems(t, 80, "list-audit-by-date", list...)
	want := "timestamp     eventId         userId          action              verificationId\n" +
		"19 Jan 23:58  01a224f0-…7fcf  client_kgalag…  complete-documents  ver_6ed22…62a9\n" +
		"19 Jan 01:34  01a224f0-…7fcf  client_kgalag…  complete-documents  ver_6ed22…62a9\n" +
		"2 Jan 10:00   01a224f0-…7fcf  client_kgalag…  complete-documents  ver_6ed22…62a9\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A narrow table omits the column that repeats a parameter rather than cut an ID.
func TestRepeatedParametersAreOmittedFirst(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	values := map[string]accesspatterns.Value{"clientId": {Text: "client_xyz789"}}
	got := drawRequest(t, 110, &accesspatterns.Request{Values: values}, "list-client-verifications", it, it)
	if !strings.Contains(got, "ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f") || strings.Contains(got, "xyz789") || !strings.Contains(got, "not shown: clientId") {
		t.Errorf("got:\n%s", got)
	}
}

// Times have their date, and their age if there is room. Details do not, because a gap separates their attributes.
func TestTimesOfItemsHaveTheirDate(t *testing.T) {
	t.Parallel()
	it := screentest.Verification(t, schemas.Open(t, "authbridge"))
	age := regexp.MustCompile(`\d+ [A-Z][a-z]{2}( \d{4})? \d\d:\d\d · (in )?\d+ [a-z]+`)
	if got := drawItems(t, 300, "list-client-verifications", it, it); !age.MatchString(got) {
		t.Errorf("want times with their age:\n%s", got)
	}
	if got := drawItems(t, 60, "get-verification", it); !age.MatchString(got) {
		t.Errorf("want times with their age:\n%s", got)
	}
	got := drawItems(t, 120, "list-client-verifications", it, it) + drawItems(t, 300, "get-case-file", it, it)
	if age.MatchString(got) || !regexp.MustCompile(`createdAt \d+ [A-Z][a-z]{2}( \d{4})? \d\d:\d\d · updatedAt`).MatchString(got) {
		t.Errorf("want times without their age:\n%s", got)
	}
}

// Two times of one minute do not look equal, and a text that looks like a time is not one.
func TestTimesOfOneMinuteDiffer(t *testing.T) {
	t.Parallel()
	got := draw(t, 60, func(x *items.TextTable) {
		x.Add("a", "2026-01-19T08:01:02Z", "2026-01-19T08:01:07Z")
		x.Add("b", "19 Jan 08:01", "2026-01-19T08:01:07Z")
	}, "ID", "ONE", "TWO")
	want := "ID  ONE              TWO\n" +
		"a   19 Jan 08:01:02  19 Jan 08:01:07\n" +
		"b   19 Jan 08:01     19 Jan 08:01\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The kinds of a table's states replace those of requests.
func TestKindsOfStates(t *testing.T) {
	t.Parallel()
	got := draw(t, 40, func(x *items.TextTable) {
		x.Kinds = map[string]models.StateKind{"Processed": models.StateGood, "Created": models.StateOpen, "Lost": models.StateBad}
		for _, state := range []string{"Processed", "Created", "Lost", "rejected"} {
			x.Add("a", state)
		}
	}, "ID", "STATE")
	want := "ID  STATE\n" +
		"a   ✓ Processed\n" +
		"a   ◐ Created\n" +
		"a   ✗ Lost\n" +
		"a   rejected\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHostileCells(t *testing.T) {
	t.Parallel()
	got := draw(t, 60, func(x *items.TextTable) { x.Add("a\x1b]0;owned\a", "b\u202ec") }, "NAME", "TEXT")
	if strings.ContainsAny(got, "\x1b\a\u202e") {
		t.Errorf("the table contains %q", got)
	}
}
