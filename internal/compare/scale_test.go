package compare_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const partsProfile = `
name: parts
tables: {parts: {name: parts, partition_key: PK, sort_key: SK}}
entities:
  Part:
    table: parts
    keys: {PK: "BIN#{bin}", SK: "PART#{part}"}
    attributes: {bin: {type: S, required: true}, part: {type: S, required: true}, count: {type: N}}
`

// A generatedTable generates its n items when they are read. Its pages contain the items of one partition key after
// another, but the partition keys are unsorted.
type generatedTable struct {
	store.Reader
	n      int
	left   bool
	stride int // distance of partition keys, which determines their order
}

const (
	stride  = 7_368_787 // a prime
	perPage = 1000
	perBin  = 10
)

// has reports whether the table contains item i. Each table lacks some items of the other.
func (v *generatedTable) has(i int) bool {
	return v.left && i%40_009 != 1 || !v.left && i%30_011 != 2
}

func (v *generatedTable) differs(i int) bool { return i%20_011 == 3 }

func (v *generatedTable) item(i int) models.Item {
	count := "1.0"
	if !v.left {
		count = "1"
		if v.differs(i) {
			count = "2"
		}
	}
	bin, part := fmt.Sprintf("%07d", i/perBin), fmt.Sprint(i%perBin)
	return models.Item{
		"PK": models.StringValue("BIN#" + bin), "SK": models.StringValue("PART#" + part), "bin": models.StringValue(bin),
		"part": models.StringValue(part), "count": &types.AttributeValueMemberN{Value: count},
		"text": models.StringValue(strings.Repeat("x", 100)),
	}
}

// indexOf returns the position of the item with a key.
func indexOf(key models.Item) (i int) {
	pk, _ := key.Text("PK")
	sk, _ := key.Text("SK")
	var bin, part int
	_, _ = fmt.Sscanf(pk+" "+sk, "BIN#%d PART#%d", &bin, &part) // item formats the keys.
	return bin*perBin + part
}

// Fetch implements store.Reader for scans of segments, and for gets.
func (v *generatedTable) Fetch(_ context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	page := accesspatterns.Page{Capacity: 1}
	var keys []models.Item
	switch {
	case leg.Get != nil:
		keys = []models.Item{leg.Get.Key}
	case leg.Batch != nil:
		for _, k := range leg.Batch.RequestItems["parts"].Keys {
			keys = append(keys, k)
		}
	default:
		return v.scan(leg, start, limit), nil
	}
	for _, k := range keys {
		if i := indexOf(k); i < v.n && v.has(i) {
			page.Items = append(page.Items, v.item(i))
		}
	}
	return page, nil
}

// scan returns a page of a segment. The start key contains the next position.
func (v *generatedTable) scan(leg accesspatterns.Leg, start models.Item, limit int) accesspatterns.Page {
	segment, total := int(aws.ToInt32(leg.Scan.Segment)), max(int(aws.ToInt32(leg.Scan.TotalSegments)), 1)
	bins := v.n / perBin
	first, end := bins*segment/total*perBin, bins*(segment+1)/total*perBin
	if start != nil {
		first = indexOf(start)
	}
	if limit == 0 || limit > perPage {
		limit = perPage
	}
	page := accesspatterns.Page{Capacity: 1}
	for place := first; place < min(end, first+limit); place++ {
		if i := place/perBin*v.stride%bins*perBin + place%perBin; v.has(i) {
			page.Items = append(page.Items, v.item(i))
		}
	}
	page.Scanned = len(page.Items)
	if next := first + limit; next < end {
		page.LastKey = models.Item{"PK": models.StringValue(fmt.Sprintf("BIN#%07d", next/perBin)), "SK": models.StringValue(fmt.Sprintf("PART#%d", next%perBin))}
	}
	return page
}

// DescribeTable implements store.Reader.
func (v *generatedTable) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{Name: "parts", ApproximateItems: int64(v.n), ApproximateBytes: int64(v.n) * 200}, nil
}

// generatedTables returns the comparison of two tables of n items.
func generatedTables(t *testing.T, n int) (left, right *generatedTable, c *compare.Comparison) {
	t.Helper()
	p, err := profiles.Load("parts.yaml", []byte(partsProfile), nil)
	if err != nil {
		t.Fatal(err)
	}
	left, right = &generatedTable{n: n, left: true, stride: stride}, &generatedTable{n: n, stride: stride}
	var sides []*workspace.Workspace
	for _, v := range []*generatedTable{left, right} {
		dir := t.TempDir()
		sides = append(sides, workspace.New(session.Options{
			Profile: p, Store: v, StateDir: dir, JournalPath: filepath.Join(dir, "journal.jsonl"), Environment: "test",
		}))
	}
	return left, right, compare.New(sides[0], sides[1])
}

// The comparison of two tables of a million items uses bounded memory even if their orders differ completely, and
// little memory if they are similar. It finds the same differences as a comparison item by item. DDBDESK_TEST_SCALE=1
// compares a million items on each side.
func TestMillionItemsAreComparedInBoundedMemory(t *testing.T) {
	n := 100_000
	if os.Getenv("DDBDESK_TEST_SCALE") != "" {
		n = 1_000_000
	} else if testing.Short() {
		t.Skip("compares 400,000 items")
	}
	for _, tt := range []struct {
		order  string
		stride int // stride of the right table
		limit  int // bytes for each item
	}{
		{"same order", stride, 16},
		{"another order", 15_485_863, 120},
	} {
		t.Run(tt.order, func(t *testing.T) {
			left, right, c := generatedTables(t, n)
			right.stride = tt.stride
			live := func() uint64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before, maximum, calls := live(), uint64(0), 0
			look := func(compare.Summary) {
				if calls++; calls%(n/perPage/10) == 0 && calls < 3*n/perPage {
					maximum = max(maximum, live())
				}
			}
			var got, want []string
			sum, err := c.Find(t.Context(), compare.Options{Progress: look}, func(d compare.Difference) error {
				got = append(got, fmt.Sprint(d.Kind, indexOf(d.Key)))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			equal := 0
			for i := range n {
				switch l, r := left.has(i), right.has(i); {
				case l && !r:
					want = append(want, fmt.Sprint(compare.OnlyLeft, i))
				case r && !l:
					want = append(want, fmt.Sprint(compare.OnlyRight, i))
				case l && r && right.differs(i):
					want = append(want, fmt.Sprint(compare.Differs, i))
				case l && r:
					equal++
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" || sum.Equal != equal {
				t.Errorf("%d equal, want %d; (-want +got):\n%s", sum.Equal, equal, diff)
			}
			used := maximum - min(before, maximum)
			if limit := uint64(8<<20 + tt.limit*n); maximum == 0 || used > limit {
				t.Errorf("%d MB are in use for %d items, want at most %d MB", used>>20, n, limit>>20)
			}
			t.Logf("%d items on each side: at most %d MB in use", n, used>>20)
		})
	}
}

// Find refuses a comparison with too many items in memory, and its error contains a solution.
func TestFindKeepsBoundedNumberOfItems(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for _, tt := range []struct {
		limit   int
		refused bool
	}{{n / 10, true}, {2 * n, false}} {
		_, right, c := generatedTables(t, n)
		right.stride = 15_485_863
		c.SetLimit(tt.limit)
		_, err := c.Find(t.Context(), compare.Options{}, func(compare.Difference) error { return nil })
		if errors.Is(err, session.ErrRefused) != tt.refused || tt.refused && !strings.Contains(err.Error(), "compare one entity or pattern") {
			t.Errorf("%d items: got %v", tt.limit, err)
		}
	}
}
