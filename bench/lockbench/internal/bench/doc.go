// Package bench runs the tries of lockbench, keeps their results in a file, and makes the page.
//
// A [Plan] says how many seeds there are and how long a try may take. [Run] makes each try in a process of its own, keeps each
// result at once, and leaves out those that the file has: a run that was interrupted goes on. Arms that use all processors run
// one try at a time, before the others; arms that mostly wait run several side by side.
package bench
