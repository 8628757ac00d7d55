package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestActorNameShortensARNs(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for actor, want := range map[string]string{
		"kagiso": "kagiso",
		"arn:aws:sts::123456789012:assumed-role/support/kagiso": "kagiso",
		"arn:aws:iam::123456789012:user/team/kagiso":            "kagiso",
		"arn:aws:iam::123456789012:root":                        "root",
		"not/an/arn":                                            "not/an/arn",
	} {
		s := session.New(session.Options{Profile: p, Actor: actor})
		name, err := s.LookUpActor(t.Context())
		if s.ActorName() != want || name != want || err != nil || s.Actor() != actor {
			t.Errorf("%s: ActorName() = %s, LookUpActor() = %s, %v, want %s", actor, s.ActorName(), name, err, want)
		}
	}
}

func TestLookUpActorReturnsAWSIdentity(t *testing.T) {
	failure := errors.New("no network")
	for _, err := range []error{nil, failure} {
		s := session.New(session.Options{
			Profile: schemas.Open(t, "authbridge"), Actor: "typed",
			Identity: func(context.Context) (string, error) { return "arn:aws:iam::123456789012:user/asked", err },
		})
		name, got := s.LookUpActor(t.Context())
		if want := "asked"; !errors.Is(got, err) || err == nil && name != want || err != nil && name != "" {
			t.Errorf("with %v: %q, %v", err, name, got)
		}
	}
}

func TestJournalEntriesNameSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	s := session.New(session.Options{
		Profile: schemas.Open(t, "authbridge"), Actor: "kagiso", Role: session.Developer, Context: "staging", JournalPath: path,
		Target: store.Target{Region: "af-south-1", Endpoint: "https://example.invalid", Account: "123456789012"},
	})
	refusal := &session.Refusal{Reason: "not on Fridays", Advice: "wait"}
	if err := s.Refuse(t.Context(), "approve", journal.Detail{Key: "CASE#1"}, refusal); !errors.Is(err, session.ErrRefused) {
		t.Errorf("got %v, want the refusal", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e journal.Entry
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	if e.Kind != journal.Refusal || e.Detail.Why != "not on Fridays; wait" || e.Detail.Key != "CASE#1" || e.Subject != "approve" ||
		e.Actor != "kagiso" || e.Role != "developer" || e.Context != "staging" || e.Profile != "authbridge" ||
		e.Region != "af-south-1" || e.Endpoint != "https://example.invalid" || e.Account != "123456789012" {
		t.Errorf("got entry %+v", e)
	}
}

func TestRefusalIsReturnedWithoutJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Profile: schemas.Open(t, "authbridge"), JournalPath: filepath.Join(file, "journal.jsonl")})
	err := s.Refuse(t.Context(), "approve", journal.Detail{}, &session.Refusal{Reason: "no"})
	if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "record the refusal") {
		t.Errorf("got %v, want the refusal with a note about the journal", err)
	}
}

func TestFormsHideSecretsAndPrefilledPersonalData(t *testing.T) {
	s := session.New(session.Options{Profile: schemas.Open(t, "authbridge"), Role: session.Developer})
	pattern := &accesspatterns.Pattern{Params: []*accesspatterns.Param{
		{Name: "open"}, {Name: "typed", Sensitive: models.PII}, {Name: "filled", Sensitive: models.PII}, {Name: "secret", Sensitive: models.Secret},
	}}
	hidden := s.HiddenParams(pattern, map[string]bool{"open": true, "filled": true})
	if len(hidden) != 2 || hidden["filled"] != models.PII || hidden["secret"] != models.Secret {
		t.Errorf("got hidden parameters %v", hidden)
	}
}

func TestParametersAreAsSensitiveAsTheirAttributes(t *testing.T) {
	p := *schemas.Open(t, "authbridge")
	p.Entities = []*models.Entity{{Table: p.Tables[0], Attributes: []*models.Attribute{
		{Path: "email", Sensitive: models.PII},
		{Path: "token", Sensitive: models.Secret},
		{Path: "id"},
		{Path: "extra", Undocumented: true},
	}}}
	s := session.New(session.Options{Profile: &p})
	for _, c := range []struct {
		param *accesspatterns.Param
		want  models.Sensitivity
	}{
		{&accesspatterns.Param{Name: "id"}, models.NotSensitive},
		{&accesspatterns.Param{Name: "unknown"}, models.NotSensitive},
		{&accesspatterns.Param{Name: "email"}, models.PII},
		{&accesspatterns.Param{Name: "extra"}, models.PII},
		{&accesspatterns.Param{Name: "own", Sensitive: models.Secret}, models.Secret},
		{&accesspatterns.Param{Name: "from", From: []string{"id", "email"}}, models.PII},
		{&accesspatterns.Param{Name: "from", From: []string{"token", "email"}}, models.Secret},
		{&accesspatterns.Param{Name: "email", Attribute: &models.Attribute{Path: "id"}}, models.NotSensitive},
	} {
		if got := s.Sensitivity(c.param); got != c.want {
			t.Errorf("Sensitivity(%+v) = %v, want %v", c.param, got, c.want)
		}
	}
}
