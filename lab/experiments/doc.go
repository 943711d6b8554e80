// Package experiments has the experiments that documents on distributed locks publish, and
// some of our own: each is a set of variants, such as locks or strategies, that run in a lab
// ([lab.Plan]) with many seeds, and a report of what they showed.
//
// [Real] runs the same plans on real servers, and [Results.Compare] sets both beside each other. What
// requests cost the simulated servers was measured on real ones (costs_measured.go).
package experiments
