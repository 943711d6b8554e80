// Package packed keeps long texts in short files: what is long is compressed by gzip, and
// whoever reads a file need not know whether it is.
package packed
