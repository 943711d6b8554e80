package main

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
)

// Four processes with as many threads each contend for a lock.
const processes, threads = 4, 4

// A stand is a subject with its processes: connections are open, and the server
// knows the scripts, before anything is measured.
type stand struct {
	subject
	admin   *redis.Client
	lockers []locker // of the processes that contend
	single  locker   // of a lock that no other process uses
	ends    []func()
	sent    atomic.Int64
}

// newStand makes the processes of a subject.
func newStand(ctx context.Context, server *realredis.Server, admin *redis.Client, s subject) (st *stand, err error) {
	st = &stand{subject: s, admin: admin}
	defer func() {
		if err != nil {
			st.close()
		}
	}()
	if st.single, err = st.process(ctx, server, "single"); err != nil {
		return nil, err
	}
	for range processes {
		acquire, err := st.process(ctx, server, "lock")
		if err != nil {
			return nil, err
		}
		st.lockers = append(st.lockers, acquire)
	}
	return st, nil
}

// process is a process with its client, which has acquired and released once.
func (s *stand) process(ctx context.Context, server *realredis.Server, name string) (locker, error) {
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	client.AddHook((*counter)(&s.sent))
	acquire, end := s.make(client, name)
	s.ends = append(s.ends, end, func() { _ = client.Close() })
	release, err := acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: acquire: %w", s.name, err)
	}
	if err := release(ctx); err != nil {
		return nil, fmt.Errorf("%s: release: %w", s.name, err)
	}
	return acquire, nil
}

func (s *stand) close() {
	for _, end := range s.ends {
		end()
	}
}

// traffic counts the work of a server.
type traffic struct {
	// requests are sent by the clients. commands are executed by the server for them,
	// calls of scripts included.
	requests, commands int
}

// count runs a measurement and adds its results to the figures. The set-up of
// connections does not count.
func (s *stand) count(ctx context.Context, f *figures, run func(context.Context) ([]time.Duration, time.Duration, error)) error {
	before, err := s.used(ctx)
	if err != nil {
		return err
	}
	if err := s.admin.ConfigResetStat(ctx).Err(); err != nil {
		return err
	}
	sent := s.sent.Load()
	waits, took, err := run(ctx)
	if err != nil {
		return err
	}
	f.traffic.requests += int(s.sent.Load() - sent)
	calls, err := commandStats(ctx, s.admin)
	if err != nil {
		return err
	}
	for name, n := range calls {
		if !setUp(name) && name != "info" && name != "config|resetstat" {
			f.traffic.commands += n
		}
	}
	// A subscription has a connection of its own, without hooks.
	f.traffic.requests += calls["subscribe"] + calls["unsubscribe"] + calls["ping"]
	after, err := s.used(ctx)
	f.cpu.client += after.client - before.client
	f.cpu.server += after.server - before.server
	f.rates = append(f.rates, float64(len(waits))/took.Seconds())
	f.waits = append(f.waits, waits...)
	return err
}

// used is the processor time that this program and the server have used so far.
func (s *stand) used(ctx context.Context) (u usage, err error) {
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return usage{}, err
	}
	u.client = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	info, err := s.admin.Info(ctx, "cpu").Result()
	for _, m := range cpuField.FindAllStringSubmatch(info, -1) {
		seconds, _ := strconv.ParseFloat(m[1], 64)
		u.server += time.Duration(seconds * float64(time.Second))
	}
	return u, err
}

var cpuField = regexp.MustCompile(`(?m)^used_cpu_(?:user|sys):([0-9.]+)`)

func setUp(command string) bool {
	return command == "hello" || command == "client" || strings.HasPrefix(command, "client|") || strings.HasPrefix(command, "command")
}

var commandStat = regexp.MustCompile(`cmdstat_([a-z|]+):calls=(\d+)`)

// commandStats is how often a server has executed each command since its statistics
// were reset.
func commandStats(ctx context.Context, client *redis.Client) (map[string]int, error) {
	info, err := client.Info(ctx, "commandstats").Result()
	if err != nil {
		return nil, err
	}
	calls := map[string]int{}
	for _, m := range commandStat.FindAllStringSubmatch(info, -1) {
		calls[m[1]], _ = strconv.Atoi(m[2])
	}
	return calls, nil
}

// counter counts the requests of a client.
type counter atomic.Int64

func (c *counter) note(commands ...redis.Cmder) {
	for _, command := range commands {
		if !setUp(command.Name()) {
			(*atomic.Int64)(c).Add(1)
		}
	}
}

// DialHook changes nothing.
func (c *counter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook counts a command.
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		c.note(command)
		return next(ctx, command)
	}
}

// ProcessPipelineHook counts the commands of a pipeline.
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		c.note(commands...)
		return next(ctx, commands)
	}
}
