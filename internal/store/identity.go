package store

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"strings"

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

// Identity asks STS whose credentials these are. For the embedded store and endpoints
// on this machine it returns the local user.
func (c *Connection) Identity(ctx context.Context) (Identity, error) {
	if c.target.Embedded || c.target.Loopback {
		return Identity{Name: LocalUser()}, nil
	}
	s := subject{operation: "GetCallerIdentity"}
	client := sts.NewFromConfig(c.aws, func(o *sts.Options) { o.Retryer = c.newRetrier(ctx, s.operation, false) })
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err = c.called(ctx, s, 0, err); err != nil {
		return Identity{}, err
	}
	id := Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}
	id.Name = id.ARN[strings.LastIndexAny(id.ARN, "/:")+1:]
	c.account.Store(id.Account)
	return id, nil
}

// LocalUser returns the name of the user of this machine: $USER, or the name that the
// operating system knows.
func LocalUser() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
