package workbench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// fullCase is the i-th case as a client would have stored it, of about 500 bytes
// as DynamoDB counts them.
func fullCase(i int) models.Item {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	id := fmt.Sprintf("ver_%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.Uint32()>>16, r.Uint32()>>16, r.Uint32()>>16, r.Uint64()>>16)
	opened := time.Date(2026, 1, 1, 0, 0, i*2, r.IntN(1000)*1_000_000, time.UTC)
	at := func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }
	status := []string{
		"created", "documents_uploading", "submitted", "processing", "pending_review", "in_review", "approved", "rejected",
	}[r.IntN(8)]
	client := fmt.Sprint("client_", r.IntN(60))
	s := models.StringValue
	return models.Item{
		"PK": s("CASE#" + id), "SK": s("META"), "verificationId": s(id), "status": s(status), "clientId": s(client),
		"documentType": s("omang"),
		"GSI1PK":       s("CLIENT#" + client), "GSI1SK": s(status + "#" + at(opened)), "GSI2PK": s("DATE#" + at(opened)[:10]),
		"GSI2SK":    s(at(opened) + "#" + id),
		"createdAt": s(at(opened)), "updatedAt": s(at(opened.Add(time.Duration(r.IntN(1e6)) * time.Second))), "expiresAt": s(at(opened.AddDate(
			0, 0, 30,
		))),
		"ttl": &types.AttributeValueMemberN{Value: strconv.FormatInt(opened.AddDate(0, 0, 30).Unix(), 10)},
		"customerMetadata": &types.AttributeValueMemberM{Value: models.Item{
			"email": s(fmt.Sprintf("customer%d@example.com", r.IntN(1e6))), "phone": s(fmt.Sprintf("+267%08d", r.IntN(1e8))),
		}},
	}
}

// deliver lets a page arrive as load does.
func deliver(b *Workbench, items []models.Item) (took time.Duration) {
	j := b.job
	j.task, _, _ = screen.StartTask(b.ctx)
	msg := pageLoadedMsg{task: j.task, page: reading.Page{Scanned: len(items), Requests: 1}, rows: j.rows.Items.Packer().Pack(items)}
	from := time.Now()
	cmd := b.Update(msg)
	_ = b.View()
	took = time.Since(from)
	settle(b, cmd)
	return took
}

// kilobytes reads a figure of this process, 0 where there is none.
func kilobytes(name string) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// percentiles are the median and the 95th percentile.
func percentiles(list []time.Duration) string {
	if len(list) == 0 {
		return "not needed"
	}
	slices.Sort(list)
	return fmt.Sprintf("p50 %v p95 %v max %v", list[len(list)/2], list[len(list)*95/100], list[len(list)-1])
}

// TestMillionRows takes a minute: it runs where DDBDESK_TEST_SCALE says so.
func TestMillionRows(t *testing.T) {
	if os.Getenv("DDBDESK_TEST_SCALE") == "" {
		t.Skip("a million rows take a minute; set DDBDESK_TEST_SCALE=1, as .ci/run scale does")
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(rows.GCPercent))
	}
	b := openOn(screentest.BenchEnv(t, "authbridge"), "list-verifications-by-date", nil)
	b.SetSize(160, 50)
	report := func(what string, most int) {
		t.Helper()
		rss, peak := kilobytes("VmRSS")>>10, kilobytes("VmHWM")>>10
		t.Logf("%-42s %4d MB, at most %d MB so far", what, rss, peak)
		if peak > most {
			t.Errorf("%s: %d MB are more than %d", what, peak, most)
		}
	}
	keys := func(what string, names ...string) {
		t.Helper()
		var took []time.Duration
		for i := range 400 {
			from := time.Now()
			cmd := b.Update(pressRow(names[i%len(names)]))
			_ = b.View()
			took = append(took, time.Since(from))
			settle(b, cmd)
		}
		t.Logf("%-42s %s", what, percentiles(took))
	}
	// first sends a command off and says when the first rows were there, and all.
	first := func(what string, cmd tea.Cmd) {
		t.Helper()
		from, shown, steps := time.Now(), time.Duration(0), []time.Duration(nil)
		for cmd != nil {
			msg, ok := cmd().(results.ArrangedMsg)
			if !ok {
				break
			}
			at := time.Now()
			cmd = b.Update(msg)
			_ = b.View()
			steps = append(steps, time.Since(at))
			if shown == 0 && b.job.rows.View != nil && b.job.rows.Len() > 0 {
				shown = time.Since(from)
			}
		}
		t.Logf("%-42s first after %v, all %d after %v; screen %s", what, shown, b.job.rows.Len(), time.Since(from), percentiles(steps))
	}
	filter := func(text string) tea.Cmd {
		b.job.rows.SetFilter(text)
		return b.job.rows.Rearrange()
	}
	held := 0
	var arrivals []time.Duration
	for _, n := range []int{100, 100_000, 1_000_000} {
		for from := b.job.rows.Items.Len(); from < n; {
			to := min(from+2000, n)
			page := make([]models.Item, 0, to-from)
			for i := from; i < to; i++ {
				it := fullCase(i)
				held += it.Size()
				page = append(page, it)
			}
			arrivals = append(arrivals, deliver(b, page))
			from = to
		}
		most := 400
		if n <= 100_000 {
			most = 150
		}
		name := fmt.Sprintf("%d rows of %d bytes", n, held/n)
		report(name+", read", most)
		t.Logf("%-42s %s", "a page arrives", percentiles(arrivals))
		keys("down", "down")
		keys("pgdown", "pgdown")
		keys("home end", "home", "end")
		first("filter status:approved", filter("status:approved"))
		first("filter a word", filter("client_33"))
		first("filter nothing", filter("nowhere-to-be-found"))
		report("filtered", most)
		first("no filter", filter(""))
		first("sort by updatedAt", b.job.rows.SortOn("updatedAt"))
		report("sorted", most)
		keys("down, sorted", "down")
		keys("pgdown, sorted", "pgdown")
		keys("home end, sorted", "home", "end")
		first("filter over the order", filter("status:approved"))
		from := time.Now()
		b.Cancel()
		_ = b.View()
		t.Logf("%-42s %v", "esc", time.Since(from))
		first("sort by verificationId", b.job.rows.SortOn("verificationId"))
		from = time.Now()
		b.job.rows.MarkAll()
		_ = b.View()
		t.Logf("%-42s %v", "mark all", time.Since(from))
		from = time.Now()
		b.job.openCopyMenu()
		_ = b.View()
		b.Box = nil
		t.Logf("%-42s %v", "copy menu", time.Since(from))
		b.job.rows.MarkAll()
		arrivals = []time.Duration{deliver(b, []models.Item{fullCase(n)})}
		t.Logf("%-42s %v", "a row arrives, sorted", arrivals)
		settle(b, b.job.rows.Sort(results.SortBy{}))
		report("all of it", most)
	}
}
