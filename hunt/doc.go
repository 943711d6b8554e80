// Package hunt searches a cell and processes its findings: it confirms, shrinks, attributes and groups them.
//
// A [Hunt] takes these steps:
//
//   - A sample of schedules runs twice, in two processes, and must not differ.
//   - The search (package explore) runs schedules of the cell, by a strategy or all within a bound, and confirms each
//     finding in another process: the first fault and the first limit of each property.
//   - [Reducer] shrinks a finding: fewer clients, rounds and faults, and a tape nearer to calm. It
//     determines which deviations the smaller one needs, and which remedies of the scenario prevent it.
//   - Findings are grouped by their causes (internal/causes), and one of each cause is reported.
//
// The findings of a hunt depend on the cell and the [Search] alone: not on the number of workers, on the caller, or on
// which findings are printed. Packages locktest and simrun both use it, and get the same findings.
//
// [Preflight] makes a calm run first, to detect locks that cannot be tested at all, and [EstimateSize] estimates the cost
// of a run. [NearestPassing] finds the run that is most like a counterexample without its violation.
package hunt
