// Package store is MySQL as a store of scenarios: the server with its replicas, and the keys of
// its records. It imports no driver, so that each version of one can be run. Package mysql has
// it with the version that this module asks for.
package store
