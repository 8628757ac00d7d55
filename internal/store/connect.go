package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
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
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ddbdesk/ddbdesk/models"
)

const (
	embeddedEndpoint = "http://embedded.invalid"
	embeddedRegion   = "local"
	// loopbackRegion is the default region for servers on this machine. They ignore it, but some reject a name that is
	// not an AWS region.
	loopbackRegion = "us-east-1"
)

// A Target describes the database of a connection for the screens. It is a copy, without the results of later calls of
// Identity or FindServer.
type Target struct {
	Region   string
	Endpoint string // URL, or the folder of the embedded database; "" for a store in memory
	Profile  string // AWS profile, or ""
	Embedded bool
	Loopback bool   // the endpoint is on this machine
	Custom   bool   // the endpoint is not an AWS endpoint
	Account  string // AWS account ID; "" before a call of Identity, and for local stores
	Server   string // name of the local server that identified itself at a loopback endpoint; "" for any other server
}

// IsLocal reports whether the database is on this machine: the embedded database, or a local server that identified
// itself. A loopback endpoint alone is not enough, because it may be a tunnel to AWS.
func (t Target) IsLocal() bool { return t.Embedded || t.Server != "" }

// String returns a short, printable name of the target. Two targets may have the same name; see Place.
func (t Target) String() string {
	switch {
	case t.Embedded:
		return "the embedded database"
	case t.Custom:
		return models.Printable(t.Endpoint)
	}
	return models.Printable(t.Region)
}

// Place returns a name that is different for all targets that this machine can distinguish. Its form must not change,
// because plan files and case files contain it for comparison.
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

// A Connection is a configured client. It is safe for concurrent use. It does not need to be closed, because idle HTTP
// connections close by themselves.
type Connection struct {
	client *dynamodb.Client
	stream *dynamodbstreams.Client
	aws    aws.Config // zero for the embedded database
	signIn signIn
	chain  []ChainLink
	target Target
	notify func(Retry)
	clock  func() time.Time // may be nil
	login  *login           // nil if the credentials cannot be renewed

	answered  bool         // the server of a loopback endpoint responded to identifyServer
	isForeign bool         // that response did not come from DynamoDB
	account   atomic.Value // account ID as a string, after a call of Identity
	arn       atomic.Value // ARN as a string, after a call of Identity
}

// Connect resolves the region, the endpoint and the source of the credentials. It sends a request only to a loopback
// endpoint in a region that is not allowed, to check whether the endpoint is exempt. Errors have the class Config, the
// class Region with a wrapped ErrRegion, or the class of a loopback endpoint that does not respond. ctx limits only
// this call. Connect does not use the credentials, so the first request reports invalid ones; see CredentialSource.
func Connect(ctx context.Context, o Options) (*Connection, error) {
	if o.Embedded != nil {
		return connectEmbedded(o), nil
	}
	if o.EndpointURL != "" {
		if err := checkEndpoint(o.EndpointURL, "--endpoint-url or the context"); err != nil {
			return nil, err
		}
	}
	codes := newMFACodes(o.MFAToken)
	if codes != nil {
		o.MFAToken = codes.next
	}
	cfg, err := load(ctx, o, isLoopback(o.EndpointURL))
	if err != nil {
		return nil, err
	}
	c := &Connection{notify: o.OnRetry, clock: o.Clock}
	c.signIn, c.chain = chainOf(o.Profile)
	c.target = Target{Region: cfg.Region, Endpoint: endpointOf(cfg, o.EndpointURL), Profile: c.signIn.profile}
	if c.target.Endpoint != "" {
		setting := "endpoint_url of the AWS profile"
		if HasEndpointVariable() {
			setting = "AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL"
		}
		if err := checkEndpoint(c.target.Endpoint, setting); err != nil {
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
	if err := c.resolve(ctx, &cfg, o, codes); err != nil {
		return nil, err
	}
	if o.CredentialsFrom != nil && o.CredentialsFrom.aws.Credentials != nil && o.CredentialsFrom.signIn == c.signIn {
		cfg.Credentials, c.login = o.CredentialsFrom.aws.Credentials, o.CredentialsFrom.login
	}
	c.aws = cfg
	c.client = dynamodb.NewFromConfig(cfg, decodePages, func(do *dynamodb.Options) {
		do.HTTPClient = &responseValidator{next: cfg.HTTPClient}
		do.DisableValidateResponseChecksum = true // responseValidator checks it
		if o.EndpointURL != "" {
			do.BaseEndpoint = aws.String(o.EndpointURL)
		}
	})
	c.stream = dynamodbstreams.NewFromConfig(cfg, func(so *dynamodbstreams.Options) {
		so.HTTPClient = &responseValidator{next: cfg.HTTPClient}
		if so.BaseEndpoint == nil && c.target.Custom { // a local server provides both APIs at one address
			so.BaseEndpoint = aws.String(c.target.Endpoint)
		}
	})
	return c, nil
}

func (c *Connection) resolve(ctx context.Context, cfg *aws.Config, o Options, codes *mfaCodes) error {
	if cfg.Region == "" {
		if !c.target.Loopback {
			return &Error{
				Class: Config, Problem: "no AWS region is configured",
				Advice: "pass --region, set AWS_REGION, or give the AWS profile a region",
			}
		}
		cfg.Region = loopbackRegion
		c.target.Region = loopbackRegion
	}
	if !smithyhttp.ValidHostLabel(cfg.Region) { // the SDK would retry every request
		return &Error{Class: Config, Problem: fmt.Sprintf("%q is not an AWS region", cfg.Region), Advice: "check --region and AWS_REGION"}
	}
	if c.target.Endpoint == "" {
		endpoint, err := regionEndpoint(ctx, *cfg)
		if err != nil {
			return &Error{
				Class: Config, Err: err, Problem: fmt.Sprintf("region %q has no DynamoDB endpoint", cfg.Region),
				Advice: "check --region and AWS_REGION",
			}
		}
		c.target.Endpoint = endpoint
	}
	if err := c.checkRegion(ctx, o.Regions, cfg.HTTPClient); err != nil {
		return err
	}
	if cfg.Credentials == nil {
		cfg.Credentials = aws.AnonymousCredentials{}
	}
	caches := []aws.CredentialsProvider{cfg.Credentials}
	cfg.Credentials = classifyingProvider{cfg.Credentials, codes}
	if c.target.Loopback && o.Profile == "" {
		// The cache prevents a search for missing credentials before each request.
		cfg.Credentials = aws.NewCredentialsCache(fallbackProvider{cfg.Credentials})
		caches = append(caches, cfg.Credentials)
	}
	c.login = newLogin(cfg.Credentials, caches)
	return nil
}

// checkRegion rejects a region that the schema does not allow, even if only the host name of the endpoint contains the
// region. A loopback endpoint that is not a known local server may be a tunnel.
func (c *Connection) checkRegion(ctx context.Context, allowed []string, client aws.HTTPClient) error {
	regions := []string{c.target.Region}
	if endpointRegion := regionIn(c.target.Endpoint); endpointRegion != "" {
		regions = append(regions, endpointRegion)
	}
	for _, region := range regions {
		if len(allowed) == 0 || slices.Contains(allowed, region) {
			continue
		}
		e := &Error{
			Class: Region, Err: ErrRegion,
			Problem: fmt.Sprintf("region %s is not allowed for this schema", region),
			Advice:  "use --region " + strings.Join(allowed, " or "),
		}
		if !c.target.Loopback {
			return e
		}
		if err := c.identifyServer(ctx, client); err != nil {
			return c.failure(ctx, subject{operation: "identify the server"}, err)
		}
		if c.target.IsLocal() || c.isForeign { // the first request reports which server responds instead
			return nil
		}
		e.Problem += ", and ddbdesk does not recognize " + c.target.String() + " as a local server"
		return e
	}
	return nil
}

func connectEmbedded(o Options) *Connection {
	client := dynamodb.New(dynamodb.Options{
		Region: embeddedRegion, BaseEndpoint: aws.String(embeddedEndpoint),
		Credentials: anyCredentials, HTTPClient: &responseValidator{next: o.Embedded}, Logger: logging.Nop{},
		DisableValidateResponseChecksum: true,
	}, decodePages)
	stream := dynamodbstreams.New(dynamodbstreams.Options{
		Region: embeddedRegion, BaseEndpoint: aws.String(embeddedEndpoint),
		Credentials: anyCredentials, HTTPClient: &responseValidator{next: o.Embedded}, Logger: logging.Nop{},
	})
	return &Connection{
		client: client, stream: stream, notify: o.OnRetry, clock: o.Clock,
		target: Target{Region: embeddedRegion, Endpoint: o.EmbeddedDir, Embedded: true},
	}
}

// load skips the search for EC2 credentials if local is set, because outside of EC2 it takes a second.
func load(ctx context.Context, o Options, local bool) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithHTTPClient(newHTTPClient()),
		config.WithLogger(logging.Nop{}), // the SDK's warnings would overwrite the screen
		// This source of credentials would use its own HTTP client, which has no timeout.
		config.WithEndpointCredentialOptions(func(endpoint *endpointcreds.Options) {
			endpoint.HTTPClient, endpoint.Retryer = newHTTPClient(), newCredentialsRetryer(o.OnRetry)
		}),
		config.WithRetryer(func() aws.Retryer { return newCredentialsRetryer(o.OnRetry) }), // for credentials; requests to DynamoDB set their own
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
	isolateHelper(&cfg, o.MFAToken)
	checkLogin(&cfg)
	return cfg, nil
}

func configError(ctx context.Context, profile string, err error) error {
	e := &Error{
		Class: Config, Err: err, Problem: "invalid AWS configuration: " + serverText(err, nil),
		Advice: "check ~/.aws/config and the AWS_ variables of the environment",
	}
	missing, unknown := errors.AsType[config.SharedConfigProfileNotExistError](err)
	problem, advice := brokenChain(profile)
	switch {
	case ctx.Err() != nil:
		e.Class, e.Problem, e.Advice = Canceled, "canceled", ""
	case problem != "":
		e.Problem, e.Advice = problem, advice
	case unknown:
		e.Problem = fmt.Sprintf("AWS profile %q does not exist", missing.Profile)
		e.Advice = "check its name with aws configure list-profiles"
	case hasType[config.AssumeRoleTokenProviderNotSetError](err):
		e.Problem = "the role of " + profileText(profile) + " needs an MFA code"
		e.Advice = "start the console, which prompts for it, or export session credentials"
	}
	return e
}

// ARN returns the identity that the last call of Identity found. It returns "" before that and for databases on this
// machine. It never sends a request.
func (c *Connection) ARN() string {
	arn, _ := c.arn.Load().(string)
	return arn
}

// Describe returns the target of the connection. It is fast enough to call for each frame.
func (c *Connection) Describe() Target {
	t := c.target
	t.Account, _ = c.account.Load().(string)
	return t
}

// A Doer sends one HTTP request, and ends early if the request's context ends. The embedded database implements it. It
// must be safe for concurrent use.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Options contains the endpoint and the credentials of a connection. With the zero value, the AWS SDK finds them in the
// environment, in the shared configuration files, through SSO or by assuming a role.
type Options struct {
	// Profile, Region and EndpointURL correspond to the AWS CLI's --profile, --region and --endpoint-url. The SDK
	// resolves empty ones.
	Profile, Region, EndpointURL string

	// Embedded processes the requests in this process. If it is set, the connection ignores the AWS configuration and
	// the three fields above.
	Embedded Doer

	// EmbeddedDir is the absolute path of the embedded database's folder, which identifies the store. It is "" for a
	// store in memory.
	EmbeddedDir string

	// Regions contains the allowed regions; nil allows all. The embedded database, and local servers that identify
	// themselves, are exempt; see Target.IsLocal.
	Regions []string

	// MFAToken asks for the MFA code that an assumed role needs. It runs while a request waits for credentials, and may
	// block.
	MFAToken func() (string, error)

	// CredentialsFrom is a connection with credentials to reuse for the same AWS profile, because an MFA code works
	// only once. If it is nil, the connection resolves its own credentials.
	CredentialsFrom *Connection

	// Clock returns the wall clock, which also advances while the machine sleeps; nil means time.Now.
	Clock func() time.Time

	// OnRetry runs before each retry, on the goroutine of the request. It must be safe for concurrent use and must not
	// block.
	OnRetry func(Retry)
}

func checkEndpoint(endpoint, settings string) error {
	u, err := url.Parse(endpoint)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil {
		return nil
	}
	// The error does not repeat the URL, which may contain a password.
	return &Error{
		Class: Config, Problem: "invalid endpoint URL in " + settings,
		Advice: "use a URL such as http://127.0.0.1:8000, without a user name",
	}
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isLoopback(endpoint string) bool {
	host := hostOf(endpoint)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// regionLabel matches the name of an AWS region in a host name.
var regionLabel = models.LazyRegexp(`^[a-z]{2,4}(-[a-z]+)+-\d+$`)

func isAWS(endpoint string) bool {
	return slices.ContainsFunc([]string{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"},
		func(domain string) bool { return strings.HasSuffix(hostOf(endpoint), domain) })
}

// regionIn returns the region in an AWS host name. Requests reach this region, whatever region they are signed for.
func regionIn(endpoint string) string {
	if !isAWS(endpoint) {
		return ""
	}
	for label := range strings.SplitSeq(hostOf(endpoint), ".") {
		if regionLabel().MatchString(label) {
			return label
		}
	}
	return ""
}

func endpointOf(cfg aws.Config, explicit string) string {
	if explicit != "" {
		return explicit
	}
	// Only the DynamoDB client reads AWS_ENDPOINT_URL_DYNAMODB and the services section of the configuration.
	return aws.ToString(dynamodb.NewFromConfig(cfg).Options().BaseEndpoint)
}

func regionEndpoint(ctx context.Context, cfg aws.Config) (string, error) {
	options := dynamodb.NewFromConfig(cfg).Options()
	resolved, err := options.EndpointResolverV2.ResolveEndpoint(ctx, dynamodb.EndpointParameters{
		Region:       aws.String(cfg.Region),
		UseFIPS:      aws.Bool(options.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		UseDualStack: aws.Bool(options.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
	})
	if err != nil {
		return "", fmt.Errorf("endpoint of region %s: %w", cfg.Region, err)
	}
	return resolved.URI.String(), nil
}

// awsVariables contains the environment variables that configure an account, a region or an endpoint for the AWS SDK.
var awsVariables = []string{
	"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
	"AWS_ROLE_ARN",
	"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_WEB_IDENTITY_TOKEN_FILE",
	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
}

// vendorFile contains the vendor of a Linux machine, which is Amazon EC2 on AWS instances:
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html
const vendorFile = "/sys/devices/virtual/dmi/id/sys_vendor"

func isInstance(file string) bool {
	vendor, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(vendor)) == "Amazon EC2"
}

// IsAWSConfigured reports whether the environment or the user's files configure AWS. It checks only names and files, so
// invalid or expired credentials count too. If nothing is configured, commands use the embedded database by default.
func IsAWSConfigured() bool {
	home, err := os.UserHomeDir()
	return slices.ContainsFunc(awsVariables, func(name string) bool { return os.Getenv(name) != "" }) ||
		err == nil && slices.ContainsFunc([]string{"config", "credentials"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(home, ".aws", name))
			return err == nil
		})
}

// HasEndpointVariable reports whether an environment variable sets the endpoint of connections that do not specify one.
func HasEndpointVariable() bool {
	return !strings.EqualFold(os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true") &&
		(os.Getenv("AWS_ENDPOINT_URL") != "" || os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") != "")
}

// RunsOnEC2 reports whether this machine is an Amazon EC2 instance, based on its vendor. It returns false on systems
// other than Linux. An instance needs no file for its credentials, so IsAWSConfigured returns false there, and
// ddbdesk explains why it uses the embedded database.
func RunsOnEC2() bool { return isInstance(vendorFile) }
