package store

import "net/http"

// A Doer sends one HTTP request. The embedded store is one.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Options say where to connect and as whom. The zero value is what the AWS SDK
// finds by itself: environment, shared configuration, SSO, assumed roles.
type Options struct {
	// Profile, Region and EndpointURL are the AWS CLI's --profile, --region and
	// --endpoint-url. Empty leaves them to the SDK.
	Profile, Region, EndpointURL string

	// Embedded answers in process. No AWS configuration is read then, and the
	// three fields above are ignored.
	Embedded Doer

	// EmbeddedDir is the folder of the embedded store, which tells it from others:
	// an absolute path, "" in memory.
	EmbeddedDir string

	// Regions are those that may be connected to; empty means any. Endpoints on
	// the loopback interface and the embedded store are exempt.
	Regions []string

	// MFAToken asks for the code of the MFA device that an assumed role needs.
	// It runs while a request waits for credentials and may block.
	MFAToken func() (string, error)

	// Like is a connection whose credentials are used when it is one of the same
	// profile: an MFA device gives no code twice. Nil looks for credentials anew.
	Like *Connection

	// OnRetry is told of every retry of every request, from the goroutine of the
	// request.
	OnRetry func(Retry)

	// Log receives the SDK's own warnings and what a credential helper says, one
	// printable line each. They are dropped when it is nil, and never written to
	// the terminal. It may be called from any goroutine.
	Log func(line string)
}
