// Package sim runs real concurrent code, with its goroutines, timers and
// network connections, in a simulated world: deterministically, in virtual
// time, and in whichever way a tape decides. It knows nothing of locks or
// of stores; what it offers is processes, a network, clocks, faults, and a log of
// what happened.
//
// # The one idea
//
// A run is a pure function of its set-up and its tape. Whatever could go
// differently is a [Decision] that is asked of a [Tape]: which of two events
// goes first, how long a segment travels, whether a fault strikes here, with
// what seed a process starts. Random search, exhaustive search, replay and
// shrinking are all just tapes. The same tape gives the same events, byte for
// byte, on every machine, under any GOMAXPROCS; [Report.Hash] tells two runs
// apart.
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
// [Run] calls the set-up function in a new bubble of testing/synctest, runs
// the world to its end, lets everything in it end, and reports. The examples
// are whole programs.
//
// # Vocabulary
//
//   - An [Actor] is whom events happen to: a client process with all that is
//     in it, a server, a fault injector. Servers are [Handler] values that the
//     kernel calls; processes are goroutines that block.
//   - A [Process] is an actor that runs code: it has an address, a [Clock],
//     private random streams, a gate and a life. What it does until the run is
//     over are its workloads ([Process.Go]).
//   - An [Event] is one thing that happens to one actor: a segment arrives, a
//     timer fires, a workload goes on. One event wakes one actor. What
//     goroutines then do is a step; it takes no virtual time.
//   - A window is the grain of time: events are due at whole windows, and the
//     order of those that are due in the same one is a decision.
//   - An emission is what a goroutine does to the world during a step: it
//     writes a segment, sets a timer, marks the history.
//   - The conductor is the loop that makes a run: wait until every goroutine is
//     blocked, gather what they emitted and put it into canonical order, ask
//     the tape, let virtual time pass, fire exactly one event; again.
//   - A [Decision] has a stable identity (kind, actor, occurrence) and some
//     options. Option 0 is the calm one. A [Choice] is a decision with its
//     answer, and the list of them is a recorded tape.
//   - A [Site] is a place in the protocol. Every decision has one, so that a
//     search can tell places where it has often been from new ones.
//   - A [Trail] tells what depended on what in a run. Its class is the same for
//     all runs that differ in the order of independent events only.
//   - A lane is a FIFO among events: no order decision lets one overtake
//     another of its lane. Each direction of a connection is one.
//   - The gate of a process is what its reads, writes, dials, timers of its Clock,
//     steps and marks pass. A pause shuts it for a while, a crash for good.
//   - Vital events are those that a run waits for when its workloads are done:
//     what is in flight, and faults that have not ended.
//   - An [Injector] is asked before every event whether a fault strikes there.
//
// # Time
//
// Virtual time starts at zero; package time shows midnight UTC of January 1,
// 2000, and it passes when, and only when, every goroutine is blocked. Code
// may use package time as ever. Its timers are no events: they fire at their
// time, also inside a pause, and what the code then does waits at the gate.
// The timers of a process's [Clock] are events, run at the clock's own rate,
// and wait for the end of a pause. Deadlines of connections are on package
// time's clock.
//
// Virtual time is in whole windows ([Config.Window], 20 us): what is due inside
// one happens in the next. [World.Now], the times of events and what a Clock
// shows are the beginnings of windows, so several events have the same time,
// and [Event.Seq] tells which came first. That is an order decision ([Order]).
// Its calm answer goes by the actors, in the order in which they were made,
// then by whom the events come from. A timer is as late as its window makes
// it, and a deadline of a connection is over when the first window begins that
// is not before it; if a reader waits for data that is due in that window,
// their order is a decision like any other.
//
// So the order of two independent events of a window leaves no mark on
// anything else: on no time, no deadline, no tie. A search need not try both
// orders; a [Trail] says where that is so. The exceptions are
// package time's clock (see below), the numbers of connections, what is drawn
// from random sources that processes share, and [Config.MaxEvents].
//
// On package time's clock the events of a window happen one after another: each
// actor owns one nanosecond in every microsecond, and its events happen there
// only. Timers that are set for whole microseconds inherit it, so that those of
// two actors are never due at the same instant, where the runtime would fire
// them in any order. A window that has more events than microseconds runs into
// the next one; its last events, and the clocks, are then late.
//
// The network's delays are those of its [Link]: jitter, which is too short to matter to
// a timeout, and delay classes, which are long enough.
//
// # The network
//
// Connections behave as those of TCP do, as far as applications can see:
//
//   - Each direction carries a stream of bytes in segments, one for each Write,
//     in order. Segments that wait in the receiver's buffer run together.
//   - A Write does not wait, and its success says nothing about arrival.
//   - Closing does not call back what was sent. A request whose client has
//     timed out and hung up is still executed when it arrives, maybe after the
//     client's next one on another connection.
//   - What arrives at a closed end is lost. If it was data for a server, the
//     client is reset: its reads fail with ECONNRESET and its writes with EPIPE.
//   - What a client has not read when it is reset is lost, or it can be read
//     before the reset shows. Kernels do both, and differ in when; so, where there
//     is such data, it is a decision ([Unread]), and that it is lost is the calm
//     answer. Of a process that was paused it is the usual case.
//   - A reset, or the crash of either end, loses what is in flight. A process that
//     is killed loses only what is on its way to it.
//   - A cut ([Network.Cut]) holds what comes its way, in one direction, as
//     retransmission does. After it has healed, what was held arrives in order,
//     and before what was sent later. Nothing is lost by it, but an attempt to
//     connect that its dialer has given up meanwhile.
//   - An attempt to connect is led to whom the address belongs when it arrives;
//     it is accepted, refused, or runs into its timeout. One that a cut holds is
//     repeated after a second, three, seven and so on, and so follows an
//     address that has moved. One that is given up too late is accepted and
//     hung up on.
//   - A read gets data if that arrived before its deadline, and times out if it
//     did not; a pause between that and the reader's looking changes nothing. A
//     deadline that is set inside a pause, by code that a timer of package time
//     has woken there, counts from the end of the pause: before that the code
//     could not have run.
//   - A Read or Write whose own side closes the connection returns at once, also
//     inside a pause.
//
// Not modelled: limited buffers (writes that block), half-closed connections,
// lost or reordered packets (they are delays), names (use IP literals).
//
// # What is deterministic, and what can break it
//
// The kernel sees to goroutines, timers, channels, connections, math/rand's
// global functions and crypto/rand's Reader, which are seeded for each run,
// and whatever is registered in [Seeders]. These it cannot see to, and they
// make runs differ:
//
//   - math/rand/v2's global functions, maps' iteration order, select between
//     several channels that are ready, hash/maphash.
//   - A crypto/rand.Reader that a package captured when it was initialized, as
//     google/uuid does.
//   - Real input and output, real time, and goroutines outside of the bubble.
//     What belongs to the bubble must be made in it: a channel of it that is
//     used from outside ends the program (context.WithCancel called outside
//     makes such a channel at the first Done inside).
//   - State that outlives a run, such as a sync.Pool with timers in it.
//   - Two goroutines of one process that are woken by one event, or by each
//     other, and then race: for a random number, for a shared variable, to
//     dial the same address, to write to the same connection. See the next section.
//   - Timers of package time for odd durations, such as random back-offs, may
//     now and then be due at the same instant as another actor's.
//
// A goroutine that blocks on a mutex stops the run for good if the holder of the mutex
// waits for simulated time to pass, in a Read, say: virtual time does not pass while
// a goroutine is blocked on a mutex. Wait on a channel, a sync.WaitGroup, a sync.Cond,
// a timer or simulated input instead. Package explore's worker processes report such
// runs, and code that spins, as results. Where a client library writes or connects
// with a mutex locked, wrap the [Conn] in one whose writes are queued, such as
// simredis.Eager.
//
// # Goroutines that run at the same instant
//
// In which order the goroutines of a step run is for the Go scheduler to say. Their
// emissions are sorted by connection, thread and duration. Equal ones, of timers of
// the Clock, waits ([Process.Step], [Clock.Sleep]) and dials, are sorted by the
// workload, or the function of [Clock.AfterFunc], that the goroutine is or was started
// by, and by what it has last failed on ([FailedOn]); each of them is then an event of
// its own. Goroutines that one goroutine has started are not told apart: equal waits
// of theirs end together, and the scheduler decides which of them gets which of
// several equal timers, or of several connections to one address. Only of those that
// dial, the functions that they began in are looked at, too.
//
// Goroutines that wait at the gate for the end of a pause, and those that give up
// dialing at the same instant, go on one after another in the order of what they are
// about, each by an event of its own. A client library can have the same with
// [Process.Turn], and, for threads that are about to use one thing, such as a pool of
// connections, with [Process.TurnFor]. Goroutines that are woken by timers of package
// time that are due at one instant go on together.
//
// # How a run ends
//
// A run is over when all workloads have returned and nothing vital is left,
// when a limit of [Config] is reached ([Report.Cut] says so), or when code
// panics ([Report.Failure]). A panic in a workload, a handler or a function of
// [Clock.AfterFunc] ends the run; in a goroutine that the code under test
// started itself, it ends the program, as it does everywhere. A tape may panic,
// too, to give a run up; [Failure] has the value that it panicked with.
//
// Then the world drains, for five minutes of virtual time: gates open,
// connections break, dials are refused and later ones lead nowhere, timers fire,
// the functions of [World.OnEnd] are called, and nothing is logged any more.
// Goroutines that still have not ended are reported as leaked. They stay behind,
// and do not disturb later runs unless they share something with them.
//
// # Threads
//
// The world belongs to the conductor. Methods may be called from the set-up
// function and from whatever the conductor calls: handlers, injectors, functions
// of events, marks and faults. The methods of [Process], [Clock] and [Conn]
// that goroutines of a process may call say so; [Timepiece] is safe for all.
// What the conductor calls must not block.
//
// One run at a time: Run holds process-wide random sources, and a second call
// waits. Two bubbles side by side are slower than one anyway; for more runs use
// more processes.
//
// # Reading the source
//
// The files in the order in which they are best read. First, what a run is:
//
//   - event.go: what the log of a run consists of
//   - decision.go: what a tape is asked
//   - run.go: from a configuration to a report
//   - world.go: the state of a run; how the tape is asked and events are logged
//   - failure.go: panics and ended goroutines become the failure of the run
//
// The loop that makes it:
//
//   - pending.go: an event that has not happened yet, and how it is scheduled
//   - queue.go: the heap of these events
//   - conductor.go: the loop, and when it ends
//   - order.go: which event goes first
//   - injector.go: what may strike before an event
//   - fault.go: what can strike, and how that is logged
//   - drain.go: how the goroutines of a run end after it
//
// Time:
//
//   - bubble.go: the synctest bubble, package time's clock and the scheduler
//   - times.go: windows, and forEver
//   - timepiece.go: a clock that is off, or runs fast or slow
//   - clock.go: a process's own clock
//   - timer.go: its timers and tickers
//
// Actors, and processes with their goroutines:
//
//   - actor.go: whom events happen to
//   - emission.go: what goroutines did in a step, in canonical order
//   - process.go: an address, a clock, random streams and a gate
//   - workload.go: what a process runs, its steps, waits and marks
//   - gate.go: where goroutines wait while their process is paused
//   - pause.go: pauses
//   - crash.go: crashes and kills
//   - turn.go: goroutines that go on one after another
//   - task.go: what a process is busy with
//   - threads.go: the same for each thread of a process
//   - idle.go: for how long a process waits for nobody
//   - goroutine.go: the numbers of goroutines
//   - who.go: what tells goroutines apart in every run alike
//
// The network:
//
//   - network.go: who listens where, and which connections are open
//   - link.go: how long segments travel
//   - pipe.go: segments on their way, in order
//   - dial.go: a dial, as the goroutine that dials sees it
//   - handshake.go: the same as the network sees it
//   - conn.go: the client's end of a connection, as its goroutines see it
//   - deadline.go: the deadlines of its reads and writes
//   - receive.go: what arrives at it
//   - rawconn.go: whether it is still good, for clients' pools
//   - serverconn.go: the server's end
//   - reset.go: connections that are reset, or die with their process
//   - cut.go: routes on which nothing passes
//   - partition.go: the same between two groups of actors
//   - timeouts.go: lengths of faults, after what clients wait for
//
// Numbers, and what is known of a run afterwards:
//
//   - hash.go: hashes that are the same on every machine
//   - rand.go: private random streams
//   - globals.go: process-wide random sources
//   - trail.go: which events depend on which
//   - site.go: where in the protocol a decision is asked
//   - shown.go: in which event a decision shows
package sim
