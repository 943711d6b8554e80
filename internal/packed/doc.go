// Package packed keeps long texts in short files: what is long is compressed by gzip, and
// whoever reads a file need not know whether it is. A text of JSON that would take far more
// memory than its length can be refused before it is decoded.
package packed
