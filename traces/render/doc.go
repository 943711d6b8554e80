// Package render shows traces: as text ([Explain]), as the few steps that matter
// ([Steps]), and as a picture for a browser ([View], and [Draw] and [Figure] for parts of
// it).
//
// # The picture
//
// [View] draws time to scale. Clients' beliefs (their claims to the lock) and the truth on
// each node (a key, its owner, its remaining lease) are lanes of one picture, so that a
// bug is where they disagree. The page is one file, works offline and runs only its own
// script. Without the script only zooming and details are missing. It is made in these
// stages:
//
//   - claims.go, presence.go: claims and truth, from the history alone;
//   - story.go, index.go, requests.go, steps*.go: the steps that matter for the
//     verdict, as text;
//   - attribution.go: what the counterexample needs, and which remedies help, as text;
//   - picture.go, lanes.go, draw_*.go: shapes in time and lanes;
//   - svg.go, labels.go, axis.go: those shapes for one stretch of time;
//   - window.go, cut.go: the choice of that stretch;
//   - view.go, view/: the page. The script moves the shapes that Go has drawn to
//     another stretch; it draws none itself.
package render
