package store

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A login renews credentials that DynamoDB says have expired, although they are cached as valid: they were revoked, or the
// clock of this machine is wrong. It is safe for concurrent use.
type login struct {
	provider aws.CredentialsProvider
	caches   []*aws.CredentialsCache // that it reads from

	mu    sync.Mutex
	times int // that the credentials were renewed
}

func newLogin(provider aws.CredentialsProvider, parts []aws.CredentialsProvider) *login {
	l := &login{provider: provider}
	for _, p := range parts {
		if cache, ok := p.(*aws.CredentialsCache); ok {
			l.caches = append(l.caches, cache)
		}
	}
	if len(l.caches) == 0 {
		return nil
	}
	return l
}

func (l *login) renewals() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times
}

// renew reports whether a request that was signed after seen renewals can be sent again. Of several requests that
// fail together one renews.
func (l *login) renew(ctx context.Context, seen int) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times > seen {
		return true
	}
	old, err := l.provider.Retrieve(ctx)
	if err != nil {
		return false
	}
	for _, c := range l.caches {
		c.Invalidate()
	}
	found, err := l.provider.Retrieve(ctx)
	if err != nil || found.AccessKeyID == old.AccessKeyID && found.SessionToken == old.SessionToken {
		return false
	}
	l.times++
	return true
}
