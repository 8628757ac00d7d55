package screens

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// everySize are the sizes that every screen has to hold in.
var everySize = map[string]tuitest.Size{"80x24": {W: 80, H: 24}, "120x40": {W: 120, H: 40}, "200x60": {W: 200, H: 60}}

// older is the verification as a list showed it before: another state and
// phone, no time of submission, a note that is gone, a list that was shorter.
func older(it models.Item) models.Item {
	return with(it, map[string]types.AttributeValue{
		"status": itemText("submitted"), "submittedAt": nil, "clientNote": itemText("called twice"),
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"email": itemText("john@example.com"), "phone": itemText("+26770000000"),
		}},
	})
}

func TestCompareWithTheList(t *testing.T) {
	for name, size := range everySize {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := openProfile(t, "authbridge")
				it := verification(t, p)
				env := newItemEnv(t, p, &memory{item: it}, session.Developer)
				s := &stage{screen: newCompare(env, Compare{Table: p.Entity("Verification").Table, Item: it, As: "as it is", Row: older(it)})}
				tt := tuitest.New(t, s, size)
				tt.WaitFor("as the list showed it")
				tt.Golden("choose")
				tt.Press("enter")
				tt.WaitFor("hidden, different")
				if tt.Has("7000") || tt.Has("john@") {
					t.Errorf("what is hidden is shown:\n%s", tt.Screen())
				}
				tt.Golden("all")
				tt.Press("d", "n")
				tt.Golden("differences")
				tt.Press("y")
				tt.WaitFor("all differences")
				tt.Press("d")
				text := last[CopyMsg](t, s).Text
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
		"a": itemText("1"), "kind": itemText("1"), "n": itemNumber("1.50"), "gone": itemText("x"),
		"doc": text(map[string]types.AttributeValue{"in": list(itemText("p"), text(map[string]types.AttributeValue{"q": itemText("1")}))}),
		"set": set("b", "a"), "tags": set("x", "y"),
	}
	right := models.Item{
		"a": itemText("1"), "kind": itemNumber("1"), "n": itemNumber("1.5"), "come": list(itemText("x")),
		"doc": text(map[string]types.AttributeValue{"in": list(itemText("p"), text(map[string]types.AttributeValue{"q": itemText("2")}), itemText("new"))}),
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
	p := openProfile(t, "authbridge")
	it := verification(t, p)
	table := p.Entity("Verification").Table
	env := newItemEnv(t, p, &memory{}, session.Support)
	s := newCompare(env, Compare{Table: table, Item: it, As: "as it is", Row: older(it)})
	s.SetSize(120, 40)
	s.loaded(compareLoadedMsg{screen: s, req: s.load.req, side: compareSide{title: "x", table: table, item: older(it)}})
	got := map[string]string{}
	for _, r := range s.diff.rows {
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
	p := openProfile(t, "authbridge")
	it := verification(t, p)
	table := p.Entity("Verification").Table
	env := newItemEnv(t, p, &memory{item: it}, session.Support)
	for text, want := range map[string]string{
		"CASE#ver_1 / META":      "CASE#ver_1 / META",
		"CASE#ver_1":             "CASE#ver_1 / META",
		"ver_1":                  "CASE#ver_1 / META",
		`{"PK":"A","SK":"B"}`:    "••• / B",
		"no such thing in there": "",
		"AUDIT#x / y":            "AUDIT#••• / y", // a day's, with who did it
	} {
		s := newCompare(env, Compare{Table: table, Item: it})
		s.SetSize(100, 30)
		cmd := s.comparePasted(text)
		if got := strings.TrimPrefix(s.load.what, "reading "); got != want || (cmd == nil) != (want == "") || (s.load.err == nil) != (want != "") {
			t.Errorf("%q is read as %q (%v), want %q", text, got, s.load.err, want)
		}
		s.Close()
	}
}

func TestCompareActionsDoNotClash(t *testing.T) {
	if err := (&compareScreen{}).makeActions().Clashes(); err != nil {
		t.Error(err)
	}
}

func BenchmarkCompareView(b *testing.B) {
	env, table, it := largest(b)
	s := newCompare(env, Compare{Table: table, Item: it})
	s.SetSize(160, 50)
	other := with(it, map[string]types.AttributeValue{"status": itemText("approved"), "list": &types.AttributeValueMemberL{
		Value: it["list"].(*types.AttributeValueMemberL).Value[1:],
	}})
	s.loaded(compareLoadedMsg{screen: s, req: s.load.req, side: compareSide{title: "x", table: table, item: other}})
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			s.View()
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s.remake()
			s.View()
		}
	})
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
