package store_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

func TestExpiredCredentialsNameTheSignInCommand(t *testing.T) {
	const profiles = "[profile prod]\nregion = eu-west-1\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = r\n" +
		"[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.awsapps.com/start\n"
	configure(t, profiles+roleProfile)
	for profile, want := range map[string][]string{"prod": {"aws", "sso", "login", "--profile", "prod"}, "role": nil} {
		answerSTS(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<ErrorResponse><Error><Code>ExpiredToken</Code><Message>expired</Message></Error></ErrorResponse>`)
		})
		c, err := store.Connect(t.Context(), store.Options{Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Reader().Tables(t.Context())
		var e *store.Error
		if !errors.As(err, &e) || e.Class != store.ExpiredCredentials {
			t.Fatalf("%s: %v", profile, err)
		}
		if d := cmp.Diff(want, e.SignIn); d != "" {
			t.Errorf("%s: %s", profile, d)
		}
	}
}

func TestAnotherConnectionOfTheProfileAsksForNoCode(t *testing.T) {
	configure(t, roleProfile)
	answerSTS(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>`+
			`<AccessKeyId>assumed</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`+
			`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"TableNames":[]}`)
	}))
	defer server.Close()
	asked := 0
	o := store.Options{Profile: "mfa", EndpointURL: server.URL, MFAToken: func() (string, error) { asked++; return "123456", nil }}
	for range 2 {
		c, err := store.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Reader().Tables(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.Like = c
	}
	if asked != 1 {
		t.Errorf("asked %d times for a code", asked)
	}
	other, err := store.Connect(t.Context(), store.Options{Profile: "source", EndpointURL: server.URL, Like: o.Like})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reader().Tables(t.Context()); err != nil || asked != 1 {
		t.Errorf("a connection of another profile: %v, asked %d times", err, asked)
	}
}

func TestMissingOrRejectedMFACodeFails(t *testing.T) {
	configure(t, roleProfile)
	answerSTS(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>MultiFactorAuthentication failed with invalid MFA one time `+
			`pass code.</Message></Error></ErrorResponse>`)
	})
	for _, test := range []struct {
		name  string
		ask   func() (string, error)
		class store.Class
		text  string
	}{
		{
			"not given", func() (string, error) { return "", store.ErrNoMFACode }, store.NoCredentials,
			"not connected: no MFA code given; try again and enter the code of the device",
		},
		{
			"not accepted", func() (string, error) { return "000000", nil }, store.AccessDenied,
			"the MFA code was not accepted; wait for the next code of the device and try again",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := store.Connect(t.Context(), store.Options{Profile: "mfa", MFAToken: test.ask})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Reader().Tables(t.Context())
			if store.ClassOf(err) != test.class || err.Error() != test.text {
				t.Errorf("got %q %v\nwant %q %s", store.ClassOf(err), err, test.class, test.text)
			}
		})
	}
}
