// Package render shows traces: as text ([Explain]), as the few steps that matter
// ([Steps]), and as a picture for a browser ([View], and [Draw] and [Figure] for parts of
// it).
//
// # The picture
//
// [View] draws time to scale. Clients' beliefs (their claims to the lock) and the truth on each node
// (a key, its owner, its remaining lease) are lanes of one picture, so that a bug is where they
// disagree. A store's notes ([model.Note]) are in the same picture, in the store's words. For
// example, a lane shows how much time each session has left and, after its end, for how long its
// client does not know of the end. The page is one file, works offline and runs only its own script.
// Without the script it can be read; zooming, hiding lanes, searching, moments and operations are
// missing.
//
// # The files
//
// They are groups, each of which uses only those before it:
//
//   - words.go: records, names and times in a few words;
//   - story.go, and with it claims.go, limits.go, presence.go, roles.go, lives.go, notewords.go,
//     partings.go, resource.go, index.go, requests.go, underway.go, exchanges.go, eventtext.go:
//     what happened, from the history and the log;
//   - steps.go, steps_*.go: the steps that matter for the verdict; attribution.go, facts.go: what the
//     counterexample needs, and where it comes from, in sentences;
//   - explain.go: the text;
//   - picture.go, lanes.go, rows.go, draw_*.go: shapes in time and lanes; svg.go, labels.go: those
//     shapes for one stretch of time; window.go, cut.go: the choice of that stretch; omitted.go:
//     what there is no room for; chart.go: pictures in the same style of what is no trace ([Chart]);
//     sheets.go: style sheets. Text and picture do not use each other;
//   - view.go, viewdata.go, account.go, figure.go, view/: the page. The script moves the shapes that Go
//     has drawn to another stretch of time, and to the room that lanes leave; it draws none itself.
//     Package tools/viewer, a module of its own, tests it in a browser;
//   - diff*.go: two runs beside each other ([Compare]);
//   - export*.go: other formats ([Formats]).
package render
