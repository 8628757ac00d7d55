package screentest

import (
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// PasteOf returns the message for a paste.
func PasteOf(text string) tea.Msg { return tea.PasteMsg{Content: text} }

// Pressed returns the message for a named key or a printable character.
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

// SampleOptions returns options for several samples of each entity at ItemNow.
func SampleOptions(items int) sample.Options {
	return sample.Options{Items: items, Seed: 7, At: ItemNow}
}

// letter generates any character, except spacing marks, whose width differs between terminals.
var letter = rapid.Rune().Filter(func(r rune) bool { return !unicode.Is(unicode.Mc, r) })

// HostileText generates text with control sequences and characters whose width is unclear.
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

// HostileValue generates a value of any type, nested up to the depth.
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

// nested returns a document with 32 levels, the maximum in DynamoDB.
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

// HostileItem adds hostile attributes to base, or to an empty item, and removes others.
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
