package workbench

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// fullCase returns case i with the attributes that a real client stores. DynamoDB would count about 500 bytes.
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

// kilobytes returns a memory counter of this process, or 0 if it does not exist.
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

// A million rows take a minute, so the test needs DDBDESK_TEST_SCALE.
func TestMillionRows(t *testing.T) {
	if os.Getenv("DDBDESK_TEST_SCALE") == "" {
		t.Skip("a million rows take a minute; set DDBDESK_TEST_SCALE=1, as .ci/run scale does")
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(rows.GCPercent))
	}
	b := newRowsWorkbench(screentest.BenchEnv(t, "authbridge"), "list-verifications-by-date", nil)
	b.SetSize(160, 50)
	report := func(text string, maximum int) {
		t.Helper()
		rss, peak := kilobytes("VmRSS")>>10, kilobytes("VmHWM")>>10
		t.Logf("%-42s %4d MB, at most %d MB so far", text, rss, peak)
		if peak > maximum {
			t.Errorf("%s: used %d MB, want at most %d", text, peak, maximum)
		}
	}
	// arranged runs a command that arranges the rows, and reports when the first rows and all rows are ready.
	arranged := func(text string, cmd tea.Cmd) {
		t.Helper()
		from, shown := time.Now(), time.Duration(0)
		for cmd != nil {
			msg, ok := cmd().(results.ArrangedMsg)
			if !ok {
				break
			}
			cmd = b.Update(msg)
			_ = b.View()
			if shown == 0 && b.job.rows.Applied != nil && b.job.rows.Len() > 0 {
				shown = time.Since(from)
			}
		}
		t.Logf("%-42s first after %v, all %d after %v", text, shown, b.job.rows.Len(), time.Since(from))
	}
	filter := func(text string) tea.Cmd {
		b.job.rows.SetFilter(text)
		return b.job.rows.Rearrange()
	}
	for _, step := range []struct{ n, limit int }{{100_000, 150}, {1_000_000, 400}} {
		n, maximum := step.n, step.limit
		r := b.job.rows
		for i := r.Items.Len(); i < n; {
			page := make([]models.Item, min(2000, n-i))
			for at := range page {
				page[at] = fullCase(i + at)
			}
			r.AddPage(r.Items.Packer().Pack(page), nil)
			i += len(page)
		}
		settle(b, r.ArrangeAdded(false))
		report(fmt.Sprintf("%d rows, read", n), maximum)
		for _, text := range []string{"status:approved", "client_33", "nowhere-to-be-found", ""} {
			arranged("filter "+text, filter(text))
		}
		report("filtered", maximum)
		arranged("sort by updatedAt", r.SortOn("updatedAt"))
		arranged("filter over the order", filter("status:approved"))
		arranged("no filter", filter(""))
		arranged("sort by verificationId", r.SortOn("verificationId"))
		r.MarkAll()
		b.job.openCopyMenu()
		_ = b.View()
		b.Box = nil
		r.MarkAll()
		settle(b, r.Sort(results.SortBy{}))
		report("sorted and marked", maximum)
	}
}
