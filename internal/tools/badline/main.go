// Command badline simulates an unreliable network for manual tests of ddbdesk. It is a proxy of
// a DynamoDB server that injects the selected faults into requests.
//
//	ddbdesk serve --addr 127.0.0.1:8000 &
//	go run ./internal/tools/badline -to http://127.0.0.1:8000 &
//	ddbdesk authbridge --endpoint-url http://127.0.0.1:8001
//	curl 127.0.0.1:8001/fault/hang                   # from now on
//	curl '127.0.0.1:8001/fault/throttled?share=0.3'  # three of ten
//	curl 127.0.0.1:8001/fault/none
//	curl 127.0.0.1:8001/fault/                       # all faults
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8001", "address to listen on")
	to := flag.String("to", "http://127.0.0.1:8000", "URL of the server")
	flag.Parse()
	if err := run(*listen, *to); err != nil {
		fmt.Fprintln(os.Stderr, "badline:", err)
		os.Exit(1)
	}
}

func run(listen, to string) error {
	target, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("-to: %w", err)
	}
	line := faults.New(forward{target})
	mux := http.NewServeMux()
	mux.Handle("/", line)
	mux.HandleFunc("GET /fault/{name...}", func(w http.ResponseWriter, r *http.Request) { choose(w, r, line) })
	server := &http.Server{Addr: listen, Handler: mux, ReadHeaderTimeout: time.Minute}
	fmt.Fprintf(os.Stderr, "http://%s leads to %s\n", listen, to)
	return server.ListenAndServe()
}

// choose sets the fault that the path of a request names.
func choose(w http.ResponseWriter, r *http.Request, line *faults.Line) {
	name := r.PathValue("name")
	if name == "none" {
		line.Set(nil)
		fmt.Fprintln(w, "no faults")
		return
	}
	share := 1.0
	if text := r.URL.Query().Get("share"); text != "" {
		var err error
		if share, err = strconv.ParseFloat(text, 64); err != nil {
			http.Error(w, "share: "+err.Error(), http.StatusBadRequest)
			return
		}
	}
	for _, f := range faults.All() {
		if f.Name == name {
			line.Set(faults.Random(1, share, []*faults.Fault{f}))
			fmt.Fprintf(w, "%s meets %g of the requests\n", f, share)
			return
		}
	}
	for _, f := range faults.All() {
		fmt.Fprintf(w, "%-12s %s\n", f.Kind, f)
	}
}

// forward sends requests to the server.
type forward struct{ to *url.URL }

// Do implements faults.Doer.
func (f forward) Do(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = f.to.Scheme, f.to.Host, ""
	return http.DefaultTransport.RoundTrip(out)
}
