package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/models"
)

// A subject is what a request was about.
type subject struct {
	operation, table, index string
	sent                    any // the SDK's input, or what of it holds values; nil when none does
}

func (s subject) String() string {
	switch {
	case s.index != "":
		return fmt.Sprintf("%s on index %s of table %s", s.operation, s.index, s.table)
	case s.table != "":
		return fmt.Sprintf("%s on table %s", s.operation, s.table)
	}
	return s.operation
}

// failure makes the Error of a failed request, nil when err is nil.
func (c *Connection) failure(ctx context.Context, s subject, err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	e := &Error{
		Class: classify(ctx, err), Operation: s.operation, Table: s.table, Index: s.index, Err: err,
	}
	e.What, e.Advice = c.sentence(ctx, e, s)
	if e.Class == ExpiredCredentials {
		e.SignIn = c.signIn.command()
	}
	return e
}

func (c *Connection) sentence(ctx context.Context, e *Error, s subject) (what, advice string) {
	switch e.Class {
	case Canceled:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return s.String() + " timed out", "try again, or ask for less"
		}
		return s.String() + " was canceled", ""
	case Throttled:
		return fmt.Sprintf("%s was throttled %d times", s, maxAttempts), "wait a moment, or read in smaller pages"
	case ConditionFailed:
		return "the item is not as expected; nothing was written", "read it again"
	case TransactionCancelled:
		return "the transaction was canceled; nothing was written" + cancellations(e.Err, s.sent), "read the items again"
	case AccessDenied:
		return c.denied(e.Err, s)
	case ExpiredCredentials:
		return "credentials expired", c.signIn.renew()
	case NoCredentials:
		return c.credentialsMissing(e.Err)
	case TableMissing:
		return fmt.Sprintf("table %s does not exist in %s", s.table, c.place()), "ddbdesk table create SCHEMA creates it"
	case TableExists:
		return fmt.Sprintf("table %s already exists or is being changed in %s", s.table, c.place()),
			"ddbdesk table check SCHEMA compares it with the schema"
	case IndexMissing:
		return fmt.Sprintf("table %s has no index %s in %s", s.table, s.index, c.place()),
			"ddbdesk table check SCHEMA compares it with the schema"
	case Validation:
		return "DynamoDB rejected " + s.String() + ": " + serverText(e.Err, s.sent), ""
	case Unreachable:
		return c.unreachable(e.Err)
	case Captive:
		return c.captive(e.Err)
	case Config:
		return "invalid AWS configuration", "check ~/.aws/config and the AWS_ variables of the environment"
	case Service, Region:
	}
	advice = "try again"
	if !c.target.Custom && !c.target.Embedded {
		advice += "; if it persists, check the AWS Health Dashboard"
	}
	return s.String() + " failed: " + serverText(e.Err, s.sent), advice
}

// cancellations says which writes of a transaction were the reason, counted from
// 1, and why.
func cancellations(err error, sent any) string {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return ""
	}
	var reasons []string
	for i, reason := range cancelled.CancellationReasons {
		if code := aws.ToString(reason.Code); code != "" && code != "None" {
			said := ""
			if code == CodeInvalid && aws.ToString(reason.Message) != "" {
				said = ": " + clean(*reason.Message, sent)
			}
			reasons = append(reasons, fmt.Sprintf("write %d: %s%s", i+1, code, said))
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return " (" + strings.Join(reasons, ", ") + ")"
}

// endpoint names what requests are sent to.
func (c *Connection) endpoint() string {
	if c.target.Embedded {
		return c.target.String()
	}
	return c.target.Endpoint
}

// place names where tables are looked for.
func (c *Connection) place() string {
	if c.target.Embedded {
		return c.target.String()
	}
	if c.target.Custom {
		return fmt.Sprintf("region %s at %s", c.target.Region, c.target.Endpoint)
	}
	return "region " + c.target.Region
}

var (
	deniedAction   = regexp.MustCompile(`perform: ([\w:*-]+)`)
	deniedResource = regexp.MustCompile(`:table/([^\s"]+)`)
	deniedReason   = regexp.MustCompile(`(?:because|with an explicit deny) .*`)
)

// denied names the action and the table that AWS's message names, and leaves out
// its account numbers.
func (c *Connection) denied(err error, s subject) (what, advice string) {
	text := serverText(err, s.sent)
	action, resource := "dynamodb:"+s.operation, s.table
	advice = "ask for a policy that allows this action to your role"
	var credentials *credentialsError
	signingIn := errors.As(err, &credentials)
	switch m := deniedAction.FindStringSubmatch(text); {
	case m != nil:
		action = m[1]
	case signingIn && strings.Contains(text, "MultiFactorAuthentication failed"):
		return "the MFA code was not accepted", "wait for the next code of the device and try again"
	case signingIn:
		return "access denied while getting credentials: " + text, "check the role of the AWS profile"
	case s.operation == "GetCallerIdentity":
		action = "sts:" + s.operation
	}
	if m := deniedResource.FindStringSubmatch(text); m != nil {
		resource = strings.TrimRight(m[1], ".,")
	}
	what = "access denied: " + action
	switch {
	case signingIn:
		advice = "check role_arn of the AWS profile and the role's trust policy"
	case resource != "":
		what += " on table " + resource
	}
	if reason := deniedReason.FindString(text); reason != "" {
		what += " (" + reason + ")"
	}
	return what, advice
}

var accountNumber = regexp.MustCompile(`\b\d{12}\b`)

func (c *Connection) credentialsMissing(err error) (what, advice string) {
	if errors.Is(err, ErrNoMFACode) {
		return "not connected: no MFA code given", "try again and enter the code of the device"
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		var process *processcreds.ProviderError
		if errors.As(err, &process) {
			return "the credential helper of AWS profile " + orDefault(c.signIn.profile) + " failed",
				"run its credential_process by hand to see why"
		}
		return "no AWS credentials found", "set AWS_PROFILE or pass --profile; --embedded needs none"
	}
	switch api.ErrorCode() {
	case "RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed":
		return wrongClock, setClock
	case "InvalidSignatureException", "SignatureDoesNotMatch":
		if said := api.ErrorMessage(); strings.Contains(said, "expired") || strings.Contains(said, "not yet current") {
			return wrongClock, setClock
		}
		return "the signature was not accepted", "check the secret access key and this machine's clock"
	}
	return "the AWS credentials were not accepted", "check AWS_PROFILE and --profile, or " + c.signIn.renew()
}

// A request is signed with its time. The SDK tries again with that of the server,
// where an answer bears it.
const (
	wrongClock = "this machine's clock differs from that of AWS"
	setClock   = "set the clock"
)

// unreachable says which host did not answer and how.
func (c *Connection) unreachable(err error) (what, advice string) {
	endpoint := c.endpoint()
	var request *url.Error
	if errors.As(err, &request) {
		// Credentials may come from another host than the store's.
		if u, parsed := url.Parse(request.URL); parsed == nil && !accountNumber.MatchString(u.Host) {
			endpoint = u.Scheme + "://" + u.Host
		}
	}
	advice = "check the network, VPN and proxy"
	if isLoopback(endpoint) {
		advice = "is the server running?"
	}
	reason, better := why(err)
	if better != "" {
		advice = better
	}
	return "cannot reach " + endpoint + ": " + reason, advice
}

// why says how a host did not answer, and what can be done about it where that is
// not just to look at the network.
func why(err error) (reason, advice string) {
	const look = "check the region, the endpoint and the network"
	var dns *net.DNSError
	var answer *answerError
	var stalled stallError
	switch {
	case refused(err):
		return "connection refused", ""
	case noRoute(err):
		return "no network route from this machine", ""
	case errors.As(err, &stalled) && stalled.begun:
		return "the response stopped", ""
	case errors.As(err, &dns) && dns.IsTimeout:
		return "the DNS server does not respond", look
	case errors.As(err, &dns) && dns.IsTemporary:
		return "the DNS server cannot resolve it", look
	case errors.As(err, &dns):
		return "no such host", look
	case speaksPlain(err):
		return "it uses http, not https", "use http:// in the endpoint URL"
	case errors.As(err, &answer):
		return "it sent an empty response", ""
	}
	if reason, advice = distrust(err); reason != "" {
		return reason, advice
	}
	switch {
	case broken(err):
		return "the connection broke", "try again"
	case timedOut(err):
		return "no response in time", ""
	}
	return "the connection failed", ""
}

// distrust says why a certificate is not good enough, "" when that is not why err
// happened.
func distrust(err error) (reason, advice string) {
	var certificate *tls.CertificateVerificationError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case !errors.As(err, &certificate):
		return "", ""
	case errors.As(err, &host):
		return "its certificate is for another host", "log in to the network, or check the endpoint"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired", "check this machine's clock"
	}
	return "its certificate is not trusted", "set AWS_CA_BUNDLE to the proxy's certificate authority"
}

func (c *Connection) captive(err error) (what, advice string) {
	var credentials *credentialsError
	if errors.As(err, &credentials) {
		return "the response to the credentials request is not from AWS", "log in to the network or check the proxy"
	}
	var answer *answerError
	said := "a response other than DynamoDB's JSON"
	if errors.As(err, &answer) {
		said = answer.Error()
	}
	advice = "log in to the network or check the proxy"
	if c.target.Custom {
		advice = "is that DynamoDB? Check the endpoint URL"
	}
	return c.endpoint() + " is not DynamoDB: it sent " + said, advice
}

// maxServerText is how many terminal cells of a server's words are repeated.
const maxServerText = 400

// serverText returns the words of the server, or of what went wrong before one
// answered, without what was sent.
func serverText(err error, sent any) string {
	var api smithy.APIError
	var answer *answerError
	text := err.Error()
	switch {
	case errors.As(err, &api) && api.ErrorMessage() != "" && api.ErrorMessage() != "UnknownError":
		text = api.ErrorMessage()
	case errors.As(err, &api):
		text = api.ErrorCode()
	case errors.As(err, &answer):
		text = answer.Error()
	}
	return clean(text, sent)
}

// clean returns a server's words without account numbers and without the values
// that it repeats from a request.
func clean(text string, sent any) string {
	text = unsaid(text, sent)
	text = accountNumber.ReplaceAllString(text, "…")
	for _, repeated := range repeatedValues {
		text = repeated.ReplaceAllString(text, "$1…$2")
	}
	return models.Truncate(models.Printable(text), maxServerText)
}

// repeatedValues are where DynamoDB's messages of validation repeat what was
// sent. They are greedy: rather too much is left out than a part of a value.
var repeatedValues = []*regexp.Regexp{
	regexp.MustCompile(`(?s)(numeric value: ).*()`),
	regexp.MustCompile(`(?s)(Input collection \[).*(\].*contains duplicates)`),
	regexp.MustCompile(`(?s)(Value ').*(' at ')`),
}
