package store

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// serverTimeout is the maximum wait for a loopback endpoint to identify itself.
const serverTimeout = 2 * time.Second

// requestID is a header of every DynamoDB response, including responses to invalid requests.
const requestID = "X-Amzn-Requestid"

const dynamoDBLocal = "DynamoDB Local"

// localServers contains the servers that identify themselves with the prefix of the Server header in every response.
// AWS endpoints send "Server". The embedded database sends "ddbdesk".
var localServers = []struct{ name, header string }{
	{"ddbdesk", "ddbdesk"},
	{dynamoDBLocal, "Jetty("},
	{"dynoxide", "Dynoxide/"},
}

// FindServer asks a loopback endpoint which server it is, and sets Target.Server for a known local server. Any other
// server, such as a tunnel to AWS, stays unknown. FindServer returns an *Error if the endpoint does not respond within
// 2 seconds. It sends no requests to other endpoints. Call it before using the connection.
func (c *Connection) FindServer(ctx context.Context) error {
	if !c.target.Loopback || c.target.Server != "" {
		return nil
	}
	s := subject{operation: "identify the server"}
	return c.failure(ctx, s, c.identifyServer(ctx, c.aws.HTTPClient))
}

func (c *Connection) identifyServer(ctx context.Context, client aws.HTTPClient) error {
	header, status, err := c.sendPing(ctx, client)
	if err != nil {
		return err
	}
	c.target.Server, c.answered, c.isForeign = serverOf(header, status), true, header.Get(requestID) == ""
	return nil
}

// sendPing sends a request without credentials, so that another server cannot misuse them.
func (c *Connection) sendPing(ctx context.Context, client aws.HTTPClient) (header http.Header, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.target.Endpoint, http.NoBody)
	if err != nil {
		return nil, 0, fmt.Errorf("identify the server: %w", err)
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, 0, err
	}
	_ = resp.Body.Close() // the body is not read
	return resp.Header, resp.StatusCode, nil
}

// A PingResult describes an endpoint's response to a request without credentials.
type PingResult struct {
	DynamoDB bool          // the response has the form of DynamoDB's responses
	Took     time.Duration // time until the response
	Time     time.Time     // server time, to the second; zero if the server did not send it
	At       time.Time     // this machine's time in the middle of the request
}

// Ask sends a request without credentials and describes the endpoint's response. The embedded database has no endpoint.
// The error is an *Error.
func (c *Connection) Ask(ctx context.Context) (PingResult, error) {
	begin := time.Now()
	header, _, err := c.sendPing(ctx, c.aws.HTTPClient)
	if err != nil {
		return PingResult{}, c.failure(ctx, subject{operation: "reach the endpoint"}, err)
	}
	a := PingResult{DynamoDB: header.Get(requestID) != "", Took: time.Since(begin)}
	a.At = begin.Add(a.Took / 2)
	a.Time, _ = http.ParseTime(header.Get("Date")) // zero if the header is missing
	return a, nil
}

// serverOf recognizes DynamoDB Local only by a response in DynamoDB's protocol, because other programs use Jetty too.
func serverOf(header http.Header, status int) string {
	server := header.Get("Server")
	for _, s := range localServers {
		if !strings.HasPrefix(server, s.header) {
			continue
		}
		if s.header == "Jetty(" && (header.Get(requestID) == "" || status != http.StatusBadRequest) {
			continue
		}
		return s.name
	}
	return ""
}

// An Identity is the owner of a connection's credentials.
type Identity struct {
	Account string // AWS account ID, "" for a local store
	ARN     string // "" for a local store
	Name    string // session, user or role; for a local store, the local user
}

// Actor returns the identity for audit entries: the ARN, or else the local user.
func (i Identity) Actor() string { return cmp.Or(i.ARN, i.Name) }

// tunnelTimeout is the maximum wait for STS at a loopback endpoint that may be a tunnel.
const tunnelTimeout = 3 * time.Second

// Identity asks STS for the owner of the credentials. For databases on this machine, and for a loopback endpoint with
// credentials that STS does not recognize, it returns the local user. The error is an *Error. The request needs no
// permission. Source: AWS Security Token Service API Reference, "GetCallerIdentity".
func (c *Connection) Identity(ctx context.Context) (Identity, error) {
	local := Identity{Name: LocalUser()}
	if c.target.IsLocal() || c.target.Loopback && !c.answered {
		return local, nil
	}
	if c.target.Loopback {
		limited, cancel := context.WithTimeout(ctx, tunnelTimeout)
		defer cancel()
		if id, err := c.requestIdentity(limited); err == nil {
			return id, nil
		}
		return local, ctx.Err()
	}
	return c.requestIdentity(ctx)
}

func (c *Connection) requestIdentity(ctx context.Context) (Identity, error) {
	s := subject{operation: "GetCallerIdentity"}
	client := sts.NewFromConfig(c.aws, func(o *sts.Options) { o.Retryer = c.newRetrier(ctx, s.operation, false) })
	start := time.Now()
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err = c.reportCall(ctx, s, 0, time.Since(start), err); err != nil {
		return Identity{}, err
	}
	id := Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}
	id.Name = id.ARN[strings.LastIndexAny(id.ARN, "/:")+1:]
	c.account.Store(id.Account)
	c.arn.Store(id.ARN)
	return id, nil
}

// LocalUser returns the name of this machine's user: $USER, or else the name in the operating system. The name is not
// verified and proves nothing. It is never "".
func LocalUser() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
