package store

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/smithy-go"
)

// A credentialsError is an error in getting credentials, as opposed to an error of the
// request that needs them.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// A marked provider returns its errors as credentialsErrors.
type marked struct {
	next  aws.CredentialsProvider
	asked *mfaCodes // receives the result; nil without MFA
}

func (m marked) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := m.next.Retrieve(ctx)
	m.asked.tried(err)
	if err != nil {
		return found, &credentialsError{err}
	}
	return found, nil
}

// orAny is a provider for servers on this machine, which require a signature but
// accept any.
type orAny struct{ next aws.CredentialsProvider }

func (o orAny) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := o.next.Retrieve(ctx)
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	return anyCredentials.Retrieve(ctx)
}

// anyCredentials sign requests to servers that accept any signature.
var anyCredentials = credentials.NewStaticCredentialsProvider("local", "local", "")

func classifyCredentials(err error) Class {
	var api smithy.APIError
	text := err.Error()
	switch {
	case errors.Is(err, ErrNoMFACode):
		return NoCredentials
	case hasType[*ssocreds.InvalidTokenError](err), strings.Contains(text, "SSO token"), strings.Contains(text, "expired"):
		return ExpiredCredentials
	case hasType[config.AssumeRoleTokenProviderNotSetError](err):
		return Config
	case errors.As(err, &api):
		switch api.ErrorCode() {
		case "UnauthorizedException", "InvalidGrantException":
			// The SSO and sign-in services return these codes for a session that ended.
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
		// The service that issues credentials cannot be reached. The metadata service of
		// EC2 is left out, because it never can outside EC2: there are no credentials.
		return Unreachable
	}
	return NoCredentials
}

// quietHelper runs the credential_process without the terminal: the SDK would let it read the keys that a user types
// for the console, and write over the screens.
func quietHelper(cfg *aws.Config) {
	if cfg.Credentials == nil || !aws.IsCredentialsProvider(cfg.Credentials, (*processcreds.Provider)(nil)) {
		return
	}
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		if !ok || shared.CredentialProcess == "" {
			continue
		}
		usual := processcreds.DefaultNewCommandBuilder{Args: []string{shared.CredentialProcess}}
		build := func(ctx context.Context) (*exec.Cmd, error) {
			cmd, err := usual.NewCommand(ctx)
			if err == nil {
				cmd.Stdin, cmd.Stderr = nil, nil // the null device
			}
			return cmd, err
		}
		cfg.Credentials = aws.NewCredentialsCache(processcreds.NewProviderCommand(processcreds.NewCommandBuilderFunc(build)))
		return
	}
}

// A CredentialSource says where credentials come from, without them.
type CredentialSource struct {
	Name    string    // as the SDK calls it, such as SharedConfigCredentials: /home/ann/.aws/credentials
	Expires time.Time // zero if they do not expire
}

// CredentialSource gets the credentials, which may ask the service that issues them. The error is an *Error. The embedded
// store needs none. It may ask for an MFA code through Options.MFAToken.
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
