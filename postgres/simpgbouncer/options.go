package simpgbouncer

import "time"

// Mode is a pool_mode: when a server connection is given back to the pool.
type Mode string

// The modes: at the client's end, at the end of each transaction, or after each statement.
const (
	Session     Mode = "session"
	Transaction Mode = "transaction"
	Statement   Mode = "statement"
)

// Never is the length of a time-out that does not apply: 0 in pgbouncer.ini.
const Never time.Duration = -1

// Options are settings of pgbouncer.ini, by its names. Those that are zero have PgBouncer's defaults.
type Options struct {
	PoolMode        Mode // default Session
	DefaultPoolSize int  // default 20
	MaxClientConn   int  // default 100
	// ServerResetQuery is what the pooler executes on a server connection before the next client gets it, in
	// mode Session or if ServerResetQueryAlways is set: DISCARD ALL, or, with NoServerResetQuery, nothing.
	ServerResetQueryAlways bool
	NoServerResetQuery     bool
	// ServerRoundRobin gives out the server connection that has been idle for longest. By default the
	// pooler gives out the one that was used last.
	ServerRoundRobin bool
	// IgnoreStartupParameters are parameters that clients may send and the pooler ignores. It refuses clients that
	// send others than client_encoding, datestyle, timezone, standard_conforming_strings and application_name.
	IgnoreStartupParameters []string
	// DNSMaxTTL is how long the pooler remembers the address of its host, by name. If it is zero, the host is given by its
	// address: each new server connection goes to the node to which the address leads.
	DNSMaxTTL time.Duration

	// The time-outs.
	QueryWaitTimeout       time.Duration // default 120 s
	QueryTimeout           time.Duration // default Never
	IdleTransactionTimeout time.Duration // default Never
	ClientIdleTimeout      time.Duration // default Never
	ClientLoginTimeout     time.Duration // default 60 s
	ServerLifetime         time.Duration // default 1 h
	ServerIdleTimeout      time.Duration // default 10 min
	ServerConnectTimeout   time.Duration // default 15 s
	ServerLoginRetry       time.Duration // default 15 s
	ServerCheckDelay       time.Duration // default 30 s
}

const (
	resetQuery = "DISCARD ALL"
	checkQuery = "select 1"

	defaultPoolSize      = 20
	defaultMaxClientConn = 100
)

// withDefaults returns the options with PgBouncer's defaults.
func (o Options) withDefaults() Options {
	if o.PoolMode == "" {
		o.PoolMode = Session
	}
	if o.DefaultPoolSize == 0 {
		o.DefaultPoolSize = defaultPoolSize
	}
	if o.MaxClientConn == 0 {
		o.MaxClientConn = defaultMaxClientConn
	}
	for _, t := range []struct {
		setting *time.Duration
		usual   time.Duration
	}{
		{&o.QueryWaitTimeout, 120 * time.Second},
		{&o.QueryTimeout, Never},
		{&o.IdleTransactionTimeout, Never},
		{&o.ClientIdleTimeout, Never},
		{&o.ClientLoginTimeout, time.Minute},
		{&o.ServerLifetime, time.Hour},
		{&o.ServerIdleTimeout, 10 * time.Minute},
		{&o.ServerConnectTimeout, 15 * time.Second},
		{&o.ServerLoginRetry, 15 * time.Second},
		{&o.ServerCheckDelay, 30 * time.Second},
	} {
		if *t.setting == 0 {
			*t.setting = t.usual
		}
	}
	return o
}
