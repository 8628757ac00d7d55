package workspace_test

import (
	"reflect"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
)

func TestNewFillsEveryPart(t *testing.T) {
	w := reflect.ValueOf(*workspace.New(session.Options{Profile: schemas.Open(t, "authbridge")}))
	for i := range w.NumField() {
		if w.Field(i).IsNil() {
			t.Errorf("the field %s is nil", w.Type().Field(i).Name)
		}
	}
}

// Commands check their arguments in a workspace without a connection.
func TestWorkspaceWithoutConnectionChecksAndExplains(t *testing.T) {
	w := workspace.New(session.Options{Profile: schemas.Open(t, "authbridge")})
	q, err := w.Reading.Pattern("get-verification")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reading.Bind(q, map[string]string{"verificationId": "ver_1"}); err != nil {
		t.Error(err)
	}
	if _, err := w.Planner.Action("approve"); err != nil {
		t.Error(err)
	}
	if w.Session.Store() != nil || w.Session.Writer() != nil {
		t.Error("a workspace without a connection has a store")
	}
}
