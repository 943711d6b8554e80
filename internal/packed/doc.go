// Package packed compresses long texts in files by gzip. Readers of a file need not know whether
// it is compressed. A text of JSON that would take far more
// memory than its length can be refused before it is decoded.
package packed
