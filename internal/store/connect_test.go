package store_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// configure writes an AWS configuration file and makes it the only one.
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

func TestTarget(t *testing.T) {
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
			"region wins over profile", nil,
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
			"flag wins over variable",
			map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost:1"},
			store.Options{Region: "eu-west-1", EndpointURL: "http://db.example:8000"},
			store.Target{Region: "eu-west-1", Endpoint: "http://db.example:8000", Custom: true},
			"http://db.example:8000",
		},
		{
			"endpoint of AWS", nil,
			store.Options{Region: "eu-west-1", EndpointURL: "https://dynamodb.eu-west-1.amazonaws.com"},
			store.Target{Region: "eu-west-1", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"},
			"eu-west-1",
		},
		{
			"embedded reads no configuration",
			map[string]string{"AWS_PROFILE": "nowhere", "AWS_REGION": "eu-west-1"},
			store.Options{Embedded: http.DefaultClient, Regions: []string{"eu-west-1"}, EndpointURL: "::"},
			store.Target{Region: "local", Embedded: true},
			"the embedded store",
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
				t.Errorf("shown as %q, want %q", got, test.shown)
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
			store.Region, "region us-east-1 is not allowed for this schema; connect to eu-west-1 or eu-central-1 with --region",
		},
		{
			"endpoint of another region",
			store.Options{
				Region: "eu-west-1", Regions: []string{"eu-west-1"}, EndpointURL: "https://dynamodb.us-east-1.amazonaws.com",
			},
			store.Region, "region us-east-1 is not allowed for this schema; connect to eu-west-1 with --region",
		},
		{
			"another machine is not exempt",
			store.Options{Region: "us-east-1", Regions: []string{"eu-west-1"}, EndpointURL: "http://127.0.0.1.example:8000"},
			store.Region, "region us-east-1 is not allowed for this schema; connect to eu-west-1 with --region",
		},
		{
			"no region",
			store.Options{},
			store.Config,
			"no AWS region is configured; pass --region, set AWS_REGION, or give the profile a region",
		},
		{
			"no such profile",
			store.Options{Profile: "porod"},
			store.Config,
			`AWS profile "porod" does not exist; check its name with aws configure list-profiles`,
		},
		{
			"no URL",
			store.Options{EndpointURL: "localhost:8000"},
			store.Config,
			"invalid endpoint URL; write it like http://127.0.0.1:8000, without a user name",
		},
		{
			"password in the URL",
			store.Options{EndpointURL: "http://user:hidden@localhost:8000"},
			store.Config,
			"invalid endpoint URL; write it like http://127.0.0.1:8000, without a user name",
		},
		{
			"nobody to ask for the MFA code",
			store.Options{Profile: "mfa"},
			store.Config,
			"the role of AWS profile mfa needs an MFA code; start the console, which asks for it, or export session credentials",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure(t, profiles)
			_, err := store.Connect(t.Context(), test.options)
			if store.ClassOf(err) != test.class || err == nil || err.Error() != test.text {
				t.Errorf("got %q %v\nwant %q %s", store.ClassOf(err), err, test.class, test.text)
			}
			if errors.Is(err, store.ErrRegion) != (test.class == store.Region) {
				t.Error("ErrRegion does not agree with the class")
			}
		})
	}
}
