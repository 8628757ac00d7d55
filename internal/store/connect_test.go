package store_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/store"
)

// configure writes an AWS configuration file that replaces the one of this machine.
func configure(t *testing.T, text string) {
	t.Helper()
	isolate(t)
	home := t.TempDir()
	path := filepath.Join(home, "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("AWS_CONFIG_FILE", path)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func TestTargetFollowsOptionsAndEnvironment(t *testing.T) {
	const profiles = "[profile prod]\nregion = eu-west-1\n[profile local]\nregion = eu-west-1\nendpoint_url = http://localhost:8000\n"
	for _, test := range []struct {
		name    string
		env     map[string]string
		options store.Options
		want    store.Target
		shown   string
	}{
		{
			"profile", nil,
			store.Options{Profile: "prod"},
			store.Target{Region: "eu-west-1", Profile: "prod", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"},
			"eu-west-1",
		},
		{
			"profile of the environment",
			map[string]string{"AWS_PROFILE": "prod"},
			store.Options{},
			store.Target{Region: "eu-west-1", Profile: "prod", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"},
			"eu-west-1",
		},
		{
			"region overrides profile", nil,
			store.Options{Profile: "prod", Region: "us-west-2"},
			store.Target{Region: "us-west-2", Profile: "prod", Endpoint: "https://dynamodb.us-west-2.amazonaws.com"},
			"us-west-2",
		},
		{
			"region of the environment",
			map[string]string{"AWS_REGION": "cn-north-1"},
			store.Options{},
			store.Target{Region: "cn-north-1", Endpoint: "https://dynamodb.cn-north-1.amazonaws.com.cn"},
			"cn-north-1",
		},
		{
			"endpoint on this machine needs no region", nil,
			store.Options{EndpointURL: "http://127.0.0.1:8000"},
			store.Target{Region: "us-east-1", Endpoint: "http://127.0.0.1:8000", Loopback: true, Custom: true},
			"http://127.0.0.1:8000",
		},
		{
			"IPv6 endpoint on this machine", nil,
			store.Options{EndpointURL: "http://[::1]:8000"},
			store.Target{Region: "us-east-1", Endpoint: "http://[::1]:8000", Loopback: true, Custom: true},
			"http://[::1]:8000",
		},
		{
			"endpoint of the service's variable",
			map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost:1", "AWS_ENDPOINT_URL": "http://localhost:2"},
			store.Options{Region: "eu-west-1"},
			store.Target{Region: "eu-west-1", Endpoint: "http://localhost:1", Loopback: true, Custom: true},
			"http://localhost:1",
		},
		{
			"endpoint of the profile", nil,
			store.Options{Profile: "local"},
			store.Target{Region: "eu-west-1", Profile: "local", Endpoint: "http://localhost:8000", Loopback: true, Custom: true},
			"http://localhost:8000",
		},
		{
			"flag overrides variable",
			map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost:1"},
			store.Options{Region: "eu-west-1", EndpointURL: "http://db.example:8000"},
			store.Target{Region: "eu-west-1", Endpoint: "http://db.example:8000", Custom: true},
			"http://db.example:8000",
		},
		{
			"AWS endpoint", nil,
			store.Options{Region: "eu-west-1", EndpointURL: "https://dynamodb.eu-west-1.amazonaws.com"},
			store.Target{Region: "eu-west-1", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"},
			"eu-west-1",
		},
		{
			"embedded reads no configuration",
			map[string]string{"AWS_PROFILE": "nowhere", "AWS_REGION": "eu-west-1"},
			store.Options{Embedded: http.DefaultClient, Regions: []string{"eu-west-1"}, EndpointURL: "::"},
			store.Target{Region: "local", Embedded: true},
			"the embedded database",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure(t, profiles)
			for name, v := range test.env {
				t.Setenv(name, v)
			}
			c, err := store.Connect(t.Context(), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Describe(); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got := c.Describe().String(); got != test.shown {
				t.Errorf("String() = %q, want %q", got, test.shown)
			}
		})
	}
}

func TestConnectRejectsInvalidTargets(t *testing.T) {
	const profiles = "[profile prod]\nregion = eu-west-1\naws_access_key_id = a\naws_secret_access_key = b\n[profile " +
		"mfa]\nregion = eu-west-1\nrole_arn = arn:aws:iam::1:role/r\n" +
		"source_profile = prod\nmfa_serial = arn:aws:iam::1:mfa/m\n"
	for _, test := range []struct {
		name    string
		options store.Options
		class   store.Class
		text    string
	}{
		{
			"region outside the guardrail",
			store.Options{Region: "us-east-1", Regions: []string{"eu-west-1", "eu-central-1"}},
			store.Region, "region us-east-1 is not allowed for this schema; use --region eu-west-1 or eu-central-1",
		},
		{
			"endpoint of another region",
			store.Options{
				Region: "eu-west-1", Regions: []string{"eu-west-1"}, EndpointURL: "https://dynamodb.us-east-1.amazonaws.com",
			},
			store.Region, "region us-east-1 is not allowed for this schema; use --region eu-west-1",
		},
		{
			"another machine is not exempt",
			store.Options{Region: "us-east-1", Regions: []string{"eu-west-1"}, EndpointURL: "http://127.0.0.1.example:8000"},
			store.Region, "region us-east-1 is not allowed for this schema; use --region eu-west-1",
		},
		{
			"no region",
			store.Options{},
			store.Config,
			"no AWS region is configured; pass --region, set AWS_REGION, or give the AWS profile a region",
		},
		{
			"line end of a file in the region",
			store.Options{Region: "eu-west-1\r"},
			store.Config,
			`"eu-west-1\r" is not an AWS region; check --region and AWS_REGION`,
		},
		{
			"unknown profile",
			store.Options{Profile: "porod"},
			store.Config,
			`AWS profile "porod" does not exist; check its name with aws configure list-profiles`,
		},
		{
			"no URL",
			store.Options{EndpointURL: "localhost:8000"},
			store.Config,
			"invalid endpoint URL in --endpoint-url or the context; use a URL such as http://127.0.0.1:8000, without a user name",
		},
		{
			"password in the URL",
			store.Options{EndpointURL: "http://user:hidden@localhost:8000"},
			store.Config,
			"invalid endpoint URL in --endpoint-url or the context; use a URL such as http://127.0.0.1:8000, without a user name",
		},
		{
			"no prompt for the MFA code",
			store.Options{Profile: "mfa"},
			store.Config,
			"the role of AWS profile mfa needs an MFA code; start the console, which prompts for it, or export session credentials",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure(t, profiles)
			_, err := store.Connect(t.Context(), test.options)
			if store.ClassOf(err) != test.class || err == nil || err.Error() != test.text {
				t.Errorf("got %q %v\nwant %q %s", store.ClassOf(err), err, test.class, test.text)
			}
			if errors.Is(err, store.ErrRegion) != (test.class == store.Region) {
				t.Error("ErrRegion does not match the class")
			}
		})
	}
}

// serverWith starts a server that answers every request with a Server header and a status.
func serverWith(t *testing.T, header, id string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the request to an unknown server has credentials")
		}
		w.Header().Set("Server", header)
		if id != "" {
			w.Header().Set("X-Amzn-Requestid", id)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestLoopbackIsLocalOnlyIfServerIdentifiesItself(t *testing.T) {
	configure(t, "")
	db, err := embedded.Open(embedded.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	serve := httptest.NewServer(db)
	defer serve.Close()
	for _, c := range []struct {
		name, url   string
		own         bool
		notDynamoDB bool // the server is not DynamoDB, so no request can succeed
	}{
		{"ddbdesk", serve.URL, true, false},
		{"DynamoDB Local", serverWith(t, "Jetty(9.4.53.v20231009)", "0fb66917", http.StatusBadRequest), true, false},
		{"dynoxide", serverWith(t, "Dynoxide/1.2.1", "01A2", http.StatusOK), true, false},
		{"tunnel to AWS", serverWith(t, "Server", "0FB66917", http.StatusOK), false, false},
		{"another program on Jetty", serverWith(t, "Jetty(12.0.1)", "", http.StatusNotFound), false, true},
		{"a proxy", serverWith(t, "nginx", "", http.StatusBadGateway), false, true},
	} {
		conn, err := store.Connect(t.Context(), store.Options{EndpointURL: c.url})
		if err != nil {
			t.Fatal(err)
		}
		if conn.Describe().IsLocal() {
			t.Errorf("IsLocal() is true for %s before its response", c.name)
		}
		if err := conn.FindServer(t.Context()); err != nil || conn.Describe().IsLocal() != c.own {
			t.Errorf("%s: got server %q, %v, want local: %v", c.name, conn.Describe().Server, err, c.own)
		}
		_, err = store.Connect(t.Context(), store.Options{EndpointURL: c.url, Regions: []string{"eu-west-1"}})
		if allowed := c.own || c.notDynamoDB; (err == nil) != allowed || err != nil && store.ClassOf(err) != store.Region {
			t.Errorf("%s outside the allowed regions: got %v", c.name, err)
		}
	}
}

func TestUnresponsiveServerIsUnknown(t *testing.T) {
	configure(t, "")
	conn, err := store.Connect(t.Context(), store.Options{EndpointURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.FindServer(t.Context()); store.ClassOf(err) != store.Unreachable || conn.Describe().IsLocal() {
		t.Errorf("got %v, want an unreachable server", err)
	}
	_, err = store.Connect(t.Context(), store.Options{EndpointURL: "http://127.0.0.1:1", Regions: []string{"eu-west-1"}})
	if store.ClassOf(err) != store.Unreachable {
		t.Errorf("outside the allowed regions: got %v, want an unreachable server", err)
	}
	if id, err := conn.Identity(t.Context()); err != nil || id.ARN != "" || id.Name == "" {
		t.Errorf("got identity %+v, %v", id, err)
	}
}

func TestCredentialSourceHasNoCredentials(t *testing.T) {
	configure(t, "[profile support]\nregion = eu-west-1\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI\n")
	conn, err := store.Connect(t.Context(), store.Options{Profile: "support"})
	if err != nil {
		t.Fatal(err)
	}
	source, err := conn.CredentialSource(t.Context())
	if err != nil || !strings.HasPrefix(source.Name, "SharedConfigCredentials: ") || !source.Expires.IsZero() {
		t.Errorf("got source %+v, %v", source, err)
	}
	configure(t, "")
	conn, err = store.Connect(t.Context(), store.Options{Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CredentialSource(t.Context()); store.ClassOf(err) != store.NoCredentials {
		t.Errorf("without credentials: got %v", err)
	}
}

func TestExpiredCredentialsNameSignInCommand(t *testing.T) {
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
			t.Fatalf("%s: got %v, want expired credentials", profile, err)
		}
		if d := cmp.Diff(want, e.SignIn); d != "" {
			t.Errorf("%s (-want +got):\n%s", profile, d)
		}
	}
}

func TestSecondConnectionOfProfileNeedsNoCode(t *testing.T) {
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
	codes := 0
	o := store.Options{Profile: "mfa", EndpointURL: server.URL, MFAToken: func() (string, error) { codes++; return "123456", nil }}
	for range 2 {
		c, err := store.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Reader().Tables(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.CredentialsFrom = c
	}
	if codes != 1 {
		t.Errorf("asked %d times for a code, want once", codes)
	}
	other, err := store.Connect(t.Context(), store.Options{Profile: "source", EndpointURL: server.URL, CredentialsFrom: o.CredentialsFrom})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reader().Tables(t.Context()); err != nil || codes != 1 {
		t.Errorf("another profile's connection: got %v after %d codes", err, codes)
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
			"missing code", func() (string, error) { return "", store.ErrNoMFACode }, store.NoCredentials,
			"not connected: no MFA code given; try again and enter the code of the device",
		},
		{
			"rejected code", func() (string, error) { return "000000", nil }, store.AccessDenied,
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
