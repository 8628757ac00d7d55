package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// AWS rejects requests whose signature is more than five minutes off. Even a difference of a minute gives changes and
// audit entries a wrong date.
const (
	clockWarning = time.Minute
	clockProblem = 5 * time.Minute
)

// minLifetime is the remaining lifetime of credentials below which a user should renew them before starting work.
const minLifetime = 10 * time.Minute

// Chain returns a finding for each AWS profile that leads to a connection's credentials. It sends no requests.
func Chain(links []store.ChainLink) []Finding {
	return models.MapSlice(links, func(link store.ChainLink) Finding { return passed("credentials from", link.String()) })
}

// Credentials fetches the credentials of a connection and reports their source, but not the credentials themselves.
func Credentials(ctx context.Context, c *store.Connection, now time.Time) Finding {
	const check = "credentials"
	source, err := c.CredentialSource(ctx)
	if err != nil {
		return failed(check, err)
	}
	place := sourceName(source.Name)
	if source.Expires.IsZero() {
		return passed(check, place)
	}
	text := place + ", expire " + humanize.RelTime(source.Expires, now, "ago", "from now")
	if source.Expires.Sub(now) < minLifetime {
		return warning(check, text, "renew them before you start")
	}
	return passed(check, text)
}

// sources describes the providers of the SDK for users. A provider name may contain a file after a colon.
var sources = map[string]string{
	"EnvConfigCredentials":        "from the environment (AWS_ACCESS_KEY_ID)",
	"SharedConfigCredentials":     "from",
	"SSOProvider":                 "from IAM Identity Center (SSO)",
	"AssumeRoleProvider":          "of an assumed role",
	"WebIdentityCredentials":      "of a role for a web identity",
	"LoginProvider":               "from aws login",
	"ProcessProvider":             "from the credential_process of the AWS profile",
	"EC2RoleProvider":             "of the role of this EC2 instance",
	"CredentialsEndpointProvider": "from the endpoint of this container",
	"StaticCredentials":           "none found; local servers accept any credentials",
}

func sourceName(provider string) string {
	name, file, _ := strings.Cut(provider, ": ")
	return strings.TrimSpace(cmp.Or(sources[name], "from "+name) + " " + file)
}

// Endpoint sends a request without credentials to the endpoint of a connection, and compares the clocks.
func Endpoint(ctx context.Context, c *store.Connection) []Finding {
	const check = "endpoint"
	t := c.Describe()
	a, err := c.Ask(ctx)
	switch {
	case err != nil:
		return []Finding{failed(check, err)}
	case !a.DynamoDB:
		return []Finding{problem(check, t.Endpoint+" is not a DynamoDB endpoint",
			"check --endpoint-url, and look for a proxy or a login page")}
	}
	out := []Finding{passed(check, fmt.Sprintf("%s responds in %d ms", t.Endpoint, a.Took.Milliseconds()))}
	if a.Time.IsZero() {
		return out
	}
	return append(out, clockFinding(a.At, a.Time))
}

func clockFinding(local, remote time.Time) Finding {
	const check, fix = "clock", "set the clock, or turn on time synchronization"
	offset := local.Sub(remote).Truncate(time.Second)
	direction := "ahead of"
	if offset < 0 {
		direction = "behind"
	}
	text := fmt.Sprintf("%s %s the endpoint", offset.Abs(), direction)
	switch {
	case offset.Abs() >= clockProblem:
		return problem(check, text, fix)
	case offset.Abs() >= clockWarning:
		return warning(check, text, fix)
	case offset.Abs() <= time.Second:
		return passed(check, "as the endpoint's")
	}
	return passed(check, text)
}

func failed(check string, err error) Finding {
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		return problem(check, err.Error(), "")
	}
	return problem(check, cmp.Or(e.Problem, e.Error()), e.Advice)
}

// ConnectionProblem returns the finding for a connection that ddbdesk cannot create, for example because it lacks a
// region.
func ConnectionProblem(err error) Finding { return failed("connection", err) }

// EmbeddedStore returns the finding for the embedded database. reason is why ddbdesk uses it, or "" if the user
// selected it.
func EmbeddedStore(reason string) Finding {
	text := "not needed by the embedded database"
	if reason != "" {
		text += " (" + reason + ")"
	}
	return passed("credentials", text)
}
