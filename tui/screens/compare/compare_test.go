package compare

import (
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
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// older is the verification as a list showed it before: another state and
// phone, no time of submission, a note that is gone, a list that was shorter.
func older(it models.Item) models.Item {
	return screentest.With(it, map[string]types.AttributeValue{
		"status": screentest.ItemText("submitted"), "submittedAt": nil, "clientNote": screentest.ItemText("called twice"),
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"email": screentest.ItemText("john@example.com"), "phone": screentest.ItemText("+26770000000"),
		}},
	})
}

func TestCompareWithTheList(t *testing.T) {
	for name, size := range screentest.EverySize {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := schemas.Open(t, "authbridge")
				it := screentest.Verification(t, p)
				env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Developer)
				s := &screentest.Stage{Screen: newCompare(
					env, screen.Compare{Table: p.Entity("Verification").Table, Item: it, As: "as it is", Row: older(it)},
				)}
				tt := tuitest.New(t, s, size)
				tt.WaitFor("as listed")
				tt.Golden("choose")
				tt.Reach("hidden, different", "enter")
				if tt.Has("7000") || tt.Has("john@") {
					t.Errorf("what is hidden is shown:\n%s", tt.Screen())
				}
				tt.Golden("all")
				tt.Press("v", "n")
				tt.Golden("differences")
				tt.Reach("all differences", "y")
				tt.Press("d")
				text := screentest.Last[screen.CopyMsg](t, s).Text
				for _, want := range []string{
					"≠ status: different\n- \"pending_review\"\n+ \"submitted\"\n", "◂ submittedAt: only left\n",
					"▸ clientNote: only right\n", "≠ customerMetadata.phone: hidden, different\n",
				} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not copied:\n%s", want, text)
					}
				}
				if strings.Contains(text, "7000") || strings.Contains(text, "createdAt: same") {
					t.Errorf("copied is\n%s", text)
				}
			})
		})
	}
}

func TestCompareItems(t *testing.T) {
	text := func(m map[string]types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: m}
	}
	list := func(v ...types.AttributeValue) types.AttributeValue { return &types.AttributeValueMemberL{Value: v} }
	set := func(v ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: v} }
	left := models.Item{
		"a": screentest.ItemText("1"), "kind": screentest.ItemText("1"), "n": screentest.ItemNumber("1.50"),
		"gone": screentest.ItemText("x"),
		"doc": text(map[string]types.AttributeValue{"in": list(
			screentest.ItemText("p"), text(map[string]types.AttributeValue{"q": screentest.ItemText("1")}),
		)}),
		"set": set("b", "a"), "tags": set("x", "y"),
	}
	right := models.Item{
		"a": screentest.ItemText("1"), "kind": screentest.ItemNumber("1"), "n": screentest.ItemNumber("1.5"),
		"come": list(screentest.ItemText("x")),
		"doc": text(map[string]types.AttributeValue{"in": list(
			screentest.ItemText("p"), text(map[string]types.AttributeValue{"q": screentest.ItemText("2")}),
			screentest.ItemText("new"),
		)}),
		"set": set("a", "b"), "tags": set("y", "z"),
	}
	side := func(it models.Item) compareSide { return compareSide{item: it, masked: it} }
	spell := func(only bool) []string {
		c := comparison{only: only, folds: map[string]bool{}}
		c.compareItems(side(left), side(right))
		var rows []string
		for _, r := range c.rows {
			glyph, _ := r.state.words(r.hidden)
			rows = append(rows, strings.Repeat(" ", r.depth)+glyph+" "+r.path)
		}
		return rows
	}
	want := []string{
		"= a", "▸ come", "≠ doc", " ≠ doc.in", "  = doc.in[0]", "  ≠ doc.in[1]", "   ≠ doc.in[1].q", "  ▸ doc.in[2]",
		"◂ gone", "≠ kind", "= n", "= set", "≠ tags", " ◂ tags.x", " = tags.y", " ▸ tags.z",
	}
	if diff := cmp.Diff(want, spell(false)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want = []string{
		"▸ come", "≠ doc", " ≠ doc.in", "  ≠ doc.in[1]", "   ≠ doc.in[1].q", "  ▸ doc.in[2]",
		"◂ gone", "≠ kind", "≠ tags", " ◂ tags.x", " ▸ tags.z",
	}
	if diff := cmp.Diff(want, spell(true)); diff != "" {
		t.Errorf("differences only: -want +got\n%s", diff)
	}
}

// A hidden value is compared as it is stored, and told as no more than that.
func TestCompareHidden(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
	s := newCompare(env, screen.Compare{Table: table, Item: it, As: "as it is", Row: older(it)})
	s.SetSize(120, 40)
	s.loaded(compareLoadedMsg{screen: s, req: s.choice.load.req, side: compareSide{title: "x", table: table, item: older(it)}})
	got := map[string]string{}
	for _, r := range s.found.diff.rows {
		if r.depth > 0 {
			_, words := r.state.words(r.hidden)
			got[r.path] = words
		}
	}
	want := map[string]string{"customerMetadata.email": "hidden, the same", "customerMetadata.phone": "hidden, different"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCompareReadsWhatIsPasted(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	it := screentest.Verification(t, p)
	table := p.Entity("Verification").Table
	env := screentest.NewItemEnv(t, p, &screentest.Memory{Item: it}, session.Support)
	for text, want := range map[string]string{
		"CASE#ver_1 / META":      "CASE#ver_1 / META",
		"CASE#ver_1":             "CASE#ver_1 / META",
		"ver_1":                  "CASE#ver_1 / META",
		`{"PK":"A","SK":"B"}`:    "••• / B",
		"no such thing in there": "",
		"AUDIT#x / y":            "AUDIT#••• / y", // a day's, with who did it
	} {
		s := newCompare(env, screen.Compare{Table: table, Item: it})
		s.SetSize(100, 30)
		cmd := s.comparePasted(text)
		if got := strings.TrimPrefix(
			s.choice.load.what, "reading ",
		); got != want || (cmd == nil) != (want == "") || (s.choice.load.err == nil) != (want != "") {
			t.Errorf("%q is read as %q (%v), want %q", text, got, s.choice.load.err, want)
		}
		s.Close()
	}
}

func TestCompareActionsDoNotClash(t *testing.T) {
	if err := (&compareScreen{}).makeActions().Clashes(); err != nil {
		t.Error(err)
	}
}

// TestAPastedGuessIsNotConfirmed: whoever pastes an item cannot find out whether
// a hidden value is what they guess; what is shown is compared all the same.
func TestAPastedGuessIsNotConfirmed(t *testing.T) {
	hidden := func(stored string) comparePart {
		return comparePart{models.StringValue(stored), models.HiddenValue()}
	}
	plain := comparePart{models.StringValue("a"), models.StringValue("a")}
	guessed := &comparison{given: true}
	for _, stored := range []string{"+26771234567", "+26770000000"} {
		if got := guessed.stateOf(hidden("+26771234567"), hidden(stored)); got != compareUntold {
			t.Errorf("a guess of %s is told as %v", stored, got)
		}
	}
	if guessed.stateOf(plain, plain) != compareSame || guessed.stateOf(plain, hidden("b")) != compareDiffers {
		t.Error("what is shown is not compared")
	}
	if (&comparison{}).stateOf(hidden("x"), hidden("x")) != compareSame {
		t.Error("two states of an item are not compared")
	}
}
