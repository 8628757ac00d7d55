// Command benchservers compares `ddbdesk serve` with other DynamoDB servers over HTTP, in the
// same run.
//
//	benchservers -ddbdesk bin/ddbdesk name=url name=url
//
// `make bench-servers` builds it, starts the others and runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the options of the command line.
type options struct {
	binary string
	items  int           // of the table that all servers get
	large  int           // items of the file whose memory and opening are measured; 0 leaves that out
	round  time.Duration // how long a case runs on a server before the next server's turn
	rounds int
}

// minItems is the least number of items for pages of 50 in every partition of the index.
const minItems = 5000

func main() {
	var o options
	flag.StringVar(&o.binary, "ddbdesk", "bin/ddbdesk", "path of ddbdesk")
	flag.IntVar(&o.items, "items", 100_000, "number of items in the table of every server, at least 5,000")
	flag.IntVar(&o.large, "large", 1_000_000, "number of items of 1 KB in the file of the large case; 0 skips it")
	flag.DurationVar(&o.round, "round", 300*time.Millisecond, "duration of a turn")
	flag.IntVar(&o.rounds, "rounds", 7, "turns of each server in each case, of which the median is reported")
	flag.Parse()
	o.items = max(o.items, minItems)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "benchservers: "+err.Error())
		os.Exit(1)
	}
}

// run measures ddbdesk twice, on disk and in memory like the others, and then the others.
func run(ctx context.Context, o options, others []string) (err error) {
	dir, err := os.MkdirTemp("", "benchservers-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	var servers []*server
	for name, args := range map[string][]string{"memory": {"--in-memory"}, "disk": {"--data", dir + "/served"}} {
		p, err := start(ctx, o.binary, args...)
		if err != nil {
			return err
		}
		defer p.stop()
		servers = append(servers, newServer("ddbdesk, "+name, p.url))
	}
	if servers[0].name != "ddbdesk, memory" {
		servers[0], servers[1] = servers[1], servers[0]
	}
	for _, other := range others {
		name, url, ok := strings.Cut(other, "=")
		if !ok {
			return fmt.Errorf("invalid server %q; use name=url", other)
		}
		servers = append(servers, newServer(name, url))
	}
	for _, s := range servers {
		begin := time.Now()
		if err := s.load(ctx, o.items); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Printf("%s: %d items in %.1f s\n", s.name, o.items, time.Since(begin).Seconds())
	}
	if err := compare(ctx, o, servers); err != nil {
		return err
	}
	if o.large == 0 {
		return nil
	}
	return measureLarge(ctx, o, dir+"/large")
}
