package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

// serveGuarded serves the tables of a schema behind an IAM policy and returns the flags that connect to it.
func serveGuarded(t *testing.T, schema string) (*faults.Guard, []string) {
	t.Helper()
	isolate(t)
	db := openStore(t, "")
	withTables(t, db, schema)
	guard := faults.NewGuard(db, faults.AllowAll())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := guard.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		if _, err := io.Copy(w, answer.Body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return guard, []string{"--endpoint-url", server.URL, "--region", "af-south-1"}
}

// If ddbdesk may not describe a table, the check does not report it as missing, and compares the other tables.
func TestTableCheckWithoutPermissions(t *testing.T) {
	guard, flags := serveGuarded(t, "ebay-sniper")
	guard.Set(faults.AllowAll().Except("dynamodb:DescribeTable", "ebay-sniper-bids-dev"))
	code, out, errs := ddbdesk(t, append([]string{"table", "check", "ebay-sniper", "-o", "json"}, flags...)...)
	var checks []tables.Check
	if err := json.Unmarshal([]byte(out), &checks); err != nil || len(checks) != 3 {
		t.Fatalf("got %v, want 3 checks:\n%s", err, out)
	}
	for _, c := range checks {
		denied := strings.Join(c.Denied, " ")
		if c.Missing || c.Table == "ebay-sniper-bids-dev" != (denied == "dynamodb:DescribeTable") || (c.Status == "ACTIVE") != (denied == "") {
			t.Errorf("got check %+v", c)
		}
	}
	if code != cli.ExitService || !strings.Contains(errs, "access denied: dynamodb:DescribeTable on table ebay-sniper-bids-dev") {
		t.Errorf("exit %d, want a service error about DescribeTable: %s", code, errs)
	}
	_, out, _ = ddbdesk(t, append([]string{"table", "check", "ebay-sniper"}, flags...)...)
	if !strings.Contains(out, "unknown") || !strings.Contains(out,
		"not compared: no permission dynamodb:DescribeTable on …/ebay-sniper-bids-dev") {
		t.Error(out)
	}
	if code, out, errs := ddbdesk(t, append([]string{"run", "ebay-sniper", "list-user-bids", "userId=u1", "-o", "json"},
		flags...)...); code != cli.ExitOK {
		t.Errorf("running a pattern of that table: exit %d\n%s%s", code, out, errs)
	}
}

func TestIAMPolicyFollowsRole(t *testing.T) {
	code, out, errs := ddbdesk(t, "iam", "authbridge", "--role", "admin", "--account", "123456789012")
	var policy faults.Policy
	if err := json.Unmarshal([]byte(out), &policy); err != nil || code != cli.ExitOK || errs != "" {
		t.Fatalf("exit %d, want 0 and a policy: %v, %s", code, err, errs)
	}
	if policy.Version != "2012-10-17" || !strings.Contains(out,
		`"arn:aws:dynamodb:af-south-1:123456789012:table/AuthBridgeTable/index/GSI2"`) || !strings.Contains(out, "UpdateItem") {
		t.Error(out)
	}
	if _, out, _ := ddbdesk(t, "iam", "authbridge"); strings.Contains(out, "UpdateItem") {
		t.Error("the policy of role support allows UpdateItem")
	}
	for _, wrong := range [][]string{{"--account", "12"}, {"--partition", "azure"}, {"-o", "yaml"}} {
		if code, out, errs := ddbdesk(t, append([]string{"iam", "authbridge"}, wrong...)...); code != cli.ExitUsage || out != "" || errs == "" {
			t.Errorf("%v: exit %d, want a usage error: %s%s", wrong, code, out, errs)
		}
	}
}
