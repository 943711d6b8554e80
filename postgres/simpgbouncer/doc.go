// Package simpgbouncer simulates PgBouncer 1.18 inside a world of package sim: a pooler that speaks PostgreSQL's protocol to
// unmodified clients, and lends them its connections to the servers of package simpostgres.
//
//	c := simpostgres.New(world, simpostgres.Options{Replicas: 1}, observe)
//	p := simpgbouncer.New(world, simpgbouncer.Options{PoolMode: simpgbouncer.Transaction, DefaultPoolSize: 2},
//		func() simpgbouncer.Node { return c.Primary() }, observe)
//
// # What it does
//
//   - pool_mode: a client has a server connection for its session, for a transaction, or for a statement. In mode Statement a
//     transaction block ends the client and the server connection.
//   - Clients that find no idle server connection wait in order, for query_wait_timeout. What a waiting client sends is not
//     read, nor is its end: the query of one that has closed its connection is forgotten when its turn comes, but if it has
//     sent Terminate first, as clients do, its turn costs a server connection.
//   - Server connections are opened one after the other, up to default_pool_size, and the one that was used last is used next
//     (server_round_robin: the one that was idle for longest). They end after server_lifetime and server_idle_timeout, and are
//     tested by a query when they were idle for server_check_delay. After a failed attempt the pooler waits for
//     server_login_retry, and refuses clients if it has no server connection at all.
//   - server_reset_query: DISCARD ALL at the end of a session, or of every transaction with server_reset_query_always. In mode
//     Transaction all that belongs to a session stays at the server connection, and the next client has it: session-level
//     advisory locks, SET, prepared statements, LISTEN. Notifications reach the client that is linked when they arrive, if any.
//   - A client that goes away in a transaction, or while its query is executed, ends the server connection: the server learns
//     of that when it reads. One that goes away between transactions leaves it as it is.
//   - A server connection that ends takes the client that has it with it: FATAL 08P01 "server conn crashed?", after what the
//     server has sent.
//   - Cancel requests have keys of the pooler's own. A request is forwarded on a new connection, unless the query has ended or
//     the client has none; the server connection is given to nobody until it has been answered. One whose sender does not wait
//     for that is forgotten.
//   - The parameters client_encoding, DateStyle, TimeZone, standard_conforming_strings and application_name are kept for each
//     client and set before its query, unless the client's value is empty. Others are refused in a start-up message, by
//     "unsupported startup parameter", or ignored as ignore_startup_parameters says.
//   - query_timeout, idle_transaction_timeout, client_idle_timeout, client_login_timeout, server_connect_timeout,
//     max_client_conn. What is due is done at the next maintenance, three times a second.
//   - `host` is an address that leads to the serving node whenever a connection is opened, or a name that is remembered for
//     dns_max_ttl. Server connections to a node that does not serve any more stay; those to an old address of a name
//     end when they are given back.
//   - Faults: crash and restart, with which all connections end, hangs, and partitions from clients and from servers. The
//     messages to servers travel the simulated network like those of processes, with the task and the origin of the client.
//
// Authentication is by auth_type = trust, with one user, who is the server's; any name of a database is passed on.
//
// # What it does not do
//
// There is no console: PAUSE, RESUME, RELOAD and KILL cannot be sent, and a client that connects to database pgbouncer
// fails the run. There are no reserve pools, limits for databases or users, minimal pools, connect_query, auth_query, encryption,
// and lists of hosts. Messages are forwarded whole: a message longer than pkt_buf is forwarded in pieces by a real pooler.
// PgBouncer 1.18.0 ends itself when the sender of a cancel request goes away after the request was forwarded (observed on
// the real one), and, by the notes of 1.19, when a server connection ends whose query is over and for which a cancel
// request is still under way. The simulated one goes on.
//
// # Observations
//
// A pooler has no records. For the reader alone it is observed when a client waits for a server connection, when it gets one
// that another client had, and when it loses one.
//
// # Fidelity
//
// The scripts in testdata/scripts have the answers of Debian's PgBouncer 1.18.0 in front of PostgreSQL 15.18, message for
// message, with all pool modes and most of the settings above, for servers that end, hang or are cut off, and for crashes and
// hangs of the pooler: TestSimulated compares them with those of the simulated servers, and TestReal again with the real ones.
// What happens in which order within the pooler follows its source: clients, server connections and their queues change
// their states by the same rules. Names of hosts (dns_max_ttl) are not compared.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simpgbouncer
