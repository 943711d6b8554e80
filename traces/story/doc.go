// Package story describes the run of a trace as plain values: the claims of clients, the records and roles of nodes, a
// store's notes, the requests of operations, and the few steps that matter for the verdict. It reads a trace and nothing
// else, and knows no scenario, no lock and no store. Packages below traces/render show a [Story] as text, as pictures and
// pages, and in other programs' formats; they decide nothing about the run.
//
// # The values
//
// Each type has everything of the one before it, and adds its own:
//
//   - [Log]: the events, which request an answer answers, and both in words;
//   - [Facts]: what clients believed ([Claim]) and what nodes stored ([Presence]), pauses, roles ([Reign]);
//   - [Lives]: what a store's notes begin and end, such as sessions;
//   - [Plot]: the verdict, the acquisitions that it concerns, and the events that can matter for it;
//   - [Story]: the steps ([Step]).
//
// [Compare] compares two runs. [Title], [Sentences], [AttributionSentence] and [Parameters] need a trace alone.
package story
