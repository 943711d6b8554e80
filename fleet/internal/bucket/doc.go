// Package bucket keeps a search of a fleet in a bucket: a directory, S3, Google Cloud Storage or Azure Blob Storage. Each
// object is written atomically, and the name of a result has the hash of its text, so a reader never mistakes half of one
// for the whole.
//
//	search.json                         the search: see [Manifest]
//	pieces/FIRST-LAST.SHA256.json.gz    the result of blocks FIRST to LAST
//	aside/FIRST-LAST.json               what could not be searched: see [Aside]
//	result/...                          the state and the traces, as simrun run leaves them
//	report.txt                          what was printed at the end
package bucket
