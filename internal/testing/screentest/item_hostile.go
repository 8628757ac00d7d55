package screentest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// PasteOf returns the message for pasted text.
func PasteOf(text string) tea.Msg { return tea.PasteMsg{Content: text} }

// Pressed returns the message for a key by name, or for a printable character.
func Pressed(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"tab": tea.KeyTab, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown,
	}
	if c, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// SampleOptions make n samples of each entity at the time of the tests.
func SampleOptions(items int) sample.Options {
	return sample.Options{Items: items, Seed: 7, At: ItemNow}
}

// letter is any character except spacing marks, whose width differs between terminals.
var letter = rapid.Rune().Filter(func(r rune) bool { return !unicode.Is(unicode.Mc, r) })

// HostileText is text with control sequences and characters of unclear width.
var HostileText = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(
		rapid.StringOfN(letter, 0, 12, 40),
		rapid.SampledFrom([]string{
			"\x1b[2J", "\x1b]8;;http://x\x07", "\r", "\n", "\t", "\x00", "\u009b31m", "\u202e", "日本語", "👩‍👩‍👧", "🇧🇼", "e\u0301\u0301",
			"\xff\xfe", "#", " / ", "•••", strings.Repeat("long ", 60), "-1", "1e5", "2026-11-21T08:01:00Z",
		}),
	), 0, 5).Draw(t, "parts")
	return strings.Join(parts, "")
})

// HostileValue is a value of any type, nested up to depth.
func HostileValue(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberN{Value: rapid.SampledFrom([]string{
				"0", "-12345678901234567890123456789012345678", "1e125",
				"NaN", "", "1795416466", "99999999999999999999",
			}).Draw(t, "n")}
		case 1:
			return &types.AttributeValueMemberB{Value: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "b")}
		case 2:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 3:
			return &types.AttributeValueMemberNULL{Value: true}
		case 4:
			return &types.AttributeValueMemberSS{Value: rapid.SliceOfN(HostileText, 0, 4).Draw(t, "ss")}
		case 5:
			return &types.AttributeValueMemberNS{Value: []string{"1", "2.50"}}
		case 6:
			return &types.AttributeValueMemberBS{Value: [][]byte{{1}, {}}}
		case 8:
			m := map[string]types.AttributeValue{}
			for range rapid.IntRange(0, 3).Draw(t, "members") {
				m[HostileText.Draw(t, "name")] = HostileValue(depth-1).Draw(t, "member")
			}
			return &types.AttributeValueMemberM{Value: m}
		case 9:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(HostileValue(depth-1), 0, 3).Draw(t, "list")}
		default:
			return ItemText(HostileText.Draw(t, "s"))
		}
	})
}

// nested is a document of 32 levels, as deep as DynamoDB allows.
func nested() types.AttributeValue {
	v := ItemText("bottom\x1b[1m")
	for i := range 32 {
		if i%2 == 0 {
			v = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{fmt.Sprintf("level%d", i): v}}
		} else {
			v = &types.AttributeValueMemberL{Value: []types.AttributeValue{v, Number0}}
		}
	}
	return v
}

// Number0 is the number zero.
var Number0 = ItemNumber("0")

// HostileItem is base, or an empty item, with hostile attributes added and others removed.
func HostileItem(rt *rapid.T, base models.Item) models.Item {
	it := models.Item{}
	if rapid.Bool().Draw(rt, "known") {
		it = With(base, nil)
	}
	names := rapid.SampledFrom([]string{
		"PK", "SK", "GSI1PK", "status", "createdAt", "ttl", "customerMetadata", "verificationId", "a.b", "",
	})
	for range rapid.IntRange(0, 6).Draw(rt, "attributes") {
		name := names.Draw(rt, "name")
		if name == "" {
			name = HostileText.Draw(rt, "odd name")
		}
		it[name] = HostileValue(3).Draw(rt, "value")
	}
	if rapid.Bool().Draw(rt, "deep") {
		it["deep"] = nested()
	}
	if rapid.Bool().Draw(rt, "less") {
		delete(it, rapid.SampledFrom([]string{"SK", "status", "clientId"}).Draw(rt, "missing"))
	}
	return it
}

// Marker is part of every sensitive value.
const Marker = "LEAKED7"

// Marking adds the marker to every sensitive value, or only to secrets.
type Marking struct{ SecretsOnly bool }

func (k Marking) hits(s models.Sensitivity) bool {
	return s == models.Secret || s == models.PII && !k.SecretsOnly
}

// mark replaces the sensitive parts of a value.
func (k Marking) mark(a *models.Attribute, inherited models.Sensitivity, v types.AttributeValue) types.AttributeValue {
	if a != nil && a.Sensitive != models.Open {
		inherited = a.Sensitive
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		switch {
		case !k.hits(inherited):
			return v
		case a != nil && a.Format == models.Email:
			return ItemText("x" + Marker + "@" + Marker + ".com")
		}
		return ItemText(Marker)
	case *types.AttributeValueMemberM:
		m := map[string]types.AttributeValue{}
		for n, inner := range v.Value {
			var in *models.Attribute
			if a != nil {
				for _, c := range a.Attributes {
					if c.Name == n {
						in = c
					}
				}
			}
			m[n] = k.mark(in, inherited, inner)
		}
		return &types.AttributeValueMemberM{Value: m}
	default:
		return v
	}
}

// FindsMarker returns a check that fails if a text contains the marker.
func FindsMarker(t *testing.T, what string) func(where, shown string) {
	return func(where, shown string) {
		if i := strings.Index(shown, Marker); i >= 0 {
			t.Errorf("%s: %s shows %q", what, where, shown[max(i-60, 0):min(i+60, len(shown))])
		}
	}
}

// A leakTest looks for the marker wherever an item is shown.
type leakTest func(t *testing.T, env *screen.Env, table *models.Table, it models.Item, what string)

// TryAll looks for leaks in a sample of every entity and returns how many
// values were marked.
func (k Marking) TryAll(t *testing.T, reveal bool, look leakTest) (marked int) {
	t.Helper()
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		env := NewItemEnv(t, p, &Memory{}, session.Developer)
		if reveal {
			if err := env.Session.Reveal(t.Context(), "all", "test"); err != nil {
				t.Fatal(err)
			}
		}
		samples, err := sample.Items(p, SampleOptions(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samples {
			attributes := models.Item{}
			for n, v := range sample.Item {
				if a := sample.Entity.Attribute(n); a != nil {
					attributes[n] = k.mark(a, models.Open, v)
				}
			}
			it, err := sample.Entity.Build(attributes, k.keyValues(sample))
			if err != nil {
				t.Fatalf("%s %s: %v", name, sample.Entity.Name, err)
			}
			marked += strings.Count(string(it.AppendJSON(nil)), Marker)
			look(t, env, sample.Table, it, name+" "+sample.Entity.Name)
			// The same with a key that fits no entity.
			if pk := sample.Table.PartitionKey; pk.Type == models.TypeS {
				stray := With(it, map[string]types.AttributeValue{pk.Name: ItemText("NOSUCH#1")})
				look(t, env, sample.Table, stray, name+" stray "+sample.Entity.Name)
			}
		}
	}
	return marked
}

// keyValues are the placeholders whose values only the keys of the sample contain.
func (k Marking) keyValues(s sample.Item) map[string]string {
	r, _ := models.Recognize([]*models.Entity{s.Entity}, s.Table, s.Item)
	values := map[string]string{}
	for n, v := range r.Values {
		if a := s.Entity.Attribute(n); a != nil && k.hits(a.Sensitive) {
			v = Marker
			if a.Format == models.Email {
				v = "x" + Marker + "@" + Marker + ".com"
			}
		}
		values[n] = v
	}
	return values
}
