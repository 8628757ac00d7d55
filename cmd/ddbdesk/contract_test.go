package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// The index contains the case with its former status. The run still shows the item, with a note.
func TestRunNotesStaleIndexKeys(t *testing.T) {
	dir := storeWith(t, "authbridge", map[string]string{
		"PK": "CASE#ver_1", "SK": "META", "verificationId": "ver_1", "clientId": "c", "status": "approved",
		"createdAt": "2026-01-14T10:00:00Z",
		"GSI1PK":    "CLIENT#c", "GSI1SK": "created#2026-01-14T10:00:00Z", "GSI2PK": "DATE#2026-01-14", "GSI2SK": "2026-01-14T10:00:00Z#ver_1",
	})
	code, out, errs := ddbdesk(t, "run", "authbridge", "list-client-verifications-by-status", "clientId=c", "status=created",
		"-o", "jsonl", "--embedded="+dir, "--role", "developer")
	if code != cli.ExitOK || strings.Count(out, "\n") != 1 || !strings.Contains(errs, "stale index key: GSI1SK of CASE#ver_1") {
		t.Errorf("exit %d, want 0 and a note about a stale key:\n%s%s", code, out, errs)
	}
	code, _, errs = ddbdesk(t, "run", "authbridge", "list-verifications-by-date", "date=2026-01-14", "-o", "jsonl", "--embedded="+dir)
	if code != cli.ExitOK || strings.Contains(errs, "stale") {
		t.Errorf("exit %d, want 0 and no note about another index:\n%s", code, errs)
	}
}

// If a pattern cannot work as documented, an empty result without a note would be misleading.
func TestEmptyResultNamesFinding(t *testing.T) {
	dir := storeWith(t, "zentriqvision", map[string]string{"PK": "ORG#o", "SK": "VIDEO#v", "videoId": "v"})
	code, out, errs := ddbdesk(t, "run", "zentriqvision", "list-user-videos", "orgId=o", "userId=u", "-o", "jsonl", "--embedded="+dir, "--role", "developer")
	if code != cli.ExitOK || out != "" || !strings.Contains(errs, "Z01 IMPOSSIBLE") {
		t.Errorf("exit %d, want 0 and a note about finding Z01:\n%s%s", code, out, errs)
	}
}

// After an error, the JSON is complete with a token, and the error contains the command that continues.
func TestErrorAfterPageCompletesJSON(t *testing.T) {
	pages := 0
	flags := serveAnswers(t, func(string) (int, string) {
		if pages++; pages > 2 {
			return http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ExpiredTokenException","message":"expired"}`
		}
		return http.StatusOK, `{"Items":[{"ecosystemId":{"S":"e"},"timestampScoreId":{"S":"2026-01-14T10:00:00.000Z#s"}}],"Count":1,"ScannedCount":1,
			"LastEvaluatedKey":{"ecosystemId":{"S":"e"},"timestampScoreId":{"S":"2026-01-14T10:00:00.000Z#s"}}}`
	})
	code, out, errs := ddbdesk(t, append([]string{"run", "tazco", "get-score-history", "ecosystemId=e", "--all", "-o", "json"}, flags...)...)
	var envelope struct {
		Items []map[string]string
		Count int
		Next  *string
	}
	if err := json.Unmarshal([]byte(out), &envelope); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code != cli.ExitConfig || len(envelope.Items) != 2 || envelope.Count != 2 || envelope.Next == nil ||
		!strings.Contains(errs, "--next @last") {
		t.Errorf("exit %d with %d rows, want a conflict after 2 rows: %s", code, len(envelope.Items), errs)
	}
}

// A user would believe a count that is too low.
func TestFailedCountPrintsNoNumber(t *testing.T) {
	queries := 0
	flags := serveAnswers(t, func(operation string) (int, string) {
		if operation == "Query" {
			queries++
		}
		if queries != 1 {
			return http.StatusBadRequest, `{"__type":"com.amazon.coral.service#AccessDeniedException","message":"no"}`
		}
		return http.StatusOK, `{"Count":7,"ScannedCount":7,"LastEvaluatedKey":{"ecosystemId":{"S":"e"},"requestId":{"S":"r"}}}`
	})
	code, out, errs := ddbdesk(t, append([]string{"run", "tazco", "count-requests-requiring-attention", "-o", "json"}, flags...)...)
	if code != cli.ExitService || out != "" || queries != 2 {
		t.Errorf("exit %d after %d queries, want a service error after 2: %q, %s", code, queries, out, errs)
	}
}
