package compare_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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

// A vast table has n items that exist in no memory: each is made when it is read. Its pages have the items of one partition
// key after those of another one, in no order of these keys.
type vast struct {
	store.Reader
	n    int
	left bool
	read atomic.Int64 // items
}

const (
	stride  = 7_368_787 // a prime
	perPage = 1000
	perBin  = 10
)

// The places of the items that only one table has, and of those that differ.
func (v *vast) has(i int) bool {
	return v.left && i%40_009 != 1 || !v.left && i%30_011 != 2
}

func (v *vast) differs(i int) bool { return i%20_011 == 3 }

func (v *vast) item(i int) models.Item {
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

// indexOf returns which item has a key.
func indexOf(key models.Item) (i int) {
	pk, _ := key.Text("PK")
	sk, _ := key.Text("SK")
	var bin, part int
	_, _ = fmt.Sscanf(pk+" "+sk, "BIN#%d PART#%d", &bin, &part) // The keys are those of item.
	return bin*perBin + part
}

// Fetch implements store.Reader for scans of segments, and for gets.
func (v *vast) Fetch(_ context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
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

// scan returns a page of a segment, whose start key has the number of the next place.
func (v *vast) scan(leg accesspatterns.Leg, start models.Item, limit int) accesspatterns.Page {
	segment, of := int(aws.ToInt32(leg.Scan.Segment)), max(int(aws.ToInt32(leg.Scan.TotalSegments)), 1)
	bins := v.n / perBin
	first, end := bins*segment/of*perBin, bins*(segment+1)/of*perBin
	if start != nil {
		first = indexOf(start)
	}
	if limit == 0 || limit > perPage {
		limit = perPage
	}
	page := accesspatterns.Page{Capacity: 1}
	for place := first; place < min(end, first+limit); place++ {
		if i := place/perBin*stride%bins*perBin + place%perBin; v.has(i) {
			page.Items = append(page.Items, v.item(i))
		}
	}
	page.Scanned = len(page.Items)
	v.read.Add(int64(len(page.Items)))
	if next := first + limit; next < end {
		page.LastKey = models.Item{"PK": models.StringValue(fmt.Sprintf("BIN#%07d", next/perBin)), "SK": models.StringValue(fmt.Sprintf("PART#%d", next%perBin))}
	}
	return page
}

// DescribeTable implements store.Reader.
func (v *vast) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{Name: "parts", ApproximateItems: int64(v.n), ApproximateBytes: int64(v.n) * 200}, nil
}

// vastTables returns the comparison of two tables of n items.
func vastTables(t *testing.T, n int) (left, right *vast, c *compare.Comparison) {
	t.Helper()
	p, err := profiles.Load("parts.yaml", []byte(partsProfile), nil)
	if err != nil {
		t.Fatal(err)
	}
	left, right = &vast{n: n, left: true}, &vast{n: n}
	var sides []*workspace.Workspace
	for _, v := range []*vast{left, right} {
		dir := t.TempDir()
		sides = append(sides, workspace.New(session.Options{
			Profile: p, Store: v, StateDir: dir, JournalPath: filepath.Join(dir, "journal.jsonl"), Environment: "test",
		}))
	}
	return left, right, compare.New(sides[0], sides[1])
}

// However many items two tables have, comparing them takes the same memory and finds what a comparison item by item finds.
// DDBDESK_TEST_SCALE=1 compares a million on each side.
func TestMillionItemsAreComparedInConstantMemory(t *testing.T) {
	n := 200_000
	if os.Getenv("DDBDESK_TEST_SCALE") != "" {
		n = 1_000_000
	} else if testing.Short() {
		t.Skip("compares 400,000 items")
	}
	left, right, c := vastTables(t, n)
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, calls := live(), uint64(0), 0
	look := func(compare.Summary) {
		if calls++; calls%(n/10) == n/20 {
			most = max(most, live())
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
	const limit = 64 << 20
	if most == 0 || most > before+limit {
		t.Errorf("%d MB are in use for %d items", (most-before)>>20, n)
	}
	t.Logf("%d items on each side: at most %d MB in use", n, (most-min(before, most))>>20)
}

// A sample reads about as many items as it says, and its bounds are near the true share.
func TestSampleOfLargeTables(t *testing.T) {
	t.Parallel()
	const n, items = 300_000, 5000
	left, right, c := vastTables(t, n)
	sum, err := c.Find(t.Context(), compare.Options{Sample: items}, func(compare.Difference) error { return nil })
	if err != nil || sum.Sample == nil {
		t.Fatal(sum, err)
	}
	for i, v := range []*vast{left, right} {
		if read := []int{sum.Left, sum.Right}[i]; read < items || read > items+perPage || v.read.Load() > items+perPage || sum.Capacity[i] == 0 {
			t.Errorf("side %d: %d of %d items, %+v", i, read, v.read.Load(), sum)
		}
	}
	differing := map[int]bool{}
	for i := range n {
		if left.has(i) != right.has(i) || right.differs(i) {
			differing[i/perBin] = true
		}
	}
	share := float64(len(differing)) / (n / perBin)
	// One sample in twenty has not the share within its bounds, but none is far away.
	if low, high := sum.Sample.Bounds(); share < low/5 || share > high*5 || high > 0.03 {
		t.Errorf("%+v: %g to %g, true is %g", *sum.Sample, low, high, share)
	}
}

// Every difference of a small table is in a sample as large as the table, and none is in it twice.
func TestSampleOfAWholeTableIsAComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out large tables; go test without it runs this")
	}
	t.Parallel()
	left, right, c := vastTables(t, 70_000)
	for _, o := range []compare.Options{{}, {Sample: compare.MaxSample}} {
		list, sum := found(t, c, o)
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) || sum.OnlyLeft == 0 || sum.OnlyRight == 0 || sum.Differs == 0 || sum.Sample != nil {
			t.Errorf("%+v: %+v", o, sum)
		}
		if want := left.n - countOf(left.n, func(i int) bool { return !left.has(i) || !right.has(i) || right.differs(i) }); sum.Equal != want {
			t.Errorf("%+v: %d equal, want %d", o, sum.Equal, want)
		}
	}
}

func countOf(n int, is func(int) bool) (count int) {
	for i := range n {
		if is(i) {
			count++
		}
	}
	return count
}
