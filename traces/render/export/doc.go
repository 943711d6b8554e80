// Package export writes stories in the formats of other programs.
package export
