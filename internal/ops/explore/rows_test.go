package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// linesProfile has a scan, and a query over all kinds with a defined order.
const linesProfile = `
name: lines
title: Lines
tables:
  lines: {name: lines, partition_key: PK, sort_key: SK}
entities:
  Line:
    table: lines
    keys: {PK: "KIND#{kind}", SK: "{at}"}
    attributes:
      kind: {type: S, required: true, enum: [a, b, c, d]}
      at: {type: S, required: true}
      owner: {type: S, sensitive: pii}
      note: {type: S}
patterns:
  all: {title: All, operation: scan, table: lines, returns: [Line]}
  kinds:
    title: By time
    operation: query
    table: lines
    returns: [Line]
    key: {PK: "KIND#{kind}"}
    parameters:
      kind: {required: false}
    fan_out: {placeholder: kind, values: enum}
`

// A ledger is a table of generated items; item n has kind n%4. If fail is not 0, page sizes are random, and one of fail
// requests returns an error.
type ledger struct {
	store.Reader
	items int
	page  int // maximum number of items in a page
	fail  int
	seed  uint64

	mu    sync.Mutex
	tries map[string]int
}

var errLost = &store.Error{Class: store.Unreachable, Problem: "the connection was lost"}

func (l *ledger) chance(subject string) *rand.Rand {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tries == nil {
		l.tries = map[string]int{}
	}
	l.tries[subject]++
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", subject, l.tries[subject])
	return rand.New(rand.NewPCG(l.seed, h.Sum64()))
}

func line(n int) models.Item {
	return models.Item{
		"PK": models.StringValue("KIND#" + string(rune('a'+n%4))), "SK": models.StringValue(fmt.Sprintf("%07d", n)),
		"kind": models.StringValue(string(rune('a' + n%4))), "at": models.StringValue(fmt.Sprintf("%07d", n)),
		"owner": models.StringValue("somebody@example.com"), "note": models.StringValue("line \u202e of\ttext"),
	}
}

func (l *ledger) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{Name: "lines", ApproximateItems: int64(l.items), ApproximateBytes: 200 << 20}, nil
}

func (l *ledger) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	first, step := 0, 1
	switch {
	case leg.Query != nil:
		kind, _ := models.ValueText(leg.Query.ExpressionAttributeValues[":PK"])
		first, step = int(kind[len(kind)-1]-'a'), 4
	case leg.Scan.TotalSegments != nil:
		first, step = int(*leg.Scan.Segment), int(*leg.Scan.TotalSegments)
	}
	chance := l.chance(fmt.Sprint(first, start))
	if err := ctx.Err(); err != nil {
		return accesspatterns.Page{}, err
	}
	if l.fail > 0 && chance.IntN(l.fail) == 0 {
		return accesspatterns.Page{}, errLost
	}
	if start != nil {
		at, _ := start.Text("SK")
		n, err := strconv.Atoi(at)
		if err != nil {
			return accesspatterns.Page{}, err
		}
		first = n + step
	}
	size := min(l.page, limit)
	if l.fail > 0 {
		size = 1 + chance.IntN(size)
	}
	page := accesspatterns.Page{}
	for n := first; n < l.items; n += step {
		if len(page.Items) == size {
			last := page.Items[size-1]
			page.LastKey = models.Item{"PK": last["PK"], "SK": last["SK"]}
			break
		}
		page.Items = append(page.Items, line(n))
	}
	page.Count, page.Scanned, page.Capacity = len(page.Items), len(page.Items), float64(len(page.Items))/8
	return page, nil
}

func linesSession(t testing.TB, r store.Reader) (*workspace.Workspace, *profiles.Profile) {
	t.Helper()
	p, err := profiles.Load("lines.yaml", []byte(linesProfile), nil)
	if err != nil {
		t.Fatal(err)
	}
	return workspace.New(session.Options{Profile: p, Store: r, StateDir: t.TempDir()}), p
}

var tokenNote = regexp.MustCompile(`--next (\S+)`)

// Errors and interrupts may end run --all early. The partial outputs are valid, and together they equal the output of
// an uninterrupted run.
func TestInterruptedRunsContinueWithoutGaps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := &ledger{
			items: rapid.IntRange(0, 90).Draw(rt, "items"), page: rapid.IntRange(5, 60).Draw(rt, "page"),
			seed: rapid.Uint64().Draw(rt, "seed"),
		}
		s, p := linesSession(t, l)
		pattern := p.Pattern(rapid.SampledFrom([]string{"all", "kinds"}).Draw(rt, "pattern"))
		f := &readInput{all: true, allowScan: true}
		output := rapid.SampledFrom([]string{"jsonl", "csv", "json"}).Draw(rt, "output")
		want, _, err := runOnce(t.Context(), s, pattern, f, output)
		if err != nil {
			rt.Fatal(err)
		}
		l.fail = rapid.IntRange(4, 12).Draw(rt, "fail")
		var got []string
		for tries := 0; ; tries++ {
			if tries > 2000 {
				rt.Fatal("the run did not end after 2000 tries")
			}
			ctx, cancel := context.WithCancel(t.Context())
			if l.chance("cancel").IntN(3) == 0 {
				time.AfterFunc(time.Duration(l.chance("when").IntN(300))*time.Microsecond, cancel)
			}
			part, token, err := runOnce(ctx, s, pattern, f, output)
			cancel()
			got = join(got, part, output)
			if err == nil {
				break
			}
			if !errors.Is(err, errLost) && !errors.Is(err, context.Canceled) {
				rt.Fatal(err)
			}
			if token != "" {
				f.next = token
			}
		}
		if pattern.ID == "all" { // The scan has no order.
			slices.Sort(want)
			slices.Sort(got)
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("the joined outputs are wrong (-want +got):\n%s", d)
		}
	})
}

// runOnce runs the pattern and returns its output as lines, and the page token if the run failed.
func runOnce(
	ctx context.Context, s *workspace.Workspace, p *accesspatterns.Pattern, f *readInput, output string,
) (rows []string, token string, err error) {
	var out bytes.Buffer
	r, err := start(s, p, nil, reading.RunOptions{Token: f.next, AllowScan: true, All: f.all})
	if err != nil {
		return nil, "", err
	}
	err = newRowWriter(ctx, s, r, f).Write(op.Output{Writer: &out, Note: func(string) {}}, output)
	if wrong := (err != nil) != bytes.Contains(out.Bytes(), []byte(`"truncated":true`)); output == "json" && out.Len() > 0 && wrong {
		return nil, "", fmt.Errorf("the document does not match the outcome of the run: %w", err)
	}
	if err != nil {
		if m := tokenNote.FindStringSubmatch(err.Error()); m != nil {
			stored, bad := readToken(s.Session.StateDir(), p.FullID())
			if token = stored; m[1] != lastToken || bad != nil {
				return nil, "", fmt.Errorf("the message contains %s, but the stored token is different: %w", m[0], bad)
			}
		}
	}
	if out.Len() == 0 {
		return nil, token, err
	}
	if output != "json" {
		return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), token, err
	}
	var doc struct {
		Items []json.RawMessage `json:"items"`
		Next  *string           `json:"next"`
	}
	if bad := json.Unmarshal(out.Bytes(), &doc); bad != nil {
		return nil, "", fmt.Errorf("the document is invalid: %w", bad)
	}
	if (doc.Next != nil) != (err != nil) {
		return nil, "", fmt.Errorf("the document has next token %v after %w", doc.Next, err)
	}
	for _, it := range doc.Items {
		rows = append(rows, string(it))
	}
	return rows, token, err
}

// join appends an output to the previous ones and omits a repeated header.
func join(all, part []string, format string) []string {
	switch {
	case len(part) == 0:
		return all
	case len(all) == 0:
		return part
	case format == "csv":
		part = part[1:]
	}
	return append(all, part...)
}

// DDBDESK_TEST_SCALE raises the number of items to 200,000.
func TestRunAllUsesConstantMemory(t *testing.T) {
	l := &ledger{items: 30_000, page: 1000}
	if os.Getenv("DDBDESK_TEST_SCALE") != "" {
		l.items = 200_000
	}
	s, p := linesSession(t, l)
	for _, id := range []string{"all", "kinds"} {
		r, err := start(s, p.Pattern(id), nil, reading.RunOptions{AllowScan: true, All: true})
		if err != nil {
			t.Fatal(err)
		}
		out := &sampler{every: l.items * 32}
		if err := newRowWriter(t.Context(), s, r, &readInput{all: true}).Write(op.Output{Writer: out, Note: func(string) {}}, "jsonl"); err != nil {
			t.Fatal(err)
		}
		if out.lines != l.items {
			t.Errorf("%s: got %d lines", id, out.lines)
		}
		if len(out.heap) < 3 || slices.Max(out.heap) > out.heap[0]+8<<20 {
			t.Errorf("%s: the heap used %d bytes", id, out.heap)
		}
	}
}

// A sampler counts lines and samples the heap.
type sampler struct {
	every, written, lines int
	heap                  []uint64
}

func (s *sampler) Write(text []byte) (int, error) {
	if s.written/s.every != (s.written+len(text))/s.every || s.written == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		s.heap = append(s.heap, m.HeapAlloc)
	}
	s.written += len(text)
	s.lines += bytes.Count(text, []byte("\n"))
	return len(text), nil
}

// start binds the parameters of a pattern and starts to read the request.
func start(s *workspace.Workspace, p *accesspatterns.Pattern, args map[string]string, o reading.RunOptions) (*reading.Run, error) {
	request, err := s.Reading.Bind(p, args)
	if err != nil {
		return nil, err
	}
	return s.Reading.Run(request, o)
}
