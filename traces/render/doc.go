// Package render shows traces: as text ([Explain]), as the few steps that matter
// ([Steps]), and as a picture for a browser ([View], and [Draw] and [Figure] for parts of
// it).
//
// # The picture
//
// [View] draws time to scale. Clients' beliefs (their claims to the lock) and the truth on
// each node (a key, its owner, its remaining lease) are lanes of one picture, so that a
// bug is where they disagree. If the store has sessions, a lane shows how much of its time
// each has left, and from its end on until when its client does not know of that. The page
// is one file, works offline and runs only its own script. Without the script it can be read;
// zooming, hiding lanes, searching, moments and operations are missing. It is made in these
// stages:
//
//   - claims.go, presence.go, roles.go, sessions.go: claims and truth, from the
//     history alone;
//   - story.go, index.go, requests.go, steps*.go: the steps that matter for the
//     verdict, as text;
//   - attribution.go: what the counterexample needs, and which remedies help, as text;
//   - diff*.go: two runs beside each other ([Compare]);
//   - chart.go: pictures in the same style of what is no trace ([Chart]);
//   - picture.go, lanes.go, rows.go, draw_*.go: shapes in time and lanes;
//   - svg.go, labels.go, axis.go: those shapes for one stretch of time;
//   - window.go, cut.go: the choice of that stretch;
//   - account.go, exchanges.go, underway.go: what each client believes and what is true at
//     each moment, and what belongs to each operation;
//   - limits.go: overlaps of claims before the violation;
//   - omitted.go: what a page leaves out, in words;
//   - viewdata.go: all of that as data for the script;
//   - view.go, keys.go, policy.go, view/: the page. The script moves the shapes that Go has drawn to
//     another stretch of time, and to the room that lanes leave; it draws none itself.
//     Package tools/viewer, a module of its own, tests it in a browser.
package render
