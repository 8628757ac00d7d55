package store

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// An Identity is the caller to whom the credentials of a connection belong.
type Identity struct {
	Account string // ID of the AWS account, "" for a local store
	ARN     string // "" for a local store
	Name    string // session, user or role; the local user for a local store
}

// Actor returns the identity as audit entries name it: the ARN, or the local user.
func (i Identity) Actor() string { return cmp.Or(i.ARN, i.Name) }

// tunnelTimeout limits the wait for STS at a loopback endpoint that may be a tunnel.
const tunnelTimeout = 3 * time.Second

// Identity asks STS whose credentials these are. For databases of this machine it returns
// the local user, and also for a loopback endpoint whose credentials STS does not know. The
// error is an *Error. STS answers without any permission. Source: AWS Security Token Service
// API Reference, "GetCallerIdentity".
func (c *Connection) Identity(ctx context.Context) (Identity, error) {
	local := Identity{Name: LocalUser()}
	if c.target.Own() || c.target.Loopback && !c.answered {
		return local, nil
	}
	if c.target.Loopback {
		limited, cancel := context.WithTimeout(ctx, tunnelTimeout)
		defer cancel()
		if id, err := c.caller(limited); err == nil {
			return id, nil
		}
		return local, ctx.Err()
	}
	return c.caller(ctx)
}

func (c *Connection) caller(ctx context.Context) (Identity, error) {
	s := subject{operation: "GetCallerIdentity"}
	client := sts.NewFromConfig(c.aws, func(o *sts.Options) { o.Retryer = c.newRetrier(ctx, s.operation, false) })
	start := time.Now()
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err = c.called(ctx, s, 0, time.Since(start), err); err != nil {
		return Identity{}, err
	}
	id := Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}
	id.Name = id.ARN[strings.LastIndexAny(id.ARN, "/:")+1:]
	c.account.Store(id.Account)
	c.arn.Store(id.ARN)
	return id, nil
}

// LocalUser returns the name of the user of this machine: $USER, or the name that the
// operating system knows. The result is not verified by the operating system and is no proof of
// who it is. It is never "".
func LocalUser() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
