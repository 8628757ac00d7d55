package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	embeddedEndpoint = "http://embedded.invalid"
	embeddedRegion   = "local"
	// loopbackRegion is signed with when nothing names a region: servers on this
	// machine do not care, but some refuse what is no AWS region.
	loopbackRegion = "us-east-1"
)

// A Target is where a connection leads, as shown on every screen.
type Target struct {
	Region   string
	Endpoint string // the URL; the folder of the embedded store, "" in memory
	Profile  string // of the AWS configuration; "" when none is used
	Embedded bool
	Loopback bool // the endpoint is on this machine
	// Custom is set when the endpoint is not the one that AWS gives the region.
	Custom bool
	// Account is the number of the AWS account, once Identity was asked; "" until
	// then, and on this machine.
	Account string
}

// String names the target in a few words.
func (t Target) String() string {
	switch {
	case t.Embedded:
		return "the embedded store"
	case t.Custom:
		return models.Printable(t.Endpoint)
	}
	return models.Printable(t.Region)
}

// Place tells the target from every other one that this machine can tell apart.
func (t Target) Place() string {
	if t.Embedded && t.Endpoint != "" {
		return t.String() + " in " + models.Printable(t.Endpoint)
	}
	place := t.String()
	if t.Custom && t.Region != "" {
		place += ", " + models.Printable(t.Region)
	}
	if t.Account != "" {
		place += ", account " + models.Printable(t.Account)
	}
	return place
}

// A Connection is a configured client. It is safe for concurrent use.
type Connection struct {
	client *dynamodb.Client
	aws    aws.Config // zero for the embedded store
	signIn signIn
	target Target
	notify func(Retry)

	account atomic.Value // of the identity, a string once it was asked
}

// Connect resolves region, endpoint and credentials provider without sending
// anything. Its errors have the class Config, or Region with ErrRegion.
func Connect(ctx context.Context, o Options) (*Connection, error) {
	if o.Embedded != nil {
		return connectEmbedded(o), nil
	}
	if o.EndpointURL != "" {
		if err := checkEndpoint(o.EndpointURL); err != nil {
			return nil, err
		}
	}
	asked := newMFACodes(o.MFAToken)
	if asked != nil {
		o.MFAToken = asked.next
	}
	cfg, err := load(ctx, o, isLoopback(o.EndpointURL))
	if err != nil {
		return nil, err
	}
	c := &Connection{signIn: signInOf(cfg, o.Profile), notify: o.OnRetry}
	c.target = Target{Region: cfg.Region, Endpoint: endpointOf(cfg, o.EndpointURL), Profile: c.signIn.profile}
	if c.target.Endpoint != "" {
		if err := checkEndpoint(c.target.Endpoint); err != nil {
			return nil, err
		}
		c.target.Custom = !isAWS(c.target.Endpoint)
		c.target.Loopback = isLoopback(c.target.Endpoint)
	}
	if c.target.Loopback && o.EndpointURL == "" {
		if cfg, err = load(ctx, o, true); err != nil {
			return nil, err
		}
	}
	if err := c.resolve(ctx, &cfg, o, asked); err != nil {
		return nil, err
	}
	if o.Like != nil && o.Like.aws.Credentials != nil && o.Like.signIn == c.signIn {
		cfg.Credentials = o.Like.aws.Credentials
	}
	c.aws = cfg
	c.client = dynamodb.NewFromConfig(cfg, func(do *dynamodb.Options) {
		do.HTTPClient = &dynamoOnly{next: cfg.HTTPClient}
		do.DisableValidateResponseChecksum = true // dynamoOnly does it
		if o.EndpointURL != "" {
			do.BaseEndpoint = aws.String(o.EndpointURL)
		}
	})
	return c, nil
}

// resolve settles region, endpoint and credentials, and applies the guardrail.
func (c *Connection) resolve(ctx context.Context, cfg *aws.Config, o Options, asked *mfaCodes) error {
	if cfg.Region == "" {
		if !c.target.Loopback {
			return &Error{
				Class: Config, What: "no AWS region is configured",
				Advice: "pass --region, set AWS_REGION, or give the profile a region",
			}
		}
		cfg.Region = loopbackRegion
		c.target.Region = loopbackRegion
	}
	if c.target.Endpoint == "" {
		endpoint, err := regionEndpoint(ctx, *cfg)
		if err != nil {
			return &Error{
				Class: Config, Err: err, What: fmt.Sprintf("region %q has no DynamoDB endpoint", cfg.Region),
				Advice: "check --region and AWS_REGION",
			}
		}
		c.target.Endpoint = endpoint
	}
	if err := c.guard(o.Regions); err != nil {
		return err
	}
	if cfg.Credentials == nil {
		cfg.Credentials = aws.AnonymousCredentials{}
	}
	cfg.Credentials = marked{cfg.Credentials, asked}
	if c.target.Loopback && o.Profile == "" {
		// The cache spares every request the search for credentials that are not there.
		cfg.Credentials = aws.NewCredentialsCache(orAny{cfg.Credentials})
	}
	return nil
}

// guard refuses regions that the schema does not allow.
func (c *Connection) guard(allowed []string) error {
	if len(allowed) == 0 || c.target.Loopback {
		return nil
	}
	regions := []string{c.target.Region}
	if named := regionIn(c.target.Endpoint); named != "" {
		regions = append(regions, named)
	}
	for _, region := range regions {
		if !slices.Contains(allowed, region) {
			return &Error{
				Class: Region, Err: ErrRegion,
				What:   fmt.Sprintf("region %s is not allowed for this schema", region),
				Advice: "connect to " + strings.Join(allowed, " or ") + " with --region",
			}
		}
	}
	return nil
}

func connectEmbedded(o Options) *Connection {
	client := dynamodb.New(dynamodb.Options{
		Region: embeddedRegion, BaseEndpoint: aws.String(embeddedEndpoint),
		Credentials: anyCredentials, HTTPClient: &dynamoOnly{next: o.Embedded}, Logger: lineLogger{o.Log},
		DisableValidateResponseChecksum: true,
	})
	return &Connection{client: client, notify: o.OnRetry, target: Target{Region: embeddedRegion, Endpoint: o.EmbeddedDir, Embedded: true}}
}

// load reads the AWS configuration. local leaves out the search for credentials
// of an EC2 instance, which takes a second where there is none.
func load(ctx context.Context, o Options, local bool) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithHTTPClient(newHTTPClient()),
		config.WithLogger(lineLogger{o.Log}),
		// The one source of credentials that would use a client of its own, which waits
		// for an answer for ever.
		config.WithEndpointCredentialOptions(func(endpoint *endpointcreds.Options) {
			endpoint.HTTPClient, endpoint.Retryer = newHTTPClient(), askAgain(o.OnRetry)
		}),
		config.WithRetryer(func() aws.Retryer { return askAgain(o.OnRetry) }), // The store's own calls bring theirs.
	}
	if o.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Region != "" {
		options = append(options, config.WithRegion(o.Region))
	}
	if o.MFAToken != nil {
		options = append(options, config.WithAssumeRoleCredentialOptions(func(role *stscreds.AssumeRoleOptions) {
			role.TokenProvider = o.MFAToken
		}))
	}
	if local {
		options = append(options, config.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, configError(ctx, o.Profile, err)
	}
	quietHelper(&cfg, o.Log)
	return cfg, nil
}

// configError says what is wrong with the AWS configuration.
func configError(ctx context.Context, profile string, err error) error {
	if ctx.Err() != nil {
		return &Error{Class: Canceled, What: "canceled", Err: err}
	}
	var missing config.SharedConfigProfileNotExistError
	var mfa config.AssumeRoleTokenProviderNotSetError
	switch {
	case errors.As(err, &missing):
		return &Error{
			Class: Config, Err: err, What: fmt.Sprintf("AWS profile %q does not exist", missing.Profile),
			Advice: "check its name with aws configure list-profiles",
		}
	case errors.As(err, &mfa):
		return &Error{
			Class: Config, Err: err, What: "the role of AWS profile " + orDefault(profile) + " needs an MFA code",
			Advice: "start the console, which asks for it, or export session credentials",
		}
	}
	return &Error{
		Class: Config, Err: err, What: "invalid AWS configuration: " + serverText(err, nil),
		Advice: "check ~/.aws/config and the AWS_ variables of the environment",
	}
}

func orDefault(profile string) string {
	if profile == "" {
		return "default"
	}
	return profile
}

// Describe says where the connection leads.
func (c *Connection) Describe() Target {
	t := c.target
	t.Account, _ = c.account.Load().(string)
	return t
}

// lineLogger hands the SDK's warnings on, one line each.
type lineLogger struct{ log func(string) }

// Logf implements the SDK's logging.Logger.
func (l lineLogger) Logf(_ logging.Classification, format string, v ...any) {
	if l.log != nil {
		l.log(models.Printable(fmt.Sprintf(format, v...)))
	}
}
