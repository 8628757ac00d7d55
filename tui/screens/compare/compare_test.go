package compare

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// older returns an earlier state of the verification, with another state and phone, a note, a shorter list, and no
// submission time.
func older(it models.Item) models.Item {
	return screentest.With(it, map[string]types.AttributeValue{
		"status": screentest.ItemText("submitted"), "submittedAt": nil, "clientNote": screentest.ItemText("called twice"),
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"email": screentest.ItemText("john@example.com"), "phone": screentest.ItemText("+26770000000"),
		}},
	})
}

func TestCompareWithList(t *testing.T) {
	for name, size := range screentest.EverySize {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := schemas.Open(t, "authbridge")
				it := screentest.Verification(t, p)
				env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Developer)
				s := &screentest.Stage{Screen: newComparison(
					env, screen.Compare{Table: p.Entity("Verification").Table, Item: it, As: "current", Row: older(it)},
				)}
				tt := tuitest.New(t, s, size)
				tt.WaitFor("as listed")
				tt.Golden("choose")
				tt.Reach("current ◂ ▸ as listed", "enter")
				tt.Golden("differences")
				tt.Reach("createdAt", "2")
				if tt.Has("7000") || tt.Has("john@") {
					t.Errorf("the comparison shows a masked value:\n%s", tt.Screen())
				}
				tt.Golden("all")
				tt.Press("1", "/")
				tt.Type("status")
				tt.Press("enter", "y")
				text := screentest.Last[screen.CopyMsg](t, s).Text
				for _, want := range []string{"pending_review", "submitted", "different"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is missing in the copied text:\n%s", want, text)
					}
				}
			})
		})
	}
}

func TestPairsListEveryDifference(t *testing.T) {
	text := func(m map[string]types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: m}
	}
	list := func(v ...types.AttributeValue) types.AttributeValue { return &types.AttributeValueMemberL{Value: v} }
	set := func(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }
	left := models.Item{
		"a": screentest.ItemText("1"), "kind": screentest.ItemText("1"), "n": screentest.ItemNumber("1.50"),
		"gone": screentest.ItemText("x"), "docs": text(map[string]types.AttributeValue{"same": screentest.ItemText("1")}),
		"doc": text(map[string]types.AttributeValue{"in": list(
			screentest.ItemText("p"), text(map[string]types.AttributeValue{"q": screentest.ItemText("1")}),
		)}),
		"set": set("b", "a"), "tags": set("x", "y"),
	}
	right := models.Item{
		"a": screentest.ItemText("1"), "kind": screentest.ItemNumber("1"), "n": screentest.ItemNumber("1.5"),
		"come": list(screentest.ItemText("x")), "docs": left["docs"],
		"doc": text(map[string]types.AttributeValue{"in": list(
			screentest.ItemText("p"), text(map[string]types.AttributeValue{"q": screentest.ItemText("2")}),
			screentest.ItemText("new"),
		)}),
		"set": set("a", "b"), "tags": set("y", "z"),
	}
	b := &comparedSides{items: [2]models.Item{left, right}, masked: [2]models.Item{left, right}}
	var got []string
	for _, p := range b.pairs() {
		got = append(got, signs[p.state]+" "+p.label)
	}
	want := []string{
		"= a", "▸ come", "= doc.in[0]", "≠ doc.in[1].q", "▸ doc.in[2]", "= docs", "◂ gone", "≠ kind", "= n", "= set",
		"◂ tags.x", "= tags.y", "▸ tags.z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// When a reveal ends, the comparison is masked again, but still shows whether hidden values differ.
func TestHiddenValuesAreCompared(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Admin)
	c := newComparison(env, screen.Compare{Table: table, Item: it, As: "current", Row: older(it)})
	c.SetSize(160, 40)
	read(t, c, side{title: "x", table: table, item: older(it)})
	if err := env.Session.Reveal(t.Context(), "a test", "OPS-7"); err != nil {
		t.Fatal(err)
	}
	c.Remask()
	if view := c.View(); !strings.Contains(view, "+26770000000") {
		t.Errorf("the comparison lacks revealed data:\n%s", view)
	}
	env.Session.Hide()
	c.Remask()
	if view := c.View(); strings.Contains(view, "2677") {
		t.Errorf("the comparison still shows revealed data:\n%s", view)
	}
	got := map[string]string{}
	for _, p := range c.All() {
		if strings.HasPrefix(p.path, "customerMetadata.") {
			got[p.path] = p.relation(env)
		}
	}
	want := map[string]string{"customerMetadata.email": "the same", "customerMetadata.phone": "hidden, different"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// read reads one side immediately.
func read(t testing.TB, c *comparison, right side) {
	t.Helper()
	c.Box = nil
	c.acceptSource(fixedSource("other", "", right))
	rows, err := c.load(t.Context(), c.Env, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Show(rows.List)
}

func TestCompareReadsPastedItems(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Support)
	const key = "Verification case ver_1"
	for text, want := range map[string]string{
		"CASE#ver_1 / META":            key,
		"CASE#ver_1":                   key,
		"ver_1":                        key,
		`{"PK":"A","SK":"B"}`:          "••• / B",
		`{"PK":"A","SK":"B","c": "d"}`: "as pasted",
		"no such thing in there":       "",
	} {
		c := newComparison(env, screen.Compare{Table: table, Item: it})
		_, done := c.acceptPaste(text)
		got := ""
		if s := c.right.Load(); s != nil {
			got = s.title
			if s, err := s.read(context.Background()); err != nil || s.entered != (want == "as pasted") {
				t.Errorf("%q: got %+v, %v", text, s, err)
			}
		}
		if got != want || done != (want != "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		c.Close()
	}
}

// A comparison of two items shows support only their visible parts.
func TestSupportComparesNoHiddenValue(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	var copies []map[string]string
	for _, other := range []models.Item{it, older(it)} {
		other = other.Clone()
		other["status"] = models.StringValue("approved")
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
		c := newComparison(env, screen.Compare{Table: table, Item: it, As: "current", Row: it})
		read(t, c, side{title: "x", table: table, item: other})
		got := map[string]string{}
		for _, p := range c.All() {
			if strings.HasPrefix(p.path, "customerMetadata") || p.path == "status" {
				got[p.path] = p.relation(env)
			}
			if p.group == "Keys" || p.path == "verificationId" && p.label == p.path {
				t.Errorf("role support sees %s with the label %s", p.path, p.label)
			}
		}
		copies = append(copies, got)
	}
	if diff := cmp.Diff(copies[0], copies[1]); diff != "" || copies[0]["customerMetadata"] != "masked" || copies[0]["status"] != "different" {
		t.Errorf("%v depends on the masked value:\n%s", copies[0], diff)
	}
}

// Pasting an item does not reveal whether it contains the same hidden value. Visible values are still compared.
func TestPasteDoesNotConfirmMaskedGuess(t *testing.T) {
	hidden := func(stored string) value { return value{models.StringValue(stored), models.HiddenValue()} }
	plain := value{models.StringValue("a"), models.StringValue("a")}
	guessed := &comparedSides{ignoresHidden: true}
	for _, stored := range []string{"+26771234567", "+26770000000"} {
		if got := guessed.stateOf(hidden("+26771234567"), hidden(stored)); got != undecided {
			t.Errorf("a guess of %s has the state %v, want undecided", stored, got)
		}
	}
	if guessed.stateOf(plain, plain) != same || guessed.stateOf(plain, hidden("b")) != differs {
		t.Error("visible values have wrong states")
	}
	if (&comparedSides{}).stateOf(hidden("x"), hidden("x")) != same {
		t.Error("equal masked values of one item have another state")
	}
}

// Enter compares with the chosen item even if masking makes several titles equal.
func TestCompareWithOneOfSeveralEqualTitles(t *testing.T) {
	env, from := screentest.Seeded(t, schemas.Open(t, "authbridge"))
	var keys []models.Item
	var table *models.Table
	screentest.EveryItem(t, env, from, func(of *models.Table, it models.Item) {
		if r, ok := env.Session.Recognize(of, it); ok && r.Entity.Name == "APIKey" {
			table, keys = of, append(keys, it)
		}
	})
	c := newComparison(env, screen.Compare{Table: table, Item: keys[0], Rows: keys[1:], As: "current"})
	c.SetSize(100, 30)
	c.Update(screentest.Pressed("down"))
	c.Update(screentest.Pressed("enter"))
	got, err := c.right.Load().read(t.Context())
	if err != nil || !models.EqualItems(got.item, keys[2]) {
		t.Errorf("got item %v, want %v: %v", got.item, keys[2], err)
	}
}

// The ID of a line is unique only in its order, and in a table without a schema, only the whole key identifies an item.
func TestItemsWithEqualTitlesAreNamedByTheirKeys(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte("name: shop\ntables: {main: {name: shop, partition_key: pk, sort_key: sk}}\n"+
		"entities:\n  Line:\n    table: main\n    keys: {pk: \"O#{order}\", sk: \"L#{line}\"}\n"+
		"    attributes: {order: {type: S, required: true}, line: {type: S, required: true}}\n"+
		"patterns:\n  list: {operation: query, table: main, key: {pk: \"O#{order}\"}, returns: [Line]}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := screentest.Seeded(t, p)
	line := func(order string) side {
		return side{title: "refreshed", table: p.Tables[0], item: models.Item{
			"pk": screentest.ItemText("O#" + order), "sk": screentest.ItemText("L#000"),
			"order": screentest.ItemText(order), "line": screentest.ItemText("000"),
		}}
	}
	for _, isSchemaless := range []bool{false, true} {
		if isSchemaless {
			p.Entities[0].ByName = func(string) models.Sensitivity { return models.NotSensitive }
		}
		if got := newSides(env, line("1"), line("2")).title(); !strings.HasSuffix(got, "O#2 / L#000") || !strings.Contains(got, "O#1 / L#000 ◂") {
			t.Errorf("got title %q without a schema: %t, want both keys", got, isSchemaless)
		}
	}
	if got := newSides(env, line("1"), line("1")).title(); got != "refreshed ◂ ▸ refreshed" {
		t.Errorf("got title %q for two states of one item, want the names of the states", got)
	}
}
