package rows_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// item returns the i-th item of a table. DynamoDB would count about 500 bytes.
func item(i int) models.Item {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	id := fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.Uint32()>>16, r.Uint32()>>16, r.Uint32()>>16, r.Uint64()>>16)
	at := fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", 1+i/80000%12, 1+i/3000%28, i/120%24, i%60, r.IntN(60), r.IntN(1000))
	state := []string{"created", "waiting_for_documents", "submitted", "in_review", "approved", "rejected"}[r.IntN(6)]
	it := models.Item{
		"PK": models.StringValue("ORDER#" + id), "SK": models.StringValue("META"), "orderId": models.StringValue(id),
		"state": models.StringValue(state), "client": models.StringValue(fmt.Sprint("client_", r.IntN(50))),
		"GSI1PK": models.StringValue(fmt.Sprint("CLIENT#client_", r.IntN(50))), "GSI1SK": models.StringValue(state + "#" + at),
		"GSI2PK": models.StringValue("DATE#" + at[:10]), "GSI2SK": models.StringValue(at + "#" + id), "createdAt": models.StringValue(at),
		"amount": &types.AttributeValueMemberN{Value: fmt.Sprint(r.IntN(1_000_000))},
		"customer": &types.AttributeValueMemberM{Value: models.Item{
			"email": models.StringValue(fmt.Sprintf("person%d@example.com", r.IntN(100_000))),
			"phone": models.StringValue(fmt.Sprintf("+267%08d", r.IntN(100_000_000))),
		}},
		"note": models.StringValue(strings.Repeat("called again ", r.IntN(5)) + "by the customer"),
	}
	return it
}

// sharedItems contains items that all tests share and none changes.
var sharedItems []models.Item

func items(from, to int) []models.Item {
	for len(sharedItems) < to {
		sharedItems = append(sharedItems, item(len(sharedItems)))
	}
	return sharedItems[from:to]
}

// A store returns the items that were added, in pages of any size and in any order.
func TestStoreReturnsItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s rows.Store
		var want []models.Item
		for range rapid.IntRange(1, 3).Draw(t, "pages") {
			var page []models.Item
			for range rapid.SampledFrom([]int{0, 1, 7, 60, 700, 1100}).Draw(t, "rows") {
				i := len(want) + len(page)
				it := items(i, i+1)[0].Clone()
				switch {
				case i%331 == 7:
					it["big"] = models.StringValue(strings.Repeat("x", rapid.SampledFrom([]int{5000, 20_000, 90_000}).Draw(t, "size")))
				case i%173 == 3:
					it = models.Item{}
				case i%419 == 5:
					it["odd"] = &types.UnknownUnionMember{Tag: "X"}
				}
				page = append(page, it)
			}
			s.Add(page)
			want = append(want, page...)
		}
		if s.Len() != len(want) {
			t.Fatalf("Len() = %d, want %d", s.Len(), len(want))
		}
		if len(want) == 0 {
			return
		}
		for range 3 {
			i := rapid.IntRange(0, len(want)-1).Draw(t, "replaced")
			want[i] = models.Item{"a": models.StringValue(fmt.Sprint(i))}
			s.Set(i, want[i])
		}
		r := s.Reader()
		for k := range want {
			i := k
			if k%16 > 2 && k > 50 {
				continue
			}
			if k%3 == 0 {
				i = rapid.IntRange(0, len(want)-1).Draw(t, "at")
			}
			if it := r.At(i); !isSame(it, want[i]) {
				t.Fatalf("item %d was read as %v", i, it)
			}
			if it := s.At(i); !isSame(it, want[i]) {
				t.Fatalf("item %d is %v", i, it)
			}
		}
	})
}

// isSame compares items, which may contain values of unknown types.
func isSame(a, b models.Item) bool {
	if _, odd := b["odd"]; odd {
		return len(a) == len(b) && a["odd"] != nil
	}
	return models.EqualItems(a, b)
}

// A copy of a store keeps its items while the store grows, and after it is cleared.
func TestCopiesKeepTheirItems(t *testing.T) {
	var s rows.Store
	s.Add(items(0, 1200))
	var wg sync.WaitGroup
	for range 3 {
		read, all := s, items(0, s.Len())
		wg.Go(func() {
			r := read.Reader()
			for i := read.Len() - 1; i >= 0; i -= 7 {
				if !models.EqualItems(read.At(i), all[i]) || !models.EqualItems(r.At(i), all[i]) {
					t.Errorf("the copy has another item %d", i)
				}
			}
		})
		s.Add(items(s.Len(), s.Len()+500))
	}
	late := s.Packer().Pack(items(0, 10))
	s.Clear()
	s.Append(late)
	if s.Len() != 0 {
		t.Error("Append accepted a batch from before Clear")
	}
	s.Add(items(0, 10))
	if late.Len() != 10 || s.Len() != 10 || !models.EqualItems(s.At(9), item(9)) {
		t.Errorf("got %d items after Clear, want 10", s.Len())
	}
	wg.Wait()
}

// Ten thousand typical items need less than a third of their size in DynamoDB.
func TestStoreIsCompact(t *testing.T) {
	var s rows.Store
	read := 0
	for from := 0; from < 10_000; from += 1000 {
		page := items(from, from+1000)
		for _, it := range page {
			read += it.Size()
		}
		s.Add(page)
	}
	if got := s.Bytes(); got > read/3 {
		t.Errorf("the store uses %d bytes for items of %d", got, read)
	}
}

func BenchmarkStore(b *testing.B) {
	var s rows.Store
	var read int
	page := items(0, 2000)
	for _, it := range page {
		read += it.Size()
	}
	b.Run("pack", func(b *testing.B) {
		var p rows.Store
		for b.Loop() {
			p.Add(page)
			if p.Len() > 100_000 {
				p.Clear()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(page)), "ns/row")
	})
	for from := 0; from < 40_000; from += 2000 {
		s.Add(items(from, from+2000))
	}
	b.ReportMetric(0, "ns/op")
	b.Run("reader", func(b *testing.B) {
		r := s.Reader()
		for i := 0; b.Loop(); i++ {
			r.At(i % s.Len())
		}
		b.ReportMetric(float64(s.Bytes())/float64(s.Len()), "bytes/row")
		b.ReportMetric(float64(read)/float64(len(page)), "held/row")
	})
	b.Run("at", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s.At(i * 7919 % s.Len())
		}
	})
}
