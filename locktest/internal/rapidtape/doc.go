// Package rapidtape makes runs whose decisions are drawn from rapid. The draws suit rapid's shrinking: towards calm, and
// one kind of failure at a time.
package rapidtape
