package models_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// anyValue is a value of any type, nested up to depth.
func anyValue(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\xff\xfe", "12345678901234567890123456789012345678"}))
		texts := rapid.SliceOfN(text, 0, 4)
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberN{Value: text.Draw(t, "n")}
		case 1:
			return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "b")}
		case 2:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 3:
			return &types.AttributeValueMemberNULL{Value: rapid.Bool().Draw(t, "null")}
		case 4:
			return &types.AttributeValueMemberSS{Value: texts.Draw(t, "ss")}
		case 5:
			return &types.AttributeValueMemberNS{Value: texts.Draw(t, "ns")}
		case 6:
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 3).Draw(t, "bs")}
		case 8:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(text, anyValue(depth-1), 0, 3).Draw(t, "m")}
		case 9:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "l")}
		default:
			return &types.AttributeValueMemberS{Value: text.Draw(t, "s")}
		}
	})
}

// pack returns an item as text.
func pack(p *models.Packer, it models.Item) (string, bool) {
	text, ok := p.AppendPacked(nil, it)
	return string(text), ok
}

func TestUnpackReturnsThePackedItem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p models.Packer
		items := rapid.SliceOfN(rapid.MapOfN(rapid.String(), anyValue(3), 0, 6), 1, 5).Draw(t, "items")
		var packed []string
		var readers []models.Packer
		for _, it := range items {
			text, ok := pack(&p, it)
			if !ok {
				t.Fatal("an item is not packed")
			}
			packed, readers = append(packed, text), append(readers, p)
		}
		again := models.Unpacker{Packer: p}
		for i, it := range items {
			got := readers[i].Unpack(packed[i])
			want := string(models.Item(it).AppendDynamoDBJSON(nil))
			if diff := cmp.Diff(want, string(again.Unpack(packed[i]).AppendDynamoDBJSON(nil))); diff != "" {
				t.Fatalf("in the same memory: -packed +unpacked\n%s", diff)
			}
			if diff := cmp.Diff(want, string(got.AppendDynamoDBJSON(nil))); diff != "" || !models.EqualItems(it, got) {
				t.Fatalf("-packed +unpacked\n%s", diff)
			}
		}
	})
}

// Values of an item that is read into the memory of the last one do not share it.
func TestUnpackerKeepsValuesApart(t *testing.T) {
	var p models.Packer
	it := models.Item{"a": s("1"), "b": s("2"), "c": n("3"), "d": n("4"), "e": l(s("5"), n("6"), s("7"))}
	text, ok := pack(&p, it)
	u := models.Unpacker{Packer: p}
	for range 2 {
		if got := u.Unpack(text); !ok || !models.EqualItems(it, got) {
			t.Errorf("%s became %s", it.AppendDynamoDBJSON(nil), got.AppendDynamoDBJSON(nil))
		}
	}
}

func TestPackRejectsUnknownTypes(t *testing.T) {
	var p models.Packer
	odd := &types.UnknownUnionMember{Tag: "X"}
	for _, it := range []models.Item{
		{"a": odd},
		{"a": nil},
		{"a": &types.AttributeValueMemberL{Value: []types.AttributeValue{odd}}},
		{"a": &types.AttributeValueMemberM{Value: models.Item{"b": odd}}},
	} {
		if _, ok := pack(&p, it); ok {
			t.Errorf("%v is packed", it)
		}
	}
}

// Names that are data do not fill the memory, and are not lost either.
func TestPackManyNames(t *testing.T) {
	var p models.Packer
	for i := range 20_000 {
		it := models.Item{fmt.Sprint("name", i): models.StringValue("v")}
		text, ok := pack(&p, it)
		if !ok || !models.EqualItems(it, p.Unpack(text)) {
			t.Fatalf("item %d is lost", i)
		}
	}
}

// BenchmarkPack reports what a packed item takes beside what it holds.
func BenchmarkPack(b *testing.B) {
	items := make([]models.Item, 1000)
	held := 0
	for i := range items {
		items[i] = models.Item{}
		for _, name := range []string{
			"PK", "SK", "verificationId", "status", "clientId", "createdAt", "updatedAt", "documentType", "GSI1PK", "GSI1SK",
		} {
			items[i][name] = models.StringValue(fmt.Sprintf("%s-%08d", name, i))
		}
		held += items[i].Size()
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var p models.Packer
			packed := make([]string, len(items))
			for i, it := range items {
				packed[i], _ = pack(&p, it)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(items)), "bytes/item")
			b.ReportMetric(float64(held)/float64(len(items)), "held/item")
			runtime.KeepAlive(packed)
			runtime.KeepAlive(p)
		}
	})
	b.Run("pack", func(b *testing.B) {
		var p models.Packer
		for i := 0; b.Loop(); i++ {
			pack(&p, items[i%1000])
		}
	})
	b.Run("unpack", func(b *testing.B) {
		var p models.Packer
		text, _ := pack(&p, items[0])
		for b.Loop() {
			p.Unpack(text)
		}
	})
	b.Run("unpack again", func(b *testing.B) {
		var p models.Packer
		text, _ := pack(&p, items[0])
		u := models.Unpacker{Packer: p}
		for b.Loop() {
			u.Unpack(text)
		}
	})
}
