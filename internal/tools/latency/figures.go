//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "embed"
)

//go:embed rows.yaml
var profile []byte

// burstKeys is the number of keys in one write.
const burstKeys = 200

// itemsOpened is how many times the tool opens an item.
const itemsOpened = 5

var (
	plainFrame    = regexp.MustCompile(`row 000030`)
	anyFrame      = regexp.MustCompile(`ddbdesk`)
	homeFrame     = regexp.MustCompile(`ebay-sniper`)
	patternsFrame = regexp.MustCompile(`Verification by ID`)
	rowsFrame     = regexp.MustCompile(`All orders`)
	firstPage     = regexp.MustCompile(`1/100`)
)

// measureStarts measures the time from a start to the first frame.
func measureStarts(ctx context.Context, o options, home string) error {
	embedded := []string{o.bin, "authbridge", "--embedded=" + filepath.Join(home, "empty")}
	measurements := []struct {
		name string
		args []string
		seen *regexp.Regexp
	}{
		{"first frame, ddbdesk", []string{o.bin}, anyFrame},
		{"all profiles listed, ddbdesk", []string{o.bin}, homeFrame},
		{"first frame, demo", []string{o.bin, "demo", "--tour=false"}, anyFrame},
		{"first frame, authbridge --embedded", embedded, anyFrame},
		{"its patterns listed", embedded, patternsFrame},
	}
	for _, m := range measurements {
		var ddbdesk, plain []time.Duration
		for range o.starts {
			for _, run := range []struct {
				args  []string
				seen  *regexp.Regexp
				times *[]time.Duration
			}{{m.args, m.seen, &ddbdesk}, {[]string{o.plain}, plainFrame, &plain}} {
				d, err := firstFrame(ctx, home, run.args, run.seen)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				*run.times = append(*run.times, d)
			}
		}
		printLine(m.name, median(ddbdesk), median(plain))
	}
	return nil
}

func firstFrame(ctx context.Context, home string, args []string, seen *regexp.Regexp) (d time.Duration, err error) {
	p, err := start(ctx, home, args)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	at, err := p.await(seen)
	return at.Sub(p.started), err
}

// keyFigures contains the times and costs of keys.
type keyFigures struct {
	toFrame []time.Duration // from a key to the first byte of its frame
	drained time.Duration   // from one write of burstKeys keys to the last byte
	opened  []time.Duration // from enter on a row to the item's last byte; nil for a program without items
	bytes   int             // per key
	cpu     time.Duration   // per key
	rss     int64
}

// measureKeys starts a program, opens its rows, and presses keys.
func measureKeys(ctx context.Context, o options, home string, args []string, open func(*program) error) (k keyFigures, err error) {
	p, err := start(ctx, home, args)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	if open != nil {
		err = open(p)
	} else {
		_, err = p.await(plainFrame)
	}
	if err != nil {
		return k, err
	}
	if _, _, err := p.awaitQuiet(300 * time.Millisecond); err != nil {
		return k, err
	}
	before, _, err := p.usage()
	if err != nil {
		return k, err
	}
	for i := range o.keys {
		if err := k.measureKey(p, i); err != nil {
			return k, err
		}
	}
	after, rss, err := p.usage()
	if err != nil {
		return k, err
	}
	k.bytes /= o.keys
	k.cpu, k.rss = (after-before)/time.Duration(o.keys), rss
	at, err := p.press(strings.Repeat("\x1b[B\x1b[B\x1b[A", burstKeys/3) + strings.Repeat("\x1b[B", burstKeys%3))
	if err != nil {
		return k, err
	}
	_, last, err := p.awaitQuiet(250 * time.Millisecond)
	k.drained = last.Sub(at)
	if err == nil && open != nil {
		err = k.measureItems(p)
	}
	return k, err
}

// measureItems repeatedly opens the item of the row and returns.
func (k *keyFigures) measureItems(p *program) error {
	for range itemsOpened {
		for _, key := range []string{"\r", "\x1b"} {
			at, err := p.press(key)
			if err != nil {
				return err
			}
			_, last, err := p.awaitQuiet(time.Second) // long enough for the additional reads of the item
			if err != nil {
				return err
			}
			if key == "\r" {
				k.opened = append(k.opened, last.Sub(at))
			}
		}
	}
	return nil
}

// measureKey presses a key that moves the cursor, and waits for the complete frame. It varies the time of the key,
// because the program's tickers affect the delay.
func (k *keyFigures) measureKey(p *program, i int) error {
	key := "\x1b[B"
	if i/30%2 == 1 {
		key = "\x1b[A"
	}
	time.Sleep(time.Duration(i*7%17) * time.Millisecond)
	at, err := p.press(key)
	if err != nil {
		return err
	}
	c, ok, err := p.next(2 * time.Second)
	if err != nil || !ok {
		return errors.Join(err, fmt.Errorf("no response to key %d", i))
	}
	k.toFrame = append(k.toFrame, c.at.Sub(at))
	n, _, err := p.awaitQuiet(quietTime)
	k.bytes += len(c.text) + n
	return err
}

func (k keyFigures) print(rows int, plain keyFigures) {
	suffix := fmt.Sprintf(" at %d rows", rows)
	printLine("key to frame, median,"+suffix, median(k.toFrame), median(plain.toFrame))
	printLine("key to frame, 95 of 100,"+suffix, percentile(k.toFrame, 95), percentile(plain.toFrame, 95))
	printLine(strconv.Itoa(burstKeys)+" keys at once,"+suffix, k.drained, plain.drained)
	printLine("an item is opened and at rest,"+suffix, median(k.opened), 0)
	printLine("processor a key,"+suffix, k.cpu, plain.cpu)
	fmt.Printf("%-48s %11d B %11d B\n", "bytes a key,"+suffix, k.bytes, plain.bytes)
	fmt.Printf("%-48s %10d MB %10d MB\n", "memory,"+suffix, k.rss>>20, plain.rss>>20)
}

func printLine(name string, measured, plain time.Duration) {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }
	if plain == 0 {
		fmt.Printf("%-48s %13s\n", name, ms(measured))
		return
	}
	fmt.Printf("%-48s %13s %13s %8.2f\n", name, ms(measured), ms(plain), float64(measured)/float64(plain))
}

func median(list []time.Duration) time.Duration { return percentile(list, 50) }

func percentile(list []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// prepare creates a store with rows unless it exists, and returns the command that opens it.
func prepare(ctx context.Context, o options, home string, rows int) ([]string, error) {
	file := filepath.Join(home, "rows.yaml")
	if err := os.WriteFile(file, profile, 0o600); err != nil {
		return nil, err
	}
	store := filepath.Join(o.data, fmt.Sprintf("rows-%d", rows))
	args := []string{o.bin, file, "--embedded=" + store}
	if _, err := os.Stat(store); err == nil {
		return args, nil
	}
	for _, command := range [][]string{{"table", "create", file}, {"seed", file, "--items", strconv.Itoa(rows)}} {
		c := exec.CommandContext(ctx, o.bin, append(command, "--embedded="+store, "--role", "admin")...)
		c.Env = environment(home)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("ddbdesk %s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return args, nil
}

// openRows runs the pattern and reads all its rows.
func openRows(_ context.Context, p *program, rows int) error {
	if _, err := p.await(rowsFrame); err != nil {
		return err
	}
	if _, err := p.press("\r"); err != nil {
		return err
	}
	if _, err := p.await(firstPage); err != nil || rows <= 100 {
		return err
	}
	if _, err := p.press("oA"); err != nil {
		return err
	}
	_, err := p.await(regexp.MustCompile(fmt.Sprintf(`%s items`, withThousands(rows))))
	return err
}

// withThousands formats a number as the console does.
func withThousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
