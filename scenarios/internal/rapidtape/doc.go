// Package rapidtape makes runs whose decisions are drawn from rapid, in a way that
// suits how rapid shrinks: towards calm, and one kind of failure at a time.
package rapidtape
