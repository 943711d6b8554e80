// Package traces is the format in which runs are kept: what a trace may say, and
// how it is written and read. Package render, below it, shows them.
//
// A [Trace] is one recorded run. It holds the tape, that is every decision
// that made the run go as it went, so it can be replayed; and it holds what
// happened, so it can be read without being replayed:
//
//	t, err := traces.ReadFile("gc-pause.trace")
//	if err != nil {
//		return err
//	}
//	err = render.Explain(os.Stdout, t, render.Style{})
//
// # The file
//
// A trace file is one JSON object in UTF-8. Everything that is not an element
// of a list has a line of its own, and each element of a list is one line, so
// that two traces can be compared with diff and an event found with grep.
// [Encode] writes the same bytes for the same trace, always. Times are
// nanoseconds of virtual time since the start of the run; names that end in
// Nanos say so. Text that is not valid UTF-8 is kept with U+FFFD in its place;
// payloads are bytes, in base64.
//
//	schema      version of this format; see below
//	made        versions of lockpick, go and the client libraries of the store, by
//	            name, that recorded the run;
//	            a replay repeats it to the byte with the same ones
//	scenario    the scenario's id, such as "gc-pause"
//	parameters  name and value of each parameter, as on the command line
//	lock        the id of the lock that was tested
//	store       the id of the store in which it lives, such as "zookeeper", and
//	terms       what things are called there: store, node, serving, follower,
//	            record
//	test        if the lock is one that only a test knows: the test's name,
//	            the import path of its package, and the number of the call in
//	            the test
//	seed        of the search that found the run, and
//	schedule    how many schedules of that search had been tried before
//	strategy    of that search; absent if it was exhaustive
//	property    the violated property for which the trace was kept; absent
//	            from a run without a violation
//	limit       true if the scenario declares that violation a limit of every
//	            lease of this kind, not a fault of the lock
//	shrunk      if the run was made smaller after it was found: from how many
//	            deviations from calm (from) to how many (to), in how many
//	            runs, the parameters that it was found with, and exhausted if
//	            its budget ended it: there was more to try
//	attribution if it was looked into: deviations, each with its decision and
//	            option, the event in which it shows (seq), what it is (text)
//	            and whether the violation needed it (untried if the budget
//	            ended before that was known); and remedies, each with
//	            what it is, whether the violation was gone in so many
//	            schedules, up to which number of deviations all were run
//	            (bound, -1 if none), and trouble if that did not end well; or why
//	            it does not apply (except); and what that it is gone does not
//	            say (note)
//	trouble     if the run came to no proper end (kind, and reason in a
//	            sentence): then the tape is as far as it got, and there is
//	            nothing else
//	actors      the lanes of the picture, in order: name, and kind ("client",
//	            "node" or "resource")
//	tape        the choices, in the order in which they were asked for: kind,
//	            actor and n (the occurrence, from 0) are the decision's
//	            identity; of is how many options it had, option the one taken,
//	            after the number of the last event before it was asked, shows
//	            that of the event in which it shows, if one does
//	events      what the simulation did; see [sim.Event]
//	history     what clients did and what the world saw of it, which is all
//	            that the verdicts rest on; see [model.History]
//	verdicts    what each property came to; see [model.Verdict]
//	hash        rolling hash over events, history and verdicts, in hex
//
// Places in a run are stamps: the number of an event (seq) and its virtual
// time (atNanos). Order is the number's business; time is for people.
//
// # What a reader refuses
//
// [Decode] takes a file from a stranger. It refuses what it does not know
// (fields, anything after the end, another schema), what is too large
// ([MaxSize], [MaxEntries]) and what contradicts itself: operations that
// return before they are called, stamps that disagree with their events,
// choices that their decision did not offer, deviations in events that there
// are not. The error says what is wrong,
// where, and what to do about it. What it lets through can be shown.
//
// # Versions
//
// The schema grows by one whenever an older reader could not read, or would
// misread, what a newer one writes: a field added, removed or given another
// meaning. A reader accepts its own schema alone; of an earlier one it says which
// version of Lockpick reads it. New kinds of events, decisions and
// properties need no new schema: they are text, and shown as what they are.
package traces
