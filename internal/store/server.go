package store

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// serverTimeout limits the wait for a loopback endpoint to say what it is.
const serverTimeout = 2 * time.Second

// requestID is the header that every response of DynamoDB has, also to an invalid request.
const requestID = "X-Amzn-Requestid"

// localServers are the servers that identify themselves by the header Server of every response, with the text that it
// starts with. An endpoint of AWS sends "Server". The embedded store sends "ddbdesk".
var localServers = []struct{ name, header string }{
	{"ddbdesk", "ddbdesk"},
	{"DynamoDB Local", "Jetty("},
	{"dynoxide", "Dynoxide/"},
}

// FindServer asks a loopback endpoint which server it is, and sets Target.Server if it is a known local one. Anything
// else, such as a tunnel to AWS, stays unknown. The error, an *Error, is that of an endpoint that does not answer. Call it
// before the connection is used.
func (c *Connection) FindServer(ctx context.Context) error {
	if !c.target.Loopback || c.target.Server != "" {
		return nil
	}
	s := subject{operation: "identify the server"}
	return c.failure(ctx, s, c.askServer(ctx, c.aws.HTTPClient))
}

// askServer sends the request of FindServer. It has no credentials, so it is no use to another server.
func (c *Connection) askServer(ctx context.Context, client aws.HTTPClient) error {
	ctx, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.target.Endpoint, http.NoBody)
	if err != nil {
		return fmt.Errorf("identify the server: %w", err)
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // nothing of it is read
	c.target.Server, c.answered, c.unlike = serverOf(resp), true, resp.Header.Get(requestID) == ""
	return nil
}

// serverOf returns the name of a local server by its response, "" for an unknown one. Jetty is also the server of other
// programs, so DynamoDB Local must also answer in DynamoDB's protocol.
func serverOf(resp *http.Response) string {
	header := resp.Header.Get("Server")
	for _, s := range localServers {
		if !strings.HasPrefix(header, s.header) {
			continue
		}
		if s.header == "Jetty(" && (resp.Header.Get(requestID) == "" || resp.StatusCode != http.StatusBadRequest) {
			continue
		}
		return s.name
	}
	return ""
}
