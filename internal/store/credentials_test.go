package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

func TestUnusableCredentialsAreReported(t *testing.T) {
	const sso = "[profile prod]\nregion = eu-west-1\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = r\n" +
		"[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.awsapps.com/start\n" +
		"[profile helper]\nregion = eu-west-1\ncredential_process = exit-with-an-error\n" +
		"[profile task]\nregion = eu-west-1\nrole_arn = arn:aws:iam::123456789012:role/r\ncredential_source = Environment\n"
	for _, test := range []struct {
		name    string
		options store.Options
		class   store.Class
		text    string
	}{
		{
			"SSO session ended",
			store.Options{Profile: "prod"},
			store.ExpiredCredentials,
			"not signed in to AWS (AWS profile prod); run aws sso login --profile prod",
		},
		{
			"none",
			store.Options{Region: "eu-west-1"},
			store.NoCredentials,
			"no AWS credentials found; set AWS_PROFILE or pass --profile; --embedded needs none",
		},
		{
			"helper fails",
			store.Options{Profile: "helper"},
			store.NoCredentials,
			"the credential helper of AWS profile helper failed (exit status 127); run its credential_process by hand to see why",
		},
		{
			"environment without credentials",
			store.Options{Profile: "task"},
			store.NoCredentials,
			"AWS profile task gets its credentials from the environment, which has none; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure(t, sso)
			c, err := store.Connect(t.Context(), test.options)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Reader().Fetch(t.Context(), leg(), nil, 0)
			if store.ClassOf(err) != test.class || err.Error() != test.text {
				t.Errorf("got %q %v\nwant %q %s", store.ClassOf(err), err, test.class, test.text)
			}
			_, err = c.Identity(t.Context())
			if store.ClassOf(err) != test.class || err.Error() != test.text {
				t.Errorf("Identity: got %q %v", store.ClassOf(err), err)
			}
		})
	}
}

func TestCredentialHelperDoesNotWriteToTerminal(t *testing.T) {
	checkQuietHelper(t, "helper", "fromhelper")
	checkQuietHelper(t, "role", "assumed")
}

func checkQuietHelper(t *testing.T, profile, signs string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("requires a POSIX shell for the helper")
	}
	configure(t, "[profile helper]\nregion = eu-west-1\ncredential_process = echo said >&2; cat; "+
		`echo '{"Version":1,"AccessKeyId":"fromhelper","SecretAccessKey":"b"}'`+"\n"+
		"[profile role]\nregion = eu-west-1\nrole_arn = arn:aws:iam::123456789012:role/support\nsource_profile = helper\nexternal_id = desk\n")
	answerSTS(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Form.Get("ExternalId") != "desk" {
			t.Errorf("got request %v, %v", r.Form, err)
		}
		fmt.Fprint(w, assumedRole)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential="+signs+"/") {
			t.Errorf("the request is signed as %q", r.Header.Get("Authorization"))
		}
		fmt.Fprint(w, `{"TableNames":[]}`)
	}))
	defer server.Close()
	// A helper that inherits this standard input would wait forever.
	stdin, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	shown, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, errs := os.Stdin, os.Stderr
	os.Stdin, os.Stderr = stdin, stderr
	t.Cleanup(func() { os.Stdin, os.Stderr = in, errs })
	c, err := store.Connect(t.Context(), store.Options{Profile: profile, EndpointURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reader().Tables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stderr.Close(), typed.Close(), stdin.Close()); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(shown); len(text) > 0 || err != nil {
		t.Errorf("the helper wrote %q to the terminal, %v", text, err)
	}
}

// assumedRole is a response of STS.
const assumedRole = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>` +
	`<AccessKeyId>assumed</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>` +
	`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`

// answerSTS starts a server for STS requests.
func answerSTS(t *testing.T, f http.HandlerFunc) {
	t.Helper()
	sts := httptest.NewServer(f)
	t.Cleanup(sts.Close)
	t.Setenv("AWS_ENDPOINT_URL_STS", sts.URL)
}

const roleProfile = "[profile source]\nregion = eu-west-1\naws_access_key_id = a\naws_secret_access_key = b\n" +
	"[profile role]\nregion = eu-west-1\nrole_arn = arn:aws:iam::123456789012:role/support\nsource_profile = source\n" +
	"[profile mfa]\nregion = eu-west-1\nrole_arn = arn:aws:iam::123456789012:role/support\nsource_profile = source\n" +
	"mfa_serial = arn:aws:iam::123456789012:mfa/m\n"

func TestAssumedRoleAsksForCode(t *testing.T) {
	configure(t, roleProfile)
	answerSTS(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Form.Get("TokenCode") != "123456" {
			t.Errorf("got request %v, %v", r.Form, err)
		}
		fmt.Fprint(w, assumedRole)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=assumed/") {
			t.Errorf("the request is signed as %q", r.Header.Get("Authorization"))
		}
		fmt.Fprint(w, `{"TableNames":[]}`)
	}))
	defer server.Close()
	codes := 0
	c, err := store.Connect(t.Context(), store.Options{
		Profile: "mfa", EndpointURL: server.URL, MFAToken: func() (string, error) { codes++; return "123456", nil },
	})
	if err != nil || codes != 0 {
		t.Fatal(codes, err)
	}
	for range 2 {
		if _, err := c.Reader().Tables(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if codes != 1 {
		t.Errorf("asked %d times for a code, want once", codes)
	}
}

func TestCancelDuringCodePrompt(t *testing.T) {
	configure(t, roleProfile)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	c, err := store.Connect(ctx, store.Options{Profile: "mfa", MFAToken: func() (string, error) {
		cancel()
		<-done
		return "", errors.New("closed")
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Reader().Tables(ctx)
	close(done)
	if store.ClassOf(err) != store.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestCredentialsServiceRefusalIsReported(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		class  store.Class
		text   string
	}{
		{
			"denied", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `<ErrorResponse><Error><Code>AccessDenied</Code><Message>User: arn:aws:iam::123456789012:user/bob `+
					`is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::123456789012:role/support</Message></Error></ErrorResponse>`)
			}, store.AccessDenied,
			"access denied: sts:AssumeRole; check role_arn of the AWS profile and the role's trust policy",
		},
		{
			"login page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><p>log in") }, store.Captive,
			"the response to the credentials request is not from AWS; log in to the network or check the proxy",
		},
		{
			"expired", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `<ErrorResponse><Error><Code>ExpiredToken</Code><Message>expired</Message></Error></ErrorResponse>`)
			}, store.ExpiredCredentials,
			"credentials expired; renew the credentials of AWS profile source",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure(t, roleProfile)
			answerSTS(t, test.answer)
			c, err := store.Connect(t.Context(), store.Options{Profile: "role"})
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

func TestIdentityReturnsCaller(t *testing.T) {
	configure(t, "")
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hidden")
	answerSTS(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Form.Get("Action") != "GetCallerIdentity" {
			t.Errorf("got request %v, %v", r.Form, err)
		}
		fmt.Fprint(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
			`<Arn>arn:aws:sts::123456789012:assumed-role/Support/bob@example.com</Arn><UserId>AROA:bob</UserId>`+
			`<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	})
	c, err := store.Connect(t.Context(), store.Options{Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Identity(t.Context())
	want := store.Identity{
		Account: "123456789012", ARN: "arn:aws:sts::123456789012:assumed-role/Support/bob@example.com",
		Name: "bob@example.com",
	}
	if err != nil || got != want || got.Actor() != want.ARN {
		t.Errorf("got %+v, %v", got, err)
	}
	if target := c.Describe(); target.Account != want.Account || target.Place() != "eu-west-1, account 123456789012" {
		t.Errorf("got target %+v at %s", target, target.Place())
	}
}

func TestIdentityOnThisMachine(t *testing.T) {
	t.Setenv("USER", "alice")
	got, err := connect(t, http.DefaultClient).Identity(t.Context())
	if err != nil || got.ARN != "" || got.Actor() != "alice" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLocalServerNeedsNoCredentials(t *testing.T) {
	configure(t, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=local/") {
			t.Errorf("the request is signed as %q", r.Header.Get("Authorization"))
		}
		fmt.Fprint(w, `{"TableNames":["orders"]}`)
	}))
	defer server.Close()
	c, err := store.Connect(t.Context(), store.Options{EndpointURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if names, err := c.Reader().Tables(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("got %v, %v", names, err)
	}
}

// A credentials service that never answers does not delay a canceled request.
func TestCancelWhileCredentialsHang(t *testing.T) {
	configure(t, "")
	codes := make(chan struct{}, 8)
	line := faults.New(nil)
	line.Set(func(faults.Request) *faults.Fault {
		codes <- struct{}{}
		return faults.Named("hang")
	})
	service := httptest.NewServer(line)
	defer service.Close()
	defer service.CloseClientConnections()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", service.URL)
	for name, ask := range map[string]func(context.Context, *store.Connection) error{
		"read": func(ctx context.Context, c *store.Connection) error {
			_, err := c.Reader().Fetch(ctx, leg(), nil, 0)
			return err
		},
		"identity": func(ctx context.Context, c *store.Connection) error {
			_, err := c.Identity(ctx)
			return err
		},
	} {
		// Each case needs a new connection, because callers of one connection share a refresh in progress.
		c, err := store.Connect(t.Context(), store.Options{Region: "eu-west-1"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { failed <- ask(ctx, c) }()
		<-codes
		start := time.Now()
		cancel()
		if err := <-failed; store.ClassOf(err) != store.Canceled {
			t.Errorf("%s: got %v, want a canceled request", name, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: returned %s after the cancellation", name, took)
		}
	}
}

// The store retries a request for credentials once and reports it, but does not retry the read that needs them.
func TestCredentialsAreRequestedAgain(t *testing.T) {
	configure(t, "")
	line := faults.New(nil)
	line.Set(faults.Always(faults.Named("unavailable with a page")))
	service := httptest.NewServer(line)
	defer service.Close()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", service.URL)
	var reports []store.Retry
	c, err := store.Connect(t.Context(), store.Options{Region: "eu-west-1", OnRetry: func(r store.Retry) { reports = append(reports, r) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reader().Fetch(t.Context(), leg(), nil, 0); err == nil {
		t.Fatal("Fetch succeeded without credentials")
	}
	if n := len(line.Calls()); n != 2 || len(reports) != 1 || reports[0].Operation != "credentials" {
		t.Errorf("got %d requests and reports %+v", n, reports)
	}
}

// If STS is unreachable, the code is not used up. While it is valid, retries and later requests use it again.
func TestUnusedMFACodeIsReused(t *testing.T) {
	configure(t, roleProfile)
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
	synctest.Test(t, func(t *testing.T) {
		codes := 0
		c, err := store.Connect(t.Context(), store.Options{
			Profile: "mfa", EndpointURL: "http://127.0.0.1:1", MFAToken: func() (string, error) { codes++; return "123456", nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		fails := func() {
			if _, err := c.Reader().Tables(t.Context()); store.ClassOf(err) != store.Unreachable {
				t.Fatalf("got %v, want an unreachable server", err)
			}
		}
		from := time.Now()
		fails()
		if codes != 1 {
			t.Errorf("asked %d times for a code in one request, want once", codes)
		}
		for time.Since(from) < 40*time.Second {
			fails()
			time.Sleep(time.Second)
		}
		if codes != 1 {
			t.Errorf("asked %d times for a code within %s, want once", codes, time.Since(from))
		}
		time.Sleep(2 * time.Minute)
		fails()
		if codes != 2 {
			t.Errorf("asked %d times for a code, want twice", codes)
		}
	})
}

// connectWithExpiringKeys returns a connection to a DynamoDB endpoint that accepts only one access key, and to a
// service that issues credentials. The first key is issue1; later ones are issueN if renews is set.
func connectWithExpiringKeys(t *testing.T, accepts string, renews bool) (c *store.Connection, requests, issued *atomic.Int32) {
	t.Helper()
	configure(t, roleProfile)
	requests, issued = new(atomic.Int32), new(atomic.Int32)
	answerSTS(t, func(w http.ResponseWriter, _ *http.Request) {
		n := issued.Add(1)
		if !renews {
			n = 1
		}
		fmt.Fprintf(w, `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>`+
			`<AccessKeyId>issue%d</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`+
			`<Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`, n)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if !strings.Contains(r.Header.Get("Authorization"), "Credential="+accepts+"/") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}`)
			return
		}
		fmt.Fprint(w, `{"TableNames":[],"ConsumedCapacity":[]}`)
	}))
	t.Cleanup(server.Close)
	c, err := store.Connect(t.Context(), store.Options{Profile: "role", EndpointURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c, requests, issued
}

func TestExpiredCredentialsAreRenewedOnce(t *testing.T) {
	c, requests, issued := connectWithExpiringKeys(t, "issue2", true)
	if _, err := c.Reader().Tables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if requests.Load() != 2 || issued.Load() != 2 {
		t.Errorf("sent %d requests with %d credentials, want 2 with 2", requests.Load(), issued.Load())
	}
}

// A write that DynamoDB rejects for its credentials has no effect, so it is sent again after the renewal.
func TestCommitIsRepeatedAfterRenewal(t *testing.T) {
	c, requests, _ := connectWithExpiringKeys(t, "issue2", true)
	if _, err := c.Writer().Commit(t.Context(), approve()); err != nil && store.ClassOf(err) == store.ExpiredCredentials {
		t.Error(err)
	}
	if requests.Load() != 2 {
		t.Errorf("sent %d requests, want 2", requests.Load())
	}
}

// Without accepted credentials, the request is not sent again, and the error explains the fix in one line.
func TestExpiredCredentialsThatCannotBeRenewedAreReported(t *testing.T) {
	for name, renews := range map[string]bool{"the same credentials": false, "other credentials that are rejected": true} {
		t.Run(name, func(t *testing.T) {
			c, requests, _ := connectWithExpiringKeys(t, "none", renews)
			_, err := c.Writer().Commit(t.Context(), approve())
			wantFailure(t, err, store.ExpiredCredentials, store.NotWritten)
			want := int32(1)
			if renews {
				want = 2
			}
			if requests.Load() != want || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "credentials expired") {
				t.Errorf("sent %d requests, want %d: %v", requests.Load(), want, err)
			}
		})
	}
}
