package store

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/smithy-go"
)

// A credentialsError is a failure to get credentials, as opposed to one of the
// request that needed them.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// marked is a provider whose errors are credentialsErrors.
type marked struct {
	next  aws.CredentialsProvider
	asked *mfaCodes // learns how it went, nil for nobody
}

func (m marked) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := m.next.Retrieve(ctx)
	m.asked.tried(err)
	if err != nil {
		return found, &credentialsError{err}
	}
	return found, nil
}

// orAny is a provider for servers on this machine, which ask for a signature and
// accept every one.
type orAny struct{ next aws.CredentialsProvider }

func (o orAny) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := o.next.Retrieve(ctx)
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	return anyCredentials.Retrieve(ctx)
}

var anyCredentials = credentials.NewStaticCredentialsProvider("local", "local", "")

// classifyCredentials tells expired credentials from missing ones, and from a
// configuration that cannot be used.
func classifyCredentials(err error) Class {
	var token *ssocreds.InvalidTokenError
	var api smithy.APIError
	var mfa config.AssumeRoleTokenProviderNotSetError
	var undecodable *smithy.DeserializationError
	text := err.Error()
	switch {
	case errors.Is(err, ErrNoMFACode):
		return NoCredentials
	case errors.As(err, &token), strings.Contains(text, "SSO token"), strings.Contains(text, "expired"):
		return ExpiredCredentials
	case errors.As(err, &mfa):
		return Config
	case errors.As(err, &api):
		switch api.ErrorCode() {
		case "UnauthorizedException", "InvalidGrantException":
			// The SSO and sign-in services' words for a session that ended.
			return ExpiredCredentials
		case "ForbiddenException":
			return AccessDenied
		}
		if class := classifyAPI(api, err); class == AccessDenied || class == ExpiredCredentials || class == Throttled {
			return class
		}
	case errors.As(err, &undecodable):
		return Captive
	case !strings.Contains(text, "IMDS") && !strings.Contains(text, "ec2imds") && isNetwork(err):
		// The service that gives credentials is away. On a machine that is no EC2
		// instance the instance's own service always is: that means none were found.
		return Unreachable
	}
	return NoCredentials
}
