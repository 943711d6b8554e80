// Package arch holds the module to its own layout and to determinism.
//
// A run is a pure function of its scenario, parameters, lock and tape. One
// time.Now, one draw from the global random source or one loop over a map in
// the wrong place breaks that, rarely and far from where it was written. So
// this is checked on the source, by TestArchitecture:
//
//   - imports: packages import only what the layout puts below them;
//   - clock: no reading of, or waiting on, package time's clock;
//   - random: no draws from random sources that no run can seed, such as the
//     functions of math/rand/v2;
//   - shared: no draws from process-wide sources that the bubble seeds for the
//     code under test, such as the functions of math/rand; only lock code may;
//   - order: no iteration over a map whose order could leak. Where order
//     cannot matter, say why in a comment on the line above or at the end of
//     the line: "// unordered: a sum does not depend on it";
//   - length: no function longer than a screen.
//
// Which package is held to what is the table [Layout]; the few files that may
// break a rule because they are the ones that keep it for all others are the
// table [Owners].
//
// Imports, clock, random, shared and length read the syntax tree alone. Order needs
// types, so every package of the module is type-checked from source, against
// the export data that "go list -export" finds in the build cache for
// everything outside it. Code that does not parse or type-check is a failure
// too: a check that skips what it cannot read proves nothing.
//
// Test files may read the clock and range over maps; an external test package
// (package foo_test) may import anything. Test files must still seed what they
// draw, or their failures could not be repeated.
package arch
