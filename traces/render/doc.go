// Package render shows traces: as a text ([Explain]), as the handful of steps that
// matter ([Steps]) and as a picture that needs nothing but a browser ([View], and
// [Draw] and [Figure] for a part of it).
//
// # The picture
//
// [View] draws time to scale. What clients believe (a claim to the lock) and
// what is true on each node (a key, its owner, its draining expiry) are lanes
// of the same picture, so that a bug is where the two disagree. The page is
// one file, opens offline, runs only its own script and shows everything but
// the zoom without it. It is put together as follows:
//
//   - claims.go, presence.go: what was believed, and what was true, from the
//     history alone;
//   - story.go, index.go, requests.go, steps*.go: which of it matters for the
//     verdict, in words;
//   - attribution.go: what it needs, and what would have helped, in words;
//   - picture.go, lanes.go, draw_*.go: shapes in time and lanes;
//   - svg.go, labels.go, axis.go: those shapes for one stretch of time;
//   - window.go, cut.go: which stretch;
//   - view.go, view/: the page around it. The script moves the same shapes
//     to another stretch; it draws nothing that Go has not drawn.
package render
