// Package store is Amazon S3 as a store of scenarios: a bucket behind one server. It imports no client library, so that
// it works with any version of one. Package s3 has the store with the version that this module requires.
package store
