// Package picture draws stories in lanes and time. Clients' claims to the lock and the truth on each node (a key, its
// owner, its remaining lease) are lanes of one picture, so that a bug is visible as their disagreement. A store's notes
// ([model.Note]) are in the same picture, in the store's words. For example, a lane shows how much time each session has
// left and, after its end, for how long its client does not know of the end.
//
// A [Picture] has shapes in time and lanes, which [Canvas.SVG] draws for one stretch of time. [Draw] writes a picture as a
// file of its own, and [Chart] draws other things in the same style.
package picture
