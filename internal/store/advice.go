package store

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/models"
)

// A subject describes a request for the text of its error.
type subject struct {
	operation, table, index string
	sent                    any  // SDK input, or the part of it that contains values; may be nil
	writes                  bool // repeat only if the failed attempt certainly changed nothing
}

// String describes the request, such as "Query on index byDay of table orders".
func (s subject) String() string {
	switch {
	case s.index != "":
		return fmt.Sprintf("%s on index %s of table %s", s.operation, s.index, s.table)
	case s.table != "":
		return fmt.Sprintf("%s on table %s", s.operation, s.table)
	}
	return s.operation
}

func (c *Connection) failure(ctx context.Context, s subject, err error) error {
	if err == nil || hasType[*Error](err) {
		return err
	}
	e := &Error{
		Class: classify(ctx, err), Operation: s.operation, Table: s.table, Index: s.index, Err: err,
	}
	e.Problem, e.Advice = c.explainError(ctx, e, s)
	if e.Class == ExpiredCredentials {
		e.SignIn = c.signIn.words()
	}
	return e
}

func (c *Connection) explainError(ctx context.Context, e *Error, s subject) (problem, advice string) {
	switch e.Class {
	case Canceled:
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return s.String() + " timed out", "try again, or read fewer items"
		}
		return s.String() + " was canceled", ""
	case Throttled:
		reason, advice := throttlingReason(e.Err)
		return fmt.Sprintf("%s was throttled %d times%s", s, maxAttempts, reason), cmp.Or(advice, "wait a moment, or read in smaller pages")
	case Conflict:
		return "another request was changing the item", "try again in a moment"
	case ConditionFailed:
		return "the item changed since it was read; nothing was written", "read it again"
	case TransactionCancelled:
		return "the transaction was canceled; nothing was written" + cancellationText(e.Err, s.sent), "read the items again"
	case AccessDenied:
		return c.accessDeniedAdvice(e.Err, s)
	case ExpiredCredentials:
		return c.signIn.expiredText(e.Err), c.signIn.renewAdvice()
	case NoCredentials:
		return c.credentialsAdvice(e.Err)
	case TableMissing:
		advice = "create it with ddbdesk table create SCHEMA"
		if c.target.Loopback && (c.target.Server == "" || c.target.Server == dynamoDBLocal) {
			advice += ", or use the access key and the region that created it: DynamoDB Local separates tables by both"
		}
		return fmt.Sprintf("table %s does not exist in %s", s.table, c.place()), advice
	case TableExists:
		return fmt.Sprintf("table %s already exists or is being changed in %s", s.table, c.place()),
			"compare it with the schema: ddbdesk table check SCHEMA"
	case IndexMissing:
		return fmt.Sprintf("table %s has no index %s in %s", s.table, s.index, c.place()),
			"compare it with the schema: ddbdesk table check SCHEMA"
	case Validation:
		if hasType[*types.ItemCollectionSizeLimitExceededException](e.Err) {
			return "the " + fullCollection + " in table " + s.table, emptyCollection
		}
		return "DynamoDB rejected " + s.String() + ": " + serverText(e.Err, s.sent), ""
	case Unreachable:
		return c.unreachableAdvice(e.Err)
	case Captive:
		return c.captivePortalAdvice(e.Err)
	case Config:
		return "invalid AWS configuration", "check ~/.aws/config and the AWS_ variables of the environment"
	case Service, Region, StreamOff:
	}
	advice = "try again"
	if !c.target.Custom && !c.target.Embedded {
		advice += "; if it persists, check the AWS Health Dashboard"
	}
	return s.String() + " failed: " + serverText(e.Err, s.sent), advice
}

func cancellationText(err error, sent any) string {
	var reasons []string
	for i, reason := range reasonsOf(err) {
		message := ""
		switch {
		case *reason.Code == codeCollection:
			message = ": the " + fullCollection
		case *reason.Code == CodeInvalid && aws.ToString(reason.Message) != "":
			message = ": " + withoutData(*reason.Message, sent)
		}
		reasons = append(reasons, fmt.Sprintf("write %d: %s%s", i+1, *reason.Code, message))
	}
	if len(reasons) == 0 {
		return ""
	}
	return " (" + strings.Join(reasons, ", ") + ")"
}

func (c *Connection) endpoint() string {
	if c.target.Embedded {
		return c.target.String()
	}
	return c.target.Endpoint
}

func (c *Connection) place() string {
	switch {
	case c.target.Embedded:
		return c.target.String()
	case c.target.Custom:
		return fmt.Sprintf("region %s at %s", c.target.Region, c.target.Endpoint)
	}
	return "region " + c.target.Region
}

// This is the text for a full partition key, including its items in local indexes. Source: Amazon DynamoDB Developer
// Guide, "Item collection size limit".
const (
	codeCollection  = "ItemCollectionSizeLimitExceeded"
	fullCollection  = "items with this partition key and their local indexes would exceed 10 GB"
	emptyCollection = "delete items with this key, or write to another one"
)

// throttlingLimits contains the suffix of each throttling reason, with the explanation and the remedy. Source: Amazon
// DynamoDB API Reference, ThrottlingReason.
var throttlingLimits = []struct{ suffix, reason, advice string }{
	{
		"KeyRangeThroughputExceeded", "one partition key of %[2]s receives more %[1]ss than a partition allows",
		"wait a moment, or spread the requests over more keys; more capacity does not help",
	},
	{"MaxOnDemandThroughputExceeded", "the maximum %s throughput of %s is reached", "wait a moment, or raise that maximum"},
	{"ProvisionedThroughputExceeded", "the provisioned %s capacity of %s is used up", "wait a moment, or raise it"},
	{"AccountLimitExceeded", "the %s limit of the account for %s is reached", "wait a moment, or request a higher quota"},
}

// throttlingReason returns DynamoDB's reasons and a remedy for the first one, or "" for both.
func throttlingReason(err error) (reason, advice string) {
	var reasons []types.ThrottlingReason
	if e, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); ok {
		reasons = e.ThrottlingReasons
	} else if e, ok := errors.AsType[*types.ThrottlingException](err); ok {
		reasons = e.ThrottlingReasons
	} else if e, ok := errors.AsType[*types.RequestLimitExceeded](err); ok {
		reasons = e.ThrottlingReasons
	}
	var messages []string
	for _, r := range reasons {
		kind, resource := "write", "the table"
		if strings.Contains(aws.ToString(r.Reason), "Read") {
			kind = "read"
		}
		if m := deniedResource().FindStringSubmatch(aws.ToString(r.Resource)); m != nil {
			table, index, _ := strings.Cut(m[1], "/index/")
			resource = "table " + models.Printable(table)
			if index != "" {
				resource = "index " + models.Printable(index)
			}
		}
		for _, limit := range throttlingLimits {
			if text := fmt.Sprintf(limit.reason, kind, resource); strings.HasSuffix(aws.ToString(r.Reason), limit.suffix) &&
				!slices.Contains(messages, text) {
				messages, advice = append(messages, text), cmp.Or(advice, limit.advice)
			}
		}
	}
	if len(messages) > 0 {
		reason = ": " + strings.Join(messages, ", and ")
	}
	return reason, advice
}

// These are the parts of AWS's message about denied access, such as "User: … is not authorized to perform:
// dynamodb:Query on resource: …:table/orders because no identity-based policy …".
var (
	deniedAction   = models.LazyRegexp(`perform: ([\w:*-]+)`)
	deniedResource = models.LazyRegexp(`:table/([^\s"]+)`)
	deniedReason   = models.LazyRegexp(`(?:because|with an explicit deny) .*`)
)

// accessDeniedAdvice omits the account ID in AWS's message.
func (c *Connection) accessDeniedAdvice(err error, s subject) (problem, advice string) {
	text := serverText(err, s.sent)
	action, resource := "dynamodb:"+s.operation, s.table
	advice = "ask an administrator to grant your role this permission"
	signingIn := hasType[*credentialsError](err)
	switch m := deniedAction().FindStringSubmatch(text); {
	case m != nil:
		action = m[1]
	case signingIn && strings.Contains(text, "MultiFactorAuthentication failed"):
		return "the MFA code was not accepted", "wait for the next code of the device and try again"
	case signingIn:
		return "access denied while getting credentials: " + text, "check the role of the AWS profile"
	case s.operation == "GetCallerIdentity":
		action = "sts:" + s.operation
	}
	if m := deniedResource().FindStringSubmatch(text); m != nil {
		resource = strings.TrimRight(m[1], ".,")
	}
	problem = "access denied: " + action
	switch {
	case signingIn:
		advice = "check role_arn of the AWS profile and the role's trust policy"
	case resource != "":
		problem += " on table " + resource
	}
	if reason := deniedReason().FindString(text); reason != "" {
		problem += " (" + reason + ")"
	}
	return problem, advice
}

// accountNumber matches an AWS account ID.
var accountNumber = models.LazyRegexp(`\b\d{12}\b`)

func (c *Connection) credentialsAdvice(err error) (problem, advice string) {
	if errors.Is(err, ErrNoMFACode) {
		return "not connected: no MFA code given", "try again and enter the code of the device"
	}
	api, isAPIError := errors.AsType[smithy.APIError](err)
	if !isAPIError {
		if hasType[*processcreds.ProviderError](err) {
			helperProblem := "the credential helper of " + profileText(c.signIn.source) + " failed"
			if exit, ok := errors.AsType[*exec.ExitError](err); ok { // The output may contain a secret.
				helperProblem += " (" + exit.String() + ")"
			}
			return helperProblem, "run its credential_process by hand to see why"
		}
		if problem, advice := brokenChain(c.signIn.profile); problem != "" {
			return problem, advice
		}
		if problem, advice := brokenEnvironment(); problem != "" {
			return problem, advice
		}
		if missing, ok := missingCredentials[c.signIn.credentialSource]; ok {
			return profileText(c.signIn.source) + " gets its credentials from " + missing.source, missing.advice
		}
		if c.signIn.source != "" && c.signIn.profile != "" {
			return profileText(c.signIn.source) + " has no credentials",
				"sign in with it, or add credentials with aws configure --profile " + snippet.ShellQuote(c.signIn.source)
		}
		return "no AWS credentials found", "set AWS_PROFILE or pass --profile; --embedded needs none"
	}
	switch api.ErrorCode() {
	case "RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed":
		return wrongClock, setClock
	case "InvalidSignatureException", "SignatureDoesNotMatch":
		if message := api.ErrorMessage(); strings.Contains(message, "expired") || strings.Contains(message, "not yet current") {
			return wrongClock, setClock
		}
		return "the signature was not accepted", "check the secret access key and this machine's clock"
	}
	return "the AWS credentials were not accepted", "check AWS_PROFILE and --profile, or " + c.signIn.renewAdvice()
}

// missingCredentials describes the missing credentials for each credential_source. Source: AWS SDKs and Tools Reference
// Guide, "Assume role credential provider".
var missingCredentials = map[string]struct{ source, advice string }{
	"Environment":         {"the environment, which has none", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
	"Ec2InstanceMetadata": {"this EC2 instance, which has none", "run ddbdesk on an instance with a role, or use source_profile"},
	"EcsContainer":        {"this container, which has none", "run ddbdesk in a task with a role, or use source_profile"},
}

// This is the text for a wrong clock. AWS rejects requests whose time differs too much from its own. The SDK then
// repeats them with the time in the response, if there is one.
const (
	wrongClock = "this machine's clock differs from that of AWS"
	setClock   = "set the clock"
)

func (c *Connection) unreachableAdvice(err error) (problem, advice string) {
	endpoint := c.endpoint()
	if request, ok := errors.AsType[*url.Error](err); ok {
		// The credentials come from another host.
		if u, parseErr := url.Parse(request.URL); parseErr == nil && !accountNumber().MatchString(u.Host) {
			endpoint = u.Scheme + "://" + u.Host
		}
	}
	advice = "check the network, VPN and proxy"
	if isLoopback(endpoint) {
		advice = "is the server running?"
	}
	reason, betterAdvice := networkReason(err)
	if betterAdvice != "" {
		advice = betterAdvice
	}
	return "cannot reach " + endpoint + ": " + reason, advice
}

func networkReason(err error) (reason, advice string) {
	const checkNetwork = "check the region, the endpoint and the network"
	dns, isDNS := errors.AsType[*net.DNSError](err)
	stall, _ := errors.AsType[stallError](err)
	switch {
	case isRefused(err):
		return "connection refused", ""
	case isNoRoute(err):
		return "no network route from this machine", ""
	case stall.begun:
		return "the response stopped", ""
	case isDNS && dns.IsTimeout:
		return "the DNS server does not respond", checkNetwork
	case isDNS && dns.IsTemporary:
		return "the DNS server cannot resolve it", checkNetwork
	case isDNS:
		return "no such host", checkNetwork
	case isPlainHTTP(err):
		return "it uses http, not https", "use http:// in the endpoint URL"
	case hasType[*answerError](err):
		return "it sent an empty response", ""
	}
	if reason, advice = certificateReason(err); reason != "" {
		return reason, advice
	}
	switch {
	case isBrokenConnection(err):
		return "the connection broke", "try again"
	case isTimeout(err):
		return "no response in time", ""
	}
	return "the connection failed", ""
}

func certificateReason(err error) (reason, advice string) {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case !hasType[*tls.CertificateVerificationError](err):
		return "", ""
	case hasType[x509.HostnameError](err):
		return "its certificate is for another host", "log in to the network, or check the endpoint"
	case isInvalid && invalid.Reason == x509.Expired:
		return "its certificate has expired", "check this machine's clock"
	}
	return "its certificate is not trusted", "set AWS_CA_BUNDLE to the proxy's certificate authority"
}

func (c *Connection) captivePortalAdvice(err error) (problem, advice string) {
	if hasType[*credentialsError](err) {
		return "the response to the credentials request is not from AWS", "log in to the network or check the proxy"
	}
	message := "a response other than DynamoDB's JSON"
	if answer, ok := errors.AsType[*answerError](err); ok {
		message = answer.Error()
	}
	advice = "log in to the network or check the proxy"
	if c.target.Custom {
		advice = "check the endpoint URL"
	}
	return c.endpoint() + " is not DynamoDB: it sent " + message, advice
}

// maxServerText is the maximum width, in cells, of a server's message in an error.
const maxServerText = 400

// serverText returns the server's message without the values that the request contained.
func serverText(err error, sent any) string {
	text := err.Error()
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if text = api.ErrorMessage(); text == "" || text == "UnknownError" {
			text = api.ErrorCode()
		}
	} else if answer, ok := errors.AsType[*answerError](err); ok {
		text = answer.Error()
	}
	return withoutData(text, sent)
}

func withoutData(text string, sent any) string {
	text = withoutSentValues(text, sent)
	text = accountNumber().ReplaceAllString(text, "…")
	for _, pattern := range repeatedValues() {
		text = pattern.ReplaceAllString(text, "$1…$2")
	}
	return models.Truncate(models.Printable(text), maxServerText)
}

// repeatedValues matches the values in DynamoDB's validation messages. The expressions are greedy, because removing too
// much is better than leaving a part of a value.
var repeatedValues = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?s)(numeric value: ).*()`),
		regexp.MustCompile(`(?s)(Input collection \[).*(\].*contains duplicates)`),
		regexp.MustCompile(`(?s)(Value ').*(' at ')`),
	}
})

// minEchoLength is the minimum length in bytes of a value to remove. Shorter values reveal nothing and occur in every
// message.
const minEchoLength = 4

func withoutSentValues(text string, sent any) string {
	values := sentValues(nil, reflect.ValueOf(sent))
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, v := range slices.Compact(values) {
		if len(v) < minEchoLength {
			continue
		}
		encodings := []string{v, url.QueryEscape(v), url.PathEscape(v), fmt.Sprintf("%x", v), base64.StdEncoding.EncodeToString([]byte(v))}
		if quoted, err := json.Marshal(v); err == nil {
			encodings = append(encodings, strings.Trim(string(quoted), `"`))
		}
		for _, encoded := range encodings {
			text = strings.ReplaceAll(text, encoded, "…")
		}
	}
	return text
}

func sentValues(list []string, v reflect.Value) []string {
	if !v.IsValid() {
		return list
	}
	if v.CanInterface() {
		switch value := v.Interface().(type) {
		case *types.AttributeValueMemberS:
			return append(list, value.Value)
		case *types.AttributeValueMemberN:
			return append(list, value.Value)
		case *types.AttributeValueMemberB:
			return append(list, string(value.Value))
		case *types.AttributeValueMemberSS:
			return append(list, value.Value...)
		case *types.AttributeValueMemberNS:
			return append(list, value.Value...)
		case *types.AttributeValueMemberBS:
			for _, b := range value.Value {
				list = append(list, string(b))
			}
			return list
		case *types.AttributeValueMemberM:
			for name := range value.Value {
				list = append(list, name) // may itself be data
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return sentValues(list, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				list = sentValues(list, v.Field(i))
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			list = sentValues(list, v.MapIndex(key))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return list
		}
		for i := range v.Len() {
			list = sentValues(list, v.Index(i))
		}
	default:
	}
	return list
}
