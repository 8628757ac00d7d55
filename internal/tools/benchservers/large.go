package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded"
)

// largeNote is the size of the note in items of 1 KB.
const largeNote = 850

func measureLarge(ctx context.Context, o options, dir string) error {
	begin := time.Now()
	if err := makeLarge(ctx, o.large, dir); err != nil {
		return err
	}
	size, err := folderSize(dir)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d items of 1 KB, a file of %d MB, made in %.0f s\n", o.large, size>>20, time.Since(begin).Seconds())
	begin = time.Now()
	p, err := start(ctx, o.binary, "--data", dir)
	if err != nil {
		return err
	}
	defer p.stop()
	s := newServer("", p.url)
	if err := get(ctx, s, o.large); err != nil {
		return err
	}
	fmt.Printf("start of the process to the first answer: %s\n", time.Since(begin).Round(time.Millisecond))
	report := func(when string) {
		if used := memory(p.cmd.Process.Pid); used != "" {
			fmt.Printf("memory %s: %s\n", when, used)
		}
	}
	report("after the first answer")
	for range 1000 {
		if err := get(ctx, s, o.large); err != nil {
			return err
		}
	}
	report("after 1,000 reads")
	begin = time.Now()
	if err := page(ctx, s, "Scan", "", o.large); err != nil {
		return err
	}
	fmt.Printf("scan of everything: %s\n", time.Since(begin).Round(time.Millisecond))
	report("after a scan of everything")
	return nil
}

// makeLarge fills the store in this process without fsync.
func makeLarge(ctx context.Context, items int, dir string) (err error) {
	s, err := embedded.Open(embedded.Options{Path: dir, NoSync: true})
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	local := &server{url: "http://embedded.invalid", client: &http.Client{Transport: inProcess{s}}}
	if _, err := local.ask(ctx, "CreateTable", createBench); err != nil {
		return err
	}
	return fill(items, clients, largeNote, func(batch string) error {
		_, err := local.ask(ctx, "BatchWriteItem", batch)
		return err
	})
}

// inProcess is a transport to a store in this process.
type inProcess struct{ store *embedded.Store }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) { return t.store.Do(r) }

func folderSize(dir string) (size int64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// memory returns the private memory of the process, and its resident part of the mapped file,
// which the system can reclaim. It is available on Linux only.
func memory(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	var parts []string
	for _, line := range strings.Split(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "RssAnon":
			parts = append(parts, strings.TrimSpace(value)+" of its own")
		case "RssFile":
			parts = append(parts, strings.TrimSpace(value)+" of the file")
		}
	}
	return strings.Join(parts, ", ")
}
