// Package traces defines the trace format, and reads and writes it. Package render shows traces.
//
// A [Trace] is one recorded run. It holds the tape, every decision of the run, so the run
// can be replayed. It also holds what happened, so it can be read without a replay:
//
//	t, err := traces.ReadFile("gc-pause.trace")
//	if err != nil {
//		return err
//	}
//	err = render.Explain(os.Stdout, t, render.Style{})
//
// # The file
//
// A trace file is one JSON object in UTF-8. Each field has a line of its own, and so has each element of a list, so that
// diff compares traces and grep finds events. A text of more than 1 MiB is compressed by gzip, under the same name: zcat
// shows it. [Encode] and [WriteFile] always write the same bytes for the same trace; compressed ones only with the same
// version of Go. Times are nanoseconds of virtual time since the start of the run; their names end in Nanos. Invalid UTF-8
// in text is replaced by U+FFFD; payloads are bytes, in base64.
//
//	schema      version of this format; see below
//	made        versions of lockpick, go and the store's client libraries that
//	            recorded the run, by name; with the same versions a replay is
//	            identical to the byte
//	scenario    the scenario's id, such as "gc-pause"
//	parameters  name and value of each parameter, as on the command line
//	lock        the id of the lock under test
//	store       the id of the lock's store, such as "zookeeper"
//	terms       the store's names for: store, node, serving, follower, record,
//	            and session, absent if its records live with none
//	test        of a lock that only a test knows: the test's name, the import
//	            path of its package, and the number of the call in the test
//	experiment  of a run of an experiment, which scenario names, as lock names the
//	            variant: when it was cut (untilNanos), and when its picture begins
//	            (fromNanos); either is absent if 0
//	seed        the seed of the search that found the run
//	schedule    how many schedules that search had run before
//	strategy    the strategy of that search; absent if it was exhaustive
//	property    the violated property for which the trace was kept; absent
//	            from a run without a violation
//	limit       true if that violation is a limit of leases by its verdict, and
//	            not a fault of the lock
//	shrunk      if the run was shrunk: its number of deviations before (from)
//	            and after (to), the runs that took, the parameters with which it
//	            was found, and whether the budget ended first (exhausted)
//	attribution if it was determined: the deviations, each with its decision
//	            and option, the event that shows it (seq), a description (text)
//	            and whether the violation needs it (untried if the budget ended
//	            first); and the remedies, each with a description (text),
//	            whether the violation is gone in how many schedules, up to which
//	            number of deviations all of them ran (bound, -1 if none), what
//	            ended the search early (trouble), why it does not apply
//	            (except), and a caveat (note)
//	confirmations  of a violation that was made to happen on real servers: for
//	            each version of the server and the client library, in how many
//	            (confirmed) of how many tries (of), how long one took on average
//	            (meanNanos), the platform and the time (when). No part of the hash,
//	            and kept only with the same tape. Absent if it was not tried
//	real        of a run that was itself made on real servers: server, client,
//	            platform and when, the number of the try, the hash of the trace
//	            whose order it was to follow (simulated), and where it left that
//	            order (diverged). Its schedule is -1 and its tape is empty, so that
//	            it can be shown and compared, but not replayed; its times are real
//	attached    of a real run of foreign clients (simrun attach): the command of a
//	            client process, the faults of the run, and in how many (shown) of
//	            how many tries of these faults (of) the violation happened. Such a
//	            run can be repeated, and need not follow a simulated one
//	trouble     of a run that did not finish: kind, reason in a sentence, the output
//	            at its end (stack), and whether it only left goroutines behind
//	            (leaked); the tape then ends early, and the lists below are empty
//	actors      the lanes of the picture, in order: name, and kind ("client",
//	            "node" or "resource")
//	tape        the choices, in the order of their decisions: kind, actor and n
//	            (the occurrence, from 0) identify the decision; of is its number
//	            of options, and option the chosen one; after is the number of the
//	            last event before it, and shows that of the event that shows it,
//	            if any
//	events      what the simulation did; see [sim.Event]
//	gaps        the stretches of events that the trace leaves out, by the numbers
//	            of the first (from) and the last (to) of each; absent if it has all.
//	            Of a run of more than 20000 events it has those around both ends of
//	            the violation: see [Trace.Bounded]. Tape and history are whole, so
//	            that a replay has all events
//	remarks     what is known of the run beside its events, in their order, each with
//	            the number of an event (seq): the line of the user's code that has
//	            sent the request or made the call (code); or a line that code has
//	            printed behind it (line), with its time and its client (actor); or
//	            how many lines more there were (unkept). No part of the hash, nor of
//	            what a replay has to repeat. Absent if there are none
//	history     what clients did and what the world observed, the basis of all
//	            verdicts; see [model.History]
//	verdicts    the verdict on each property; see [model.Verdict]
//	properties  what texts and pictures say of each of these properties, by its
//	            id; see [model.Description]. Absent from traces of before there
//	            were descriptions, which are shown as they were then
//	hash        rolling hash over events, history and verdicts, in hex
//
// A place in a run is a stamp: the number of an event (seq) and its virtual time
// (atNanos). Numbers define the order; times are for display.
//
// [Decode] accepts files from unknown sources. It refuses
//
//   - unknown fields, also those in another case, and a field that is given twice
//   - bytes that are not UTF-8, halves of surrogate pairs, data after the end, and
//     other schemas
//   - malformed names: those of actors, scenarios, locks, stores, properties and
//     parameters are letters, digits, dots, hyphens and underscores
//     ([sim.IsName]), those of a test and its lock may be any that go test allows
//   - files that are too large ([MaxSize], decompressed, and [MaxEntries])
//   - contradictions, such as operations that return before their call, stamps
//     that disagree with their events, choices outside the options of their
//     decision, and deviations in missing events
//
// The error says what is wrong, where, and what to do. Every accepted trace can be shown.
//
// # Versions
//
// The schema grows by one when an older reader could not read a newer trace or would misread it: a field is added, removed
// or changes its meaning. A reader accepts its own schema, and earlier ones that only lack fields: schema 2 has no
// confirmations, no real runs and no remarks. For others it names the version of Lockpick that reads them. New kinds of
// events, observations, decisions and properties need no new schema: they are text. A reader shows events of unknown
// kinds, and ignores such observations. A schema that no release has written yet may get optional fields.
package traces
