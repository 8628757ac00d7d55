package store_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// awsConfig contains profiles as aws configure, aws configure sso, aws login and users write them.
const awsConfig = `
[default]
region = eu-west-1
[profile keys]
region = eu-west-1
aws_access_key_id = a
aws_secret_access_key = b
s3 =
  role_arn = not of the profile
[sso-session corp]
sso_region = eu-west-1
sso_start_url = https://corp.awsapps.com/start
[profile base]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = dev
region = eu-west-1
[profile legacy]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-west-1
sso_account_id = 123456789012
sso_role_name = dev
region = eu-west-1
[profile support]
role_arn = arn:aws:iam::123456789012:role/team/support
source_profile = base
region = eu-west-1
[profile oldsupport]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = legacy
region = eu-west-1
[profile me]
login_session = arn:aws:iam::123456789012:user/ann
region = eu-west-1
[profile "my role"]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = me
[profile helper]
credential_process = exit 1
region = eu-west-1
[profile overhelper]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = helper
region = eu-west-1
[profile nowhere]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = gone
[profile a]
role_arn = arn:aws:iam::123456789012:role/a
source_profile = b
[profile b]
role_arn = arn:aws:iam::123456789012:role/b
source_profile = a
[profile empty]
region = eu-west-1
[profile overempty]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = empty
[profile itself]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = itself
region = eu-west-1
[profile half]
aws_access_key_id = a
[profile overhalf]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = half
[profile misspelled]
role_arn = arn:aws:iam::123456789012:role/support
credential_source = Environ
[profile two]
role_arn = arn:aws:iam::123456789012:role/support
credential_source = Environment
source_profile = base
[profile roleonly]
role_arn = arn:aws:iam::123456789012:role/support
region = eu-west-1
[profile web]
role_arn = arn:aws:iam::123456789012:role/support
web_identity_token_file = /nowhere/token
region = eu-west-1
[profile overweb]
role_arn = arn:aws:iam::123456789012:role/support
source_profile = web
region = eu-west-1
[profile nosession]
sso_session = gone
sso_account_id = 123456789012
sso_role_name = dev
region = eu-west-1
`

func TestSignInCommandDependsOnProfile(t *testing.T) {
	for _, test := range []struct{ profile, text, signIn, chain string }{
		{
			"base", "not signed in to AWS (AWS profile base); run aws sso login --profile base", "aws sso login --profile base",
			"AWS profile base signs in with aws sso login --profile base",
		},
		{
			"support", "not signed in to AWS (AWS profile base); run aws sso login --profile base", "aws sso login --profile base",
			"AWS profile support assumes the role support with the credentials of base; AWS profile base signs in with aws sso login --profile base",
		},
		{
			"oldsupport", "not signed in to AWS (AWS profile legacy); run aws sso login --profile legacy", "aws sso login --profile legacy",
			"AWS profile oldsupport assumes the role support with the credentials of legacy; AWS profile legacy signs in with aws sso login --profile legacy",
		},
		{
			"me", "not signed in to AWS (AWS profile me); run aws login --profile me", "aws login --profile me",
			"AWS profile me signs in with aws login --profile me",
		},
		{
			"overhelper", "the credential helper of AWS profile helper failed (exit status 1); run its credential_process by hand to see why", "",
			"AWS profile overhelper assumes the role support with the credentials of helper; AWS profile helper runs its credential_process",
		},
		{
			"empty", "AWS profile empty has no credentials; sign in with it, or add credentials with aws configure --profile empty", "",
			"AWS profile empty has no credentials",
		},
		{"my role", "AWS profile 'my role': its role needs the credentials of me, which signs in with aws login, and that works only for me itself; " +
			"use a source_profile with credential_process = aws configure export-credentials --profile me --format process", "", ""},
		{"nowhere", "AWS profile nowhere: its source_profile gone does not exist; name a profile of ~/.aws/config; see aws configure list-profiles", "", ""},
		{"a", "AWS profiles a, b name each other as source_profile; add credentials or a sign-in to one of them", "", ""},
		{
			"itself", "AWS profile itself: it names itself as source_profile and has no credentials; add credentials with aws configure --profile itself", "",
			"",
		},
		{"overempty", "AWS profile overempty: its source_profile empty has no credentials; add credentials with aws configure --profile empty", "", ""},
		{"half", "AWS profile half has one half of an access key; set aws_access_key_id and aws_secret_access_key with aws configure --profile half", "", ""},
		{
			"overhalf", "AWS profile overhalf: its source_profile half has one half of an access key; " +
				"set aws_access_key_id and aws_secret_access_key with aws configure --profile half", "", "",
		},
		{
			"misspelled", "AWS profile misspelled has the unknown credential_source Environ; " +
				"write Ec2InstanceMetadata, EcsContainer, Environment there, or use source_profile", "", "",
		},
		{"two", "AWS profile two has a source_profile and a credential_source for its role; remove one of them from ~/.aws/config", "", ""},
		{
			"roleonly", "AWS profile roleonly has a role_arn and no source of credentials; " +
				"add source_profile = NAME to it in ~/.aws/config", "", "AWS profile roleonly has no credentials",
		},
		{
			"web", "AWS profile web gets its role with the token in /nowhere/token, which cannot be read; " +
				"the platform that runs ddbdesk writes that file; use another AWS profile elsewhere", "",
			"AWS profile web assumes the role support with a web identity",
		},
		{
			"overweb", "AWS profile overweb: its source_profile web gets its role with the token in /nowhere/token, which cannot be read; " +
				"the platform that runs ddbdesk writes that file; use another AWS profile elsewhere", "",
			"AWS profile overweb assumes the role support with the credentials of web; AWS profile web assumes the role support with a web identity",
		},
		{"nosession", "AWS profile nosession: its sso_session gone does not exist; run aws configure sso-session", "", ""},
		{"missing", `AWS profile "missing" does not exist; check its name with aws configure list-profiles`, "", ""},
	} {
		t.Run(test.profile, func(t *testing.T) {
			configure(t, awsConfig)
			c, err := store.Connect(t.Context(), store.Options{Profile: test.profile})
			if err == nil {
				var links []string
				for _, link := range c.Chain() {
					links = append(links, link.String())
				}
				if got := strings.Join(links, "; "); got != test.chain {
					t.Errorf("got chain %s\nwant %s", got, test.chain)
				}
				_, err = c.Reader().Tables(t.Context())
			} else if test.chain != "" {
				t.Error("Connect failed")
			}
			if err == nil || err.Error() != test.text || slices.Contains(strings.Fields(err.Error()), "<nil>") {
				t.Errorf("got %v\nwant %s", err, test.text)
			}
			if e, ok := errors.AsType[*store.Error](err); !ok || strings.Join(e.SignIn, " ") != test.signIn {
				t.Errorf("got sign-in command %v, want %s", e.SignIn, test.signIn)
			}
		})
	}
}

func TestEnvironmentKeysNeedNoProfile(t *testing.T) {
	configure(t, awsConfig)
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	c, err := store.Connect(t.Context(), store.Options{})
	if err != nil || len(c.Chain()) != 1 || c.Chain()[0].Profile != "" {
		t.Fatal(c.Chain(), err)
	}
}

// The error names the unusable variable and blames no profile.
func TestBrokenVariablesAreNamed(t *testing.T) {
	for name, test := range map[string]struct{ value, want string }{
		"AWS_ACCESS_KEY_ID": {"a", "the environment has one half of an access key; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or unset both"},
		"AWS_WEB_IDENTITY_TOKEN_FILE": {"/nowhere/token", "AWS_WEB_IDENTITY_TOKEN_FILE names /nowhere/token, which cannot be read; " +
			"the platform that runs ddbdesk writes that file; use another AWS profile elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			configure(t, "")
			t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			t.Setenv("AWS_REGION", "eu-west-1")
			t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/support")
			t.Setenv(name, test.value)
			c, err := store.Connect(t.Context(), store.Options{})
			if err == nil {
				_, err = c.Reader().Tables(t.Context())
			}
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

// writeLogin writes the file of aws login for the profile me.
func writeLogin(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("AWS_LOGIN_CACHE_DIRECTORY", dir)
	name := fmt.Sprintf("%x.json", sha256.Sum256([]byte("arn:aws:iam::123456789012:user/ann")))
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const loginToken = `{"accessToken":{"accessKeyId":"login","secretAccessKey":"s","sessionToken":"t","accountId":"123456789012","expiresAt":"%s"},` +
	`"clientId":"c","refreshToken":"r","dpopKey":%q}`

// For the first three texts, the SDK alone would crash the program.
func TestDamagedLoginIsError(t *testing.T) {
	const past = "2020-01-01T00:00:00Z"
	for name, text := range map[string]string{
		"null": "null", "no PEM": fmt.Sprintf(loginToken, past, "damaged"), "empty key": fmt.Sprintf(loginToken, past, ""),
		"another PEM": fmt.Sprintf(loginToken, past, "-----BEGIN X-----\nAAAA\n-----END X-----\n"), "cut": `{"accessToken":`,
	} {
		configure(t, awsConfig)
		writeLogin(t, text)
		c, err := store.Connect(t.Context(), store.Options{Profile: "me"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Reader().Tables(t.Context())
		const want = "the file of aws login in ~/.aws/login/cache is damaged (AWS profile me); run aws login --profile me"
		if store.ClassOf(err) != store.ExpiredCredentials || err.Error() != want {
			t.Errorf("%s: got %v, want expired credentials", name, err)
		}
	}
}

// The error for a truncated file differs from that for an expired session.
func TestDamagedSSOTokenIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"accessToken":`: "the token file of aws sso login in ~/.aws/sso/cache is damaged (AWS profile base); run aws sso login --profile base",
		`{}`:              "the token file of aws sso login in ~/.aws/sso/cache is damaged (AWS profile base); run aws sso login --profile base",
		`{"accessToken":"a","expiresAt":"2020-01-01T00:00:00Z"}`: "AWS sign-in expired (AWS profile base); run aws sso login --profile base",
	} {
		configure(t, awsConfig)
		c, err := store.Connect(t.Context(), store.Options{Profile: "base"})
		if err != nil {
			t.Fatal(err)
		}
		file, err := ssocreds.StandardCachedTokenFilepath("corp")
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o700)
		}
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Reader().Tables(t.Context()); store.ClassOf(err) != store.ExpiredCredentials || err.Error() != want {
			t.Errorf("%s: got %v, want expired credentials", text, err)
		}
	}
}

func TestLoginCredentialsSignRequests(t *testing.T) {
	configure(t, awsConfig)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writeLogin(t, fmt.Sprintf(loginToken, "2100-01-01T00:00:00Z", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=login/") {
			t.Errorf("the request is signed as %q", r.Header.Get("Authorization"))
		}
		fmt.Fprint(w, `{"TableNames":[]}`)
	}))
	defer server.Close()
	c, err := store.Connect(t.Context(), store.Options{Profile: "me", EndpointURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reader().Tables(t.Context()); err != nil {
		t.Error(err)
	}
}

// If a chain of profiles is broken or circular, doctor still shows its links.
func TestBrokenChainsAreShown(t *testing.T) {
	configure(t, awsConfig+"[profile my sso]\nsso_session = corp\n")
	for profile, want := range map[string]string{
		"nowhere": "AWS profile nowhere assumes the role support with the credentials of gone",
		"a":       "AWS profile a assumes the role a with the credentials of b; AWS profile b assumes the role b with the credentials of a",
		"itself":  "AWS profile itself assumes the role support with the credentials of itself",
		"my sso":  "AWS profile 'my sso' signs in with aws sso login --profile 'my sso'",
	} {
		var links []string
		for _, link := range store.ChainOf(profile) {
			links = append(links, link.String())
		}
		if got := strings.Join(links, "; "); got != want {
			t.Errorf("got chain %s\nwant %s", got, want)
		}
	}
}
