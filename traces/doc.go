// Package traces is the format in which runs are kept and shown.
package traces
