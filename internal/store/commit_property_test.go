package store_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A mishap is what happens to one request.
type mishap struct {
	name    string
	arrives bool    // the store does it all the same
	answer  respond // nil: the store's own
}

var mishaps = []mishap{
	{"none", true, nil},
	{"refused", false, unheard},
	{"no such host", false, nameless},
	{"throttled", false, throttled},
	{"denied", false, forbidden},
	{"lost on the way there", false, reset},
	{"lost on the way back", true, reset},
	{"half an answer", true, cut},
	{"a failure before", false, sorry},
	{"a failure afterwards", true, sorry},
	{"a proxy's page afterwards", true, page(502, "text/html", "<html>")},
	{"an empty answer", true, page(200, "text/plain", "")},
	{"no response in time", true, waiting},
}

// A hostile network does to each request what the next of its mishaps says, and
// nothing when there is none left.
type hostile struct {
	store.Doer
	mishaps []mishap
}

// Do implements store.Doer.
func (h *hostile) Do(r *http.Request) (*http.Response, error) {
	if len(h.mishaps) == 0 {
		return h.Doer.Do(r)
	}
	m := h.mishaps[0]
	h.mishaps = h.mishaps[1:]
	if m.arrives {
		resp, err := h.Doer.Do(r)
		if m.answer == nil || err != nil {
			return resp, err
		}
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
	}
	return m.answer()
}

// counting is a change that adds one to a counter: in ways that may be repeated,
// and without a condition in one that may not.
func counting(kind string, table *models.Table, before int, token string) change.Batch {
	key, given := item(attrs{"id": "x"}), attrs{":one": 1, ":before": before}
	switch kind {
	case "unconditional":
		b := updateItem(table, key, "ADD n :one", "", attrs{":one": 1})
		b.Update.ConditionExpression = nil
		return b
	case "transaction":
		return transaction(token, types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(table.Name), Key: key, UpdateExpression: aws.String("ADD n :one"),
			ConditionExpression: aws.String("n = :before"), ExpressionAttributeValues: values(given),
		}})
	case "put":
		return change.Batch{Put: &dynamodb.PutItemInput{
			TableName: aws.String(table.Name), Item: item(attrs{"id": "x", "n": before + 1}),
			ConditionExpression:       aws.String("n = :before"),
			ExpressionAttributeValues: values(attrs{":before": before}),
		}}
	}
	return updateItem(table, key, "ADD n :one", "n = :before", given)
}

// An undated test hides its deadline, which may not be asked for in fake time.
type undated struct{ testing.TB }

func TestCommitReportsItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := embedded.Open(embedded.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		network := &hostile{Doer: s}
		c := connect(t, network)
		table := &models.Table{Name: "orders", PartitionKey: models.Key{Name: "id", Type: models.TypeS}}
		if err := c.Admin().CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		rapid.Check(undated{t}, func(rt *rapid.T) {
			now := rapid.IntRange(0, 1000).Draw(rt, "counter")
			if err := c.Admin().PutItems(t.Context(), table.Name, []models.Item{item(attrs{"id": "x", "n": now})}); err != nil {
				rt.Fatal(err)
			}
			kind := rapid.SampledFrom([]string{"update", "put", "transaction", "unconditional"}).Draw(rt, "kind")
			seen := now - rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "out of date by")
			token := rapid.StringMatching(`[a-z]{30}`).Draw(rt, "token")
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(mishaps)-1), 0, 5).Draw(rt, "mishaps") {
				network.mishaps = append(network.mishaps, mishaps[i])
				rt.Log(mishaps[i].name)
			}
			_, err := c.Writer().Commit(t.Context(), counting(kind, table, seen, token))
			network.mishaps = nil

			found, readErr := batchGet(t.Context(), c.Reader(), table.Name, []models.Item{item(attrs{"id": "x"})})
			if readErr != nil {
				rt.Fatal(readErr)
			}
			untouched := models.EqualValues(found[0]["n"], value(now))
			if !untouched && !models.EqualValues(found[0]["n"], value(now+1)) {
				rt.Errorf("%d became %v", now, found[0]["n"])
			}
			var failed *store.Error
			switch {
			case err == nil && untouched:
				rt.Error("done, but nothing was written")
			case errors.As(err, &failed) && failed.Outcome() == store.NotWritten && !untouched:
				rt.Errorf("written, but said: %v", err)
			case store.ClassOf(err) == store.ConditionFailed && seen == now:
				rt.Errorf("a conflict with nobody: %v", err)
			}
		})
	})
}
