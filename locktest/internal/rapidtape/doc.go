// Package rapidtape makes runs whose decisions are drawn from rapid. It suits the way
// rapid shrinks: towards calm, and one kind of failure at a time.
package rapidtape
