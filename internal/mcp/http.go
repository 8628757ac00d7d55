package mcp

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ddbdesk/ddbdesk/internal/localhttp"
)

// MinToken is the length of the shortest token that [Server.Handler] accepts, in bytes.
const MinToken = 32

// Handler answers clients over HTTP, as the "Streamable HTTP" transport of the protocol says. A request needs the header
// Authorization with the token, a Host that names this machine, and no Origin of a web page: a page that is open in a browser
// of the user could send requests to this machine, too.
func (s *Server) Handler(token string) http.Handler {
	answers := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		JSONResponse: true, PropagateRequestCancellation: true,
		Stateless: true, // Clients from version 2026-07-28 on have no sessions, and no older one needs one.
	})
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !ofThisMachine(r.Header.Values("Origin")):
			refuse(w, http.StatusForbidden, "requests from web pages are refused")
		case len(token) < MinToken, !isBearer, subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the header Authorization needs the token that ddbdesk mcp printed: Bearer TOKEN")
		default:
			answers.ServeHTTP(w, r)
		}
	})
	return localhttp.Only(checked, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "only requests to 127.0.0.1 or localhost are allowed")
	}))
}

func refuse(w http.ResponseWriter, status int, why string) { http.Error(w, "ddbdesk: "+why, status) }

// ofThisMachine accepts requests without an Origin, as those of programs, and of pages that this machine serves.
func ofThisMachine(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !localhttp.Names(u.Host) {
			return false
		}
	}
	return true
}
