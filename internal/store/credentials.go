package store

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
)

// A credentialsError is an error in getting credentials, as opposed to an error of the request that needs them.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// A classifyingProvider wraps the errors of a provider in credentialsError.
type classifyingProvider struct {
	next  aws.CredentialsProvider
	codes *mfaCodes // records whether STS received the code; nil without MFA
}

func (p classifyingProvider) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := p.next.Retrieve(ctx)
	p.codes.recordAttempt(err)
	if err != nil {
		return found, &credentialsError{err}
	}
	return found, nil
}

// fallbackProvider is a provider for servers on this machine, which require a signature but accept any signature.
type fallbackProvider struct{ next aws.CredentialsProvider }

func (p fallbackProvider) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := p.next.Retrieve(ctx)
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	return anyCredentials.Retrieve(ctx)
}

// anyCredentials signs requests to servers that accept any signature.
var anyCredentials = credentials.NewStaticCredentialsProvider("local", "local", "")

func classifyCredentials(err error) Class {
	var api smithy.APIError
	text := err.Error()
	switch {
	case errors.Is(err, ErrNoMFACode):
		return NoCredentials
	case hasType[*ssocreds.InvalidTokenError](err), hasType[*damagedLogin](err), strings.Contains(text, "SSO token"),
		strings.Contains(text, "expired"), strings.Contains(text, "reauthenticate"):
		return ExpiredCredentials
	case hasType[config.AssumeRoleTokenProviderNotSetError](err):
		return Config
	case errors.As(err, &api):
		switch api.ErrorCode() {
		case "UnauthorizedException", "InvalidGrantException":
			// The SSO and sign-in services return these codes for an expired session.
			return ExpiredCredentials
		case "ForbiddenException":
			return AccessDenied
		}
		if class := classifyAPI(api, err); class == AccessDenied || class == ExpiredCredentials || class == Throttled {
			return class
		}
	case hasType[*smithy.DeserializationError](err):
		return Captive
	case !strings.Contains(text, "IMDS") && !strings.Contains(text, "ec2imds") && isNetwork(err):
		// The service that issues credentials is unreachable. This does not apply to the EC2 metadata service, which
		// never responds outside of EC2, because there are no credentials.
		return Unreachable
	}
	return NoCredentials
}

// isolateHelper runs a credential_process without the terminal. The SDK would let it read the user's keys and write
// over the screens. The SDK has no option for that, so isolateHelper also assumes the roles of the chain.
func isolateHelper(cfg *aws.Config, askCode func() (string, error)) {
	var chain []*config.SharedConfig
	for _, source := range cfg.ConfigSources {
		if shared, ok := source.(config.SharedConfig); ok {
			for p := &shared; p != nil; p = p.Source {
				chain = append(chain, p)
			}
			break
		}
	}
	inUse := func(p aws.CredentialsProvider) bool { return aws.IsCredentialsProvider(cfg.Credentials, p) }
	if len(chain) == 0 || !inUse((*processcreds.Provider)(nil)) && !inUse((*stscreds.AssumeRoleProvider)(nil)) {
		return
	}
	slices.Reverse(chain)
	first := chain[0]
	preferred := cmp.Or(first.CredentialSource, first.WebIdentityTokenFile, first.SSOSessionName, first.SSOStartURL, first.LoginSession)
	if first.CredentialProcess == "" || first.Credentials.HasKeys() || preferred != "" {
		return
	}
	defaultBuilder := processcreds.DefaultNewCommandBuilder{Args: []string{first.CredentialProcess}}
	build := func(ctx context.Context) (*exec.Cmd, error) {
		cmd, err := defaultBuilder.NewCommand(ctx)
		if err == nil {
			cmd.Stdin, cmd.Stderr = nil, nil // the null device
		}
		return cmd, err
	}
	cfg.Credentials = aws.NewCredentialsCache(processcreds.NewProviderCommand(processcreds.NewCommandBuilderFunc(build)))
	for _, p := range chain {
		if p.RoleARN != "" {
			cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(*cfg), p.RoleARN,
				roleOptions(p, askCode)))
		}
	}
}

func roleOptions(p *config.SharedConfig, askCode func() (string, error)) func(*stscreds.AssumeRoleOptions) {
	return func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName, o.TokenProvider = p.RoleSessionName, askCode
		if p.ExternalID != "" {
			o.ExternalID = &p.ExternalID
		}
		if p.MFASerial != "" {
			o.SerialNumber = &p.MFASerial
		}
		if p.RoleDurationSeconds != nil {
			o.Duration = *p.RoleDurationSeconds
		}
	}
}

// A CredentialSource describes the origin of credentials, without the credentials themselves.
type CredentialSource struct {
	Name    string    // SDK name, such as SharedConfigCredentials: /home/ann/.aws/credentials
	Expires time.Time // zero if they do not expire
}

// CredentialSource gets the credentials, which may call the service that issues them, and may ask for an MFA code
// through Options.MFAToken. The error is an *Error. The embedded store does not need credentials.
func (c *Connection) CredentialSource(ctx context.Context) (CredentialSource, error) {
	if c.target.Embedded {
		return CredentialSource{}, nil
	}
	got, err := c.aws.Credentials.Retrieve(ctx)
	if err != nil {
		return CredentialSource{}, c.failure(ctx, subject{operation: "get credentials"}, err)
	}
	source := CredentialSource{Name: got.Source}
	if got.CanExpire {
		source.Expires = got.Expires
	}
	return source, nil
}

// A login renews credentials that DynamoDB reports as expired although the cache considers them valid: they were
// revoked, or this machine's clock is wrong. It is safe for concurrent use.
type login struct {
	provider aws.CredentialsProvider
	caches   []*aws.CredentialsCache // caches of the credentials

	mu    sync.Mutex
	count int // number of renewals
}

func newLogin(provider aws.CredentialsProvider, parts []aws.CredentialsProvider) *login {
	l := &login{provider: provider}
	for _, p := range parts {
		if cache, ok := p.(*aws.CredentialsCache); ok {
			l.caches = append(l.caches, cache)
		}
	}
	if len(l.caches) == 0 {
		return nil
	}
	return l
}

func (l *login) renewals() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// renew reports whether a request signed after version renewals can be sent again. Requests share a renewal.
func (l *login) renew(ctx context.Context, version int) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count > version {
		return true
	}
	old, err := l.provider.Retrieve(ctx)
	if err != nil {
		return false
	}
	for _, c := range l.caches {
		c.Invalidate()
	}
	found, err := l.provider.Retrieve(ctx)
	if err != nil || found.AccessKeyID == old.AccessKeyID && found.SessionToken == old.SessionToken {
		return false
	}
	l.count++
	return true
}

// codeLifetime is how long STS accepts a code. A device shows a code for 30 seconds, and STS accepts it for another 30
// seconds.
const codeLifetime = 60 * time.Second

// mfaCodes asks for MFA codes. It reuses a valid code that did not reach STS.
type mfaCodes struct {
	ask func() (string, error)

	mu        sync.Mutex
	code      string
	enteredAt time.Time
	unused    bool // the last attempt did not reach STS
}

func newMFACodes(ask func() (string, error)) *mfaCodes {
	if ask == nil {
		return nil
	}
	return &mfaCodes{ask: ask}
}

func (c *mfaCodes) next() (string, error) {
	c.mu.Lock()
	code, valid := c.code, c.unused && time.Since(c.enteredAt) < codeLifetime
	c.mu.Unlock()
	if valid {
		return code, nil
	}
	code, err := c.ask() // without the lock, so that a canceled request does not wait for it
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code, c.enteredAt, c.unused = code, time.Now(), false
	return code, err
}

func (c *mfaCodes) recordAttempt(err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unused = err != nil && c.code != "" && classifyCredentials(err) == Unreachable
}
