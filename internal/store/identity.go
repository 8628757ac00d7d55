package store

import (
	"context"
	"os"
	"os/user"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// An Identity is whoever the store takes the requests to come from.
type Identity struct {
	Account string // "" on this machine
	ARN     string // "" on this machine
	UserID  string
	Name    string // what people call it: the session, user or role; $USER on this machine
	Local   bool
}

// Actor is the identity as an audit entry names it: the whole ARN, or $USER.
func (i Identity) Actor() string {
	if i.ARN != "" {
		return i.ARN
	}
	return i.Name
}

// Identity asks STS whose credentials these are. For the embedded store and
// endpoints on this machine it is the user of the operating system.
func (c *Connection) Identity(ctx context.Context) (Identity, error) {
	if c.target.Embedded || c.target.Loopback {
		return localIdentity(), nil
	}
	s := subject{operation: "GetCallerIdentity"}
	client := sts.NewFromConfig(c.aws, func(o *sts.Options) { o.Retryer = c.newRetrier(ctx, s.operation, false) })
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err = c.called(ctx, s, 0, err); err != nil {
		return Identity{}, err
	}
	id := Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn), UserID: aws.ToString(out.UserId)}
	id.Name = id.ARN[strings.LastIndexAny(id.ARN, "/:")+1:]
	c.account.Store(id.Account)
	return id, nil
}

func localIdentity() Identity {
	name := os.Getenv("USER")
	if name == "" {
		name = "unknown"
		if current, err := user.Current(); err == nil {
			name = current.Username
		}
	}
	return Identity{Name: name, UserID: name, Local: true}
}
