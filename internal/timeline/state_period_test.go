package timeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
)

// auditEntries returns audit entries from "before>after" or "before>after@transition", an hour apart, newest first.
func auditEntries(list ...string) []timeline.Entry {
	var entries []timeline.Entry
	state := func(text string) types.AttributeValue {
		if text == "" {
			return nil
		}
		return &types.AttributeValueMemberM{Value: models.Item{"status": models.StringValue(text)}}
	}
	for i, text := range list {
		text, summary, _ := strings.Cut(text, "@")
		before, after, _ := strings.Cut(text, ">")
		entries = append([]timeline.Entry{{
			When: fixture.Now.Add(time.Duration(i-len(list)) * time.Hour), Who: "ana", What: summary, Before: state(before), After: state(after),
		}}, entries...)
	}
	return entries
}

// periodsText formats periods as "state since..until", in hours before now.
func periodsText(list []timeline.StatePeriod) string {
	hours := func(t time.Time) string {
		if t.IsZero() {
			return "?"
		}
		return strings.TrimSuffix(fixture.Now.Sub(t).String(), "0m0s")
	}
	var words []string
	for _, s := range list {
		words = append(words, s.State+" "+hours(s.Since)+".."+hours(s.Until))
	}
	return strings.Join(words, ", ")
}

func TestStateDurationsFollowAuditTrail(t *testing.T) {
	l := schemas.Open(t, "authbridge").Lifecycles[0]
	at := func(hours int) types.AttributeValue {
		return models.StringValue(fixture.Now.Add(-time.Duration(hours) * time.Hour).Format(time.RFC3339))
	}
	for name, c := range map[string]struct {
		entries []timeline.Entry
		item    models.Item
		want    string
	}{
		"every state": {
			auditEntries("created>documents_uploading", "documents_uploading>documents_complete", "documents_complete>submitted"),
			models.Item{"createdAt": at(5), "status": models.StringValue("submitted")},
			"created 5h..3h, documents_uploading 3h..2h, documents_complete 2h..1h, submitted 1h..?",
		},
		"entry of the creation": {
			auditEntries(">created", "created>documents_uploading"),
			models.Item{"status": models.StringValue("documents_uploading")},
			"created 2h..1h, documents_uploading 1h..?",
		},
		"only transition names": {
			auditEntries(">@submit", ">@start-processing"),
			models.Item{"status": models.StringValue("processing")},
			"documents_complete ?..2h, submitted 2h..1h, processing 1h..?",
		},
		"gap": {
			auditEntries("created>documents_uploading", "submitted>processing"),
			models.Item{"status": models.StringValue("in_review")},
			"created ?..2h, documents_uploading 2h..?, submitted ?..1h, processing 1h..?, in_review ?..?",
		},
		"no state change": {
			auditEntries("created>created", "nonsense>rejected", ">@unheard-of"),
			models.Item{"status": models.StringValue("created")},
			"created ?..?",
		},
		"undo": {
			auditEntries("pending_review>in_review@claim-review", "in_review>pending_review@undo-claim-review"),
			models.Item{"status": models.StringValue("pending_review")},
			"pending_review ?..2h, in_review 2h..1h, pending_review 1h..?",
		},
		"time that the state sets": {
			nil, models.Item{"status": models.StringValue("rejected"), "completedAt": at(7)}, "rejected 7h..?",
		},
		"loop": {
			auditEntries("in_review>resubmission_required", "resubmission_required>documents_uploading", "documents_uploading>documents_complete"),
			models.Item{"status": models.StringValue("documents_complete")},
			"in_review ?..3h, resubmission_required 3h..2h, documents_uploading 2h..1h, documents_complete 1h..?",
		},
		"no status": {nil, models.Item{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := periodsText(timeline.StatePeriods(l, c.item, c.entries)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
