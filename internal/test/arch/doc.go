// Package arch checks the module's layout and the rules that keep runs deterministic.
//
// A run is a pure function of its scenario, parameters, lock and tape. One time.Now, one
// draw from the global random source or one loop over a map in the wrong place breaks
// that, rarely and far from its origin. So TestArchitecture checks the source:
//
//   - imports: packages import only what the layout puts below them;
//   - clock: no reading of, or waiting on, package time's clock;
//   - random: no draws from random sources that no run can seed, such as the functions
//     of math/rand/v2;
//   - shared: no draws from process-wide sources that the bubble seeds for the code
//     under test, such as the functions of math/rand; only lock code may draw from
//     them;
//   - order: no iteration over a map whose order could leak. Where order cannot
//     matter, a comment on the line above or at the end of the line gives the reason:
//     "// unordered: a sum does not depend on it";
//   - length: no function longer than [MaxLines];
//   - words: no words of one store, except where [KnowsStores] gives a reason;
//   - plain: no words of [Mannered] in comments and messages;
//   - groups: the files of a package whose [Unit] lists groups use only what their own
//     [Group] and those below it declare.
//
// TestBudget checks that no unit of the root module has more lines than budget.txt allows ([Budget]).
//
// The table [Layout] has the rules of each package. The table [Owners] has the few files
// that may break a rule because they enforce it for all others.
//
// All rules but order and groups read the syntax tree alone. These two need types, so every
// package of the module is type-checked from source, against the export data that "go list -export"
// finds in the build cache for everything outside it. Code that does not parse or
// type-check is a failure too: a check that skips unreadable code proves nothing.
//
// Test files may read the clock and range over maps. An external test package (package
// foo_test) may import anything. Test files must still seed their random sources, so that
// failures can be repeated.
package arch
