// Package packed compresses long texts in files by gzip. Readers of a file need not know whether it is compressed. Before
// a JSON text is decoded, it can be refused if its values would take far more memory than the text, or if it has changed
// since it was written: see [Seal].
package packed
