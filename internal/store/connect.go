package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go/logging"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	embeddedEndpoint = "http://embedded.invalid"
	embeddedRegion   = "local"
	// loopbackRegion is the region for servers on this machine when none is configured.
	// They ignore it, but some reject a name that is no AWS region.
	loopbackRegion = "us-east-1"
)

// A Target is the database of a connection, as every screen shows it. It is a copy: what a
// later call of Identity or FindServer finds is not in it.
type Target struct {
	Region   string
	Endpoint string // URL, or the folder of the embedded store; "" for a store in memory
	Profile  string // AWS profile, "" for none
	Embedded bool
	Loopback bool   // the endpoint is on this machine
	Custom   bool   // the endpoint is not one of AWS
	Account  string // ID of the AWS account; "" before Identity was called, and for local stores
	Server   string // name of the local server that identified itself at a loopback endpoint, "" for any other server
}

// Own reports whether the database is one of this machine: the embedded store, or a local server that identified itself.
// A loopback endpoint alone can also be a tunnel to AWS.
func (t Target) Own() bool { return t.Embedded || t.Server != "" }

// String returns a short name of the target. It is printable, and two targets may have the same
// one; see Place.
func (t Target) String() string {
	switch {
	case t.Embedded:
		return "the embedded store"
	case t.Custom:
		return models.Printable(t.Endpoint)
	}
	return models.Printable(t.Region)
}

// Place returns a name that distinguishes the target from all others that this machine
// can distinguish. Plan files and case files contain it and are compared with it, so its form must
// not change.
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

// A Connection is a configured client. It is safe for concurrent use. A Connection needs no
// closing: idle HTTP connections end by themselves.
type Connection struct {
	client *dynamodb.Client
	stream *dynamodbstreams.Client
	aws    aws.Config // zero for the embedded store
	signIn signIn
	target Target
	notify func(Retry)
	clock  func() time.Time // may be nil
	login  *login           // nil if the credentials cannot be renewed

	answered bool         // the server of a loopback endpoint responded to askServer
	unlike   bool         // its response was not one of DynamoDB
	account  atomic.Value // the ID as a string, after a call of Identity
	arn      atomic.Value // the ARN as a string, after a call of Identity
}

// Connect resolves the region, the endpoint and the source of credentials. It sends a
// request only to a loopback endpoint whose region is not allowed, to see whether it is
// exempt. Its errors have the class Config, the class Region and wrap ErrRegion, or that
// of a loopback endpoint that does not answer. ctx limits this call only and not the later
// requests. Credentials are not used yet, so that wrong ones are reported by the first request;
// see CredentialSource.
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
	c := &Connection{signIn: signInOf(cfg, o.Profile), notify: o.OnRetry, clock: o.Clock}
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
		cfg.Credentials, c.login = o.Like.aws.Credentials, o.Like.login
	}
	c.aws = cfg
	c.client = dynamodb.NewFromConfig(cfg, decodePages, func(do *dynamodb.Options) {
		do.HTTPClient = &dynamoOnly{next: cfg.HTTPClient}
		do.DisableValidateResponseChecksum = true // dynamoOnly does this
		if o.EndpointURL != "" {
			do.BaseEndpoint = aws.String(o.EndpointURL)
		}
	})
	c.stream = dynamodbstreams.NewFromConfig(cfg, func(so *dynamodbstreams.Options) {
		so.HTTPClient = &dynamoOnly{next: cfg.HTTPClient}
		if so.BaseEndpoint == nil && c.target.Custom { // a local server has both APIs at one address
			so.BaseEndpoint = aws.String(c.target.Endpoint)
		}
	})
	return c, nil
}

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
	if err := c.guard(ctx, o.Regions, cfg.HTTPClient); err != nil {
		return err
	}
	if cfg.Credentials == nil {
		cfg.Credentials = aws.AnonymousCredentials{}
	}
	caches := []aws.CredentialsProvider{cfg.Credentials}
	cfg.Credentials = marked{cfg.Credentials, asked}
	if c.target.Loopback && o.Profile == "" {
		// The cache avoids a search for missing credentials before each request.
		cfg.Credentials = aws.NewCredentialsCache(orAny{cfg.Credentials})
		caches = append(caches, cfg.Credentials)
	}
	c.login = newLogin(cfg.Credentials, caches)
	return nil
}

// guard rejects a region that the schema does not allow, also one that only the host name of the endpoint shows. A
// loopback endpoint that is not known to be a local server may be a tunnel.
func (c *Connection) guard(ctx context.Context, allowed []string, client aws.HTTPClient) error {
	regions := []string{c.target.Region}
	if named := regionIn(c.target.Endpoint); named != "" {
		regions = append(regions, named)
	}
	for _, region := range regions {
		if len(allowed) == 0 || slices.Contains(allowed, region) {
			continue
		}
		e := &Error{
			Class: Region, Err: ErrRegion,
			What:   fmt.Sprintf("region %s is not allowed for this schema", region),
			Advice: "connect to " + strings.Join(allowed, " or ") + " with --region",
		}
		if !c.target.Loopback {
			return e
		}
		if err := c.askServer(ctx, client); err != nil {
			return c.failure(ctx, subject{operation: "identify the server"}, err)
		}
		if c.target.Own() || c.unlike { // the first request reports what is there instead of DynamoDB
			return nil
		}
		e.What += ", and " + c.target.String() + " is not known to be a local server"
		return e
	}
	return nil
}

func connectEmbedded(o Options) *Connection {
	client := dynamodb.New(dynamodb.Options{
		Region: embeddedRegion, BaseEndpoint: aws.String(embeddedEndpoint),
		Credentials: anyCredentials, HTTPClient: &dynamoOnly{next: o.Embedded}, Logger: logging.Nop{},
		DisableValidateResponseChecksum: true,
	}, decodePages)
	stream := dynamodbstreams.New(dynamodbstreams.Options{
		Region: embeddedRegion, BaseEndpoint: aws.String(embeddedEndpoint),
		Credentials: anyCredentials, HTTPClient: &dynamoOnly{next: o.Embedded}, Logger: logging.Nop{},
	})
	return &Connection{
		client: client, stream: stream, notify: o.OnRetry, clock: o.Clock,
		target: Target{Region: embeddedRegion, Endpoint: o.EmbeddedDir, Embedded: true},
	}
}

// load omits, when local, the search for the credentials of an EC2 instance, which takes a second elsewhere.
func load(ctx context.Context, o Options, local bool) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithHTTPClient(newHTTPClient()),
		config.WithLogger(logging.Nop{}), // the warnings of the SDK would overwrite the screen
		// This source of credentials would use an HTTP client of its own, without a timeout.
		config.WithEndpointCredentialOptions(func(endpoint *endpointcreds.Options) {
			endpoint.HTTPClient, endpoint.Retryer = newHTTPClient(), askAgain(o.OnRetry)
		}),
		config.WithRetryer(func() aws.Retryer { return askAgain(o.OnRetry) }), // for credentials; requests to DynamoDB set their own
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
	quietHelper(&cfg)
	return cfg, nil
}

func configError(ctx context.Context, profile string, err error) error {
	e := &Error{
		Class: Config, Err: err, What: "invalid AWS configuration: " + serverText(err, nil),
		Advice: "check ~/.aws/config and the AWS_ variables of the environment",
	}
	missing, unknown := errors.AsType[config.SharedConfigProfileNotExistError](err)
	switch {
	case ctx.Err() != nil:
		e.Class, e.What, e.Advice = Canceled, "canceled", ""
	case unknown:
		e.What = fmt.Sprintf("AWS profile %q does not exist", missing.Profile)
		e.Advice = "check its name with aws configure list-profiles"
	case hasType[config.AssumeRoleTokenProviderNotSetError](err):
		e.What = "the role of AWS profile " + cmp.Or(profile, "default") + " needs an MFA code"
		e.Advice = "start the console, which asks for it, or export session credentials"
	}
	return e
}

// ARN returns the identity that the last call of Identity found, "" before it and for
// databases of this machine. It never sends a request.
func (c *Connection) ARN() string {
	arn, _ := c.arn.Load().(string)
	return arn
}

// Describe returns the target of the connection. It is cheap enough to be called for each
// frame.
func (c *Connection) Describe() Target {
	t := c.target
	t.Account, _ = c.account.Load().(string)
	return t
}
