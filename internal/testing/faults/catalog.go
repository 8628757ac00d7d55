package faults

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"syscall"
	"time"
)

// A Kind groups the faults that the console should present in the same way.
type Kind string

// These are the kinds of faults.
const (
	Slow        Kind = "slow"        // the response is late
	Hangs       Kind = "hangs"       // the response never arrives or never ends
	Broken      Kind = "broken"      // the connection failed
	Failing     Kind = "failing"     // the server reports an internal error
	Throttling  Kind = "throttling"  // the server limits the rate of requests
	Credentials Kind = "credentials" // the server rejects the credentials
	Denied      Kind = "denied"      // the policy does not allow the request
	OtherServer Kind = "stranger"    // another machine answers, for example a proxy
)

// A Fault is a failure or delay of one request.
type Fault struct {
	Name string
	Kind Kind
	// Done means that the server processes the request, although the client gets an error or no response.
	Done bool

	operations []string // operations; none means all
	run        effect
}

// sendFunc sends the request to the server.
type sendFunc func() (*http.Response, error)

// An effect sends a request with its fault and returns the response for the client.
type effect func(r *http.Request, next sendFunc) (*http.Response, error)

// String returns the fault's name.
func (f *Fault) String() string { return f.Name }

func (f *Fault) appliesTo(r Request) bool {
	return len(f.operations) == 0 || slices.Contains(f.operations, r.Operation)
}

// All returns all faults, transient ones first.
func All() []*Fault {
	return slices.Concat(slowFaults(), hangingFaults(), brokenFaults(), failingFaults(), throttlingFaults(), credentialFaults(), foreignFaults())
}

// Named returns the fault with the given name. It panics for an unknown name, because tests use constants.
func Named(name string) *Fault {
	for _, f := range All() {
		if f.Name == name {
			return f
		}
	}
	panic("faults: no fault " + name)
}

// OfKinds returns the faults of the given kinds.
func OfKinds(kinds ...Kind) []*Fault {
	return slices.DeleteFunc(All(), func(f *Fault) bool { return !slices.Contains(kinds, f.Kind) })
}

// Delay returns a fault that delays the response by d.
func Delay(d time.Duration) *Fault {
	return &Fault{Name: "delay of " + d.String(), Kind: Slow, Done: true, run: func(r *http.Request, next sendFunc) (*http.Response, error) {
		if err := wait(r, d); err != nil {
			return nil, err
		}
		return next()
	}}
}

// Rate returns a fault that delivers the body in parts of the given size, one in each interval, and the first at once.
func Rate(bytes int, interval time.Duration) *Fault {
	return &Fault{
		Name: fmt.Sprintf("%d bytes each %s", bytes, interval), Kind: Slow, Done: true,
		run: changeResponse(func(r *http.Request, resp *http.Response) {
			resp.Body = &slowBody{Reader: resp.Body, Closer: resp.Body, r: r, bytes: bytes, interval: interval}
		}),
	}
}

func slowFaults() []*Fault {
	lateResponse, slowBody := Delay(1500*time.Millisecond), Rate(64, 50*time.Millisecond)
	lateResponse.Name, slowBody.Name = "late", "slow body"
	return []*Fault{lateResponse, slowBody}
}

func hangingFaults() []*Fault {
	return []*Fault{
		{Name: "hang", Kind: Hangs, run: func(r *http.Request, _ sendFunc) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}},
		{Name: "hang after", Kind: Hangs, Done: true, run: func(r *http.Request, next sendFunc) (*http.Response, error) {
			if err := loseResponse(next); err != nil {
				return nil, err
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		}},
		{Name: "stalled body", Kind: Hangs, Done: true, run: changeResponse(func(r *http.Request, resp *http.Response) {
			half := io.LimitReader(resp.Body, max(resp.ContentLength/2, 1))
			resp.Body = &body{Reader: io.MultiReader(half, blockingBody{r}), Closer: resp.Body}
		})},
	}
}

func brokenFaults() []*Fault {
	return []*Fault{
		refusedFault("refused", syscall.ECONNREFUSED),
		refusedFault("network unreachable", syscall.ENETUNREACH),
		errorFault("reset before", func(*http.Request) error { return syscallError("write", "write", syscall.ECONNRESET) }),
		{Name: "reset after", Kind: Broken, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return nil, errors.Join(syscallError("read", "read", syscall.ECONNRESET), loseResponse(next))
		}},
		{Name: "cut answer", Kind: Broken, Done: true, run: changeResponse(func(_ *http.Request, resp *http.Response) {
			half := io.LimitReader(resp.Body, max(resp.ContentLength/2, 1))
			resp.Body = &body{Reader: io.MultiReader(half, failingBody{io.ErrUnexpectedEOF}), Closer: resp.Body}
		})},
		{Name: "wrong length", Kind: Broken, Done: true, run: changeResponse(func(_ *http.Request, resp *http.Response) {
			resp.ContentLength += 1000
			resp.Body = &body{Reader: io.MultiReader(resp.Body, failingBody{io.ErrUnexpectedEOF}), Closer: resp.Body}
		})},
		{Name: "wrong checksum", Kind: Broken, Done: true, run: changeResponse(func(_ *http.Request, resp *http.Response) {
			resp.Header.Set("X-Amz-Crc32", "1")
		})},
		{Name: "empty answer", Kind: Broken, Done: true, run: func(_ *http.Request, next sendFunc) (*http.Response, error) {
			return newResponse(http.StatusOK, "", ""), loseResponse(next)
		}},
		errorFault("no such host", func(r *http.Request) error {
			return dialError(&net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true})
		}),
		errorFault("name server silent", func(r *http.Request) error {
			return dialError(&net.DNSError{Err: "i/o timeout", Name: r.URL.Hostname(), IsTimeout: true, IsTemporary: true})
		}),
		errorFault("name server failing", func(r *http.Request) error {
			return dialError(&net.DNSError{Err: "server misbehaving", Name: r.URL.Hostname(), IsTemporary: true})
		}),
		errorFault("wrong certificate", func(*http.Request) error {
			return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		}),
		errorFault("certificate of another host", func(r *http.Request) error {
			return &tls.CertificateVerificationError{Err: x509.HostnameError{
				Certificate: &x509.Certificate{DNSNames: []string{"portal.invalid"}}, Host: r.URL.Hostname(),
			}}
		}),
		errorFault("plain port", func(r *http.Request) error {
			return &url.Error{Op: "Post", URL: r.URL.String(), Err: errors.New("http: server gave HTTP response to HTTPS client")}
		}),
	}
}

// errorFault returns a fault that fails before it sends anything.
func errorFault(name string, err func(*http.Request) error) *Fault {
	return &Fault{Name: name, Kind: Broken, run: func(r *http.Request, _ sendFunc) (*http.Response, error) {
		return nil, err(r)
	}}
}

func refusedFault(name string, number syscall.Errno) *Fault {
	return errorFault(name, func(*http.Request) error { return syscallError("dial", "connect", number) })
}

func syscallError(operation, call string, number syscall.Errno) error {
	return &net.OpError{Op: operation, Net: "tcp", Err: os.NewSyscallError(call, number)}
}

func dialError(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
