// Package sim runs real concurrent code, with its goroutines, timers and network connections, in a simulated world:
// deterministically, in virtual time, as a tape decides. It offers processes, a network, clocks, faults and a log of
// events. It knows nothing of locks or stores.
//
// # The one idea
//
// A run is a pure function of its set-up and its tape. Everything that could go differently is a [Decision] that the
// world asks of a [Tape]: which of two events goes first, how long a segment travels, whether a fault strikes here,
// which seed a process starts with. Random search, exhaustive search, replay and shrinking are tapes. The same tape
// gives the same events, byte for byte, on every machine, and under any GOMAXPROCS, except for what "What is
// deterministic" below lists. Two runs that differ have different values of [Report.Hash].
//
// # A first world
//
//	report := sim.Run(sim.Config{Record: true}, func(w *sim.World) {
//		server := w.NewActor("server")
//		w.Network().Listen("10.0.1.1:7", server, func(c *sim.ServerConn) sim.Handler { return echo{c} })
//		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
//		p.Go(func() {
//			conn, err := p.DialContext(ctx, "tcp", "10.0.1.1:7", time.Second)
//			... // conn is a net.Conn: use it as any other
//		})
//	})
//
// [Run] calls the set-up function in a new bubble of testing/synctest, runs the
// world to its end, drains it, and reports. The examples are whole programs.
//
// # Vocabulary
//
//   - An [Actor] is the target of events: a client process with its goroutines, a server, a fault injector. Servers
//     are [Handler] values that the kernel calls; processes are goroutines that block.
//   - A [Process] is an actor that runs code: it has an address, a [Clock], private random streams and a gate. The
//     functions that it runs are its workloads ([Process.Go]).
//   - An [Event] is one thing that happens to one actor: a segment arrives, a timer fires, a workload goes on. One
//     event wakes one actor. What the goroutines then do, until all are blocked again, is a step. A step takes no
//     virtual time.
//   - A window is the unit of virtual time. Events are due at whole windows; the
//     order of events that are due in the same window is a decision.
//   - An emission is an effect of a goroutine on the world during a step: a segment
//     written, a timer set, a mark in the history.
//   - The conductor is the loop of a run: wait until every goroutine is blocked, put their emissions into canonical
//     order, ask the tape, let virtual time pass, fire exactly one event, repeat.
//   - A [Decision] has a stable identity (kind, actor, occurrence) and two or more options. Option 0 is the calm one.
//     A [Choice] is a decision with its answer; a list of choices is a recorded tape.
//   - A [Site] is a place in the protocol. Every decision has one, so that a search
//     can distinguish new places from known ones.
//   - A [Trail] records which events of a run depend on which. Its class is the
//     same for all runs that differ only in the order of independent events.
//   - A lane is a FIFO queue of events: no order decision lets an event overtake
//     another in its lane. Each direction of a connection is a lane.
//   - The gate of a process is passed by its reads, writes, dials, steps, marks and
//     timers of its Clock. A pause shuts the gate for a while, a crash for good: [Process.Restart]
//     starts another process in its place. Package peers lets processes accept connections.
//   - Vital events are those that a run waits for when its workloads are done:
//     segments in flight, and faults that have not ended.
//   - An [Injector] is asked before every event whether a fault strikes there.
//
// # Time
//
// Virtual time starts at zero; package time then shows midnight UTC of January 1, 2000. It passes when, and only when, every goroutine is blocked.
// Code may use package time as usual. Timers of package time are not events: they fire on time, even inside a pause, and the code that they wake
// waits at the gate. The timers of a process's [Clock] are events, run at the clock's own rate, and wait for the end of a pause. Deadlines of
// connections are on package time's clock.
//
// Virtual time is in whole windows ([Config.Window], 20 us): an event that is due inside a window happens in the next. [World.Now], the times of
// events and the readings of a Clock are the beginnings of windows. Several events therefore have the same time; [Event.Seq] gives their order,
// which is a decision ([Order]). Its calm answer goes by the target actors, in the order of their creation, then by the source actors. A deadline
// of a connection passes at the beginning of the first window that is not before it; if a reader waits for data that is due in that window, their
// order is a decision like any other.
//
// So the order of two independent events of a window affects no time, no deadline and no other order. A search need not
// try both orders; a [Trail] says where that holds. The exceptions are package time's clock (see below), the numbers of
// connections, draws from random sources that processes share, and [Config.MaxEvents].
//
// On package time's clock the events of a window happen one after another: each actor owns one nanosecond in every microsecond, and its events
// happen there only. Timers that are set for whole microseconds inherit that nanosecond, so timers of two actors are never due at the same instant,
// where the runtime would fire them in any order. A window with more events than microseconds runs into the next one; its last events, and the
// clocks, are then late.
//
// The network's delays are those of its [Link]: jitter, which is too short to trip
// a timeout, and delay classes, which are long enough to.
//
// # The network
//
// To an application, connections behave like TCP's:
//
//   - Each direction carries a stream of bytes in segments, one for each Write, in order. Segments that wait in the
//     receiver's buffer are joined. An end that gathers ([Conn.Gather], [ServerConn.Gather]) sends one for each step.
//   - A Write does not wait, and its success says nothing about arrival.
//   - Closing does not recall sent data. A request whose client has timed out and closed the connection is still
//     executed when it arrives, perhaps after the client's next request on another connection.
//   - Data that arrives at a closed end is lost. If it was data for a server, the client's connection is reset: its
//     reads fail with ECONNRESET and its writes with EPIPE.
//   - Data that a client has not read at a reset is either lost or can still be read before the reset shows. Operating
//     systems do both, at different times, so it is a decision ([Unread]); the calm answer is that the data is lost.
//     Such data is common after a pause.
//   - A reset, or the crash of either end, loses the segments in flight. A process
//     that is killed loses only segments on their way to it.
//   - A cut ([Network.Cut]) holds segments in one direction, as retransmission does. After it has healed, they arrive
//     in order, before segments that were sent later. A cut loses nothing except attempts to connect that their
//     dialers have given up meanwhile.
//   - An attempt to connect goes to the owner of the address at its arrival; it is accepted, refused, or runs into its
//     timeout. An attempt that a cut holds is repeated after one second, three, seven and so on, and so follows an
//     address that has moved. If the dialer gives up too late, the connection is accepted and then closed.
//   - A read gets data that arrived before its deadline, and otherwise times out; a pause before the reader looks
//     changes nothing. A deadline that is set inside a pause, by code that a timer of package time has woken, counts
//     from the end of the pause: before that the code could not have run.
//   - Where both ends are processes, a reader learns of the end of the connection by a step, an event of its own, so
//     that its reaction does not race with other activity of that instant.
//   - A Read or Write whose own side closes the connection returns at once, even inside a pause.
//
// Not modelled: limited buffers (writes that block), half-closed connections, lost
// or reordered packets (they appear as delays), host names (use IP literals).
//
// # What is deterministic, and what can break it
//
// The kernel controls goroutines, timers, channels and connections. For each run it
// seeds math/rand's global functions, crypto/rand's Reader and the sources in
// [Seeders]. It cannot control the following, which make runs differ:
//
//   - math/rand/v2's global functions, maps' iteration order, timers of package time that are due at one instant, and
//     select between several channels that are ready, unless this release of Go and this system are known (Go 1.26;
//     Linux, macOS and Windows on amd64 and arm64). If they are known, these things repeat on one processor
//     (runtime.GOMAXPROCS(1), which package explore sets), and a tape decides the
//     order of selects ([Select]). With simrun's overlay of the Go runtime they repeat on any system, and the tape decides
//     the order of goroutines as well ([Wake]).
//   - hash/maphash, and the order of maps of more than 8 entries, except in worker processes on Linux, where ptrace is
//     allowed.
//   - A crypto/rand.Reader that a package captured when it was initialized, as google/uuid does, in programs other than
//     test binaries, unless they are linked with -ldflags "-X testing.testBinary=1".
//   - Real input and output, real time, and goroutines outside the bubble. Use from outside of a channel that was
//     made inside the bubble ends the program (context.WithCancel called outside makes such a channel at the first
//     Done inside).
//   - State that outlives a run, such as a sync.Pool with timers in it, or the time of the last UUID of version 7 in google/uuid.
//   - Races between two goroutines of one process that one event, or one of the two, has woken: for a random number,
//     a shared variable, a dial of the same address, a write to the same connection. See the next section.
//   - Timers of package time for odd durations, such as random back-offs, which are
//     sometimes due at the same instant as another actor's.
//
// A goroutine that blocks on a mutex stops the run for good if the holder of the mutex waits for simulated time to
// pass, in a Read, say: virtual time does not pass while a goroutine is blocked on a mutex. Wait on a channel, a
// sync.WaitGroup, a sync.Cond, a timer or simulated input instead. Package explore's worker processes report such
// runs, and code that spins, as results. If a client library writes or connects with a mutex locked, wrap the [Conn]
// in one that queues its writes, such as simredis.Eager.
//
// # Goroutines that run at the same instant
//
// The Go scheduler decides in which order the goroutines of a step run. Their emissions are sorted by connection, thread and duration. Equal timers
// of the Clock, waits ([Process.Step], [Clock.Sleep]) and dials are sorted by the workload, or the function of [Clock.AfterFunc], that the
// goroutine is or was started by, and by its last failure ([FailedOn]). Each of them is then an event of its own. Goroutines started by one
// goroutine are not distinguished: their equal waits end together, and the scheduler decides which of them gets which of several equal timers.
// Dials, and turns with a resource, are also distinguished by the lines of code that the goroutines are at.
//
// Goroutines that wait at the gate for the end of a pause, or give up dialing at the same instant, go on one after
// another, each by an event of its own, in the order of their connections and addresses. A client library gets the
// same with [Process.AwaitTurn], and with [Process.AwaitTurnFor] or [Process.AwaitTurnAnyway] for goroutines that are
// about to use one resource, such as a pool of connections. Goroutines whose timers of package time are due at one
// instant continue together, and take such a turn one after another.
//
// The end of a connection may arrive before the word that the server has accepted it. A client that reads in a goroutine
// of its own, as net/http does, would learn of it either before another goroutine uses the connection or afterwards. So
// the first Read of such a connection returns when all other goroutines of the step are blocked, and before they get
// their turns.
//
// A goroutine that waits at the gate to write goes on before one that waits to read. If their connection has ended
// during the pause, and the client allows it ([Conn.WritesFreely]), the order is a decision ([ReadFirst]): the reader
// may first read the data that had arrived, and the end. On a connection that gathers ([Conn.Gather]) the written data
// waits, not the writer.
//
// # How a run ends
//
// A run is over when all workloads have returned and nothing vital is left, when a limit of [Config] is reached
// ([Report.Cut] says so), or when code panics ([Report.Failure]). A panic in a workload, a handler or a function of
// [Clock.AfterFunc] ends the run. A panic in a goroutine that the code under test started itself ends the program. A
// tape may panic to give a run up; [Failure] has the value of that panic.
//
// Then the world drains for some virtual time ([Config].Drain): gates open, connections break, pending dials are
// refused and later ones return a closed connection, timers fire, the functions of [World.OnEnd] are called, and
// nothing is logged. Goroutines that have not ended by then are reported as leaked. They remain, and disturb later
// runs only through state that they share with them.
//
// # Threads
//
// The world belongs to the conductor, which runs one function at a time: the set-up function, handlers, injectors, and
// the functions of events, marks and faults. These must not block. "Only the conductor may call it" means that only
// these functions may, and it holds for all methods that do not say otherwise. The methods of [Process] that goroutines
// of a process may call say so; those of [Clock], and [Conn] as a net.Conn, are for these goroutines, and [Timepiece]
// is safe for concurrent use.
//
// A process makes one run at a time: Run holds the process-wide random sources, and
// a second call waits. Use more processes for more runs at a time.
//
// # Reading the source
//
// Read the files in this order. First the core:
//
//   - world.go: the state of a run; its actors, its log and faults
//   - failure.go: why a run fails, and panics as failures
//   - decision.go: what a tape is asked, and where
//   - conductor.go: the loop that makes a run, and the run's end
//   - queue.go: the events to come, in their order
//   - sound.go: what must be true of an event when it happens
//   - invariants_on.go: with the tag invariants, each event is checked
//   - invariants_off.go: without it, none is
//   - time.go: windows, a process's clock and its timers
//   - monotonic.go: a process's clock that does not jump
//   - process.go: processes, their workloads and what their goroutines do in a step
//   - trail.go: dependencies between the events of a run
//   - remark.go: remarks on the events of a recorded run
//
// It depends on the parts of the Go process that it takes over:
//
//   - rand.go: random sources, private and process-wide, and hashes
//   - package internal/bubble: package time's clock and the scheduler
//
// The goroutines of a process:
//
//   - identity.go: identities of goroutines that are the same in every run, and the tasks that they work for
//   - pause.go: gates, pauses and crashes, and goroutines that go on one after another
//
// The network:
//
//   - network.go: listeners, segments, cuts and partitions
//   - link.go: how long segments travel
//   - conn.go: the client's end of a connection
//   - server_conn.go: the server's end
//   - deadline.go: the deadlines of a connection
//   - gather.go: what is written in one step and leaves as one segment
//   - reset.go: how connections end
//   - dial.go: how connections begin
//   - dialer.go: dialers of package net, in a build with the overlay
//   - usercode.go: the line of the user's code that sent a request
//   - refuse.go: requests that a simulated server does not support, and the code that sent them
//
// All together:
//
//   - run.go: from a configuration to a report
package sim
