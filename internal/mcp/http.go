package mcp

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/internal/localhttp"
)

// MinToken is the minimum length in bytes of a token that [Server.Handler] accepts.
const MinToken = 32

// Handler answers clients over HTTP, using the protocol's "Streamable HTTP" transport. A request needs the token in the
// Authorization header, a Host that names this machine, and no Origin of a foreign web page, because pages in a user's
// browser could also send requests to this machine.
func (s *Server) Handler(token string) http.Handler {
	answers := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		JSONResponse: true, PropagateRequestCancellation: true,
		Stateless: true, // clients since version 2026-07-28 have no sessions, and older clients do not need one
	})
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !areLocal(r.Header.Values("Origin")):
			reject(w, http.StatusForbidden, "requests from web pages are refused")
		case len(token) < MinToken, !isBearer, subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			reject(w, http.StatusUnauthorized, "missing or wrong token; send the header Authorization: Bearer TOKEN with the token that ddbdesk mcp printed")
		default:
			answers.ServeHTTP(w, r)
		}
	})
	return localhttp.RequireLocalHost(checked, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reject(w, http.StatusForbidden, "only requests to 127.0.0.1 or localhost are allowed")
	}))
}

func reject(w http.ResponseWriter, status int, reason string) {
	http.Error(w, "ddbdesk: "+reason, status)
}

// areLocal accepts requests from programs, which have no Origin, and from pages that this machine serves.
func areLocal(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !localhttp.IsLocalHost(u.Host) {
			return false
		}
	}
	return true
}
