package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

func main() {
	output := flag.String("o", "", "the page to write the figures into; without it they are printed")
	rounds := flag.Int("rounds", 7, "how often everything is measured")
	period := flag.Duration("period", time.Second, "how long a lock is contended for in a round with short holds; with long ones twice as long")
	hotspots := flag.Bool("hotspots", true, "run the published experiment with local hotspots, which takes about a minute")
	only := flag.String("locks", "", "a regular expression that selects the locks to measure; the libraries are always measured (default: all)")
	flag.Parse()
	which, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench/locks: -locks %q is no regular expression: %v\n", *only, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	text, err := run(ctx, which, *rounds, *period, *hotspots)
	if err == nil {
		if *output == "" {
			fmt.Print(text)
		} else {
			err = write(*output, text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/locks:", err)
		os.Exit(1)
	}
}

// run measures everything and returns the text for the page.
func run(ctx context.Context, which *regexp.Regexp, rounds int, period time.Duration, hotspots bool) (string, error) {
	server, stop, err := realredis.Launch()
	if err != nil {
		return "", err
	}
	defer stop()
	admin := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer func() { _ = admin.Close() }()
	results, err := race(ctx, server, admin, which, rounds, period)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(facts(ctx, admin, rounds, period) + "\n" + tables(results))
	if hotspots {
		other, stop, err := realredis.Launch()
		if err != nil {
			return "", err
		}
		defer stop()
		var out [2]outcome
		for i := range out {
			fmt.Fprintln(os.Stderr, "hotspots:", i == 1)
			if out[i], err = experiment(ctx, server, other, admin, i == 1); err != nil {
				return "", err
			}
		}
		b.WriteString("\n" + hotspotTable(out[0], out[1]))
	}
	return b.String(), nil
}

// turns is how often each subject is measured alone in a round, for a slice each time.
// Slices are short, so that other load on the machine affects all subjects.
const turns, slice = 30, 20 * time.Millisecond

// race measures all subjects in turn. Each round begins with another subject.
func race(ctx context.Context, server *realredis.Server, admin *redis.Client, which *regexp.Regexp, rounds int, period time.Duration) ([]*result, error) {
	var stands []*stand
	var results []*result
	for _, s := range subjects() {
		if !s.foreign && !which.MatchString(s.name) {
			continue
		}
		st, err := newStand(ctx, server, admin, s)
		if err != nil {
			return nil, err
		}
		defer st.close()
		stands, results = append(stands, st), append(results, &result{subject: s})
		if err := st.crowd(ctx, &result{subject: s}, period/8); err != nil { // to warm up
			return nil, err
		}
	}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		inTurn := func(turn int, f func(*stand, *result) error) error {
			for i := range stands {
				n := (i + turn) % len(stands)
				if err := f(stands[n], results[n]); err != nil {
					return fmt.Errorf("%s: %w", stands[n].name, err)
				}
			}
			return nil
		}
		for turn := range turns {
			err := inTurn(round+turn, func(s *stand, r *result) error { return s.alone(ctx, r, slice) })
			if err != nil {
				return nil, err
			}
		}
		if err := inTurn(round, func(s *stand, r *result) error { return s.crowd(ctx, r, period) }); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// facts describes the machine and the settings.
func facts(ctx context.Context, admin *redis.Client, rounds int, period time.Duration) string {
	version := "unknown"
	if info, err := admin.Info(ctx, "server").Result(); err == nil {
		if m := regexp.MustCompile(`redis_version:(\S+)`).FindStringSubmatch(info); m != nil {
			version = m[1]
		}
	}
	return fmt.Sprintf("%s, %s/%s, %d of %d processors (%s); redis-server %s on the same machine, over loopback; go-redis %s. "+
		"%d rounds, of %d times %v alone, and %v and %v with %d contenders in %d processes. Load average of the machine before the end: %s.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), runtime.NumCPU(), processor(), version, clientVersion(),
		rounds, turns, slice, period, 2*period, processes*threads, processes, load())
}

// processor is the name of the processor on Linux.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor unknown"
	}
	if m := regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "processor unknown"
}

func clientVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/redis/go-redis/v9" {
				return m.Version
			}
		}
	}
	return "of unknown version"
}

// load is the load average of the last minute.
func load() string {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if one, _, ok := bytes.Cut(text, []byte(" ")); ok {
			return string(one)
		}
	}
	if text, err := exec.Command("uptime").Output(); err == nil {
		return strings.TrimSpace(string(text))
	}
	return "unknown"
}
