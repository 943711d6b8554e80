// Package experiments has experiments that documents on distributed locks publish, and some of our own: each is a set of
// variants, such as locks or strategies, that run in a lab ([lab.Plan]) with many seeds, and a report of the results.
//
// [Real] runs the same plans on real servers, and [Results.Compare] compares both. The costs of requests of the simulated
// servers were measured on real ones (costs_measured.go).
package experiments
