// Package store is MySQL as a store of scenarios: the server with its replicas, and the keys of
// its records. It imports no driver, so that it works with any version of one. Package mysql
// has the store with the driver's version that this module requires.
package store
