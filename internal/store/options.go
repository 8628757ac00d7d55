package store

import (
	"net/http"
	"time"
)

// A Doer sends one HTTP request. The embedded store implements it. It must be safe for
// concurrent use, and ends early when the context of the request does.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Options are the endpoint and the credentials of a connection. The zero value uses
// those that the AWS SDK finds: in the environment, in the shared configuration files,
// through SSO or an assumed role.
type Options struct {
	// Profile, Region and EndpointURL are the AWS CLI's --profile, --region and
	// --endpoint-url. The SDK resolves those that are empty.
	Profile, Region, EndpointURL string

	// Embedded processes the requests in this process. With it, the AWS configuration is
	// not read and the three fields above are ignored.
	Embedded Doer

	// EmbeddedDir is the absolute path of the embedded store's folder, which identifies
	// the store; "" for a store in memory.
	EmbeddedDir string

	// Regions are the allowed regions; empty allows all. The embedded store and local
	// servers that identify themselves are exempt; see Target.Own.
	Regions []string

	// MFAToken asks for the MFA code that an assumed role needs. It is called while a
	// request waits for credentials, and may block.
	MFAToken func() (string, error)

	// Like is a connection whose credentials are used if it has the same AWS profile,
	// because an MFA code works only once. Nil resolves the credentials again.
	Like *Connection

	// Clock returns the wall clock, which also runs while the machine sleeps; nil for time.Now.
	Clock func() time.Time

	// OnRetry is called before each retry, on the goroutine of the request. It must be safe for
	// concurrent use and must not block.
	OnRetry func(Retry)
}
